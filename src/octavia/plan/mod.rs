//! From what there is to what there should be: the list of changes, pure and printable.

mod address;
mod difference;
mod fit;
mod members;
mod monitor;
mod parts;
mod surplus;
mod wanted;
mod withdrawn;

pub use fit::still_in_error;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::desired::Desired;
use super::observed::{FloatingIp, LoadBalancer, Lookup, Observed, VipPort};
use super::status::Provisioning;
use crate::model::finding::Finding;
use crate::model::mark::Mark;
use crate::model::port::Port;
use crate::model::probe::Kind;

/// What is to be done, load balancer by load balancer; these do not depend on each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The changes of each load balancer, in their order.
    pub steps: Vec<Steps>,
    /// What cannot be done, or is left as it is on purpose.
    pub findings: Vec<Finding>,
}

/// The changes of one load balancer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steps {
    /// Whose they are.
    pub mark: Mark,
    /// The load balancer's name, or the mark where there is none any more; for people.
    pub name: String,
    /// Octavia's id of the load balancer, if it exists.
    pub load_balancer: Option<String>,
    /// In their order.
    pub changes: Vec<Change>,
}

/// The provider whose rules differ.
pub(crate) const OVN: &str = "ovn";

/// What was tried before in this hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tried {
    /// Ids of objects in ERROR that were sent their values once more.
    pub ids: BTreeSet<String>,
    /// Kinds of monitor that a provider did not take, by load balancer and front port.
    pub refused: BTreeMap<(Mark, Port), BTreeSet<Kind>>,
    /// What a provider did not take in an earlier hook is tried again.
    pub again: bool,
}

impl Tried {
    /// Whether this object is in ERROR although it was sent its values once more.
    fn has_failed(&self, id: &str, provisioning: Provisioning) -> bool {
        provisioning == Provisioning::Error && self.ids.contains(id)
    }
}

/// What a plan must know beside what is wanted and what there is.
#[derive(Debug, Clone, Copy)]
struct Past<'a> {
    tried: &'a Tried,
    /// Units whose members stay although they were not met yet.
    unmet: &'a BTreeSet<String>,
}

/// Everything under one mark.
#[derive(Debug, Default)]
struct Owned<'a> {
    load_balancers: Vec<&'a LoadBalancer>,
    ports: Vec<&'a VipPort>,
    floating_ips: Vec<&'a FloatingIp>,
}

/// The changes that make `observed` as `desired`.
///
/// What is not desired goes only if its mark is in `released`.
pub fn plan(desired: &Desired, observed: &Observed, released: &BTreeSet<Mark>, tried: &Tried) -> Plan {
    let mut findings = Vec::new();
    if let Lookup::Wrong(text) = &observed.terrain.subnet {
        findings.push(Finding::blocked(text.clone()));
    }
    if let Lookup::Wrong(text) = &observed.terrain.floating_network
        && desired.load_balancers.values().any(|load_balancer| load_balancer.public)
    {
        findings.push(Finding::blocked(text.clone()));
    }
    if let Lookup::Wrong(text) = &observed.terrain.flavor {
        findings.push(Finding::blocked(text.clone()));
    }
    let owned = by_mark(observed);
    let past = Past { tried, unmet: &desired.unmet };
    let nothing = Owned::default();
    let mut steps: Vec<Steps> = Vec::new();
    for (mark, wanted) in &desired.load_balancers {
        let owned = owned.get(mark).unwrap_or(&nothing);
        let making = &desired.making;
        steps.push(wanted::steps(mark, wanted, making, owned, &observed.terrain, past, &mut findings));
    }
    for (mark, owned) in owned.iter().filter(|(mark, _)| !desired.load_balancers.contains_key(*mark)) {
        if released.contains(*mark) {
            steps.push(surplus::all(mark, owned));
        } else if let Some(units) = desired.units.get(mark.relation()) {
            steps.extend(withdrawn::steps(mark, owned, units, &observed.terrain, past));
        }
    }
    steps.retain(|steps| !steps.changes.is_empty());
    Plan { steps, findings }
}

impl Plan {
    /// Whether anything is deleted, or a pool loses a member.
    pub fn takes_away(&self) -> bool {
        self.steps.iter().flat_map(|steps| &steps.changes).any(Change::takes_away)
    }

    /// One line a change, for people.
    pub fn lines(&self) -> Vec<String> {
        let of = |steps: &Steps| {
            steps.changes.iter().map(|change| format!("{}: {change}", steps.name)).collect::<Vec<_>>()
        };
        self.steps.iter().flat_map(of).collect()
    }

    /// The front ports whose monitor this plan replaces because it stayed in ERROR.
    pub fn replaced_monitors(&self, tried: &Tried) -> BTreeSet<(Mark, Port)> {
        let of = |steps: &Steps| {
            let fronts = steps.changes.iter().filter_map(|change| match change {
                Change::DeleteMonitor { id, front, .. } if tried.ids.contains(id) => Some(*front),
                _ => None,
            });
            fronts.map(|front| (steps.mark.clone(), front)).collect::<Vec<_>>()
        };
        self.steps.iter().flat_map(of).collect()
    }

    /// Only what is about health monitors, of the named load balancer or of all.
    #[must_use]
    pub fn monitors_only(mut self, name: Option<&str>) -> Self {
        self.steps.retain(|steps| name.is_none_or(|name| name == steps.name));
        for steps in &mut self.steps {
            steps.changes.retain(Change::is_about_monitors);
        }
        self.steps.retain(|steps| !steps.changes.is_empty());
        self
    }
}

/// The load balancer under a mark that stays: the published one, else the oldest.
pub fn kept<'a>(observed: &'a Observed, mark: &Mark, published: Option<IpAddr>) -> Option<&'a LoadBalancer> {
    by_mark(observed).get(mark).and_then(|owned| surplus::kept(owned, published).load_balancer)
}

fn by_mark(observed: &Observed) -> BTreeMap<&Mark, Owned<'_>> {
    let mut owned: BTreeMap<&Mark, Owned<'_>> = BTreeMap::new();
    for load_balancer in &observed.load_balancers {
        owned.entry(&load_balancer.mark).or_default().load_balancers.push(load_balancer);
    }
    for port in &observed.ports {
        owned.entry(&port.mark).or_default().ports.push(port);
    }
    for floating_ip in &observed.floating_ips {
        owned.entry(&floating_ip.mark).or_default().floating_ips.push(floating_ip);
    }
    owned
}
