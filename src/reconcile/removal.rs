//! Whether what nobody asks for any more may go.

use std::collections::{BTreeMap, BTreeSet};

use tracing::warn;

use crate::juju::tools::{self, GoalState};
use crate::juju::{Context, Snapshot};
use crate::model::ids::RelationId;
use crate::model::mark::Mark;
use crate::model::release::{self, Related};

/// What Juju lists, and a way to ask the controller what it expects.
pub(super) struct Removal<'a> {
    unit: String,
    installing: bool,
    snapshot: &'a Snapshot,
}

impl<'a> Removal<'a> {
    pub(super) fn new(context: &Context, hook: &str, snapshot: &'a Snapshot) -> Self {
        // During install a unit sees no relation at all.
        Self { unit: context.unit.to_string(), installing: hook == "install", snapshot }
    }

    /// Those of these marks whose relation is gone for certain; the controller is asked only if there are any.
    pub(super) fn released(&self, orphans: &BTreeSet<Mark>) -> BTreeSet<Mark> {
        if orphans.is_empty() || self.installing {
            return BTreeSet::new();
        }
        let listed: BTreeMap<RelationId, Option<String>> = self
            .snapshot
            .relations
            .iter()
            .map(|relation| (relation.id.clone(), relation.application.clone()))
            .collect();
        if orphans.iter().all(|mark| listed.contains_key(mark.relation())) {
            return BTreeSet::new();
        }
        match tools::goal_state() {
            Ok(goal) if leaves_others(&goal, &self.unit) => BTreeSet::new(),
            Ok(goal) => release::released(orphans, &Related { listed, expected: goal.applications() }),
            Err(error) => {
                warn!("nothing is deleted, since the controller cannot be asked: {error}");
                BTreeSet::new()
            }
        }
    }
}

/// Our unit is going while others of its application stay.
fn leaves_others(goal: &GoalState, unit: &str) -> bool {
    let is_dying = |name: &str| goal.units.get(name).is_some_and(|goal| goal.status == "dying");
    let other_stays = goal.units.keys().any(|other| other != unit && !is_dying(other));
    (is_dying(unit) || !goal.units.contains_key(unit)) && other_stays
}
