//! One member being watched.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::health::Health;
use super::{MemberConfig, MonitorConfig, probe};
use crate::runtime::Task;

/// What is checked, and how; all times are those of this data plane's clock.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Check {
    /// Where the member gets traffic: another one is another member.
    pub(super) member: SocketAddr,
    /// Where it is checked.
    pub(super) target: SocketAddr,
    /// How; its own `delay` and `timeout` are not used.
    pub(super) monitor: MonitorConfig,
    /// From one check's end to the next one's start.
    pub(super) delay: Duration,
    /// How long an answer may take, once asked for.
    pub(super) timeout: Duration,
    /// How long connecting, and the TLS handshake, may take.
    ///
    /// `timeout check` in haproxy bounds the reading alone; the rest is bounded by the smaller of
    /// `timeout connect` and `inter` (haproxy's `doc/configuration.txt`, "timeout check").
    pub(super) connect: Duration,
}

impl Check {
    pub(super) fn new(member: &MemberConfig, monitor: &MonitorConfig, connect: Duration, clock: u32) -> Self {
        // A delay of 0 would leave no time for anything else.
        let delay = (monitor.delay / clock).max(Duration::from_millis(1));
        Self {
            member: SocketAddr::new(member.address, member.port),
            target: SocketAddr::new(
                member.monitor_address.unwrap_or(member.address),
                member.monitor_port.unwrap_or(member.port),
            ),
            monitor: monitor.clone(),
            delay,
            timeout: monitor.timeout / clock,
            connect: (connect / clock).min(delay),
        }
    }
}

/// Checks a member until dropped.
#[derive(Debug)]
pub(super) struct Watch {
    check: Check,
    health: Arc<Mutex<Health>>,
    _task: Task,
}

impl Watch {
    /// Goes on from what an earlier watch of this member knew.
    ///
    /// The same check simply goes on; other numbers keep the member's standing, as haproxy's state file
    /// does over a reload; another address, port or type begins anew.
    pub(super) fn start(check: Check, first_after: Duration, before: Option<&Arc<Self>>) -> Arc<Self> {
        let (rise, fall) = (check.monitor.rise, check.monitor.fall);
        let health = match before {
            Some(before) if before.check == check => return before.clone(),
            Some(before)
                if before.check.member == check.member && before.check.monitor.kind == check.monitor.kind =>
            {
                before.health().under(rise, fall)
            }
            _ => Health::new(rise, fall),
        };
        let health = Arc::new(Mutex::new(health));
        let task = Task::spawn(watch(check.clone(), first_after, health.clone()));
        Arc::new(Self { check, health, _task: task })
    }

    pub(super) fn is_up(&self) -> bool {
        self.health().is_up()
    }

    fn health(&self) -> Health {
        *self.health.lock().unwrap()
    }
}

async fn watch(check: Check, first_after: Duration, health: Arc<Mutex<Health>>) {
    tokio::time::sleep(first_after).await;
    loop {
        let passed = probe::passes(&check).await;
        health.lock().unwrap().record(passed);
        tokio::time::sleep(check.delay).await;
    }
}
