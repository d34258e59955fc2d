//! A relation and its databags.

use std::collections::BTreeMap;
use std::time::Duration;

/// A databag.
pub type Bag = BTreeMap<String, String>;

/// A databag with the number of times its content changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct VersionedBag {
    pub(crate) content: Bag,
    pub(crate) version: u64,
}

/// One side of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) application: String,
    pub(crate) endpoint: String,
}

/// A relation; a peer relation has one side.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) sides: Vec<Side>,
    pub(crate) dying: bool,
    /// Still listed, but the controller denies every read and write of it: what is left of a relation across models
    /// that was removed by force.
    pub(crate) unreadable: bool,
    /// `joining` until a unit of the other side is there, then `joined`.
    pub(crate) status: &'static str,
    pub(crate) since: Duration,
    /// Units in scope; true once a unit is departing: nobody sees it any more, but the relation waits for it.
    pub(crate) scope: BTreeMap<String, bool>,
    /// These outlive their units, as long as the relation lives.
    pub(crate) unit_bags: BTreeMap<String, VersionedBag>,
    pub(crate) application_bags: BTreeMap<String, VersionedBag>,
}

impl VersionedBag {
    /// Replaces the content; the version moves only if it differs.
    pub(crate) fn replace(&mut self, content: Bag) {
        if self.content != content {
            self.content = content;
            self.version += 1;
        }
    }
}

impl Relation {
    pub(crate) fn new(sides: Vec<Side>, now: Duration) -> Self {
        Self {
            sides,
            dying: false,
            unreadable: false,
            status: "joining",
            since: now,
            scope: BTreeMap::new(),
            unit_bags: BTreeMap::new(),
            application_bags: BTreeMap::new(),
        }
    }

    pub(crate) fn is_peer(&self) -> bool {
        self.sides.len() == 1
    }

    /// The side of this application.
    pub(crate) fn side(&self, application: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.application == application)
    }

    /// The application on the other side; in a peer relation the same one.
    pub(crate) fn other_application(&self, application: &str) -> &str {
        self.sides
            .iter()
            .map(|side| side.application.as_str())
            .find(|other| *other != application)
            .unwrap_or_else(|| self.sides.first().map(|side| side.application.as_str()).unwrap_or_default())
    }

    /// The units that this unit sees, with the versions of their databags.
    pub(crate) fn counterparts(&self, unit: &str, application: &str) -> BTreeMap<String, u64> {
        let other = self.other_application(application);
        self.scope
            .iter()
            .filter(|(name, departing)| !**departing && *name != unit && application_of(name) == other)
            .map(|(name, _)| (name.clone(), self.unit_bags.get(name).map_or(0, |bag| bag.version)))
            .collect()
    }
}

/// The application of a unit's name.
pub(crate) fn application_of(unit: &str) -> &str {
    unit.rsplit_once('/').map_or(unit, |(application, _)| application)
}
