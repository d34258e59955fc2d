//! What happens after a hook: everything takes effect, or nothing does.

use std::time::Duration;

use super::hook::{Hook, RelationEvent, RelationHook};
use super::session::Run;
use super::state::State;
use super::unit::{FailedHook, Phase, Surroundings};

/// First and longest wait before a failed hook runs again (`apiserver/facades/agent/retrystrategy`).
const RETRY_FIRST: Duration = Duration::from_secs(5);
const RETRY_LONGEST: Duration = Duration::from_mins(5);

impl State {
    /// Writes the buffered databags, all or none (`apiserver/facades/agent/uniter/uniter.go` `CommitHookChanges`).
    pub(crate) fn flush(&mut self, run: &Run) -> Result<(), String> {
        if !run.application_bags.is_empty() && !self.is_leader(&run.unit) {
            let application = &self.unit(&run.unit).application;
            return Err(format!(
                "checking leadership continuity: \"{}\" is not leader of \"{application}\"",
                run.unit
            ));
        }
        let touched = run.application_bags.keys().chain(run.unit_bags.keys());
        for id in touched {
            if self.relations.get(id).is_none_or(|relation| relation.unreadable) {
                return Err("permission denied".to_owned());
            }
        }
        let application = self.unit(&run.unit).application.clone();
        for (id, content) in &run.application_bags {
            let relation = self.relation_mut(*id);
            relation.application_bags.entry(application.clone()).or_default().replace(content.clone());
        }
        for (id, content) in &run.unit_bags {
            let relation = self.relation_mut(*id);
            relation.unit_bags.entry(run.unit.clone()).or_default().replace(content.clone());
        }
        Ok(())
    }

    /// The hook is done: remembers what it told the charm and queues what follows from it.
    pub(crate) fn commit(&mut self, name: &str, hook: &Hook, saw: Surroundings) {
        let now = self.now;
        let revision = self.application(&self.unit(name).application).revision;
        let unit = self.unit_mut(name);
        unit.agent.failed = None;
        if unit.agent.queued.as_ref() == Some(hook) {
            unit.agent.queued = None;
        }
        match hook {
            Hook::Install => {
                unit.agent.phase = Phase::Installed;
                unit.agent.revision = revision;
            }
            Hook::UpgradeCharm => {
                unit.agent.revision = revision;
                unit.agent.queued = Some(Hook::ConfigChanged);
            }
            Hook::LeaderElected => unit.agent.leads = true,
            Hook::ConfigChanged => {
                let moved = unit.agent.seen.as_ref().is_some_and(|before| before.address != saw.address);
                unit.agent.seen = Some(saw);
                if unit.agent.phase < Phase::Started {
                    unit.agent.queued = Some(Hook::Start);
                }
                if moved {
                    self.refresh_network_keys(name);
                }
            }
            Hook::Start => {
                unit.agent.phase = Phase::Started;
                if !unit.agent.spoke {
                    unit.set_status("unknown", "", now);
                }
            }
            Hook::Stop => unit.agent.phase = Phase::Stopped,
            Hook::Remove => self.bury_unit(name),
            Hook::UpdateStatus | Hook::Other(_) => {}
            Hook::Relation(hook) => self.commit_relation(name, hook),
        }
    }

    fn commit_relation(&mut self, name: &str, hook: &RelationHook) {
        let agent = &mut self.unit_mut(name).agent;
        if hook.event == RelationEvent::Broken {
            agent.relations.remove(&hook.relation);
            agent.cache.retain(|(id, _), _| *id != hook.relation);
            self.leave_scope(hook.relation, name);
            return;
        }
        let Some(known) = agent.relations.get_mut(&hook.relation) else { return };
        match (hook.event, &hook.unit) {
            (RelationEvent::Created, _) => known.created = true,
            (RelationEvent::Joined, Some(unit)) => {
                known.members.insert(unit.clone(), hook.version);
                known.changed_pending = Some(unit.clone());
            }
            (RelationEvent::Changed, Some(unit)) => {
                known.members.insert(unit.clone(), hook.version);
                known.changed_pending = None;
            }
            (RelationEvent::Departed, Some(unit)) => {
                known.members.remove(unit);
            }
            (RelationEvent::Changed, None) => {
                known.applications.insert(hook.application.clone(), hook.version);
            }
            _ => {}
        }
    }

    /// Juju refreshes its own keys in our unit databags after a `config-changed`.
    fn refresh_network_keys(&mut self, name: &str) {
        let keys = self.network_keys(name);
        for relation in self.relations.values_mut().filter(|relation| relation.scope.contains_key(name)) {
            let bag = relation.unit_bags.entry(name.to_owned()).or_default();
            let mut content = bag.content.clone();
            content.extend(keys.clone());
            bag.replace(content);
        }
    }

    /// The hook failed: the unit is in error, and the same hook runs again later.
    pub(crate) fn fail(&mut self, name: &str, hook: &Hook) {
        let now = self.now;
        let agent = &mut self.unit_mut(name).agent;
        let attempts = agent.failed.as_ref().map_or(0, |failed| failed.attempts) + 1;
        let wait = RETRY_FIRST.saturating_mul(1 << (attempts - 1).min(10)).min(RETRY_LONGEST);
        agent.failed = Some(FailedHook { hook: hook.clone(), attempts, due: now + wait });
    }
}
