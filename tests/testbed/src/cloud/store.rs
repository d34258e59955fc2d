//! What the cloud holds: every object as the JSON that the API shows, in the order in which they were made.
//!
//! Fields that begin with an underscore are the database's own and never shown.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::Value;

use super::keystone::Accounts;

pub(super) use super::keystone::Token;

/// Kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Network,
    Subnet,
    Router,
    Port,
    FloatingIp,
    LoadBalancer,
    Listener,
    Pool,
    Member,
    HealthMonitor,
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Store {
    objects: BTreeMap<Kind, Vec<Value>>,
    pub(super) accounts: Accounts,
    /// What a project may have of a kind, where that is not unlimited.
    pub(super) quotas: BTreeMap<(String, Kind), i64>,
    /// What Octavia's worker is doing, by load balancer.
    pub(super) busy: BTreeMap<String, Busy>,
    pub(super) switches: Switches,
}

/// What Octavia's worker is doing with a load balancer, and what will be true once it is done.
#[derive(Debug, Clone)]
pub(super) struct Busy {
    /// None never ends.
    pub(super) until: Option<Instant>,
    pub(super) changes: Vec<Change>,
}

/// What becomes of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) goes: bool,
    /// What the operation is about: this is what fails, if anything does.
    pub(super) is_about: bool,
}

/// What goes wrong on purpose.
#[derive(Debug, Default)]
pub(super) struct Switches {
    /// The next operation on an object of this kind ends in ERROR.
    pub(super) fail: Vec<Kind>,
    /// Health monitors of this type end in ERROR.
    pub(super) fail_monitors: Option<String>,
    /// The next operation on a load balancer never ends.
    pub(super) stick: bool,
    /// The amphorae report nothing.
    pub(super) silent: bool,
}

impl Store {
    pub(super) fn all(&self, kind: Kind) -> &[Value] {
        self.objects.get(&kind).map_or(&[], Vec::as_slice)
    }

    pub(super) fn get(&self, kind: Kind, id: &str) -> Option<&Value> {
        self.all(kind).iter().find(|object| object["id"] == id)
    }

    pub(super) fn get_mut(&mut self, kind: Kind, id: &str) -> Option<&mut Value> {
        self.objects.get_mut(&kind)?.iter_mut().find(|object| object["id"] == id)
    }

    pub(super) fn add(&mut self, kind: Kind, object: Value) {
        self.objects.entry(kind).or_default().push(object);
    }

    pub(super) fn remove(&mut self, kind: Kind, id: &str) {
        if let Some(objects) = self.objects.get_mut(&kind) {
            objects.retain(|object| object["id"] != id);
        }
    }

    /// Objects of a kind with a field of this value.
    pub(super) fn with<'a>(
        &'a self,
        kind: Kind,
        field: &'a str,
        value: &'a str,
    ) -> impl Iterator<Item = &'a Value> + 'a {
        self.all(kind).iter().filter(move |object| object[field] == value)
    }

    /// The ids of objects of a kind with a field of this value.
    pub(super) fn ids(&self, kind: Kind, field: &str, value: &str) -> Vec<String> {
        self.with(kind, field, value).map(|object| text(object, "id").to_owned()).collect()
    }

    pub(super) fn set(&mut self, kind: Kind, id: &str, field: &str, value: impl Into<Value>) {
        if let Some(object) = self.get_mut(kind, id) {
            object[field] = value.into();
        }
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = (&Kind, &Vec<Value>)> {
        self.objects.iter()
    }

    /// Whether a project may have so many more of a kind.
    pub(super) fn has_room(&self, project: &str, kind: Kind, more: usize) -> bool {
        let most = self.quotas.get(&(project.to_owned(), kind)).copied().unwrap_or(-1);
        let has = self.with(kind, "project_id", project).count() + more;
        most < 0 || i64::try_from(has).is_ok_and(|has| has <= most)
    }
}

/// A text field of an object; empty where it is null.
pub(super) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

/// A new id in the form of a UUID; unique in this process.
pub(super) fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{number:012x}",
        mixed >> 32,
        (mixed >> 16) & 0xffff,
        (mixed >> 4) & 0xfff,
        mixed & 0xfff
    )
}

/// A new id as Keystone writes them.
pub(super) fn new_short_id() -> String {
    new_id().replace('-', "")
}

/// A moment that sorts after every earlier one: a second each, so that the older of two is never in doubt.
pub(super) fn now() -> String {
    static TICKS: AtomicU64 = AtomicU64::new(0);
    let tick = TICKS.fetch_add(1, Ordering::Relaxed);
    let day = 1 + tick / 86_400;
    format!("2026-12-{day:02}T{:02}:{:02}:{:02}", tick / 3600 % 24, tick / 60 % 60, tick % 60)
}
