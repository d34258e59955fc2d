//! The process that a charm is.

use crate::Test;
use crate::charm::FakeCharm;

pub(crate) const TESTS: &[Test] = &[
    ("a hook has Juju's environment and nothing else, and no arguments", environment),
    ("a relation hook has its relation's variables", relation_environment),
    ("output is logged line by line, errors as warnings, and juju-log at its level", log),
    ("one argument ends at 128 KiB, a file does not", long_argument),
    ("a tool that the model does not know is not there", unknown_tool),
    ("outside a hook a tool has no context", outside),
    ("what a hook did is on record", record),
];

const ALWAYS: [&str; 28] = [
    "APT_LISTCHANGES_FRONTEND",
    "CHARM_DIR",
    "CLOUD_API_VERSION",
    "DEBIAN_FRONTEND",
    "JUJU_AGENT_SOCKET_ADDRESS",
    "JUJU_AGENT_SOCKET_NETWORK",
    "JUJU_API_ADDRESSES",
    "JUJU_AVAILABILITY_ZONE",
    "JUJU_CHARM_DIR",
    "JUJU_CHARM_FTP_PROXY",
    "JUJU_CHARM_HTTPS_PROXY",
    "JUJU_CHARM_HTTP_PROXY",
    "JUJU_CHARM_NO_PROXY",
    "JUJU_CONTEXT_ID",
    "JUJU_DISPATCH_PATH",
    "JUJU_HOOK_NAME",
    "JUJU_MACHINE_ID",
    "JUJU_METER_INFO",
    "JUJU_METER_STATUS",
    "JUJU_MODEL_NAME",
    "JUJU_MODEL_UUID",
    "JUJU_PRINCIPAL_UNIT",
    "JUJU_SLA",
    "JUJU_UNIT_NAME",
    "JUJU_VERSION",
    "LANG",
    "PATH",
    "TERM",
];

/// Names in the environment of the charm's process, without what the shell adds.
const NAMES: &str = "tr '\\0' '\\n' </proc/$$/environ | cut -d= -f1 | sort >seen; echo $# >arguments";

fn environment() {
    let charm = FakeCharm::new();
    charm.script("install", NAMES);
    charm.deployed(1);
    let mut expected = ALWAYS.to_vec();
    expected.sort_unstable();
    let mut seen = charm.lines("seen");
    seen.sort_unstable();
    assert_eq!(seen, expected);
    assert_eq!(charm.output("arguments"), "0\n");
}

fn relation_environment() {
    let charm = FakeCharm::new();
    charm.script(
        "lb-consumers-relation-joined",
        "tr '\\0' '\\n' </proc/$$/environ | grep -E '^JUJU_(RELATION|REMOTE|DEPART|DISPATCH)' | sort >seen",
    );
    charm.related(1);
    let expected = [
        "JUJU_DISPATCH_PATH=hooks/lb-consumers-relation-joined",
        "JUJU_RELATION=lb-consumers",
        "JUJU_RELATION_ID=lb-consumers:1",
        "JUJU_REMOTE_APP=web",
        "JUJU_REMOTE_UNIT=web/0",
    ];
    assert_eq!(charm.lines("seen"), expected);
}

fn log() {
    let charm = FakeCharm::new();
    charm.script(
        "lb-consumers-relation-joined",
        "echo out; echo err >&2; juju-log -l ERROR -- -x y; juju-log z",
    );
    let (model, _) = charm.related(1);
    let mut lines: Vec<_> =
        model.log().iter().map(|line| (line.level.as_str(), line.text.as_str())).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            ("DEBUG", "out"),
            ("ERROR", "lb-consumers:1: -x y"),
            ("INFO", "lb-consumers:1: z"),
            ("WARNING", "err")
        ]
    );
}

fn long_argument() {
    let charm = FakeCharm::new();
    let (mut model, relation) = charm.related(1);
    charm.script(
        "update-status",
        "value=$(head -c 131071 /dev/zero | tr '\\0' x)
         relation-set -r 1 \"long=$value\" 2>/dev/null || echo refused >>seen
         echo \"long: $value\" | relation-set -r 1 --file - && echo taken >>seen",
    );
    model.update_status("lb/0");
    assert_eq!(charm.lines("seen"), ["refused", "taken"]);
    assert_eq!(model.unit_bag(relation, "lb/0")["long"].len(), 131_071);
}

fn unknown_tool() {
    let charm = FakeCharm::new();
    charm.script("install", "state-get 2>/dev/null; echo $? >seen");
    charm.deployed(1);
    assert_eq!(charm.output("seen"), "127\n");
}

fn outside() {
    let charm = FakeCharm::new();
    charm.script(
        "install",
        "JUJU_CONTEXT_ID= is-leader 2>seen; env -u JUJU_CONTEXT_ID is-leader 2>>seen; echo $? >>seen",
    );
    charm.deployed(1);
    let seen = charm.lines("seen");
    assert_eq!(seen, ["ERROR bad request: unknown context \"\"", "ERROR JUJU_CONTEXT_ID not set", "1"]);
}

fn record() {
    let charm = FakeCharm::new();
    charm.script(
        "install",
        "status-set active hello; echo 'a: b' | relation-set -r 5 --file -; echo said; exit 0",
    );
    let model = charm.deployed(1);
    let record = &model.hooks()[0];
    assert_eq!(
        (record.unit.as_str(), record.path.as_str(), record.name()),
        ("lb/0", "hooks/install", "install")
    );
    assert_eq!((record.count("status-set"), record.count("relation-set")), (1, 1));
    assert_eq!(record.calls[0].arguments, ["active", "hello"]);
    assert_eq!(record.calls[1].code, Some(2), "no relation during install");
    assert!(record.log.iter().any(|line| line.text == "said"));
    assert!(!record.wall.is_zero());
}
