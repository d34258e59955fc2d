//! Databags as real consumers write them, and as nobody should.

use serde_json::{Value, json};

use super::*;
use crate::model::answer::Answer;
use crate::model::port::Port;
use crate::model::traffic::{Algorithm, Protocol};

/// As `loadbalancer_interface` 1.2.1 wrote it for kubernetes-control-plane.
const REQUEST: &str = r#"{"algorithm": [], "backends": [], "health_checks": [{"interval": 30, "path": "/livez", "port": 6443, "protocol": "http", "retries": 3}], "id": "d6c6ac125bc84970bbf2fb7bd653137b", "ingress_address": null, "name": "api-server-external", "port_mapping": {"443": 6443}, "protocol": "tcp", "public": true, "sent_hash": "fb36336f84ee748b6b8c24a408a22931", "sticky": false, "tls_cert": null, "tls_key": null, "tls_termination": false}"#;

fn read(bag: &[(&str, &str)], units: &[(&str, &str)]) -> Asked {
    let relation = "lb-consumers:7".parse().unwrap();
    let bag = bag.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let unit_bags = units
        .iter()
        .map(|(unit, address)| {
            (unit.parse().unwrap(), Bag::from([("ingress-address".to_owned(), (*address).to_owned())]))
        })
        .collect();
    read_requests(&Consumer {
        relation: &relation,
        application: "cp",
        application_bag: &bag,
        unit_bags: &unit_bags,
    })
}

/// The request with some fields replaced.
fn request(changes: &Value) -> Asked {
    let mut fields: Value = serde_json::from_str(REQUEST).unwrap();
    for (key, value) in changes.as_object().unwrap() {
        fields[key] = value.clone();
    }
    read(&[("version", "1"), ("request_api", &fields.to_string())], &[("cp/0", "10.5.5.10")])
}

#[test]
fn a_real_request_is_understood() {
    let units = [("cp/10", "10.5.5.20"), ("cp/2", "10.5.5.12"), ("cp/3", ""), ("cp/4", "10.5.5.12")];
    let asked = read(&[("version", "1"), ("request_api-server-external", REQUEST)], &units);
    assert_eq!((asked.refusals.len(), asked.findings.len()), (0, 0));
    let request = &asked.requests[0];
    assert_eq!(request.key.to_string(), "api-server-external (lb-consumers:7)");
    assert_eq!((request.protocol, request.public, request.sticky), (Protocol::Tcp, true, false));
    assert_eq!(request.ports, BTreeMap::from([(Port::new(443).unwrap(), Port::new(6443).unwrap())]));
    assert_eq!(request.sent_hash.as_deref(), Some("fb36336f84ee748b6b8c24a408a22931"));
    assert_eq!(request.checks[0].path.as_deref(), Some("/livez"));
    let back_ends: Vec<String> = request
        .back_ends
        .iter()
        .map(|one| format!("{} {}", one.address, one.unit.as_ref().unwrap()))
        .collect();
    assert_eq!(back_ends, ["10.5.5.12 cp/2", "10.5.5.20 cp/10"]);
}

#[test]
fn nothing_is_seen_before_a_version_and_a_strange_version_is_said() {
    let asked = read(&[("request_api", REQUEST)], &[]);
    assert_eq!(asked, Asked::default());
    for (version, seen, said) in
        [("1", 1, 0), ("2", 1, 0), (" 1\n", 1, 0), ("0", 0, 1), ("-1", 0, 1), ("1.0", 0, 1), ("x", 0, 1)]
    {
        let asked = read(&[("version", version), ("request_api", REQUEST)], &[]);
        assert_eq!((asked.requests.len(), asked.findings.len()), (seen, said), "{version}");
    }
}

#[test]
fn back_ends_of_the_request_go_before_units() {
    let asked = request(&json!({"backends": ["10.5.5.99", "10.5.5.10"]}));
    let units: Vec<_> = asked.requests[0].back_ends.iter().map(|one| one.unit.is_some()).collect();
    assert_eq!(units, [true, false]);
}

#[test]
fn what_is_wrong_is_refused_by_the_name_of_its_field() {
    let table = [
        (json!({"protocol": "sctp"}), "protocol", "expected tcp, udp, http or https, got \"sctp\""),
        (json!({"protocol": null}), "protocol", "expected tcp, udp, http or https, got null"),
        (json!({"port_mapping": {}}), "port_mapping", "got {}"),
        (json!({"port_mapping": {"0": 1}}), "port_mapping", "got {\"0\":1}"),
        (json!({"port_mapping": {"443": 70_000}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": [443]}), "port_mapping", "got [443]"),
        (json!({"port_mapping": {"443": 6443, "0443": 1}}), "port_mapping", "from 1 to 65535"),
        (json!({"public": "yes"}), "public", "expected true or false, got \"yes\""),
        (json!({"backends": ["web.example"]}), "backends", "expected a list of IP addresses"),
        (json!({"backends": "10.0.0.1"}), "backends", "expected a list of IP addresses"),
        (
            json!({"health_checks": [{"protocol": "http", "port": 0}]}),
            "health_checks",
            "expected a list of checks",
        ),
        (
            json!({"health_checks": [{"protocol": "http", "port": 1, "path": "x"}]}),
            "health_checks",
            "expected a list",
        ),
        (json!({"health_checks": {}}), "health_checks", "got {}"),
        (json!({"tls_termination": true}), "tls_termination", "not terminated here"),
        (
            json!({"ingress_address": "somewhere"}),
            "ingress_address",
            "expected an IP address, got \"somewhere\"",
        ),
        (json!({"ingress_address": 7}), "ingress_address", "expected an IP address, got 7"),
        (
            json!({"algorithm": ["fastest"]}),
            "algorithm",
            "one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT, got [\"fastest\"]",
        ),
        (json!({"algorithm": [1]}), "algorithm", "got [1]"),
        (json!({"algorithm": {}}), "algorithm", "got {}"),
        (json!({"algorithm": ""}), "algorithm", "got \"\""),
        (json!({"algorithm": ["SOURCE_IP", null]}), "algorithm", "got [\"SOURCE_IP\",null]"),
        (json!({"port_mapping": null}), "port_mapping", "got null"),
        (json!({"port_mapping": {"443": 0}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": {"443": -1}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": {"443": 6443.5}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": {"70000": 6443}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": {"https": 6443}}), "port_mapping", "from 1 to 65535"),
        (json!({"port_mapping": {"443": null}}), "port_mapping", "from 1 to 65535"),
        (json!({"backends": ["10.0.0.1", 7]}), "backends", "expected a list of IP addresses"),
        (json!({"backends": ["10.0.0.1:6443"]}), "backends", "expected a list of IP addresses"),
        (json!({"sticky": 1}), "sticky", "expected true or false, got 1"),
        (json!({"tls_termination": "no"}), "tls_termination", "expected true or false, got \"no\""),
        (
            json!({"health_checks": [{"protocol": "http", "port": 1, "interval": -1}]}),
            "health_checks",
            "expected a list of checks",
        ),
        (json!({"health_checks": [7]}), "health_checks", "got [7]"),
    ];
    for (changes, field, words) in table {
        let asked = request(&changes);
        assert_eq!(asked.requests, [], "{changes}");
        let refusal = &asked.refusals[0];
        assert_eq!(refusal.fields.keys().collect::<Vec<_>>(), [field]);
        assert!(refusal.fields[field].contains(words), "{:?}", refusal.fields);
        assert_eq!(refusal.received_hash.as_deref(), Some("fb36336f84ee748b6b8c24a408a22931"));
    }
}

#[test]
fn all_that_is_wrong_with_a_request_is_said_at_once() {
    let asked = request(&json!({"protocol": 6, "port_mapping": [], "sent_hash": 7}));
    let refusal = &asked.refusals[0];
    assert_eq!(refusal.fields.keys().collect::<Vec<_>>(), ["port_mapping", "protocol", "sent_hash"]);
    assert_eq!(
        (refusal.fields["sent_hash"].as_str(), &refusal.received_hash),
        ("expected text, got 7", &None)
    );
}

#[test]
fn a_field_that_is_missing_is_refused_only_if_nothing_can_stand_for_it() {
    let whole = request(&json!({"health_checks": [], "sent_hash": null})).requests[0].clone();
    for field in serde_json::from_str::<Value>(REQUEST).unwrap().as_object().unwrap().keys() {
        let mut fields: Value = serde_json::from_str(REQUEST).unwrap();
        fields["health_checks"] = json!([]);
        fields["sent_hash"] = Value::Null;
        fields.as_object_mut().unwrap().remove(field);
        let asked = read(&[("version", "1"), ("request_api", &fields.to_string())], &[("cp/0", "10.5.5.10")]);
        if ["protocol", "port_mapping"].contains(&field.as_str()) {
            assert_eq!(asked.requests, []);
            assert_eq!(asked.refusals[0].fields.keys().collect::<Vec<_>>(), [field]);
        } else {
            assert_eq!(asked.requests, std::slice::from_ref(&whole), "{field}");
        }
    }
}

#[test]
fn the_first_algorithm_that_is_known_counts_however_it_is_spelt() {
    let table = [
        (json!([]), None),
        (json!(null), None),
        (json!(["least-connections"]), Some(Algorithm::LeastConnections)),
        (json!(["fastest", "Source_IP", "round_robin"]), Some(Algorithm::SourceIp)),
        (json!("source-ip-port"), Some(Algorithm::SourceIpPort)),
    ];
    for (wish, algorithm) in table {
        let asked = request(&json!({"algorithm": wish}));
        assert_eq!(asked.requests[0].algorithm, algorithm, "{wish}");
    }
    let asked = request(&json!({"ingress_address": "10.0.0.9"}));
    assert_eq!(asked.requests[0].ingress_address, Some("10.0.0.9".parse().unwrap()));
}

#[test]
fn a_bad_request_does_not_hurt_a_good_one() {
    for bad in ["", "{", "[]", "7", "null", "\"x\""] {
        let asked = read(&[("version", "1"), ("request_bad", bad), ("request_api", REQUEST)], &[]);
        assert_eq!((asked.requests.len(), asked.refusals.len()), (1, 1), "{bad}");
    }
}

#[test]
fn a_unit_without_an_ip_address_is_left_out_by_name() {
    let asked = read(
        &[("version", "1"), ("request_api", REQUEST)],
        &[("cp/0", "cp-0.example"), ("cp/1", "10.5.5.11")],
    );
    assert_eq!(asked.requests[0].back_ends.len(), 1);
    assert!(asked.findings[0].text.starts_with("cp/0: "));
}

#[test]
fn an_answer_is_what_the_real_library_writes_but_for_spaces() {
    let answers = BTreeMap::from([
        (
            "a".to_owned(),
            Answer::Address { address: "203.0.113.7".parse().unwrap(), received_hash: Some("h".into()) },
        ),
        (
            "b".to_owned(),
            Answer::Unsupported {
                fields: BTreeMap::from([("protocol".into(), "no".into())]),
                received_hash: None,
            },
        ),
    ]);
    let bag = write_answers(&answers);
    assert_eq!(bag["version"], "1");
    assert_eq!(
        bag["response_a"],
        r#"{"address":"203.0.113.7","error":null,"error_fields":{},"error_message":null,"received_hash":"h"}"#
    );
    assert_eq!(
        bag["response_b"],
        r#"{"address":null,"error":"unsupported","error_fields":{"protocol":"no"},"error_message":null,"received_hash":null}"#
    );
    assert_eq!(read_answers(&bag), answers);
}

#[test]
fn answers_that_cannot_be_read_are_left_out() {
    let bag = Bag::from([
        ("response_a".to_owned(), "{".to_owned()),
        ("response_b".to_owned(), r#"{"address": "not an address"}"#.to_owned()),
        ("other".to_owned(), "x".to_owned()),
    ]);
    assert_eq!(read_answers(&bag), BTreeMap::new());
}
