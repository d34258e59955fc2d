//! Whether what nobody asks for any more may go.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use tracing::warn;

use crate::juju::tools::{self, GoalState};
use crate::juju::{Context, Snapshot};
use crate::model::ids::RelationId;
use crate::model::mark::Mark;
use crate::model::release::{self, Related, Seen};

/// What Juju lists, and a way to ask the controller what it expects; it is asked once, and only if something would go.
pub(super) struct Removal<'a> {
    unit: String,
    installing: bool,
    ended: Seen,
    snapshot: &'a Snapshot,
    goal: OnceCell<Option<GoalState>>,
}

impl<'a> Removal<'a> {
    pub(super) fn new(context: &Context, hook: &str, snapshot: &'a Snapshot) -> Self {
        // During install a unit sees no relation at all.
        let ended = match &context.relation {
            Some(relation) if hook.ends_with("-relation-broken") => Seen::Ended(relation.clone()),
            // Juju runs it only when it has no news of any relation to tell.
            None if hook == "update-status" => Seen::All,
            Some(_) | None => Seen::Earlier,
        };
        Self {
            unit: context.unit.to_string(),
            installing: hook == "install",
            ended,
            snapshot,
            goal: OnceCell::new(),
        }
    }

    /// Those of these marks whose relation is gone for certain.
    pub(super) fn released(&self, orphans: &BTreeSet<Mark>) -> BTreeSet<Mark> {
        let mut listed: BTreeMap<RelationId, Option<String>> = self
            .snapshot
            .relations
            .iter()
            .map(|relation| (relation.id.clone(), relation.application.clone()))
            .collect();
        if self.installing || orphans.iter().all(|mark| listed.contains_key(mark.relation())) {
            return BTreeSet::new();
        }
        let Some(goal) = self.goal() else { return BTreeSet::new() };
        if self.is_leaving() {
            if !self.is_last() {
                return BTreeSet::new();
            }
            // A unit that leaves sees its relations end one by one, whether or not they live on: no other relation
            // vouches for the end of one.
            for consumer in listed.values_mut() {
                *consumer = None;
            }
        }
        let expected = goal.applications();
        release::released(orphans, &Related { listed, expected, ended: self.ended.clone() })
    }

    /// Whether our own unit goes: then it sees remote units depart that stay, and must take nothing away.
    ///
    /// In doubt it does.
    pub(super) fn is_leaving(&self) -> bool {
        self.goal().is_none_or(|goal| goal.units.get(&self.unit).is_none_or(|own| own.status == DYING))
    }

    /// Whether our own unit goes and no other stays: then there is no next hook.
    pub(super) fn is_last(&self) -> bool {
        let others_go = |goal: &GoalState| {
            goal.units.iter().all(|(name, unit)| *name == self.unit || unit.status == DYING)
        };
        self.is_leaving() && self.goal().is_some_and(others_go)
    }

    /// Remote units that the controller expects to stay and that this unit has not met: a new unit sees them one by one.
    pub(super) fn unmet(&self) -> BTreeSet<String> {
        let relations = self.goal().into_iter().flat_map(|goal| goal.relations.values().flatten());
        let expected = relations.filter(|(name, goal)| name.contains('/') && goal.status != DYING);
        let met = |name: &str| {
            let application = name.rsplit_once('/').map(|(application, _)| application);
            let relations = self.snapshot.relations.iter();
            relations
                .filter(|one| one.application.as_deref() == application)
                .all(|one| one.unit_bags.keys().any(|unit| unit.to_string() == name))
        };
        expected.map(|(name, _)| name.clone()).filter(|name| !met(name)).collect()
    }

    fn goal(&self) -> Option<&GoalState> {
        let ask = || {
            tools::goal_state()
                .map_err(|error| {
                    warn!("nothing is taken away, since the controller cannot be asked: {error}");
                })
                .ok()
        };
        self.goal.get_or_init(ask).as_ref()
    }
}

/// Whether our unit is the last of its application, and on its way out: then nobody else will ever lead and clean up,
/// and Juju may not have said yet that we do.
pub(super) fn is_last(context: &Context, hook: &str) -> bool {
    if !matches!(hook, "stop" | "remove") {
        return false;
    }
    let own = context.unit.to_string();
    let goal = tools::goal_state().inspect_err(|error| warn!("whether others stay is not known: {error}"));
    goal.is_ok_and(|goal| goal.units.iter().all(|(unit, goal)| *unit == own && goal.status == DYING))
}

/// What goal-state says of a unit that is being removed (`apiserver/facades/agent/uniter/goal-state.go`).
const DYING: &str = "dying";
