//! A unit: what the controller knows of it, and what its agent remembers between hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use serde_json::Value as Json;

use super::hook::Hook;
use super::relation::Bag;

/// A workload status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// `active`, `blocked`, `waiting`, `maintenance`, `unknown` or `error`.
    pub status: String,
    /// What people read.
    pub message: String,
    /// When it was set, on the model's clock.
    pub since: Duration,
}

/// A unit of the model.
#[derive(Debug)]
pub struct Unit {
    pub(crate) application: String,
    pub(crate) machine: u32,
    pub(crate) address: IpAddr,
    pub(crate) dying: bool,
    pub(crate) status: Status,
    pub(crate) history: Vec<Status>,
    pub(crate) agent: Agent,
}

/// What the unit agent remembers (`worker/uniter/operation/state.go`, `worker/uniter/relation/state.go`).
#[derive(Debug, Default)]
pub(crate) struct Agent {
    pub(crate) phase: Phase,
    /// The charm's revision that runs here.
    pub(crate) revision: u32,
    /// The charm called `status-set`.
    pub(crate) spoke: bool,
    /// The agent knows that it leads.
    pub(crate) leads: bool,
    /// What the last committed `config-changed` saw.
    pub(crate) seen: Option<Surroundings>,
    /// A hook that another one brought about.
    pub(crate) queued: Option<Hook>,
    pub(crate) failed: Option<FailedHook>,
    pub(crate) update_status_due: Option<Duration>,
    /// The relations whose scope this unit has entered and whose broken hook has not run.
    pub(crate) relations: BTreeMap<u32, Membership>,
    /// Remote unit databags, read once and kept until the unit's own joined or changed hook
    /// (`worker/uniter/runner/context/cache.go`).
    pub(crate) cache: BTreeMap<(u32, String), Bag>,
}

/// How far the unit is in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// No hook has run, so the unit can vanish at once.
    #[default]
    Asleep,
    /// A hook has run.
    Awake,
    /// `install` is done: relations can be seen from now on.
    Installed,
    /// `start` is done.
    Started,
    /// `stop` is done.
    Stopped,
}

/// What makes `config-changed` run when it differs from what was seen: config, trust and addresses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Surroundings {
    pub(crate) settings: BTreeMap<String, Json>,
    pub(crate) trust: bool,
    pub(crate) address: IpAddr,
}

/// A hook that failed and will run again.
#[derive(Debug, Clone)]
pub(crate) struct FailedHook {
    pub(crate) hook: Hook,
    pub(crate) attempts: u32,
    pub(crate) due: Duration,
}

/// What the agent has told the charm about one relation.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    pub(crate) created: bool,
    /// Units that joined, each with the version of its databag that the charm was told of.
    pub(crate) members: BTreeMap<String, u64>,
    /// Applications whose databag the charm was told of, with its version.
    pub(crate) applications: BTreeMap<String, u64>,
    /// A unit that joined and whose changed hook is owed.
    pub(crate) changed_pending: Option<String>,
}

/// The network of a binding.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub(crate) mac_address: String,
    pub(crate) interface: String,
    pub(crate) address: String,
    pub(crate) cidr: String,
    pub(crate) egress: String,
}

impl Unit {
    pub(crate) fn new(application: &str, machine: u32, address: IpAddr, now: Duration) -> Self {
        Self {
            application: application.to_owned(),
            machine,
            address,
            dying: false,
            status: Status {
                status: "waiting".to_owned(),
                message: "waiting for machine".to_owned(),
                since: now,
            },
            history: Vec::new(),
            agent: Agent::default(),
        }
    }

    /// The workload status; `error` while a hook has failed.
    pub fn status(&self) -> Status {
        match &self.agent.failed {
            Some(failed) => Status {
                status: "error".to_owned(),
                message: format!("hook failed: \"{}\"", failed.hook.name()),
                since: self.status.since,
            },
            None => self.status.clone(),
        }
    }

    /// Every workload status that was ever set, the present one last.
    pub fn history(&self) -> Vec<Status> {
        self.history.iter().chain([&self.status]).cloned().collect()
    }

    /// The unit's address.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Whether it is being removed.
    pub fn is_dying(&self) -> bool {
        self.dying
    }

    pub(crate) fn set_status(&mut self, status: &str, message: &str, since: Duration) {
        let status = Status { status: status.to_owned(), message: message.to_owned(), since };
        self.history.push(std::mem::replace(&mut self.status, status));
    }

    /// Nothing is queued and nothing has failed.
    pub(crate) fn is_idle(&self) -> bool {
        self.agent.queued.is_none() && self.agent.failed.is_none()
    }

    pub(crate) fn network(&self) -> Network {
        let cidr = match self.address {
            IpAddr::V4(address) => {
                let [a, b, c, _] = address.octets();
                format!("{a}.{b}.{c}.0/24")
            }
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        };
        let bits = if self.address.is_ipv4() { 32 } else { 128 };
        Network {
            mac_address: format!("fa:16:3e:00:00:{:02x}", self.machine + 1),
            interface: "ens3".to_owned(),
            address: self.address.to_string(),
            cidr,
            egress: format!("{}/{bits}", self.address),
        }
    }
}

impl Agent {
    /// Forgets what is cached of units that are not members.
    pub(crate) fn prune(&mut self, relation: u32, members: &BTreeSet<String>) {
        self.cache.retain(|(id, unit), _| *id != relation || members.contains(unit));
    }
}
