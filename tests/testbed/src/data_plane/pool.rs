//! A pool as it is served: who may be chosen, and how each member fares.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::balance::{Balance, Candidate};
use super::watch::{Check, Watch};
use super::{MemberConfig, MemberStatus, PoolConfig};

/// Members with their watches.
#[derive(Debug)]
pub(super) struct Pool {
    members: Vec<Member>,
    balance: Mutex<Balance>,
    /// Which member, by id, each client address sticks to; none where it does not.
    sticky: Option<Arc<Mutex<HashMap<IpAddr, String>>>>,
}

#[derive(Debug)]
struct Member {
    config: MemberConfig,
    /// None where nothing is checked.
    watch: Option<Arc<Watch>>,
    sessions: Arc<AtomicUsize>,
}

/// One session's place at a member; leaves it when dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) member: String,
    pub(super) address: SocketAddr,
    sessions: Arc<AtomicUsize>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    /// Serves this configuration, going on from what was known of the pool before.
    pub(super) fn new(config: &PoolConfig, connect: Duration, clock: u32, before: Option<&Self>) -> Self {
        let count = u32::try_from(config.members.len()).unwrap_or(u32::MAX);
        let members = (0..count).zip(&config.members).map(|(place, member)| {
            let before = before.and_then(|pool| pool.member(&member.id));
            let monitor =
                config.monitor.as_ref().filter(|monitor| monitor.admin_state_up && member.admin_state_up);
            let watch = monitor.map(|monitor| {
                let check = Check::new(member, monitor, connect, clock);
                // haproxy spreads first checks over the interval (`start_checks` in its `src/check.c`).
                let first_after = check.delay * place / count;
                Watch::start(check, first_after, before.and_then(|member| member.watch.as_ref()))
            });
            let sessions = before.map(|member| member.sessions.clone()).unwrap_or_default();
            Member { config: member.clone(), watch, sessions }
        });
        let sticky = config
            .source_ip_persistence
            .then(|| before.and_then(|pool| pool.sticky.clone()).unwrap_or_default());
        Self { members: members.collect(), balance: Mutex::new(Balance::new(&config.algorithm)), sticky }
    }

    /// A place at the member that gets this client's next connection, at none of those already tried.
    pub(super) fn choose(&self, client: SocketAddr, tried: &[String]) -> Option<Place> {
        let ready = |backup| -> Vec<Candidate> {
            self.members
                .iter()
                .enumerate()
                .filter(|(_, member)| member.config.backup == backup && member.takes_traffic())
                .map(|(index, member)| Candidate {
                    index,
                    weight: member.config.weight,
                    sessions: member.sessions.load(Ordering::Relaxed),
                })
                .collect()
        };
        let mut candidates = ready(false);
        if candidates.is_empty() {
            // All of them share the traffic: the template sets `option allbackups`.
            candidates = ready(true);
        }
        candidates.retain(|candidate| !tried.contains(&self.members[candidate.index].config.id));

        let stuck_to = self.sticky.as_ref().and_then(|sticky| {
            let sticky = sticky.lock().unwrap();
            let id = sticky.get(&client.ip())?;
            candidates
                .iter()
                .map(|candidate| candidate.index)
                .find(|index| self.members[*index].config.id == *id)
        });
        let index = match stuck_to {
            Some(index) => index,
            None => self.balance.lock().unwrap().choose(&candidates, client)?,
        };
        let member = &self.members[index];
        if let Some(sticky) = &self.sticky {
            sticky.lock().unwrap().insert(client.ip(), member.config.id.clone());
        }
        member.sessions.fetch_add(1, Ordering::Relaxed);
        Some(Place {
            member: member.config.id.clone(),
            address: SocketAddr::new(member.config.address, member.config.port),
            sessions: member.sessions.clone(),
        })
    }

    /// How a member fares; none if it is not of this pool.
    pub(super) fn status(&self, member: &str) -> Option<MemberStatus> {
        self.member(member).map(Member::status)
    }

    fn member(&self, id: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.config.id == id)
    }
}

impl Member {
    fn takes_traffic(&self) -> bool {
        self.config.weight > 0 && matches!(self.status(), MemberStatus::Up | MemberStatus::NoMonitor)
    }

    /// Weight 0 is draining only where the checks pass: `octavia/amphorae/backends/utils/haproxy_query.py`.
    fn status(&self) -> MemberStatus {
        match &self.watch {
            _ if !self.config.admin_state_up => MemberStatus::Maintenance,
            None => MemberStatus::NoMonitor,
            Some(watch) if !watch.is_up() => MemberStatus::Down,
            Some(_) if self.config.weight == 0 => MemberStatus::Draining,
            Some(_) => MemberStatus::Up,
        }
    }
}
