//! The contract with Juju: `metadata.yaml`, `config.yaml` and `actions.yaml` against the Rust types, and the rules that
//! Juju's own parser enforces and the public tools do not.
#![expect(clippy::unwrap_used, reason = "a broken contract stops the test at once")]

use std::collections::{BTreeMap, BTreeSet};

use octavia_integrator::config::{Default as Given, OPTIONS};
use octavia_integrator::juju::endpoint;
use serde_json::Value;

fn yaml(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_option_has_its_type_and_default_in_both_places() {
    let config = yaml("config.yaml");
    let options = config["options"].as_object().unwrap();
    let named: BTreeSet<&str> = options.keys().map(String::as_str).collect();
    let known: BTreeSet<&str> = OPTIONS.iter().map(|option| option.name).collect();
    assert_eq!(named, known);
    assert_eq!(known.len(), OPTIONS.len(), "an option is named twice");
    for option in OPTIONS {
        let (kind, default) = match option.default {
            Given::Text(text) => ("string", Value::from(text)),
            Given::Number(number) => ("int", Value::from(number)),
            Given::NoText => ("string", Value::Null),
            Given::NoNumber => ("int", Value::Null),
        };
        let given = &options[option.name];
        assert_eq!(given["type"], kind, "{}", option.name);
        assert_eq!(given.get("default").cloned().unwrap_or_default(), default, "{}", option.name);
        assert!(
            given["description"].as_str().is_some_and(|text| text.trim().ends_with('.')),
            "{}",
            option.name
        );
    }
}

#[test]
fn the_defaults_alone_are_a_valid_policy() {
    let config = yaml("config.yaml");
    let options = config["options"].as_object().unwrap();
    let defaults: BTreeMap<String, Value> = options
        .iter()
        .filter_map(|(name, option)| Some((name.clone(), option.get("default")?.clone())))
        .collect();
    octavia_integrator::config::policy(&defaults).unwrap();
}

#[test]
fn options_that_hold_secrets_are_known_as_such() {
    for option in OPTIONS {
        let holds = option.name == "credentials"
            || option.name.contains("password")
            || option.name.contains("secret");
        assert_eq!(option.secret, holds, "{}", option.name);
    }
}

#[test]
fn the_endpoints_are_those_that_the_charm_serves() {
    let metadata = yaml("metadata.yaml");
    assert_eq!(metadata["name"], "octavia-integrator");
    let provides = metadata["provides"].as_object().unwrap();
    let interfaces: Vec<(&str, &str)> = provides
        .iter()
        .map(|(name, endpoint)| (name.as_str(), endpoint["interface"].as_str().unwrap()))
        .collect();
    assert_eq!(
        interfaces,
        [
            (endpoint::LB_CONSUMERS, "loadbalancer"),
            (endpoint::LOADBALANCER, "public-address"),
            (endpoint::WEBSITE, "http")
        ]
    );
    let peers = metadata["peers"].as_object().unwrap();
    assert_eq!(peers.keys().collect::<Vec<_>>(), [endpoint::REPLICAS]);
    assert_eq!(peers[endpoint::REPLICAS]["interface"], "octavia-integrator-replicas");
    for (name, endpoint) in provides.iter().chain(peers) {
        let description = endpoint["description"].as_str().unwrap_or_default();
        assert!(description.trim_end().ends_with('.'), "{name} has no description");
        // Juju's model of an endpoint: a limit would refuse relations, a scope would hide our units from each other.
        assert!(endpoint.get("limit").is_none() && endpoint.get("scope").is_none(), "{name}");
    }
    assert!(metadata.get("requires").is_none());
}

#[test]
fn every_action_takes_what_the_charm_reads() {
    let actions = yaml("actions.yaml");
    let actions = actions.as_object().unwrap();
    let table = [
        ("resync-monitors", &[("dry-run", "boolean"), ("load-balancer", "string")][..]),
        ("show-load-balancers", &[("load-balancer", "string")]),
    ];
    assert_eq!(actions.keys().collect::<Vec<_>>(), table.map(|(name, _)| name));
    for (name, parameters) in table {
        let action = &actions[name];
        assert_eq!(action["additionalProperties"], false, "{name}");
        let kinds: Vec<(&str, &str)> = action["params"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, parameter)| (name.as_str(), parameter["type"].as_str().unwrap()))
            .collect();
        assert_eq!(kinds, parameters, "{name}");
    }
}

#[test]
fn jujus_own_parser_would_take_these_files() {
    let found = complaints(&yaml("metadata.yaml"), &yaml("config.yaml"), &yaml("actions.yaml"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn what_jujus_own_parser_refuses_is_seen() {
    let metadata = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
    let (fine, config, actions) = (yaml("metadata.yaml"), yaml("config.yaml"), yaml("actions.yaml"));
    let table = [
        (
            metadata("{name: x, summary: s, description: d, provides: {a: {}}}"),
            config.clone(),
            actions.clone(),
            "has no interface",
        ),
        (
            metadata("{name: x, summary: s, description: d, provides: {juju-db: {interface: i}}}"),
            config.clone(),
            actions.clone(),
            "reserved",
        ),
        (
            metadata(
                "{name: x, summary: s, description: d, provides: {a: {interface: i}}, requires: {a: {interface: i}}}",
            ),
            config.clone(),
            actions.clone(),
            "twice",
        ),
        (
            metadata("{name: X_y, summary: s, description: d}"),
            config.clone(),
            actions.clone(),
            "charm's name",
        ),
        (
            metadata("{name: x, summary: s, description: d, assumes: [juju ~ 3]}"),
            config.clone(),
            actions.clone(),
            "assumes",
        ),
        (fine.clone(), metadata("options: {a: {type: integer}}"), actions.clone(), "type"),
        (fine.clone(), metadata("options: {a: {type: int, default: x}}"), actions.clone(), "default"),
        (fine.clone(), config.clone(), metadata("Re_Fresh: {description: d}"), "action"),
        (fine.clone(), config.clone(), metadata("juju-run: {description: d}"), "action"),
        (fine, config, metadata("a: {description: d, params: {p: {type: text}}}"), "schema"),
    ];
    for (metadata, config, actions, words) in table {
        let found = complaints(&metadata, &config, &actions);
        assert!(found.len() == 1 && found[0].contains(words), "{words}: {found:?}");
    }
}

/// The rules of Juju's parser (`juju/charm` v12, `meta.go`, `config.go`, `actions.go`).
fn complaints(metadata: &Value, config: &Value, actions: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    if !metadata["name"].as_str().is_some_and(is_name) {
        found.push("the charm's name is not one".to_owned());
    }
    for assumption in metadata["assumes"].as_array().into_iter().flatten() {
        let words: Vec<&str> = assumption.as_str().unwrap_or_default().split_whitespace().collect();
        if !matches!(words.as_slice(), [_] | [_, ">=" | "<", _]) {
            found.push(format!("assumes: {assumption}"));
        }
    }
    let mut seen = BTreeSet::new();
    for role in ["provides", "requires", "peers"] {
        for (name, endpoint) in metadata[role].as_object().into_iter().flatten() {
            if !endpoint["interface"].is_string() {
                found.push(format!("endpoint {name} has no interface"));
            }
            if name.starts_with("juju-") || name == "juju" {
                found.push(format!("endpoint {name} is reserved"));
            }
            if !seen.insert(name.clone()) {
                found.push(format!("endpoint {name} stands there twice"));
            }
        }
    }
    for (name, option) in config["options"].as_object().into_iter().flatten() {
        let kind = option["type"].as_str().unwrap_or_default();
        let fits = match (kind, option.get("default").unwrap_or(&Value::Null)) {
            (_, Value::Null) => true,
            ("string" | "secret", value) => value.is_string(),
            ("int", value) => value.is_i64(),
            ("float", value) => value.is_number(),
            ("boolean", value) => value.is_boolean(),
            _ => true,
        };
        if !["string", "int", "float", "boolean", "secret"].contains(&kind) {
            found.push(format!("option {name} has type {kind}"));
        } else if !fits {
            found.push(format!("option {name} has a default of another kind"));
        }
    }
    for (name, action) in actions.as_object().into_iter().flatten() {
        if !is_name(name) || name.starts_with("juju") {
            found.push(format!("action {name} may not be called so"));
        }
        for (parameter, schema) in action["params"].as_object().into_iter().flatten() {
            let kinds = ["string", "integer", "number", "boolean", "object", "array"];
            let kind = schema["type"].as_str().unwrap_or_default();
            if !kinds.contains(&kind) || schema.get("$ref").is_some() || schema.get("$schema").is_some() {
                found.push(format!("parameter {parameter} of {name} is no schema"));
            }
        }
    }
    found
}
