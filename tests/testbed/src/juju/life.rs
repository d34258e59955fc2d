//! How relations, units and applications end.

use super::state::State;
use super::unit::Phase;

impl State {
    /// Removes a relation: at once if nobody is in its scope, else when the last unit has left
    /// (`state/relation.go` `destroyOps`).
    pub(crate) fn destroy_relation(&mut self, id: u32) {
        let relation = self.relation_mut(id);
        relation.dying = true;
        self.drop_relation_if_empty(id);
    }

    /// Leaves a relation's scope (`state/relationunit.go` `LeaveScope`).
    pub(crate) fn leave_scope(&mut self, id: u32, unit: &str) {
        if let Some(relation) = self.relations.get_mut(&id) {
            relation.scope.remove(unit);
            self.drop_relation_if_empty(id);
        }
    }

    fn drop_relation_if_empty(&mut self, id: u32) {
        let relation = self.relation(id);
        if relation.dying && relation.scope.is_empty() {
            let sides = relation.sides.clone();
            self.relations.remove(&id);
            for side in sides {
                self.drop_application_if_empty(&side.application);
            }
        }
    }

    /// Starts the end of a unit: others see it depart at once, though it is still in scope
    /// (`state/cleanup.go` `cleanupDyingUnit`, `PrepareLeaveScope`). One that never ran a hook is gone at once.
    pub(crate) fn destroy_unit(&mut self, name: &str) {
        let unit = self.unit_mut(name);
        unit.dying = true;
        let gone = unit.agent.phase == Phase::Asleep
            && self.application(&self.unit(name).application).charm.is_some();
        for relation in self.relations.values_mut() {
            if let Some(departing) = relation.scope.get_mut(name) {
                *departing = true;
            }
        }
        if gone {
            self.bury_unit(name);
        }
    }

    /// The unit is dead: it leaves what it was still in, and its leadership is free.
    pub(crate) fn bury_unit(&mut self, name: &str) {
        let scopes: Vec<u32> = self
            .relations
            .iter()
            .filter(|(_, relation)| relation.scope.contains_key(name))
            .map(|(id, _)| *id)
            .collect();
        for id in scopes {
            self.leave_scope(id, name);
        }
        let Some(unit) = self.units.remove(name) else { return };
        let application = self.application_mut(&unit.application);
        if application.leader.as_deref() == Some(name) {
            application.leader = None;
        }
        self.drop_application_if_empty(&unit.application);
    }

    /// Starts the end of an application, of its units and of its relations.
    pub(crate) fn destroy_application(&mut self, name: &str) {
        self.application_mut(name).dying = true;
        for id in self.relations_of(name, false) {
            self.destroy_relation(id);
        }
        for unit in self.units_of(name) {
            self.destroy_unit(&unit);
        }
        self.drop_application_if_empty(name);
    }

    fn drop_application_if_empty(&mut self, name: &str) {
        let dying = self.applications.get(name).is_some_and(|application| application.dying);
        if !dying || !self.units_of(name).is_empty() || !self.relations_of(name, false).is_empty() {
            return;
        }
        for peer in self.relations_of(name, true) {
            self.relations.remove(&peer);
        }
        self.applications.remove(name);
    }

    /// Numbers of an application's relations: its peer relations, or the others.
    pub(crate) fn relations_of(&self, application: &str, peer: bool) -> Vec<u32> {
        self.relations
            .iter()
            .filter(|(_, relation)| relation.is_peer() == peer && relation.side(application).is_some())
            .map(|(id, _)| *id)
            .collect()
    }
}
