//! Every line that Juju 3.6's own hook tool code was recorded to answer, for the tools that the charm calls.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use super::{Answer, answer};
use crate::juju::charm::Charm;
use crate::juju::context::{ActionRun, HookContext};
use crate::juju::state::{Application, Bag, End, Hook, Joined, Relation, State, Status, Unit, Versioned};

/// Recorded by running the tools' own Go code with a context of its own; `data/hook-tools.jsonl`.
const RECORDED: &str = include_str!("../../../data/hook-tools.jsonl");

/// As many lines as were recorded for these tools: none is skipped in silence.
const LINES: usize = 126;

#[derive(Debug, Deserialize)]
struct Line {
    context: String,
    command: String,
    #[serde(default)]
    input: Option<String>,
    code: i32,
    stdout: String,
    stderr: String,
    /// Our unit's bag with what was buffered, as Go prints a map.
    #[serde(default)]
    unit: Option<String>,
    /// Our application's bag likewise.
    #[serde(default)]
    application: Option<String>,
}

#[test]
fn the_tools_answer_as_jujus_own_were_recorded() {
    let lines: Vec<Line> = RECORDED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), LINES);
    let mut wrong = Vec::new();
    for line in &lines {
        let (mut state, mut context) = world(&line.context);
        let mut words = line.command.split_whitespace().map(str::to_owned);
        let tool = words.next().unwrap();
        let arguments: Vec<String> = words.collect();
        let given = answer(&mut state, &mut context, &tool, &arguments, line.input.as_deref());
        let recorded = Answer { code: line.code, stdout: line.stdout.clone(), stderr: line.stderr.clone() };
        if given != recorded {
            wrong.push(format!(
                "[{}] {}\n  recorded {recorded:?}\n  given    {given:?}",
                line.context, line.command
            ));
        }
        for (recorded, bag) in
            [(&line.unit, own_unit_bag(&state, &context)), (&line.application, application_bag(&context))]
        {
            if recorded.as_ref().is_some_and(|recorded| *recorded != go_map(&bag)) {
                wrong.push(format!(
                    "[{}] {}\n  recorded {recorded:?}\n  buffered {bag:?}",
                    line.context, line.command
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {LINES} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn own_unit_bag(state: &State, context: &HookContext) -> Bag {
    let mut bag = state.relations[&7].unit_bags["lb/0"].clone();
    if let Some(writes) = context.unit_writes.get(&7) {
        bag.merge(writes);
    }
    bag.content
}

fn application_bag(context: &HookContext) -> Bag {
    context.application_writes.get(&7).cloned().unwrap_or_default()
}

fn go_map(bag: &Bag) -> String {
    bag.iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join(" ")
}

/// The world behind the recordings.
fn world(context: &str) -> (State, HookContext) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("metadata.yaml"), "name: lb\n").unwrap();
    let options = "options:\n  port: {type: int, default: 8080}\n  name: {type: string, default: x}\n  \
                   empty: {type: string, default: \"\"}\n  unset: {type: string}\n  flag: {type: boolean, default: true}\n  \
                   ratio: {type: float, default: 1.5}\n  big: {type: int, default: 3600000000}\n  \
                   multi: {type: string, default: \"a\\nb\"}\n";
    std::fs::write(folder.path().join("config.yaml"), options).unwrap();
    let credential = json!({"type": "openstack", "name": "stack", "region": "R1", "endpoint": "https://k:5000/v3",
        "credential": {"auth-type": "userpass", "attrs": {"password": "p", "project-domain-name": "d",
            "tenant-name": "t", "user-domain-name": "d", "username": "u", "version": "3"}},
        "cacertificates": ["-----BEGIN CERTIFICATE-----\nAAA\n-----END CERTIFICATE-----\n"]});
    let mut state = State::default();
    let application = Application {
        charm: Some(Charm::read(folder.path())),
        trust: context == "trust",
        credential: Some(credential),
        leader: (context == "leader").then(|| "lb/0".to_owned()),
        status: Some(Status { level: "active".to_owned(), message: String::new() }),
        unit_statuses: BTreeMap::from([(
            "lb/0".to_owned(),
            Status { level: "active".to_owned(), message: "hi".to_owned() },
        )]),
        ..Application::default()
    };
    state.applications.insert("lb".to_owned(), application);
    for name in ["web", "web2"] {
        state.applications.insert(name.to_owned(), Application::default());
    }
    let mut own = Unit { application: "lb".to_owned(), address: "10.0.0.5".to_owned(), ..Unit::default() };
    own.status = Status { level: "waiting".to_owned(), message: "for db".to_owned() };
    let member = |name: &str| (name.to_owned(), 1);
    own.agent.relations = BTreeMap::from([
        (
            7,
            Joined { created: true, members: [member("web/0"), member("web/1")].into(), ..Joined::default() },
        ),
        (9, Joined { created: true, ..Joined::default() }),
    ]);
    state.units.insert("lb/0".to_owned(), own);
    let bag = |pairs: &[(&str, &str)]| Versioned {
        content: pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        version: 1,
    };
    let end = |application: &str, endpoint: &str| End {
        application: application.into(),
        endpoint: endpoint.into(),
    };
    let own_bag = bag(&[("ingress-address", "10.0.0.5"), ("private-address", "10.0.0.5")]);
    let seven = Relation {
        ends: [end("lb", "lb-consumers"), end("web", "loadbalancer")],
        unit_bags: BTreeMap::from([
            ("lb/0".to_owned(), own_bag.clone()),
            ("web/0".to_owned(), bag(&[("a", "1"), ("num", "12345"), ("t", "true")])),
            ("web/1".to_owned(), bag(&[])),
        ]),
        application_bags: BTreeMap::from([("web".to_owned(), bag(&[("req", r#"{"x": 1}"#)]))]),
        ..Relation::default()
    };
    let nine = Relation {
        ends: [end("lb", "lb-consumers"), end("web2", "loadbalancer")],
        unit_bags: BTreeMap::from([("lb/0".to_owned(), own_bag)]),
        ..Relation::default()
    };
    state.relations = BTreeMap::from([(7, seven), (9, nine)]);
    let mut run = HookContext { unit: "lb/0".to_owned(), ..HookContext::default() };
    let hook = |name: &str, relation: u32, unit: &str, application: &str| Hook {
        name: name.to_owned(),
        relation: Some(relation),
        remote_unit: Some(unit.to_owned()),
        remote_application: Some(application.to_owned()),
        departing: None,
    };
    match context {
        "changed" => run.hook = hook("lb-consumers-relation-changed", 7, "web/0", "web"),
        "appchanged" => run.hook = hook("lb-consumers-relation-changed", 7, "", "web"),
        "broken" => run.hook = hook("lb-consumers-relation-broken", 9, "", "web2"),
        "action" => {
            let parameters = json!({"force": true, "n": 3, "o": {"a": {"b": 1}}});
            run.action = Some(ActionRun { parameters, ..ActionRun::default() });
        }
        _ => {}
    }
    (state, run)
}
