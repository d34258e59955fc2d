//! What a unit's agent does next (`worker/uniter/resolver.go` `NextOp`): the first that applies, from the top.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::hook::Hook;
use super::state::State;
use super::unit::Phase;

/// What the agent does next.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Runs this hook.
    Run(Hook),
    /// The unit has nothing left to do and is dead.
    Die,
}

impl State {
    /// The next operation of one of our units, if it has any.
    pub(crate) fn next_operation(&mut self, name: &str, random: &mut StdRng) -> Option<Operation> {
        let leads = self.is_leader(name);
        let unit = self.unit(name);
        let dying = unit.dying;
        if unit.agent.phase >= Phase::Installed && unit.is_idle() && !dying {
            self.synchronize_scopes(name);
            let mut relations: Vec<u32> = self.unit(name).agent.relations.keys().copied().collect();
            relations.shuffle(random);
            if let Some(hook) = relations.into_iter().find_map(|id| self.created_hook(name, id)) {
                return Some(Operation::Run(Hook::Relation(hook)));
            }
            let agent = &mut self.unit_mut(name).agent;
            if leads && !agent.leads {
                return Some(Operation::Run(Hook::LeaderElected));
            }
            // Losing leadership runs no hook: `leader-deposed` exists by name only.
            agent.leads = leads;
        }
        let agent = &self.unit(name).agent;
        if let Some(failed) = &agent.failed {
            // While a hook has failed no other one runs.
            return (failed.due <= self.now).then(|| Operation::Run(failed.hook.clone()));
        }
        if let Some(queued) = &agent.queued {
            return Some(Operation::Run(queued.clone()));
        }
        if dying {
            return Some(self.next_of_the_dying(name, random));
        }
        if agent.phase < Phase::Installed {
            return Some(Operation::Run(Hook::Install));
        }
        if agent.revision != self.application(&self.unit(name).application).revision {
            return Some(Operation::Run(Hook::UpgradeCharm));
        }
        if agent.seen.as_ref() != Some(&self.surroundings(name)) {
            return Some(Operation::Run(Hook::ConfigChanged));
        }
        self.next_in_relations(name, random).map(Operation::Run)
    }

    /// All relations first, then stop, then remove: what Juju's documents say of this order is not what it does.
    fn next_of_the_dying(&self, name: &str, random: &mut StdRng) -> Operation {
        let agent = &self.unit(name).agent;
        if let Some(hook) = self.next_in_relations(name, random) {
            Operation::Run(hook)
        } else if agent.phase == Phase::Started {
            Operation::Run(Hook::Stop)
        } else if agent.phase >= Phase::Installed {
            Operation::Run(Hook::Remove)
        } else {
            Operation::Die
        }
    }

    /// Relations in random order (a Go map), peer relations after all others.
    fn next_in_relations(&self, name: &str, random: &mut StdRng) -> Option<Hook> {
        let mut relations: Vec<u32> = self.unit(name).agent.relations.keys().copied().collect();
        relations.shuffle(random);
        relations.sort_by_key(|id| self.relations.get(id).is_some_and(super::relation::Relation::is_peer));
        relations.into_iter().find_map(|id| self.next_relation_hook(name, id)).map(Hook::Relation)
    }
}
