//! Which hooks run, in which order, and what a failing one leaves behind.

use std::time::Duration;

use testbed::juju::{Deploy, Exit, Model, ModelOptions};

use crate::Test;
use crate::charm::{FakeCharm, bag};

pub(crate) const TESTS: &[Test] = &[
    ("a new leader is told of relations, then of its leadership, then of the rest", leader_order),
    ("a follower sees the same without leadership", follower_order),
    ("install sees no relation, the next hook all of them", install_sees_no_relation),
    ("config, trust and address each bring config-changed", config_changed),
    ("what is set to what it was changes nothing, and several changes make one hook", config_coalesces),
    ("a failing hook writes no databag but keeps its status", rollback),
    ("a failed hook runs again, and no other before it", retry),
    ("resolve --no-retry skips the hook", resolve_without_retry),
    ("a unit that never spoke is unknown after start", unknown_status),
    ("update-status runs by the clock, give or take a fifth", update_status),
    ("the same seed gives the same order, another seed another", seeds),
    ("a refresh brings upgrade-charm and then config-changed, a reboot start", refresh_and_reboot),
    ("a new leader hears of it, the old one does not", leadership_moves),
];

fn leader_order() {
    let charm = FakeCharm::new();
    let mut model = Model::new(ModelOptions::default());
    model.deploy("lb", Deploy { charm_dir: charm.path(), ..Deploy::default() });
    model.add_remote("web", &[("0", "10.5.5.15"), ("1", "10.5.5.16")]);
    model.integrate("lb:lb-consumers", "web:lb");
    model.settle();
    let names = model.hook_names("lb/0");
    let (created, rest) = (&names[1..3], &names[3..]);
    assert_eq!(names[0], "install");
    assert!(
        created.contains(&"cluster-relation-created") && created.contains(&"lb-consumers-relation-created")
    );
    assert_eq!(
        rest,
        [
            "leader-elected",
            "config-changed",
            "start",
            "lb-consumers-relation-joined",
            "lb-consumers-relation-changed",
            "lb-consumers-relation-joined",
            "lb-consumers-relation-changed",
        ]
    );
}

fn follower_order() {
    let charm = FakeCharm::new();
    let model = charm.deployed(2);
    let expected = ["install", "cluster-relation-created", "config-changed", "start"];
    let names = model.hook_names("lb/1");
    assert_eq!(names[..4], expected);
    assert!(!names.contains(&"leader-elected"));
    assert_eq!(names[4..], ["cluster-relation-joined", "cluster-relation-changed"]);
}

fn install_sees_no_relation() {
    let charm = FakeCharm::new();
    charm.script("every", "echo $name $(relation-ids --format=json cluster) $(is-leader) >>seen");
    charm.deployed(1);
    let seen = charm.lines("seen");
    assert_eq!(seen[0], "install [] True");
    assert_eq!(seen[1], r#"cluster-relation-created ["cluster:0"] True"#);
}

fn config_changed() {
    let charm = FakeCharm::new();
    charm.script("config-changed", "echo $(config-get port) $(network-get cluster --ingress-address) >>seen");
    let (mut model, relation) = charm.related(1);
    let changes: [fn(&mut Model); 4] = [
        |model| model.configure("lb", &[("port", "9090")]),
        |model| model.trust("lb", true),
        |model| model.set_address("lb/0", "10.0.0.77"),
        |model| model.unset("lb", &["port"]),
    ];
    for change in changes {
        let before = model.hooks().len();
        change(&mut model);
        model.settle();
        let names: Vec<&str> = model.hooks()[before..].iter().map(testbed::juju::HookRecord::name).collect();
        assert_eq!(names, ["config-changed"]);
    }
    assert_eq!(
        charm.lines("seen")[1..],
        ["9090 10.0.0.5", "9090 10.0.0.5", "9090 10.0.0.77", "8080 10.0.0.77"]
    );
    assert_eq!(model.unit_bag(relation, "lb/0")["ingress-address"], "10.0.0.77");
}

fn config_coalesces() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    let before = model.hooks().len();
    model.configure("lb", &[("port", "8080")]);
    model.settle();
    assert_eq!(model.hooks().len(), before, "8080 is the default");
    model.configure("lb", &[("port", "1")]);
    model.configure("lb", &[("port", "2"), ("name", "y")]);
    model.settle();
    assert_eq!(model.hooks().len(), before + 1);
}

fn rollback() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script(
        "config-changed",
        "relation-set -r 1 --app answer=42
         relation-set -r 1 mine=1
         echo read $(relation-get -r 1 --app answer lb) $(relation-get -r 1 mine lb/0) >>seen
         status-set blocked broken
         application-version-set 9
         exit 3",
    );
    let before = (model.application_bag(relation, "lb"), model.unit_bag(relation, "lb/0"));
    model.configure("lb", &[("port", "1")]);
    let failure = model.try_settle().unwrap_err();
    assert_eq!(failure.record.exit, Exit::Code(3));
    assert!(!failure.record.committed);
    assert_eq!(charm.output("seen"), "read 42 1\n", "inside the hook its own writes are seen");
    assert_eq!(before, (model.application_bag(relation, "lb"), model.unit_bag(relation, "lb/0")));
    assert_eq!(model.application_version("lb"), "9");
    assert_eq!(model.unit_status("lb/0").message, "hook failed: \"config-changed\"");
    charm.script("config-changed", "relation-set -r 1 --app answer=42");
    model.settle();
    assert_eq!(model.application_bag(relation, "lb"), bag([("answer", "42")]));
    assert_eq!(model.unit_status("lb/0").message, "broken", "status-set is never rolled back");
}

fn retry() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("lb-consumers-relation-changed", "exit 1");
    model.set_unit_bag(relation, "web/0", bag([("a", "1")]));
    assert!(model.try_settle().is_err());
    let (start, before) = (model.now(), model.hooks().len());
    model.configure("lb", &[("port", "1")]);
    assert!(model.try_settle().is_err());
    assert_eq!(model.now(), start + Duration::from_secs(5));
    assert!(model.try_settle().is_err());
    assert_eq!(model.now(), start + Duration::from_secs(15), "the wait doubles");
    charm.script("lb-consumers-relation-changed", "");
    model.settle();
    assert_eq!(model.now(), start + Duration::from_secs(35));
    let names: Vec<&str> = model.hooks()[before..].iter().map(testbed::juju::HookRecord::name).collect();
    assert_eq!(names[..3], ["lb-consumers-relation-changed"; 3]);
    assert_eq!(names[3..], ["config-changed"]);
}

fn resolve_without_retry() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    charm.script("config-changed", "exit 1");
    model.configure("lb", &[("port", "1")]);
    assert!(model.try_settle().is_err());
    let before = model.hooks().len();
    model.resolve_without_retry("lb/0");
    model.settle();
    assert_eq!(model.hooks().len(), before);
    assert_ne!(model.unit_status("lb/0").status, "error");
}

fn unknown_status() {
    let charm = FakeCharm::new();
    let model = charm.deployed(1);
    let history: Vec<String> =
        model.unit("lb/0").history().into_iter().map(|status| status.message).collect();
    assert_eq!(history, ["waiting for machine", "installing charm software", ""]);
    assert_eq!(model.unit_status("lb/0").status, "unknown");
}

fn update_status() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    model.advance(Duration::from_hours(1));
    let ran = model.hook_names("lb/0").into_iter().filter(|name| *name == "update-status").count();
    assert!((10..=15).contains(&ran), "{ran} times in an hour");
}

fn seeds() {
    let order = |seed| {
        let charm = FakeCharm::new();
        let mut model = Model::new(ModelOptions { seed, ..ModelOptions::default() });
        model.deploy("lb", Deploy { charm_dir: charm.path(), units: 2, ..Deploy::default() });
        for name in ["web", "site"] {
            model.add_remote(name, &[("0", "10.5.5.15")]);
            model.integrate("lb:lb-consumers", &format!("{name}:lb"));
        }
        model.settle();
        model.hooks().iter().map(|record| format!("{} {:?}", record.unit, record.hook)).collect::<Vec<_>>()
    };
    assert_eq!(order(1), order(1));
    assert!((2..6).any(|seed| order(seed) != order(1)));
}

fn refresh_and_reboot() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    let before = model.hooks().len();
    let newer = FakeCharm::new();
    newer.script("upgrade-charm", "pwd >where");
    model.refresh("lb", newer.path());
    model.settle();
    model.reboot("lb/0");
    model.settle();
    let names: Vec<&str> = model.hooks()[before..].iter().map(testbed::juju::HookRecord::name).collect();
    assert_eq!(names, ["upgrade-charm", "config-changed", "start"]);
    assert_eq!(
        newer.lines("where"),
        [newer.path().canonicalize().unwrap().join("scripts").display().to_string()]
    );
}

fn leadership_moves() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(2);
    let before = model.hooks().len();
    model.set_leader("lb", Some("lb/1"));
    model.settle();
    let ran: Vec<_> =
        model.hooks()[before..].iter().map(|record| (record.unit.as_str(), record.name())).collect();
    assert_eq!(ran, [("lb/1", "leader-elected")]);
    model.set_leader("lb", Some("lb/0"));
    model.settle();
    assert_eq!(model.hook_names("lb/0").last(), Some(&"leader-elected"));
}
