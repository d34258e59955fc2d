//! Options that hold a small language of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;
use octavia_integrator::config;
use octavia_integrator::model::name_template::{NameTemplate, VARIABLES};
use octavia_integrator::model::policy::Policy;
use octavia_integrator::model::vip_addresses::VipAddresses;
use octavia_integrator::octavia::names::Names;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use serde_json::Value;
use tera::{Context, Tera};

use crate::generate;

fn read(option: &str, text: &str) -> Result<Policy, Vec<String>> {
    let options = BTreeMap::from([(option.to_owned(), Value::from(text))]);
    config::policy(&options).map_err(|wrong| wrong.into_iter().map(|finding| finding.text).collect())
}

/// Text, variables, and pieces of what a template could do and must not.
fn template() -> impl Strategy<Value = String> {
    let harmless = select(vec![
        "{{ app }}",
        "{{model}}",
        "{{\tconsumer\r\n}}",
        "{{ request }}",
        "-",
        "k8s",
        " ",
        "é",
        "%",
        "#",
    ]);
    let harmful = select(vec![
        "{{",
        "}}",
        "{",
        "}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{{ unit }}",
        "{{ app | upper }}",
        "{{ range(end=9) }}",
        "{{- app -}}",
        "{{ app.x }}",
        "{% for x in y %}",
        "{{ 1 }}",
        "{{\u{a0}app }}",
    ]);
    vec(prop_oneof![9 => harmless, 1 => harmful], 1..8).prop_map(|pieces| pieces.concat())
}

fn network() -> impl Strategy<Value = IpNet> {
    (any::<IpAddr>(), 0_u8..=128).prop_map(|(address, bits)| {
        let most = if address.is_ipv4() { 32 } else { 128 };
        IpNet::new(address, bits.min(most)).expect("a prefix that fits")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_template_that_is_taken_renders_as_it_reads(text in template(), values in vec("[a-z0-9]{1,12}", 4)) {
        let Ok(template) = text.parse::<NameTemplate>() else { return Ok(()) };
        let mut context = Context::new();
        let mut expected = text.clone();
        for (name, value) in VARIABLES.into_iter().zip(&values) {
            context.insert(name, value);
            for spelt in [format!("{{{{ {name} }}}}"), format!("{{{{{name}}}}}"), format!("{{{{\t{name}\r\n}}}}")] {
                expected = expected.replace(&spelt, value);
            }
        }
        prop_assert!(!expected.contains(['{', '}']), "{}", text);
        prop_assert_eq!(Tera::one_off(template.as_str(), &context, false).ok(), Some(expected.clone()), "{}", text);
        let name = Names::new(&template).load_balancer(&values[0], &values[1], &values[2], &values[3]);
        prop_assert!((1..=255).contains(&name.len()), "{}", name);
        prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{}", name);
        if expected.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            prop_assert_eq!(name, expected);
        }
    }

    #[test]
    fn names_that_hold_anything_come_out_plain(template in template(), values in vec(".{0,99}", 4)) {
        let Ok(template) = template.parse::<NameTemplate>() else { return Ok(()) };
        let name = Names::new(&template).load_balancer(&values[0], &values[1], &values[2], &values[3]);
        prop_assert!((1..=255).contains(&name.len()), "{}", name);
        prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)), "{}", name);
    }

    #[test]
    fn networks_read_back_and_every_wrong_one_is_named(
        networks in vec(network(), 0..5),
        wrong in vec("[g-z/]{1,6}", 0..3),
        separator in select(vec![",", " ", ", ", "\n", "\t,"]),
    ) {
        let words: Vec<String> = networks.iter().map(ToString::to_string).chain(wrong.clone()).collect();
        match read("lb-allowed-cidrs", &words.join(separator)) {
            Ok(policy) => {
                prop_assert!(wrong.is_empty());
                let expected: BTreeSet<IpNet> = networks.iter().map(IpNet::trunc).collect();
                prop_assert_eq!(policy.allowed_cidrs, expected);
            }
            Err(findings) => {
                prop_assert!(!wrong.is_empty(), "{:?}", findings);
                prop_assert!(wrong.iter().all(|word| findings[0].contains(&format!("{word:?}"))), "{:?}", findings);
            }
        }
    }

    #[test]
    fn no_two_load_balancers_ask_for_one_address(
        requests in generate::requests(),
        pairs in btree_map(
            select(vec!["api-server-external", "api-server-internal", "kubernetes-control-plane", "web"]), 1_u8.., 0..4,
        ),
        only in any::<u8>(),
    ) {
        let text = |(name, last): (&&str, &u8)| format!("{name}=10.5.5.{last}");
        let distinct = pairs.values().collect::<BTreeSet<_>>().len() == pairs.len();
        let parsed: Result<VipAddresses, String> = match pairs.len() {
            0 => format!("10.5.5.{only}").parse(),
            _ => pairs.iter().map(text).collect::<Vec<_>>().join(",").parse(),
        };
        prop_assert_eq!(parsed.is_ok(), distinct, "{:?}", parsed);
        let Ok(addresses) = parsed else { return Ok(()) };
        let wished: Vec<IpAddr> =
            requests.iter().filter_map(|request| addresses.wish(request, &requests).ok().flatten()).collect();
        prop_assert_eq!(wished.iter().collect::<BTreeSet<_>>().len(), wished.len(), "{:?}", wished);
        // What a consumer asks for itself is not asked for by the operator as well.
        prop_assert!(requests.iter().all(|request| request.ingress_address.is_none() || addresses.wish(request, &requests) == Ok(None)));
    }
}

#[test]
fn the_generators_reach_what_is_taken_and_what_is_not() {
    let taken = |text: &str| text.parse::<NameTemplate>().is_ok();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let texts: Vec<String> =
        (0..300).map(|_| template().new_tree(&mut runner).expect("a template").current()).collect();
    let count = texts.iter().filter(|text| taken(text)).count();
    assert!((90..270).contains(&count), "{count} of 300 templates are taken");
}
