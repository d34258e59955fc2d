//! The gateway as a scenario holds it.

use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::call::Call;
use super::fault::Fault;
use super::front::{At, Front};
use super::ledger::Ledger;
use super::origin::Origin;
use super::rewrite::Places;
use crate::eventually::eventually;

/// Kills the charm (SIGKILL) and returns when it is dead.
pub type Killer = Box<dyn Fn() + Send + Sync>;

/// Stands between the charm and a cloud until dropped.
#[derive(Debug)]
pub struct Gateway {
    state: Arc<State>,
    keystone: String,
}

/// What the gateway's connections share.
pub(super) struct State {
    ledger: Mutex<Ledger>,
    fronts: Mutex<Vec<Front>>,
    killer: Mutex<Option<Arc<Killer>>>,
}

impl Gateway {
    /// Stands in front of the cloud with this Keystone URL, with or without its version.
    pub fn start(keystone: &str) -> Self {
        let state =
            Arc::new(State { ledger: Mutex::default(), fronts: Mutex::default(), killer: Mutex::default() });
        let keystone = state.endpoint("identity", keystone);
        Self { state, keystone }
    }

    /// The Keystone URL that the charm is given in place of the cloud's.
    pub fn keystone(&self) -> &str {
        &self.keystone
    }

    /// How to kill the charm; to be said before a fault that kills is planned.
    pub fn kill_by(&self, killer: Killer) {
        *self.state.killer.lock().unwrap() = Some(Arc::new(killer));
    }

    /// Plans a fault; calls are counted from now.
    pub fn plan(&self, fault: Fault) {
        let can_kill = self.state.killer.lock().unwrap().is_some();
        assert!(can_kill || !fault.effect().kills(), "nobody has said how to kill the charm: {fault}");
        self.state.ledger().plan(fault);
    }

    /// Faults that were planned and have not fired, or not as often as planned. A run that leaves some has failed.
    pub fn unfired(&self) -> Vec<Fault> {
        self.state.ledger().unfired()
    }

    /// Names an error that the cloud may give in this scenario.
    pub fn expect_error(&self, method: &str, pattern: &str, status: u16) {
        self.state.ledger().expect_error(method, pattern, status);
    }

    /// Calls since the start that the cloud answered with an error that nobody named, planned answers aside.
    pub fn errors(&self) -> Vec<Call> {
        self.state.ledger().errors()
    }

    /// Begins a new section: what `calls` and the counts speak of.
    pub fn reset(&self) {
        self.state.ledger().reset();
    }

    /// The calls of this section, in the order in which they came.
    pub fn calls(&self) -> Vec<Call> {
        self.state.ledger().section().to_vec()
    }

    /// How many calls of this section had this method and path: `GET`, `loadbalancers/{id}`.
    pub fn count(&self, method: &str, pattern: &str) -> usize {
        self.state.ledger().section().iter().filter(|call| call.is(method, pattern)).count()
    }

    /// The calls of this section that asked the cloud to change something.
    pub fn writes(&self) -> Vec<Call> {
        self.state.ledger().section().iter().filter(|call| call.is_write()).cloned().collect()
    }

    /// Returns when no call is under way: a charm that was killed may have left some.
    pub fn settle(&self) {
        eventually("no call is under way", Duration::from_mins(1), || self.state.ledger().is_quiet());
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // Connections hold the state, so it would not end by itself.
        self.state.fronts.lock().unwrap().clear();
    }
}

impl State {
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap()
    }

    pub(super) async fn kill(&self) {
        let killer = self.killer.lock().unwrap().clone().expect("faults that kill are planned with a killer");
        tokio::task::spawn_blocking(move || killer()).await.expect("the charm is dead");
    }

    /// The gateway's URL for a service, on a port of its own.
    fn endpoint(self: &Arc<Self>, service: &str, url: &str) -> String {
        let (cloud, rest) = Origin::split(url)
            .unwrap_or_else(|| panic!("the gateway cannot stand in front of {url:?}: not plain HTTP"));
        let at = At { service: service.to_owned(), cloud };
        let mut fronts = self.fronts.lock().unwrap();
        let existing = fronts.iter().find(|front| *front.at == at).map(|front| front.address);
        let address = existing.unwrap_or_else(|| {
            fronts.push(Front::start(at, Arc::downgrade(self)));
            fronts[fronts.len() - 1].address
        });
        format!("http://{address}{rest}")
    }

    /// The gateway's URL for a link in an answer of this service.
    fn link(&self, from: &At, url: &str) -> Option<String> {
        let (cloud, rest) = Origin::split(url)?;
        let fronts = self.fronts.lock().unwrap();
        let mut there = fronts.iter().filter(|front| front.at.cloud == cloud);
        // Services may share an origin; a link then stays with its own service.
        let front = there.clone().find(|front| front.at.service == from.service).or_else(|| there.next())?;
        Some(format!("http://{}{rest}", front.address))
    }
}

impl Places for (&Arc<State>, &At) {
    fn endpoint(&self, service: &str, url: &str) -> String {
        self.0.endpoint(service, url)
    }

    fn link(&self, url: &str) -> Option<String> {
        self.0.link(self.1, url)
    }
}

impl Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("ledger", &self.ledger)
            .field("fronts", &self.fronts)
            .finish_non_exhaustive()
    }
}
