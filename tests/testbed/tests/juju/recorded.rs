//! Every recorded answer of Juju's own hook tools, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use testbed::juju::{Bag, Deploy, Model, ModelOptions};

use crate::charm::{FakeCharm, bag};

/// So many were recorded; none may get lost on the way.
const RECORDS: usize = 128;

#[derive(Debug, Default, Clone, PartialEq)]
struct Record {
    context: String,
    command: Vec<String>,
    stdin: String,
    exit: i32,
    stdout: String,
    stderr: String,
    unit: Option<Bag>,
    application: Option<Bag>,
    result: Option<Value>,
}

pub(crate) fn trials() -> Vec<Trial> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/hook-tools.txt");
    let records = parse(&fs::read_to_string(file).unwrap());
    let found = records.len();
    let mut trials: Vec<Trial> = records
        .into_iter()
        .map(|record| {
            let name =
                format!("recorded: [{}] {} {}", record.context, record.command.join(" "), record.stdin);
            Trial::test(name, move || replay(&record))
        })
        .collect();
    trials.push(Trial::test("recorded: no record is lost", move || {
        if found == RECORDS { Ok(()) } else { Err(format!("{found} records instead of {RECORDS}").into()) }
    }));
    trials
}

fn parse(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((context, command)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            let command = command.split_whitespace().map(str::to_owned).collect();
            records.push(Record { context: context.to_owned(), command, ..Record::default() });
            continue;
        }
        let record = records.last_mut().expect("a record starts with its context");
        let (field, value) = line.trim_start().split_once(' ').expect("a field and its value");
        let value: Value = serde_json::from_str(value).unwrap();
        let text = || value.as_str().unwrap().to_owned();
        let map = || serde_json::from_value(value.clone()).unwrap();
        match field {
            "stdin" => record.stdin = text(),
            "exit" => record.exit = serde_json::from_value(value.clone()).unwrap(),
            "stdout" => record.stdout = text(),
            "stderr" => record.stderr = text(),
            "unit" => record.unit = Some(map()),
            "app" => record.application = Some(map()),
            "result" => record.result = Some(value.clone()),
            other => panic!("unknown field {other}"),
        }
    }
    records
}

fn replay(record: &Record) -> Result<(), Failed> {
    let charm = FakeCharm::new();
    let mut model = world(&charm, &record.context);
    let probe = script(record);
    let mut result = None;
    match record.context.as_str() {
        "plain" | "leader" | "trust" => {
            charm.script("update-status", &probe);
            model.update_status("lb/0");
        }
        "action" => {
            charm.script("probe", &probe);
            let parameters = json!({"force": true, "n": 3, "o": {"a": {"b": 1}}});
            result = Some(model.run_action("lb/0", "probe", parameters).results);
        }
        "changed" => {
            charm.script("lb-consumers-relation-changed", &probe);
            model.set_unit_bag(7, "web/0", bag(WEB_0));
            model.settle();
        }
        "appchanged" => {
            charm.script("lb-consumers-relation-changed", &probe);
            model.set_application_bag(7, "web", bag(WEB));
            model.settle();
        }
        "broken" => {
            charm.script("lb-consumers-relation-broken", &probe);
            model.remove_relation(9);
            model.settle();
        }
        other => panic!("unknown context {other}"),
    }
    let seen = Record {
        exit: charm.output("exit").trim().parse().expect("the probe ran"),
        stdout: charm.output("stdout"),
        stderr: charm.output("stderr"),
        unit: record.unit.is_some().then(|| model.unit_bag(7, "lb/0")),
        application: record.application.is_some().then(|| model.application_bag(7, "lb")),
        result: record.result.is_some().then(|| result.unwrap_or_default()),
        ..record.clone()
    };
    if seen == *record { Ok(()) } else { Err(format!("recorded {record:#?}\nbut got {seen:#?}").into()) }
}

const WEB_0: [(&str, &str); 3] = [("a", "1"), ("num", "12345"), ("t", "true")];
const WEB: [(&str, &str); 1] = [("req", r#"{"x": 1}"#)];

fn world(charm: &FakeCharm, context: &str) -> Model {
    let leads = context == "leader";
    let status = if leads {
        "status-set active hi; status-set --application active"
    } else {
        "status-set waiting 'for db'"
    };
    charm.script("start", status);
    let credential = json!({
        "type": "openstack", "name": "stack", "region": "R1", "endpoint": "https://k:5000/v3",
        "credential": {"auth-type": "userpass", "attrs": {
            "username": "u", "password": "p", "tenant-name": "t", "project-domain-name": "d",
            "user-domain-name": "d", "version": "3"}},
        "cacertificates": ["-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n"],
    });
    let mut model = Model::new(ModelOptions { credential: Some(credential), ..ModelOptions::default() });
    model.skip_relations_to(1);
    let units = if leads { 1 } else { 2 };
    model.deploy(
        "lb",
        Deploy { charm_dir: charm.path(), units, trust: context == "trust", ..Deploy::default() },
    );
    if !leads {
        model.set_leader("lb", Some("lb/1"));
    }
    model.add_remote("web", &[("0", "10.5.5.15"), ("1", "10.5.5.16")]);
    model.add_remote("web2", &[]);
    for (id, application) in [(7, "web"), (9, "web2")] {
        model.skip_relations_to(id);
        assert_eq!(model.integrate("lb:lb-consumers", &format!("{application}:lb")), id);
    }
    model.settle();
    if context != "changed" {
        model.set_unit_bag(7, "web/0", bag(WEB_0));
    }
    model.set_unit_bag(7, "web/1", BTreeMap::new());
    model.set_unit_bag(7, "lb/0", bag([("ingress-address", "10.0.0.5"), ("private-address", "10.0.0.5")]));
    if context != "appchanged" {
        model.set_application_bag(7, "web", bag(WEB));
    }
    model.set_application_bag(1, "lb", bag([("s", "x")]));
    model.set_unreadable(9, true);
    model.settle();
    model
}

/// Runs the command on `lb/0` alone and keeps what it says.
fn script(record: &Record) -> String {
    let quote = |text: &String| format!("'{}'", text.replace('\'', r"'\''"));
    let words: Vec<String> = record.command.iter().map(quote).collect();
    format!(
        "[ $JUJU_UNIT_NAME = lb/0 ] || exit 0\nprintf %s {} | {} >stdout 2>stderr\necho $? >exit\n",
        quote(&record.stdin),
        words.join(" ")
    )
}
