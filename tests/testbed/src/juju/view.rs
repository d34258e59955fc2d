//! What a scenario sees of the model.

use std::time::Duration;

use super::log::LogLine;
use super::model::Model;
use super::record::HookRecord;
use super::relation::Bag;
use super::state::State;
use super::unit::{Status, Unit};

impl Model {
    /// A unit.
    pub fn unit(&self, name: &str) -> &Unit {
        self.state.unit(name)
    }

    /// Names of an application's units.
    pub fn units(&self, application: &str) -> Vec<String> {
        self.state.units_of(application)
    }

    /// Whether the application exists, be it dying.
    pub fn has_application(&self, name: &str) -> bool {
        self.state.applications.contains_key(name)
    }

    /// Whether the relation exists, be it dying.
    pub fn has_relation(&self, id: u32) -> bool {
        self.state.relations.contains_key(&id)
    }

    /// A unit's workload status.
    pub fn unit_status(&self, unit: &str) -> Status {
        self.state.unit(unit).status()
    }

    /// An application's status: as its leader set it, else the gravest of its units.
    pub fn application_status(&self, application: &str) -> Status {
        self.state.application_status(application)
    }

    /// What the charm said its version was.
    pub fn application_version(&self, application: &str) -> &str {
        &self.state.application(application).version
    }

    /// Who leads.
    pub fn leader(&self, application: &str) -> Option<&str> {
        self.state.application(application).leader.as_deref()
    }

    /// An application's databag.
    pub fn application_bag(&self, relation: u32, application: &str) -> Bag {
        let bag = self.state.relation(relation).application_bags.get(application);
        bag.map(|bag| bag.content.clone()).unwrap_or_default()
    }

    /// A unit's databag.
    pub fn unit_bag(&self, relation: u32, unit: &str) -> Bag {
        self.state.relation(relation).unit_bags.get(unit).map(|bag| bag.content.clone()).unwrap_or_default()
    }

    /// The peer relation of an endpoint.
    pub fn peer_relation(&self, application: &str, endpoint: &str) -> Option<u32> {
        let peers = self.state.relations_of(application, true);
        peers.into_iter().find(|id| {
            self.state.relation(*id).side(application).is_some_and(|side| side.endpoint == endpoint)
        })
    }

    /// Everything that was logged.
    pub fn log(&self) -> &[LogLine] {
        &self.state.log
    }

    /// Every hook and action that ran, in order.
    pub fn hooks(&self) -> &[HookRecord] {
        &self.records
    }

    /// Names of the hooks and actions that ran on a unit, in order.
    pub fn hook_names(&self, unit: &str) -> Vec<&str> {
        self.records.iter().filter(|record| record.unit == unit).map(HookRecord::name).collect()
    }

    /// The virtual clock: time since the model began.
    pub fn now(&self) -> Duration {
        self.state.now
    }
}

impl State {
    pub(crate) fn application_status(&self, name: &str) -> Status {
        const GRAVEST_FIRST: [&str; 6] = ["error", "blocked", "maintenance", "waiting", "active", "unknown"];
        let known = self.application(name).status.clone();
        known.unwrap_or_else(|| {
            let statuses = self.units_of(name).into_iter().map(|unit| self.unit(&unit).status());
            let rank = |status: &Status| GRAVEST_FIRST.iter().position(|word| *word == status.status);
            statuses.min_by_key(rank).unwrap_or_else(|| Status {
                status: "unknown".to_owned(),
                message: String::new(),
                since: self.now,
            })
        })
    }
}
