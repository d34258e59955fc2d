//! How relations, units and applications end, and what `goal-state` says meanwhile.

use serde_json::Value;
use testbed::juju::Model;

use crate::Test;
use crate::charm::FakeCharm;

pub(crate) const TESTS: &[Test] = &[
    ("removing a relation: departed names the remote units, then broken", relation),
    (
        "relation-ids lists a dying relation until its broken hook, goal-state until all have left",
        dying_relation,
    ),
    ("removing our unit: departed names ourselves, then broken, stop, remove", own_unit),
    ("our unit's removal keeps the relation for the others, and another unit leads", successor),
    ("the others see a unit depart before it is gone", departing),
    ("peer relations come after all others", peers_last),
    ("a unit that is leaving is dying in goal-state", dying_unit),
    ("removing our application takes its relations and all units", own_application),
    ("removing the remote application breaks the relation", remote_application),
    ("a unit that never ran a hook is gone at once", sleeping_unit),
    ("an errored unit waits with its removal", errored_unit),
    ("goal-state shows every relation and unit, but no peer relation", goal_state),
];

const TRACE: &str = r#"echo "$JUJU_UNIT_NAME $name [$JUJU_REMOTE_UNIT] [$JUJU_DEPARTING_UNIT]" >>seen"#;

fn relation() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    model.add_remote_unit("web/1", "10.5.5.16");
    model.settle();
    charm.script("every", TRACE);
    model.remove_relation(relation);
    model.settle();
    assert_eq!(
        charm.lines("seen"),
        [
            "lb/0 lb-consumers-relation-departed [web/0] [web/0]",
            "lb/0 lb-consumers-relation-departed [web/1] [web/1]",
            "lb/0 lb-consumers-relation-broken [] []",
        ]
    );
    assert!(!model.has_relation(relation));
}

fn dying_relation() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script(
        "every",
        "echo $name $(relation-ids --format=json lb-consumers) $(goal-state --format=json) >>seen",
    );
    model.remove_relation(relation);
    model.settle();
    model.update_status("lb/0");
    let seen = charm.lines("seen");
    assert_eq!(seen.len(), 3);
    assert!(seen[0].starts_with(r#"lb-consumers-relation-departed ["lb-consumers:1"]"#), "{}", seen[0]);
    assert!(seen[1].starts_with("lb-consumers-relation-broken []"), "{}", seen[1]);
    assert!(seen[2].starts_with("update-status []"), "{}", seen[2]);
    let relations: Vec<Value> = seen.iter().map(|line| goal(line.split_once('{').unwrap().1)).collect();
    assert_eq!(relations[0]["lb-consumers"]["web"]["status"], "joined");
    assert_eq!(relations[1]["lb-consumers"]["web"]["status"], "joined", "our unit has not left yet");
    assert_eq!(relations[2], serde_json::json!({}));
}

fn goal(rest: &str) -> Value {
    let state: Value = serde_json::from_str(&format!("{{{rest}")).unwrap();
    state["relations"].clone()
}

fn own_unit() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("every", TRACE);
    model.remove_unit("lb/0");
    model.settle();
    assert_eq!(
        charm.lines("seen"),
        [
            "lb/0 lb-consumers-relation-departed [web/0] [lb/0]",
            "lb/0 lb-consumers-relation-broken [] []",
            "lb/0 stop [] []",
            "lb/0 remove [] []",
        ]
    );
    assert!(model.has_relation(relation), "only the unit went");
    assert!(model.units("lb").is_empty());
}

fn successor() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(2);
    charm.script("every", TRACE);
    model.remove_unit("lb/0");
    model.settle();
    assert_eq!(model.leader("lb"), Some("lb/1"));
    let seen = charm.lines("seen");
    let of = |unit: &str| -> Vec<&str> {
        seen.iter().filter_map(|line| line.strip_prefix(unit)).map(str::trim_start).collect()
    };
    assert!(of("lb/1").contains(&"cluster-relation-departed [lb/0] [lb/0]"), "{seen:?}");
    assert!(of("lb/1").contains(&"leader-elected [] []"), "{seen:?}");
    assert!(!of("lb/1").iter().any(|line| line.contains("broken")));
    assert!(of("lb/0").contains(&"cluster-relation-departed [lb/1] [lb/0]"), "{seen:?}");
    assert!(!of("lb/0").iter().any(|line| line.starts_with("cluster-relation-broken")), "peers never break");
    assert_eq!(of("lb/0").last(), Some(&"remove [] []"));
    assert!(model.has_relation(relation));
}

fn departing() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(2);
    charm.script("cluster-relation-departed", "[ $JUJU_UNIT_NAME = lb/1 ]");
    model.remove_unit("lb/0");
    assert!((0..50).any(|_| {
        let _ = model.try_settle();
        model.hook_names("lb/1").contains(&"cluster-relation-departed")
    }));
    assert_eq!(model.units("lb"), ["lb/0", "lb/1"]);
}

fn peers_last() {
    for seed in 1..6 {
        let charm = FakeCharm::new();
        let mut model = charm.deployed_with(seed, 2);
        for name in ["web", "site"] {
            model.add_remote(name, &[("0", "10.5.5.15")]);
            model.integrate("lb:lb-consumers", &format!("{name}:lb"));
        }
        model.settle();
        let before = model.hook_names("lb/0").len();
        model.remove_unit("lb/0");
        model.settle();
        let names = &model.hook_names("lb/0")[before..];
        assert_eq!(names[4..], ["cluster-relation-departed", "stop", "remove"], "{names:?}");
    }
}

fn dying_unit() {
    let charm = FakeCharm::new();
    let (mut model, _) = charm.related(1);
    model.add_remote_unit("web/1", "10.5.5.16");
    model.settle();
    charm.script("stop", "goal-state --format=json >seen");
    model.remove_unit("lb/0");
    model.settle();
    let state: Value = serde_json::from_str(&charm.output("seen")).unwrap();
    assert_eq!(state["units"]["lb/0"]["status"], "dying");
    assert_eq!(state["relations"]["lb-consumers"]["web"]["status"], "joined", "the relation itself lives on");
}

fn own_application() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(2);
    charm.script("every", TRACE);
    model.remove_application("lb");
    model.settle();
    let seen = charm.lines("seen");
    for unit in ["lb/0", "lb/1"] {
        assert!(
            seen.contains(&format!("{unit} lb-consumers-relation-departed [web/0] [{unit}]")),
            "{seen:?}"
        );
        assert!(seen.contains(&format!("{unit} lb-consumers-relation-broken [] []")), "{seen:?}");
        assert!(seen.contains(&format!("{unit} remove [] []")), "{seen:?}");
    }
    assert!(!model.has_application("lb") && !model.has_relation(relation) && !model.has_relation(0));
}

fn remote_application() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("every", TRACE);
    model.remove_application("web");
    model.settle();
    assert_eq!(
        charm.lines("seen"),
        ["lb/0 lb-consumers-relation-departed [web/0] [web/0]", "lb/0 lb-consumers-relation-broken [] []"]
    );
    assert!(!model.has_application("web") && !model.has_relation(relation));
}

fn sleeping_unit() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    let unit = model.add_unit("lb");
    model.remove_unit(&unit);
    model.settle();
    assert!(model.hook_names(&unit).is_empty());
    assert_eq!(model.units("lb"), ["lb/0"]);
}

fn errored_unit() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    charm.script("config-changed", "exit 1");
    model.configure("lb", &[("port", "1")]);
    assert!(model.try_settle().is_err());
    model.remove_unit("lb/0");
    assert!(model.try_settle().is_err());
    assert_eq!(model.hook_names("lb/0").last(), Some(&"config-changed"));
    charm.script("config-changed", "");
    model.settle();
    assert_eq!(model.hook_names("lb/0").last(), Some(&"remove"));
}

fn goal_state() {
    let charm = FakeCharm::new();
    let (mut model, _) = charm.related(1);
    model.add_remote("site", &[]);
    model.integrate("lb:lb-consumers", "site:lb");
    charm.script("update-status", "status-set active ready; goal-state >seen");
    model.update_status("lb/0");
    let state = charm.output("seen");
    let expected = "units:
  lb/0:
    status: active
    since: 2026-01-01 00:00:00Z
relations:
  lb-consumers:
    site:
      status: joined
      since: 2026-01-01 00:00:00Z
    web:
      status: joined
      since: 2026-01-01 00:00:00Z
    web/0:
      status: active
      since: 2026-01-01 00:00:00Z
";
    assert_eq!(state, expected);
    assert_eq!(Model::now(&model).as_secs(), 0);
}
