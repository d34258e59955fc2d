//! Databags and options may hold anything: nothing panics, and no answer is lost.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use octavia_integrator::config;
use octavia_integrator::interface::Bag;
use octavia_integrator::interface::loadbalancer::{self, Consumer};
use octavia_integrator::model::answer::Answer;
use octavia_integrator::model::outcome::{LoadBalancer, Outcome, State};
use octavia_integrator::report::answers::answers;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Any JSON, small.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        select(vec![
            "tcp",
            "443",
            "10.0.0.1",
            "/readyz",
            "200",
            "auto",
            "(set)",
            "source-ip",
            "10.0.0.0/8, fd00::/8",
            "a=10.0.0.1",
            "{{ app }}-{{ request }}",
            "{% for x in y %}",
            "{{ app",
            "web",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(".{0,6}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A request as the library writes it, with one field in four replaced by anything.
fn request() -> impl Strategy<Value = String> {
    let good = json!({
        "algorithm": [], "backends": [], "id": "d6c6ac125bc84970bbf2fb7bd653137b", "ingress_address": null,
        "health_checks": [{"interval": 30, "path": "/livez", "port": 6443, "protocol": "http", "retries": 3}],
        "name": "api", "port_mapping": {"443": 6443}, "protocol": "tcp", "public": true, "sent_hash": "fb36",
        "sticky": false, "tls_cert": null, "tls_key": null, "tls_termination": false,
    });
    let fields: Vec<String> = good.as_object().unwrap().keys().cloned().collect();
    let damage = option::weighted(0.5, (select(fields), anything()));
    let whole = damage.prop_map(move |damage| {
        let mut request = good.clone();
        if let Some((field, value)) = damage {
            request[field] = value;
        }
        request.to_string()
    });
    prop_oneof![8 => whole, 1 => ".{0,40}", 1 => anything().prop_map(|value| value.to_string())]
}

fn application_bag() -> impl Strategy<Value = Bag> {
    let version = prop_oneof![6 => Just("1".to_owned()), 1 => Just("2".to_owned()), 1 => ".{0,4}"];
    let requests = btree_map("[a-z,{} ]{0,8}", request(), 0..4);
    let others = btree_map(".{0,8}", ".{0,8}", 0..3);
    (option::weighted(0.95, version), requests, others).prop_map(|(version, requests, others)| {
        let mut bag: Bag = others;
        bag.extend(requests.into_iter().map(|(name, request)| (format!("request_{name}"), request)));
        bag.extend(version.map(|version| ("version".to_owned(), version)));
        bag
    })
}

fn read(bag: &Bag, units: &BTreeMap<u32, String>) -> loadbalancer::Asked {
    let relation = "lb-consumers:7".parse().unwrap();
    let unit_bags = units
        .iter()
        .map(|(number, address)| {
            (
                format!("web/{number}").parse().unwrap(),
                Bag::from([("ingress-address".to_owned(), address.clone())]),
            )
        })
        .collect();
    loadbalancer::read_requests(&Consumer {
        relation: &relation,
        application: "web",
        application_bag: bag,
        unit_bags: &unit_bags,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_options_never_panic(options in btree_map(
        select(config::OPTIONS.iter().map(|option| option.name.to_owned()).collect::<Vec<_>>()), anything(), 0..12,
    )) {
        let read = config::policy(&options);
        if let Err(wrong) = read {
            // Every finding begins with the option that it is about.
            for finding in wrong {
                let name = finding.text.split(':').next().unwrap_or_default().to_owned();
                prop_assert!(options.contains_key(&name), "{}", finding.text);
            }
        }
        let _ = config::credentials("lb", &options, &BTreeMap::new(), config::CloudCredential::Denied);
    }

    #[test]
    fn no_databag_loses_a_good_answer(
        bag in application_bag(),
        before in btree_map("[a-z,{} ]{0,8}", any::<u32>(), 0..4),
        served in vec(option::of(any::<u32>()), 4),
        ready in vec((0..4, any::<u32>()), 4),
        units in btree_map(0_u32..9, prop_oneof![3 => Just("10.5.5.7".to_owned()), 1 => ".{0,9}"], 0..4),
    ) {
        let asked = read(&bag, &units);
        // Answers that stand already are for what is asked for now, or for what was once.
        let names = bag.keys().filter_map(|key| key.strip_prefix("request_")).map(str::to_owned);
        let served = names.zip(served).filter_map(|(name, address)| Some((name, address?)));
        let before: BTreeMap<String, Answer> = before
            .into_iter()
            .chain(served)
            .map(|(name, address)| (name, Answer::Address { address: IpAddr::V4(address.into()), received_hash: None }))
            .collect();
        let state = |(which, address): &(i32, u32)| match which {
            0 => State::Pending("x".to_owned()),
            1 => State::Failed("x".to_owned()),
            2 => State::Unsupported { field: "ingress_address".to_owned(), reason: "x".to_owned() },
            _ => State::Ready(IpAddr::V4((*address).into())),
        };
        let load_balancers = asked
            .requests
            .iter()
            .zip(&ready)
            .map(|(request, ready)| (request.key.clone(), LoadBalancer { state: state(ready), is_settled: true, trouble: Vec::new(), members: Vec::new() }))
            .collect();
        let requests: Vec<_> = asked.requests.iter().collect();
        let after = answers(&before, &requests, &asked.refusals, Some(&Outcome { load_balancers }));
        for name in before.keys() {
            prop_assert!(matches!(after.get(name), Some(Answer::Address { .. })), "{name}");
        }
        // What is written reads back, in exactly five keys.
        let written = loadbalancer::write_answers(&after);
        prop_assert_eq!(loadbalancer::read_answers(&written), after);
        for (key, text) in written.iter().filter(|(key, _)| key.starts_with("response_")) {
            let fields: Map<String, Value> = serde_json::from_str(text).unwrap();
            prop_assert_eq!(fields.len(), 5, "{}", key);
        }
        // Nothing is both served and refused, and nothing that is asked for is forgotten.
        if asked.findings.iter().all(|finding| !finding.text.contains("expected version 1")) && bag.contains_key("version") {
            let names = bag.keys().filter(|key| key.starts_with("request_")).count();
            prop_assert_eq!(asked.requests.len() + asked.refusals.len(), names);
        }
        prop_assert!(asked.refusals.iter().all(|refusal| !refusal.fields.is_empty()));
    }
}

#[test]
fn the_generator_reaches_valid_requests_often_enough() {
    static VALID: AtomicUsize = AtomicUsize::new(0);
    static ALL: AtomicUsize = AtomicUsize::new(0);
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    proptest::test_runner::TestRunner::new(config)
        .run(&application_bag(), |bag| {
            let asked = read(&bag, &BTreeMap::new());
            VALID.fetch_add(asked.requests.len(), Ordering::Relaxed);
            ALL.fetch_add(asked.requests.len() + asked.refusals.len(), Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
    let (valid, all) = (VALID.load(Ordering::Relaxed), ALL.load(Ordering::Relaxed));
    assert!(valid * 10 >= all * 3, "{valid} of {all} requests are valid");
    assert!(valid < all, "some are not");
}
