//! Actions.

use serde_json::json;
use testbed::juju::ActionStatus;

use crate::Test;
use crate::charm::{FakeCharm, bag};

pub(crate) const TESTS: &[Test] = &[
    ("an action gets its parameters with their defaults and gives results and output", results),
    ("wrong parameters are refused before the charm runs", refused),
    ("action-fail fails the action but keeps what it wrote", failed),
    ("an exit code fails the action and drops what it wrote", exited),
    ("an action runs also while a hook has failed", in_error),
];

fn results() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    charm.script(
        "greet",
        "echo \"$JUJU_ACTION_NAME [$JUJU_HOOK_NAME]\"
         echo warning >&2
         action-log working
         action-set greeting=$(action-get greeting) deep.loud=$(action-get loud)",
    );
    let result = model.run_action("lb/0", "greet", json!({"loud": true}));
    assert_eq!(result.status, ActionStatus::Completed);
    assert_eq!(result.results, json!({"greeting": "hello", "deep": {"loud": "True"}}));
    assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("greet []\n", "warning\n"));
    assert_eq!(result.log, ["working"]);
}

fn refused() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    let before = model.hooks().len();
    for (parameters, why) in [
        (json!({"force": "yes"}), "(root).force : must be of type boolean, given \"yes\""),
        (json!({"force": true, "forse": true}), "(root) : additional property \"forse\" is not allowed"),
        (json!({}), "(root) : \"force\" property is missing and required"),
    ] {
        let result = model.run_action("lb/0", "probe", parameters);
        assert_eq!(
            (result.status, result.message),
            (ActionStatus::Failed, format!("validation failed: {why}"))
        );
    }
    assert_eq!(model.hooks().len(), before);
}

fn failed() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("probe", "relation-set -r 1 --app a=1; action-fail 'no luck'");
    let result = model.run_action("lb/0", "probe", json!({"force": true}));
    assert_eq!((result.status, result.message.as_str()), (ActionStatus::Failed, "no luck"));
    assert_eq!(model.application_bag(relation, "lb"), bag([("a", "1")]));
}

fn exited() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script("probe", "relation-set -r 1 --app a=1; action-set done=half; exit 4");
    let result = model.run_action("lb/0", "probe", json!({"force": true}));
    assert_eq!((result.status, result.message.as_str()), (ActionStatus::Failed, "exit status 4"));
    assert_eq!(result.results, json!({"done": "half"}));
    assert_eq!(model.application_bag(relation, "lb"), bag([]));
    assert_ne!(model.unit_status("lb/0").status, "error");
}

fn in_error() {
    let charm = FakeCharm::new();
    let mut model = charm.deployed(1);
    charm.script("config-changed", "exit 1");
    model.configure("lb", &[("port", "1")]);
    assert!(model.try_settle().is_err());
    let result = model.run_action("lb/0", "probe", json!({"force": false}));
    assert_eq!(result.status, ActionStatus::Completed);
    assert_eq!(model.unit_status("lb/0").status, "error");
}
