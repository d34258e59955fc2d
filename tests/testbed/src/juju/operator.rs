//! What a person or another charm does to the model. Nothing runs before [`Model::settle`].

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;

use super::application::Application;
use super::charm::Charm;
use super::fault::{Fault, Fired};
use super::hook::Hook;
use super::model::{Deploy, Model};
use super::relation::{Bag, Relation, Side, VersionedBag};
use super::unit::{Phase, Unit};

impl Model {
    /// `juju deploy`. Unit 0 leads until it goes or [`Model::set_leader`] says otherwise.
    pub fn deploy(&mut self, name: &str, deploy: Deploy<'_>) {
        let charm = Arc::new(Charm::read(deploy.charm_dir));
        let mut application = Application::new(Some(Arc::clone(&charm)));
        application.trust = deploy.trust;
        self.state.applications.insert(name.to_owned(), application);
        self.configure(name, deploy.config);
        for endpoint in charm.metadata.peers.keys() {
            let side = Side { application: name.to_owned(), endpoint: endpoint.clone() };
            self.state.add_relation(Relation::new(vec![side], self.state.now));
        }
        for at in 0..deploy.units {
            let address = usize::try_from(at).ok().and_then(|at| deploy.addresses.get(at));
            let unit = self.add(name, address.map(|address| parse(address)));
            self.state.application_mut(name).leader.get_or_insert(unit);
        }
    }

    /// Adds an application without code: unit number and address of each of its units. Only the scenario moves it.
    pub fn add_remote(&mut self, name: &str, units: &[(&str, &str)]) {
        self.state.applications.insert(name.to_owned(), Application::new(None));
        for (number, address) in units {
            self.add_remote_unit(&format!("{name}/{number}"), address);
        }
    }

    /// One more unit of a remote application; it is in the scope of all its relations at once.
    pub fn add_remote_unit(&mut self, unit: &str, address: &str) {
        let application = super::relation::application_of(unit).to_owned();
        let machine = self.state.add_machine();
        let mut added = Unit::new(&application, machine, parse(address), self.state.now);
        added.set_status("active", "", self.state.now);
        self.state.units.insert(unit.to_owned(), added);
        for id in self.state.relations_of(&application, false) {
            if !self.state.relation(id).dying {
                self.state.enter_scope(id, unit);
            }
        }
    }

    /// `juju add-unit`; the name of the new unit.
    pub fn add_unit(&mut self, application: &str) -> String {
        self.add(application, None)
    }

    /// `juju add-unit` on a machine with this address.
    pub fn add_unit_at(&mut self, application: &str, address: &str) -> String {
        self.add(application, Some(parse(address)))
    }

    fn add(&mut self, application: &str, address: Option<IpAddr>) -> String {
        let machine = self.state.add_machine();
        let host = u8::try_from(machine + 5).expect("at most 250 machines have an address of their own");
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)));
        let unit = Unit::new(application, machine, address, self.state.now);
        let owner = self.state.application_mut(application);
        let name = format!("{application}/{}", owner.next_unit);
        owner.next_unit += 1;
        self.state.units.insert(name.clone(), unit);
        name
    }

    /// `juju integrate application:endpoint application:endpoint`; the relation's number.
    pub fn integrate(&mut self, one: &str, other: &str) -> u32 {
        let sides: Vec<Side> = [one, other].into_iter().map(|text| self.side(text)).collect();
        let id = self.state.add_relation(Relation::new(sides.clone(), self.state.now));
        for side in sides {
            if self.state.application(&side.application).charm.is_none() {
                for unit in self.state.units_of(&side.application) {
                    if !self.state.unit(&unit).dying {
                        self.state.enter_scope(id, &unit);
                    }
                }
            }
        }
        id
    }

    fn side(&self, text: &str) -> Side {
        let (application, endpoint) = text.split_once(':').expect("a side is written application:endpoint");
        let charm = &self.state.application(application).charm;
        let known = charm.as_ref().is_none_or(|charm| charm.has_endpoint(endpoint));
        assert!(known, "application {application:?} has no endpoint {endpoint:?}");
        Side { application: application.to_owned(), endpoint: endpoint.to_owned() }
    }

    /// The next relation gets this number, so that tests can have `:10` sort before `:9`.
    pub fn skip_relations_to(&mut self, id: u32) {
        self.state.skip_relations_to(id);
    }

    /// `juju config application name=value …`
    pub fn configure(&mut self, application: &str, settings: &[(&str, &str)]) {
        let owner = self.state.application_mut(application);
        let charm = owner.charm.clone().expect("only an application with a charm has config");
        for (name, text) in settings {
            owner.set_options.insert((*name).to_owned(), charm.parse(name, text));
        }
    }

    /// `juju config application --reset name,…`
    pub fn unset(&mut self, application: &str, names: &[&str]) {
        for name in names {
            self.state.application_mut(application).set_options.remove(*name);
        }
    }

    /// `juju trust application`, or `--remove`.
    pub fn trust(&mut self, application: &str, trust: bool) {
        self.state.application_mut(application).trust = trust;
    }

    /// `juju refresh`: another revision of the charm, from this folder.
    pub fn refresh(&mut self, application: &str, charm_dir: &Path) {
        let charm = Charm::read(charm_dir);
        let owner = self.state.application_mut(application);
        owner.set_options.retain(|name, _| charm.options.contains_key(name));
        owner.charm = Some(Arc::new(charm));
        owner.revision += 1;
    }

    /// The unit's machine starts anew.
    pub fn reboot(&mut self, unit: &str) {
        let agent = &mut self.state.unit_mut(unit).agent;
        if agent.phase == Phase::Started && agent.failed.is_none() {
            agent.queued.get_or_insert(Hook::Start);
        }
    }

    /// `juju update-credential`.
    pub fn set_credential(&mut self, credential: Option<Json>) {
        self.state.credential = credential;
    }

    /// The unit's machine gets another address.
    pub fn set_address(&mut self, unit: &str, address: &str) {
        self.state.unit_mut(unit).address = parse(address);
    }

    /// Another unit leads, or none until [`Model::settle`] elects one.
    pub fn set_leader(&mut self, application: &str, unit: Option<&str>) {
        self.state.application_mut(application).leader = unit.map(str::to_owned);
    }

    /// `juju remove-unit`.
    pub fn remove_unit(&mut self, unit: &str) {
        self.state.destroy_unit(unit);
    }

    /// `juju remove-relation`.
    pub fn remove_relation(&mut self, relation: u32) {
        self.state.destroy_relation(relation);
    }

    /// `juju remove-application`.
    pub fn remove_application(&mut self, application: &str) {
        self.state.destroy_application(application);
    }

    /// The relation stays listed, but the controller denies all access to its databags (or grants it again).
    pub fn set_unreadable(&mut self, relation: u32, unreadable: bool) {
        self.state.relation_mut(relation).unreadable = unreadable;
    }

    /// Replaces an application's databag, as its leader would.
    pub fn set_application_bag(&mut self, relation: u32, application: &str, bag: Bag) {
        let relation = self.state.relation_mut(relation);
        assert!(relation.side(application).is_some(), "{application:?} is not in this relation");
        relation.application_bags.entry(application.to_owned()).or_default().replace(bag);
    }

    /// Replaces a unit's databag, what Juju itself put there included.
    pub fn set_unit_bag(&mut self, relation: u32, unit: &str, bag: Bag) {
        let relation = self.state.relation_mut(relation);
        assert!(
            relation.side(super::relation::application_of(unit)).is_some(),
            "{unit:?} is not in this relation"
        );
        let entry: &mut VersionedBag = relation.unit_bags.entry(unit.to_owned()).or_default();
        entry.replace(bag);
    }

    /// Plans a fault at a hook tool call.
    pub fn plan(&mut self, fault: Fault) -> Fired {
        let fired = fault.handle();
        self.faults.push(fault);
        fired
    }

    /// Whether a planned fault has not struck: a scenario that planned it proved nothing then.
    pub fn has_unfired_faults(&self) -> bool {
        self.faults.iter().any(|fault| !fault.handle().fired())
    }
}

fn parse(address: &str) -> IpAddr {
    address.parse().unwrap_or_else(|_| panic!("{address:?} is not an IP address"))
}
