//! Which hook of one relation comes next (`worker/uniter/relation/resolver.go` `nextHookForRelation`).

use std::collections::BTreeMap;

use super::hook::{RelationEvent, RelationHook};
use super::relation::application_of;
use super::state::State;

impl State {
    /// Enters the scope of every living relation that the unit's agent does not know yet (`SynchronizeScopes`).
    pub(crate) fn synchronize_scopes(&mut self, name: &str) {
        let unit = self.unit(name);
        let new: Vec<u32> = self
            .relations
            .iter()
            .filter(|(id, relation)| {
                !relation.dying
                    && relation.side(&unit.application).is_some()
                    && !unit.agent.relations.contains_key(id)
            })
            .map(|(id, _)| *id)
            .collect();
        for id in new {
            self.enter_scope(id, name);
            self.unit_mut(name).agent.relations.entry(id).or_default();
        }
    }

    /// The created hook that this relation owes the unit.
    pub(crate) fn created_hook(&self, name: &str, id: u32) -> Option<RelationHook> {
        let known = self.unit(name).agent.relations.get(&id)?;
        let alive = self.relations.get(&id).is_some_and(|relation| !relation.dying);
        (alive && !known.created).then(|| self.relation_hook(name, id, RelationEvent::Created))
    }

    /// Any other hook that this relation owes the unit.
    pub(crate) fn next_relation_hook(&self, name: &str, id: u32) -> Option<RelationHook> {
        let unit = self.unit(name);
        let known = unit.agent.relations.get(&id)?;
        let relation = self.relations.get(&id);
        let broken = unit.dying || relation.is_none_or(|relation| relation.dying);
        let (members, applications) = match relation {
            Some(relation) if !broken => {
                let other = relation.other_application(&unit.application);
                let version = relation.application_bags.get(other).map_or(0, |bag| bag.version);
                (
                    relation.counterparts(name, &unit.application),
                    BTreeMap::from([(other.to_owned(), version)]),
                )
            }
            _ => (BTreeMap::new(), BTreeMap::new()),
        };
        let of_unit = |event, remote: &str, version| RelationHook {
            unit: Some(remote.to_owned()),
            application: application_of(remote).to_owned(),
            version,
            ..self.relation_hook(name, id, event)
        };
        if let Some(owed) = &known.changed_pending {
            return Some(of_unit(
                RelationEvent::Changed,
                owed,
                members.get(owed).copied().unwrap_or_default(),
            ));
        }
        if let Some((gone, version)) = known.members.iter().find(|(remote, _)| !members.contains_key(*remote))
        {
            let we_go = unit.dying || self.application(&unit.application).dying;
            let departing = Some(if we_go { name.to_owned() } else { gone.clone() });
            return Some(RelationHook { departing, ..of_unit(RelationEvent::Departed, gone, *version) });
        }
        if broken && !relation.is_some_and(super::relation::Relation::is_peer) {
            return Some(self.relation_hook(name, id, RelationEvent::Broken));
        }
        let told = |application: &String| known.applications.get(application).copied().unwrap_or_default();
        if let Some((application, version)) =
            applications.iter().find(|(application, version)| told(application) != **version)
        {
            return Some(RelationHook {
                application: application.clone(),
                version: *version,
                ..self.relation_hook(name, id, RelationEvent::Changed)
            });
        }
        if let Some((new, version)) = members.iter().find(|(remote, _)| !known.members.contains_key(*remote))
        {
            return Some(of_unit(RelationEvent::Joined, new, *version));
        }
        let (changed, version) =
            members.iter().find(|(remote, version)| known.members.get(*remote) != Some(*version))?;
        Some(of_unit(RelationEvent::Changed, changed, *version))
    }

    fn relation_hook(&self, name: &str, id: u32, event: RelationEvent) -> RelationHook {
        let application = &self.unit(name).application;
        let relation = self.relation(id);
        RelationHook {
            event,
            relation: id,
            endpoint: relation.side(application).map(|side| side.endpoint.clone()).unwrap_or_default(),
            application: relation.other_application(application).to_owned(),
            unit: None,
            departing: None,
            version: 0,
        }
    }
}
