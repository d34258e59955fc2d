//! Planned faults strike once, where they were planned, and the model goes on.

use std::thread;
use std::time::{Duration, Instant};

use testbed::juju::{Exit, Fault, HookRecord, Model, Point};

use crate::Test;
use crate::charm::{FakeCharm, bag};

pub(crate) const TESTS: &[Test] = &[
    ("killed before a call: the call did nothing, and the hook runs again", kill_before),
    ("killed after a call: the call took effect, its answer never came", kill_after),
    ("killed in a call that takes standard input", kill_with_input),
    ("a tool that fails does nothing", failing_tool),
    ("leadership lost before the end of the hook refuses what was written", leadership_lost),
    ("who was told that it does not lead hears so to the end of the hook", sticky_follower),
    ("others can kill the charm, and it is dead when they return", kill_from_outside),
    ("a fault that did not strike is known", unfired),
];

const WRITE: &str = "status-set blocked first; relation-set -r 1 --app answer=42; status-set active done";

fn kill_before() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("config-changed", WRITE);
    model.configure("lb", &[("port", "1")]);
    let fault = model.plan(Fault::kill_before(Point::of("status-set", 2)));
    let before = model.hooks().len();
    model.settle();
    assert!(fault.fired());
    let [first, second] = &model.hooks()[before..] else { panic!("two runs") };
    assert_eq!((first.exit, first.committed, first.calls.len()), (Exit::Signal, false, 3));
    assert_eq!(first.calls.last().unwrap().code, None);
    assert_eq!((second.exit, second.committed), (Exit::Code(0), true));
    assert_eq!(messages(&model), ["first", "first", "done"]);
    assert_eq!(model.application_bag(relation, "lb"), bag([("answer", "42")]));
}

fn kill_after() {
    let charm = FakeCharm::new();
    let (mut model, _) = charm.related(1);
    charm.script("config-changed", WRITE);
    model.configure("lb", &[("port", "1")]);
    let fault = model.plan(Fault::kill_after(Point::of("status-set", 2)));
    model.settle();
    assert!(fault.fired());
    assert_eq!(messages(&model), ["first", "done", "first", "done"]);
}

fn messages(model: &Model) -> Vec<String> {
    let history = model.unit("lb/0").history();
    history
        .into_iter()
        .map(|status| status.message)
        .filter(|text| matches!(text.as_str(), "first" | "done"))
        .collect()
}

fn kill_with_input() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("config-changed", "echo '{\"a\": \"b\"}' | relation-set -r 1 --file -");
    for fault in [Fault::kill_before, Fault::kill_after] {
        let port = model.hooks().len().to_string();
        model.configure("lb", &[("port", &port)]);
        let fault = model.plan(fault(Point::call(1)));
        model.settle();
        assert!(fault.fired());
    }
    assert_eq!(model.unit_bag(relation, "lb/0")["a"], "b");
    let inputs: Vec<_> =
        model.hooks().iter().flat_map(|record| &record.calls).map(|call| call.input.clone()).collect();
    let given = Some("{\"a\": \"b\"}\n".to_owned());
    assert_eq!(inputs, [None, given.clone(), given.clone(), given]);
}

fn failing_tool() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("config-changed", "relation-set -r 1 a=1 2>>seen; echo $? >>seen; relation-set -r 1 b=1");
    let fault = model.plan(Fault::fail(Point::of("relation-set", 1), "connection is shut down"));
    model.configure("lb", &[("port", "1")]);
    model.settle();
    assert!(fault.fired());
    assert_eq!(charm.output("seen"), "ERROR connection is shut down\n1\n");
    let written = model.unit_bag(relation, "lb/0");
    assert!(!written.contains_key("a") && written.contains_key("b"));
}

fn leadership_lost() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(2);
    charm.script(
        "config-changed",
        "if [ $(is-leader) = True ]; then relation-set -r 1 --app by=$JUJU_UNIT_NAME; relation-set -r 1 mine=1; fi",
    );
    let fault = model.plan(Fault::set_leader(Point::of("relation-set", 2), Some("lb/1")));
    model.configure("lb", &[("port", "1")]);
    model.settle();
    assert!(fault.fired());
    let refused: Vec<&HookRecord> = model.hooks().iter().filter(|record| !record.committed).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!((refused[0].unit.as_str(), refused[0].exit), ("lb/0", Exit::Code(0)));
    assert!(!model.unit_bag(relation, "lb/0").contains_key("mine"), "all or nothing");
    let by = model.application_bag(relation, "lb");
    assert!(by.is_empty() || by == bag([("by", "lb/1")]), "{by:?}");
}

fn sticky_follower() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(2);
    charm.script("update-status", "echo $(is-leader) $(is-leader) $(is-leader) >>seen");
    model.plan(Fault::set_leader(Point::of("is-leader", 1), Some("lb/1")));
    model.update_status("lb/1");
    assert_eq!(charm.output("seen"), "False False False\n");
}

fn kill_from_outside() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    charm.script("update-status", "[ -f again ] || { echo started; touch again; exec sleep 60; }");
    let child = model.child();
    let file = charm.path().join("scripts/again");
    let killer = thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !file.exists() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        let pid = child.pid().expect("the hook is running");
        assert!(child.kill());
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "it is dead and waited for");
    });
    model.update_status("lb/0");
    killer.join().unwrap();
    assert!(!model.child().kill(), "there is nothing left to kill");
    let ran: Vec<_> =
        model.hooks().iter().rev().take(2).map(|record| (record.exit, record.meddled)).collect();
    assert_eq!(ran, [(Exit::Code(0), false), (Exit::Signal, true)]);
    assert!(model.log().iter().any(|line| line.text == "started" && line.level == "DEBUG"));
}

fn unfired() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    let fault = model.plan(Fault::kill_before(Point::of("relation-set", 1)));
    model.update_status("lb/0");
    assert!(!fault.fired() && model.has_unfired_faults());
}
