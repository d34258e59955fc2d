//! Databags and relation hooks.

use testbed::juju::Exit;

use crate::Test;
use crate::charm::{FakeCharm, bag};

pub(crate) const TESTS: &[Test] = &[
    ("an application databag that is already there is told before any unit joins", application_before_joined),
    ("a remote unit's databag is what it was until its own changed hook", cache),
    ("a unit that enters a relation has its addresses in its databag", addresses),
    ("an own application databag is the leader's to read, except in a peer relation", own_application_bag),
    ("all units hear of the leader's peer data, the leader too", peer_data),
    ("setting the same value again is no event", same_value),
    ("a relation that is listed but unreadable denies every databag", unreadable),
    ("relation ids sort as strings", sorted_ids),
    ("a consumer asks only after it sees a version", consumer),
    ("a unit that joins later is told of, and who leaves is gone from the list in departed", churn),
];

fn application_before_joined() {
    let charm = FakeCharm::new();
    charm.script(
        "every",
        r#"[ -z "$JUJU_RELATION" ] || echo "$name [$JUJU_REMOTE_APP] [$JUJU_REMOTE_UNIT]" >>seen"#,
    );
    let mut model = charm.deployed(1);
    model.add_remote("web", &[("0", "10.5.5.15")]);
    let relation = model.integrate("lb:lb-consumers", "web:lb");
    model.set_application_bag(relation, "web", bag([("request", "1")]));
    model.settle();
    assert_eq!(
        charm.lines("seen")[1..],
        [
            "lb-consumers-relation-created [web] []",
            "lb-consumers-relation-changed [web] []",
            "lb-consumers-relation-joined [web] [web/0]",
            "lb-consumers-relation-changed [web] [web/0]",
        ]
    );
}

fn cache() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    model.set_unit_bag(relation, "web/0", bag([("a", "old")]));
    model.settle();
    charm.script("update-status", "relation-get -r 1 a web/0 >>seen; relation-get -r 1 --app b web >>seen");
    model.update_status("lb/0");
    charm.script(
        "lb-consumers-relation-changed",
        "echo \"[$JUJU_REMOTE_UNIT] $(relation-get a web/0) $(relation-get --app b web)\" >>seen",
    );
    model.set_unit_bag(relation, "web/0", bag([("a", "new")]));
    model.set_application_bag(relation, "web", bag([("b", "fresh")]));
    model.settle();
    assert_eq!(charm.lines("seen"), ["old", "[] old fresh", "[web/0] new fresh"]);
}

fn addresses() {
    let charm = FakeCharm::new();
    let (model, relation) = charm.related(1);
    let expected =
        [("egress-subnets", "10.0.0.5/32"), ("ingress-address", "10.0.0.5"), ("private-address", "10.0.0.5")];
    assert_eq!(model.unit_bag(relation, "lb/0"), bag(expected));
    assert_eq!(model.unit_bag(relation, "web/0")["ingress-address"], "10.5.5.15");
}

fn own_application_bag() {
    let charm = FakeCharm::new();
    let (mut model, _) = charm.related(2);
    charm.script(
        "update-status",
        "for id in 0 1; do relation-get --format=json -r $id --app - lb >>seen 2>&1; echo $? >>seen; done",
    );
    model.update_status("lb/0");
    model.update_status("lb/1");
    assert_eq!(charm.lines("seen"), ["{}", "0", "{}", "0", "{}", "0", "ERROR permission denied", "1"]);
}

fn peer_data() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(2);
    charm.script("update-status", "relation-set -r 0 --app plan=b");
    charm.script(
        "cluster-relation-changed",
        "echo \"$JUJU_UNIT_NAME [$JUJU_REMOTE_UNIT] $(relation-get plan)\" >>seen",
    );
    model.update_status("lb/0");
    let mut seen = charm.lines("seen");
    seen.sort();
    assert_eq!(seen, ["lb/0 [] b", "lb/1 [] b"]);
    let before = model.hooks().len();
    model.update_status("lb/0");
    assert_eq!(model.hooks().len(), before + 1, "the second time nothing changed");
}

fn same_value() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    model.set_unit_bag(relation, "web/0", bag([("a", "1")]));
    model.settle();
    let before = model.hooks().len();
    model.set_unit_bag(relation, "web/0", bag([("a", "1")]));
    model.settle();
    assert_eq!(model.hooks().len(), before);
}

fn unreadable() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    model.set_unreadable(relation, true);
    charm.script(
        "update-status",
        "exec >>seen 2>&1
         relation-ids lb-consumers; relation-list -r 1
         relation-get -r 1 --app - web; relation-get -r 1 - web/0; relation-get -r 1 - lb/0
         relation-set -r 1 a=b; relation-set -r 1 --app a=b; true",
    );
    model.update_status("lb/0");
    let seen = charm.lines("seen");
    assert_eq!(seen[..2], ["lb-consumers:1", "web/0"]);
    assert_eq!(seen[2..], ["ERROR permission denied"; 5]);
}

fn sorted_ids() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    model.skip_relations_to(9);
    for name in ["web", "site"] {
        model.add_remote(name, &[]);
        model.integrate("lb:lb-consumers", &format!("{name}:lb"));
    }
    charm.script("update-status", "relation-ids lb-consumers >seen");
    model.update_status("lb/0");
    assert_eq!(charm.lines("seen"), ["lb-consumers:10", "lb-consumers:9"]);
}

fn consumer() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    let request = bag([("version", "1"), ("request_api", "{}")]);
    model.play_consumer(relation, "web", request.clone());
    model.settle();
    assert_eq!(model.application_bag(relation, "web"), bag([]));
    charm.script("update-status", "relation-set -r 1 --app version=1");
    charm.script("lb-consumers-relation-changed", "relation-get --app request_api web >seen");
    model.update_status("lb/0");
    assert_eq!(model.application_bag(relation, "web"), request);
    assert_eq!(charm.output("seen"), "{}\n");
}

fn churn() {
    let charm = FakeCharm::new();
    let (mut model, _) = charm.related(1);
    charm.script(
        "every",
        "echo \"$name $JUJU_REMOTE_UNIT [$JUJU_DEPARTING_UNIT] $(relation-list --format=json -r 1)\" >>seen",
    );
    model.add_remote_unit("web/1", "10.5.5.16");
    model.settle();
    charm.script("lb-consumers-relation-departed", "relation-get - web/0 >gone; echo $? >>gone");
    model.remove_unit("web/0");
    model.settle();
    assert_eq!(
        charm.lines("seen"),
        [
            r#"lb-consumers-relation-joined web/1 [] ["web/0","web/1"]"#,
            r#"lb-consumers-relation-changed web/1 [] ["web/0","web/1"]"#,
            r#"lb-consumers-relation-departed web/0 [web/0] ["web/1"]"#,
        ]
    );
    assert!(charm.output("gone").contains("ingress-address: 10.5.5.15"), "its databag outlives it");
    assert!(model.hooks().iter().all(|record| record.exit == Exit::Code(0)));
}
