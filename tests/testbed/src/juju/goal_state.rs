//! `goal-state`: the controller's view, whatever this unit has been told.

use std::collections::BTreeMap;
use std::time::Duration;

use super::clock;
use super::state::State;
use crate::tools::value::Value;

type Entries = BTreeMap<String, (String, Duration)>;

impl State {
    /// What `goal-state` says to a unit of this application.
    ///
    /// Source: `apiserver/facades/agent/uniter/uniter.go` (`oneGoalState`, `goalStateRelations`, `goalStateUnits`),
    /// `state/application.go` (`applicationRelations`), `state/relation.go` (`destroyOps`),
    /// `state/relationunit.go` (`internalLeaveScope`).
    ///
    /// - Own units: all but the dead, each with its workload status; `dying` stands in for the status of a unit that
    ///   is being removed.
    /// - Relations: **every** relation document that names the application, with no look at its life. A dying
    ///   relation is there, its status unchanged (`joined`), until the last unit of either side has left its scope;
    ///   a unit of ours leaves only after its broken hook was committed. So in `-broken` itself the relation is still
    ///   there, and it stays as long as any unit, ours or theirs, has not run its own.
    /// - Peer relations are left out. Relations of one endpoint are merged; each application is a key with the
    ///   relation's status, each of its units (dying ones too, in scope or not) a key with the unit's.
    /// - The life of an application is not shown: a dying one is there as long as its relation is.
    pub(crate) fn goal_state(&self, application: &str) -> Value {
        let mut relations: BTreeMap<String, Entries> = BTreeMap::new();
        for relation in self.relations.values().filter(|relation| !relation.is_peer()) {
            let Some(ours) = relation.side(application) else { continue };
            let other = relation.other_application(application);
            let entries = relations.entry(ours.endpoint.clone()).or_default();
            entries.insert(other.to_owned(), (relation.status.to_owned(), relation.since));
            entries.extend(self.goal_state_units(other));
        }
        let relations =
            relations.iter().map(|(endpoint, entries)| (endpoint.clone(), contents(entries))).collect();
        Value::map([
            ("units", contents(&self.goal_state_units(application))),
            ("relations", Value::Map(relations)),
        ])
    }

    fn goal_state_units(&self, application: &str) -> Entries {
        self.units
            .iter()
            .filter(|(_, unit)| unit.application == application)
            .map(|(name, unit)| {
                let status = unit.status();
                let word = if unit.dying { "dying".to_owned() } else { status.status };
                (name.clone(), (word, status.since))
            })
            .collect()
    }
}

fn contents(entries: &Entries) -> Value {
    let member = |(name, (status, since)): (&String, &(String, Duration))| {
        let value = Value::map([
            ("status", Value::from(status.clone())),
            ("since", Value::from(clock::format(*since))),
        ]);
        (name.clone(), value)
    };
    Value::Map(entries.iter().map(member).collect())
}
