//! One hook's context, as the hook tools see it: buffered writes first, then what the agent knows, then the
//! controller (`worker/uniter/runner/context`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::action::ActionRun;
use super::hook::{Hook, RelationEvent, RelationHook};
use super::log::LogLine;
use super::relation::{Bag, application_of};
use super::state::State;
use super::unit::{Network, Status};
use crate::tools::value::Value;

/// What one run of the charm holds until it ends.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) unit: String,
    pub(crate) hook: Option<Hook>,
    pub(crate) action: Option<ActionRun>,
    /// `JUJU_DISPATCH_PATH`.
    pub(crate) path: String,
    /// `JUJU_CONTEXT_ID`.
    pub(crate) context: String,
    /// Whole databags as they will be, of what was written.
    pub(crate) unit_bags: BTreeMap<u32, Bag>,
    pub(crate) application_bags: BTreeMap<u32, Bag>,
    /// Once told that it does not lead, a hook hears so to its end (`context/leader.go` `isMinion`).
    pub(crate) minion: bool,
}

/// The hook tools' view of the model.
pub(crate) struct Session<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) run: &'a mut Run,
    /// The caller's working directory.
    pub(crate) directory: PathBuf,
}

const DENIED: &str = "permission denied";

impl Session<'_> {
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    fn application_name(&self) -> &str {
        application_of(&self.run.unit)
    }

    fn relation_hook(&self) -> Option<&RelationHook> {
        self.run.hook.as_ref().and_then(Hook::relation)
    }

    /// Config with defaults; null where nothing is set.
    pub(crate) fn settings(&self) -> BTreeMap<String, Json> {
        self.state.application(self.application_name()).settings()
    }

    /// The relation hook's own relation.
    pub(crate) fn hook_relation(&self) -> Option<u32> {
        self.relation_hook().map(|hook| hook.relation)
    }

    /// Its endpoint.
    pub(crate) fn hook_endpoint(&self) -> Option<String> {
        self.relation_hook().map(|hook| hook.endpoint.clone())
    }

    /// `endpoint:number` of it.
    pub(crate) fn hook_relation_id(&self) -> Option<String> {
        self.relation_hook().map(|hook| format!("{}:{}", hook.endpoint, hook.relation))
    }

    pub(crate) fn remote_unit(&self) -> Option<String> {
        self.relation_hook().and_then(|hook| hook.unit.clone())
    }

    pub(crate) fn remote_application(&self) -> Option<String> {
        self.relation_hook().map(|hook| hook.application.clone())
    }

    /// The relation of an id; only the number counts (`jujuc/relation-flag.go` `relationIdValue`).
    pub(crate) fn find_relation(&self, text: &str) -> Result<u32, String> {
        let number = text.rsplit(':').next().unwrap_or_default();
        let id: u32 = number.parse().map_err(|_| "invalid relation id".to_owned())?;
        let known = self.state.unit(&self.run.unit).agent.relations.contains_key(&id);
        known.then_some(id).ok_or_else(|| "relation not found".to_owned())
    }

    /// Ids of an endpoint's relations, as strings and sorted so. A dying relation is among them until its broken hook,
    /// and not in it (`context/context.go` `RelationIds`).
    pub(crate) fn relation_ids(&self, endpoint: &str) -> Vec<String> {
        let breaking =
            self.relation_hook().filter(|hook| hook.event == RelationEvent::Broken).map(|hook| hook.relation);
        let mut ids: Vec<String> = self
            .state
            .unit(&self.run.unit)
            .agent
            .relations
            .keys()
            .filter(|id| breaking != Some(**id))
            .filter(|id| {
                let side = self.state.relation(**id).side(self.application_name());
                side.is_some_and(|side| side.endpoint == endpoint)
            })
            .map(|id| format!("{endpoint}:{id}"))
            .collect();
        ids.sort();
        ids
    }

    pub(crate) fn members(&self, id: u32) -> Vec<String> {
        self.state.unit(&self.run.unit).agent.members(id, self.run.hook.as_ref()).into_iter().collect()
    }

    pub(crate) fn other_application(&self, id: u32) -> String {
        self.state.relation(id).other_application(self.application_name()).to_owned()
    }

    /// A unit's databag: our own with what is buffered, another's from the agent's cache.
    pub(crate) fn read_unit_bag(&mut self, id: u32, unit: &str) -> Result<Bag, String> {
        if unit == self.run.unit {
            return self.own_unit_bag(id);
        }
        let key = (id, unit.to_owned());
        if let Some(bag) = self.state.unit(&self.run.unit).agent.cache.get(&key) {
            return Ok(bag.clone());
        }
        let relation = self.state.relation(id);
        let related = application_of(unit) == relation.other_application(self.application_name());
        let bag = relation.unit_bags.get(unit).filter(|_| related && !relation.unreadable).ok_or(DENIED)?;
        let bag = bag.content.clone();
        // Only members are kept from hook to hook; what departed is read anew in the next one.
        self.state.unit_mut(&self.run.unit).agent.cache.insert(key, bag.clone());
        Ok(bag)
    }

    fn own_unit_bag(&self, id: u32) -> Result<Bag, String> {
        let relation = self.state.relation(id);
        if relation.unreadable {
            return Err(DENIED.to_owned());
        }
        let stored =
            || relation.unit_bags.get(&self.run.unit).map(|bag| bag.content.clone()).unwrap_or_default();
        Ok(self.run.unit_bags.get(&id).cloned().unwrap_or_else(stored))
    }

    /// An application's databag. Our own is the leader's to read, except in a peer relation, where all may.
    pub(crate) fn read_application_bag(&mut self, id: u32, application: &str) -> Result<Bag, String> {
        let ours = application == self.application_name();
        if ours && self.is_leader() {
            return self.own_application_bag(id);
        }
        let relation = self.state.relation(id);
        if relation.unreadable || application != relation.other_application(self.application_name()) {
            return Err(DENIED.to_owned());
        }
        Ok(relation.application_bags.get(application).map(|bag| bag.content.clone()).unwrap_or_default())
    }

    fn own_application_bag(&self, id: u32) -> Result<Bag, String> {
        let relation = self.state.relation(id);
        if relation.unreadable {
            return Err(DENIED.to_owned());
        }
        let stored = || {
            relation
                .application_bags
                .get(self.application_name())
                .map(|bag| bag.content.clone())
                .unwrap_or_default()
        };
        Ok(self.run.application_bags.get(&id).cloned().unwrap_or_else(stored))
    }

    /// Buffers changes of our unit's databag; an empty value deletes the key.
    pub(crate) fn write_unit_bag(&mut self, id: u32, changes: Bag) -> Result<(), String> {
        let mut bag = self.own_unit_bag(id)?;
        change(&mut bag, changes);
        self.run.unit_bags.insert(id, bag);
        Ok(())
    }

    /// Buffers changes of our application's databag.
    pub(crate) fn write_application_bag(&mut self, id: u32, changes: Bag) -> Result<(), String> {
        let mut bag = self.own_application_bag(id)?;
        change(&mut bag, changes);
        self.run.application_bags.insert(id, bag);
        Ok(())
    }

    pub(crate) fn is_leader(&mut self) -> bool {
        self.run.minion |= !self.state.is_leader(&self.run.unit);
        !self.run.minion
    }

    pub(crate) fn set_unit_status(&mut self, status: &str, message: &str) {
        let now = self.state.now;
        let unit = self.state.unit_mut(&self.run.unit);
        unit.agent.spoke = true;
        unit.set_status(status, message, now);
    }

    pub(crate) fn set_application_status(&mut self, status: &str, message: &str) {
        let status = Status { status: status.to_owned(), message: message.to_owned(), since: self.state.now };
        let name = self.application_name().to_owned();
        self.state.application_mut(&name).status = Some(status);
    }

    pub(crate) fn unit_status(&self) -> Status {
        self.state.unit(&self.run.unit).status.clone()
    }

    pub(crate) fn application_status(&self) -> Status {
        self.state.application_status(self.application_name())
    }

    /// Statuses of all units of our application.
    pub(crate) fn unit_statuses(&self) -> BTreeMap<String, Status> {
        let names = self.state.units_of(self.application_name());
        names.into_iter().map(|name| (name.clone(), self.state.unit(&name).status())).collect()
    }

    pub(crate) fn set_application_version(&mut self, version: &str) {
        let name = self.application_name().to_owned();
        version.clone_into(&mut self.state.application_mut(&name).version);
    }

    pub(crate) fn log(&mut self, level: &str, text: &str) {
        let line = LogLine {
            unit: self.run.unit.clone(),
            hook: self.run.path.rsplit('/').next().unwrap_or_default().to_owned(),
            level: level.to_owned(),
            text: text.to_owned(),
            by_tool: true,
        };
        self.state.log.push(line);
    }

    pub(crate) fn action(&mut self) -> Result<&mut ActionRun, String> {
        self.run.action.as_mut().ok_or_else(|| "not running an action".to_owned())
    }

    /// The cloud's credential, for an application that is trusted with it.
    pub(crate) fn credential(&self) -> Option<&Json> {
        let trusted = self.state.application(self.application_name()).trust;
        self.state.credential.as_ref().filter(|_| trusted)
    }

    pub(crate) fn goal_state(&self) -> Value {
        self.state.goal_state(self.application_name())
    }

    pub(crate) fn network(&self, binding: &str) -> Result<Network, String> {
        let charm = self.state.application(self.application_name()).charm.as_ref();
        if charm.is_some_and(|charm| charm.has_binding(binding)) {
            return Ok(self.state.unit(&self.run.unit).network());
        }
        Err(format!("undefined for unit charm: endpoint {} not valid", crate::tools::answer::quoted(binding)))
    }
}

fn change(bag: &mut Bag, changes: Bag) {
    for (key, value) in changes {
        if value.is_empty() {
            bag.remove(&key);
        } else {
            bag.insert(key, value);
        }
    }
}
