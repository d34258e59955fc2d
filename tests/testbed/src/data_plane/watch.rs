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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{MemberConfig, MonitorConfig};
    use super::Check;

    /// Delay, timeout and connect timeout as configured, and as checked: all in milliseconds.
    #[test]
    fn the_clock_divides_every_time_and_the_delay_bounds_connecting() {
        for (clock, configured, expected) in [
            (1, [5000, 4000, 5000], [5000, 4000, 5000]),
            (20, [5000, 4000, 3000], [250, 200, 150]),
            (10, [3000, 10_000, 5000], [300, 1000, 300]),
            (10, [0, 1000, 5000], [1, 100, 1]),
        ] {
            let [delay, timeout, connect] = configured.map(Duration::from_millis);
            let member = MemberConfig {
                id: String::new(),
                address: "127.0.0.1".parse().unwrap(),
                port: 6443,
                weight: 1,
                backup: false,
                admin_state_up: true,
                monitor_address: None,
                monitor_port: Some(80),
            };
            let monitor = MonitorConfig {
                kind: "TCP".to_owned(),
                delay,
                timeout,
                rise: 2,
                fall: 2,
                http_method: String::new(),
                url_path: String::new(),
                expected_codes: String::new(),
                admin_state_up: true,
            };
            let check = Check::new(&member, &monitor, connect, clock);
            assert_eq!(
                [check.delay, check.timeout, check.connect],
                expected.map(Duration::from_millis),
                "{configured:?} at {clock}"
            );
            assert_eq!((check.member.port(), check.target.port()), (6443, 80));
        }
    }
}
