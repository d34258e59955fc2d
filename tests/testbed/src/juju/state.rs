//! The state of one model, as its controller keeps it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use super::application::Application;
use super::log::LogLine;
use super::relation::{Bag, Relation};
use super::unit::{Surroundings, Unit};

/// Everything the controller knows.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The virtual clock.
    pub(crate) now: Duration,
    pub(crate) applications: BTreeMap<String, Application>,
    pub(crate) units: BTreeMap<String, Unit>,
    pub(crate) relations: BTreeMap<u32, Relation>,
    /// What `credential-get` gives to an application that is trusted.
    pub(crate) credential: Option<Json>,
    pub(crate) log: Vec<LogLine>,
    next_relation: u32,
    next_machine: u32,
}

impl State {
    pub(crate) fn application(&self, name: &str) -> &Application {
        self.applications.get(name).unwrap_or_else(|| panic!("application {name:?} not found"))
    }

    pub(crate) fn application_mut(&mut self, name: &str) -> &mut Application {
        self.applications.get_mut(name).unwrap_or_else(|| panic!("application {name:?} not found"))
    }

    pub(crate) fn unit(&self, name: &str) -> &Unit {
        self.units.get(name).unwrap_or_else(|| panic!("unit {name:?} not found"))
    }

    pub(crate) fn unit_mut(&mut self, name: &str) -> &mut Unit {
        self.units.get_mut(name).unwrap_or_else(|| panic!("unit {name:?} not found"))
    }

    pub(crate) fn relation(&self, id: u32) -> &Relation {
        self.relations.get(&id).unwrap_or_else(|| panic!("relation {id} not found"))
    }

    pub(crate) fn relation_mut(&mut self, id: u32) -> &mut Relation {
        self.relations.get_mut(&id).unwrap_or_else(|| panic!("relation {id} not found"))
    }

    /// Relation numbers count through the whole model.
    pub(crate) fn add_relation(&mut self, relation: Relation) -> u32 {
        let id = self.next_relation;
        self.next_relation += 1;
        self.relations.insert(id, relation);
        id
    }

    /// The next relation gets this number.
    pub(crate) fn skip_relations_to(&mut self, id: u32) {
        self.next_relation = self.next_relation.max(id);
    }

    pub(crate) fn add_machine(&mut self) -> u32 {
        let id = self.next_machine;
        self.next_machine += 1;
        id
    }

    /// Names of an application's units.
    pub(crate) fn units_of(&self, application: &str) -> Vec<String> {
        self.units
            .iter()
            .filter(|(_, unit)| unit.application == application)
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(crate) fn is_leader(&self, unit: &str) -> bool {
        self.units.get(unit).is_some_and(|known| {
            self.applications.get(&known.application).and_then(|application| application.leader.as_deref())
                == Some(unit)
        })
    }

    pub(crate) fn surroundings(&self, unit: &str) -> Surroundings {
        let unit = self.unit(unit);
        let application = self.application(&unit.application);
        Surroundings { settings: application.settings(), trust: application.trust, address: unit.address }
    }

    /// What Juju itself writes into a unit's databag.
    pub(crate) fn network_keys(&self, unit: &str) -> Bag {
        let network = self.unit(unit).network();
        Bag::from([
            ("egress-subnets".to_owned(), network.egress),
            ("ingress-address".to_owned(), network.address.clone()),
            ("private-address".to_owned(), network.address),
        ])
    }

    /// Enters a relation's scope: from now on the other side sees this unit.
    pub(crate) fn enter_scope(&mut self, id: u32, unit: &str) {
        let keys = self.network_keys(unit);
        let now = self.now;
        let relation = self.relation_mut(id);
        let bag = relation.unit_bags.entry(unit.to_owned()).or_default();
        let mut content = bag.content.clone();
        content.extend(keys);
        bag.replace(content);
        relation.scope.insert(unit.to_owned(), false);
        if relation.status != "joined" {
            relation.status = "joined";
            relation.since = now;
        }
    }
}
