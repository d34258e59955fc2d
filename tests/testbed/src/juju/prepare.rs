//! What Juju does before a hook runs.

use std::collections::BTreeSet;

use super::hook::{Hook, RelationEvent};
use super::state::State;
use super::unit::Phase;

impl State {
    /// Sets the statuses that Juju sets itself and forgets cached databags
    /// (`worker/uniter/operation/runhook.go` `beforeHook`, `worker/uniter/runner/factory.go` `NewHookRunner`).
    pub(crate) fn prepare(&mut self, name: &str, hook: Option<&Hook>) {
        let now = self.now;
        let unit = self.unit_mut(name);
        let message = match hook {
            Some(Hook::Install) if !unit.agent.spoke => "installing charm software",
            Some(Hook::Stop) => "stopping charm software",
            Some(Hook::Remove) => "cleaning up prior to charm deletion",
            _ => "",
        };
        if !message.is_empty() && unit.status.message != message {
            unit.set_status("maintenance", message, now);
        }
        if hook.is_some() {
            unit.agent.phase = unit.agent.phase.max(Phase::Awake);
        }
        let known: Vec<u32> = unit.agent.relations.keys().copied().collect();
        for id in known {
            let members = unit.agent.members(id, hook);
            unit.agent.prune(id, &members);
        }
        let Some(relation) = hook.and_then(Hook::relation) else { return };
        if let (RelationEvent::Joined | RelationEvent::Changed, Some(remote)) =
            (relation.event, &relation.unit)
        {
            unit.agent.cache.remove(&(relation.relation, remote.clone()));
        }
    }
}

impl super::unit::Agent {
    /// The members of a relation as this hook sees them: who joins is in, who departs is out.
    pub(crate) fn members(&self, id: u32, hook: Option<&Hook>) -> BTreeSet<String> {
        let mut members: BTreeSet<String> =
            self.relations.get(&id).map(|known| known.members.keys().cloned().collect()).unwrap_or_default();
        if let Some(hook) = hook.and_then(Hook::relation).filter(|hook| hook.relation == id)
            && let Some(unit) = &hook.unit
        {
            match hook.event {
                RelationEvent::Departed => members.remove(unit),
                _ => members.insert(unit.clone()),
            };
        }
        members
    }
}
