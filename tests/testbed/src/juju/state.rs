//! The state of one Juju model: what a controller knows, and what each unit's agent remembers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use serde_json::Value;

use super::charm::Charm;
use super::fault::Fault;

/// A databag.
pub type Bag = BTreeMap<String, String>;

/// A bag and how often its content changed; 0 was never written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Versioned {
    pub(crate) content: Bag,
    pub(crate) version: u64,
}

impl Versioned {
    /// Only a change of content is a new version (`state/relationunit.go`).
    pub(crate) fn merge(&mut self, changes: &Bag) {
        let mut content = self.content.clone();
        for (key, value) in changes {
            if value.is_empty() {
                content.remove(key);
            } else {
                content.insert(key.clone(), value.clone());
            }
        }
        if content != self.content {
            self.content = content;
            self.version += 1;
        }
    }
}

/// Everything.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) uuid: String,
    pub(crate) applications: BTreeMap<String, Application>,
    pub(crate) units: BTreeMap<String, Unit>,
    pub(crate) relations: BTreeMap<u32, Relation>,
    pub(crate) next_relation: u32,
    pub(crate) log: Vec<LogLine>,
    pub(crate) hooks: Vec<HookRecord>,
    pub(crate) faults: Vec<Fault>,
}

#[derive(Debug, Default)]
pub(crate) struct Application {
    /// None for a remote application, which the scenario plays.
    pub(crate) charm: Option<Charm>,
    pub(crate) config: BTreeMap<String, Value>,
    pub(crate) trust: bool,
    pub(crate) credential: Option<Value>,
    pub(crate) leader: Option<String>,
    /// What the leader set for the whole application.
    pub(crate) status: Option<Status>,
    /// The units' statuses as the controller last heard them.
    pub(crate) unit_statuses: BTreeMap<String, Status>,
    pub(crate) version: String,
    pub(crate) dying: bool,
    pub(crate) next_unit: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub(crate) application: String,
    pub(crate) address: String,
    pub(crate) dying: bool,
    pub(crate) status: Status,
    pub(crate) history: Vec<Status>,
    pub(crate) agent: Agent,
}

/// A workload status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// `active`, `waiting`, …
    pub level: String,
    /// The line.
    pub message: String,
}

/// What a unit's agent remembers between hooks.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a step of its own that Juju's agent remembers")]
pub(crate) struct Agent {
    pub(crate) installed: bool,
    pub(crate) started: bool,
    pub(crate) stopped: bool,
    pub(crate) removed: bool,
    pub(crate) leader_elected: bool,
    pub(crate) configured: Option<Configured>,
    pub(crate) queued: VecDeque<String>,
    pub(crate) failed: Option<Hook>,
    pub(crate) relations: BTreeMap<u32, Joined>,
    /// Remote units' bags, refreshed only by their own joined and changed (`runner/context/cache.go`).
    pub(crate) cache: BTreeMap<(u32, String), Bag>,
}

/// What config-changed was last told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Configured {
    pub(crate) config: BTreeMap<String, Value>,
    pub(crate) trust: bool,
    pub(crate) address: String,
}

/// One relation as one unit's agent knows it.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) created: bool,
    pub(crate) broken: bool,
    pub(crate) members: BTreeMap<String, u64>,
    pub(crate) applications: BTreeMap<String, u64>,
    pub(crate) owed_changed: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Relation {
    pub(crate) ends: [End; 2],
    pub(crate) dying: bool,
    /// Every read is refused although the relation is listed: what `--force` leaves of a cross-model relation.
    pub(crate) unreadable: bool,
    pub(crate) scope: BTreeSet<String>,
    pub(crate) unit_bags: BTreeMap<String, Versioned>,
    pub(crate) application_bags: BTreeMap<String, Versioned>,
    /// What a consumer of the interface `loadbalancer` writes once it sees our version.
    pub(crate) pending_requests: Bag,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) application: String,
    pub(crate) endpoint: String,
}

impl Relation {
    pub(crate) fn end_of(&self, application: &str) -> Option<&End> {
        self.ends.iter().find(|end| end.application == application)
    }

    pub(crate) fn other_than(&self, application: &str) -> Option<&End> {
        self.ends.iter().find(|end| end.application != application)
    }

    /// Units of an application that are in the relation.
    pub(crate) fn members(&self, application: &str) -> impl Iterator<Item = &String> {
        let prefix = format!("{application}/");
        self.scope.iter().filter(move |unit| unit.starts_with(&prefix))
    }
}

/// One hook that an agent wants to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hook {
    /// `config-changed`, `lb-consumers-relation-joined`, …
    pub(crate) name: String,
    pub(crate) relation: Option<u32>,
    /// None outside relation hooks; empty in created, broken, and changed for an application's bag.
    pub(crate) remote_unit: Option<String>,
    pub(crate) remote_application: Option<String>,
    pub(crate) departing: Option<String>,
}

/// A line of `juju debug-log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Who.
    pub unit: String,
    /// `INFO`, `DEBUG` for the charm's stdout, `WARNING` for its stderr.
    pub level: String,
    /// What.
    pub text: String,
}

/// What happened in one hook or action.
#[derive(Debug, Clone, Default)]
pub struct HookRecord {
    /// Who.
    pub unit: String,
    /// `hooks/config-changed`, `actions/resync-monitors`.
    pub path: String,
    /// The process's exit code; none if a signal ended it.
    pub exit: Option<i32>,
    /// Whether its writes were taken over.
    pub committed: bool,
    /// The hook tools that it called.
    pub calls: Vec<ToolCall>,
    /// Wall time.
    pub wall: std::time::Duration,
    /// What it printed.
    pub output: Vec<LogLine>,
}

/// One call of a hook tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What was read from standard input.
    pub input: Option<String>,
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub output: String,
}

impl State {
    pub(crate) fn is_leader(&self, unit: &str) -> bool {
        let application = unit.split('/').next().unwrap_or_default();
        self.applications.get(application).is_some_and(|one| one.leader.as_deref() == Some(unit))
    }

    /// The relations of an application's endpoint that a unit sees now.
    pub(crate) fn visible(&self, unit: &str, endpoint: &str, hidden: Option<u32>) -> Vec<String> {
        let Some(agent) = self.units.get(unit).map(|unit| &unit.agent) else { return Vec::new() };
        let application = unit.split('/').next().unwrap_or_default();
        let is_seen =
            |id: &u32| agent.relations.get(id).is_some_and(|joined| !joined.broken) && Some(*id) != hidden;
        let mut ids: Vec<String> = self
            .relations
            .iter()
            .filter(|(id, relation)| {
                is_seen(id) && relation.end_of(application).is_some_and(|end| end.endpoint == endpoint)
            })
            .map(|(id, _)| format!("{endpoint}:{id}"))
            .collect();
        ids.sort();
        ids
    }

    pub(crate) fn charm_dir(&self, application: &str) -> PathBuf {
        let charm = self.applications.get(application).and_then(|one| one.charm.as_ref());
        charm.expect("only our own applications run").directory.clone()
    }
}
