//! What the cloud holds: every object as the JSON that the API shows, in the order in which they were made.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::Value;

/// Kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Network,
    Subnet,
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
    pub(super) tokens: BTreeMap<String, Token>,
    pub(super) users: Vec<User>,
    pub(super) application_credentials: Vec<(String, String, String)>,
    pub(super) quotas: BTreeMap<(String, Kind), usize>,
    pub(super) busy: BTreeMap<String, Busy>,
    pub(super) switches: Switches,
}

/// A token and whose it is.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) project: String,
    pub(super) roles: Vec<String>,
}

/// A user and their project.
#[derive(Debug, Clone)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) password: String,
    pub(super) project: String,
    pub(super) project_id: String,
    pub(super) roles: Vec<String>,
}

/// What Octavia's worker is doing with a load balancer, and what will be true once it is done.
#[derive(Debug, Clone)]
pub(super) struct Busy {
    /// None never ends.
    pub(super) until: Option<Instant>,
    pub(super) then: Vec<Then>,
}

/// What becomes of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Then {
    Becomes(Kind, String, &'static str),
    Goes(Kind, String),
}

/// What goes wrong on purpose.
#[derive(Debug, Default)]
pub(super) struct Switches {
    /// The next operation on an object of this kind ends in ERROR.
    pub(super) fail: Vec<Kind>,
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

    pub(super) fn set(&mut self, kind: Kind, id: &str, field: &str, value: impl Into<Value>) {
        if let Some(object) = self.get_mut(kind, id) {
            object[field] = value.into();
        }
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = (&Kind, &Vec<Value>)> {
        self.objects.iter()
    }
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

/// A moment that sorts after every earlier one.
pub(super) fn now() -> String {
    static TICKS: AtomicU64 = AtomicU64::new(0);
    let tick = TICKS.fetch_add(1, Ordering::Relaxed);
    format!("2026-12-01T{:02}:{:02}:{:02}", tick / 3600 % 24, tick / 60 % 60, tick % 60)
}
