//! One run of a charm: its buffers, and what it may see.

use std::collections::BTreeMap;

use serde_json::Value;

use super::state::{Bag, Hook, State, ToolCall};

/// A hook or action that runs now.
#[derive(Debug, Default)]
pub(crate) struct HookContext {
    pub(crate) unit: String,
    pub(crate) hook: Hook,
    pub(crate) action: Option<ActionRun>,
    /// A "no" sticks within one hook (`runner/context/leader.go`).
    pub(crate) is_minion: bool,
    pub(crate) unit_writes: BTreeMap<u32, Bag>,
    pub(crate) application_writes: BTreeMap<u32, Bag>,
    pub(crate) calls: Vec<ToolCall>,
    /// The charm was killed while a tool ran.
    pub(crate) killed: bool,
}

/// The action that runs now.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActionRun {
    pub(crate) parameters: Value,
    pub(crate) results: BTreeMap<String, String>,
    pub(crate) failure: Option<String>,
}

impl HookContext {
    pub(crate) fn application(&self) -> &str {
        self.unit.split('/').next().unwrap_or_default()
    }

    /// The relation of a -broken hook is left out of `relation-ids`.
    pub(crate) fn hidden_relation(&self) -> Option<u32> {
        self.hook.relation.filter(|_| self.hook.name.ends_with("-relation-broken"))
    }

    /// Asks, unless the answer was no before.
    pub(crate) fn leads(&mut self, state: &State) -> bool {
        self.is_minion |= !state.is_leader(&self.unit);
        !self.is_minion
    }

    /// Takes over what was written, or says why not: then the hook failed although the charm did not.
    pub(crate) fn commit(&self, state: &mut State) -> Result<(), String> {
        if self.application_writes.values().any(|bag| !bag.is_empty()) && !state.is_leader(&self.unit) {
            return Err(format!("{} is not the leader", self.unit));
        }
        let application = self.application().to_owned();
        for (id, bag) in &self.unit_writes {
            if let Some(relation) = state.relations.get_mut(id) {
                relation.unit_bags.entry(self.unit.clone()).or_default().merge(bag);
            }
        }
        for (id, bag) in &self.application_writes {
            if let Some(relation) = state.relations.get_mut(id) {
                relation.application_bags.entry(application.clone()).or_default().merge(bag);
            }
        }
        Ok(())
    }
}
