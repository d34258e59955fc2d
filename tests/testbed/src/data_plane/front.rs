//! One listening socket of a load balancer.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::bind::bind;
use super::session::{Route, serve};
use crate::runtime::{Task, runtime};

/// The sessions of one load balancer; they outlive the front port that took them.
pub(super) type Sessions = Arc<Mutex<JoinSet<()>>>;

/// Listens until dropped.
#[derive(Debug)]
pub(super) struct Front {
    bound: Arc<OnceLock<SocketAddr>>,
    route: Arc<Mutex<Arc<Route>>>,
    _task: Task,
}

impl Front {
    pub(super) fn start(address: IpAddr, port: u16, route: Route, sessions: Sessions) -> Self {
        let bound = Arc::new(OnceLock::new());
        let route = Arc::new(Mutex::new(Arc::new(route)));
        // Bound before this returns, if it can be.
        let _runtime = runtime().enter();
        let listener = try_bind(address, port, &bound);
        let task = accept(address, port, listener, bound.clone(), route.clone(), sessions);
        Self { bound, route, _task: Task::spawn(task) }
    }

    /// Treats new sessions otherwise; those that exist stay as they are.
    pub(super) fn reroute(&self, route: Route) {
        *self.route.lock().unwrap() = Arc::new(route);
    }

    /// Where it listens, as soon as it does.
    pub(super) fn bound(&self) -> Arc<OnceLock<SocketAddr>> {
        self.bound.clone()
    }
}

async fn accept(
    address: IpAddr,
    port: u16,
    mut listener: Option<TcpListener>,
    bound: Arc<OnceLock<SocketAddr>>,
    route: Arc<Mutex<Arc<Route>>>,
    sessions: Sessions,
) {
    let listener = loop {
        if let Some(listener) = listener {
            break listener;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        listener = try_bind(address, port, &bound);
    };
    loop {
        let Ok((client, source)) = listener.accept().await else {
            // The client is gone again, or this process is out of files: neither is a reason to stop.
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        let route = route.lock().unwrap().clone();
        let mut sessions = sessions.lock().unwrap();
        while sessions.try_join_next().is_some() {}
        sessions.spawn(serve(client, source, route));
    }
}

/// A port that is still in use may belong to a load balancer that is just ending: that is tried again.
fn try_bind(address: IpAddr, port: u16, bound: &OnceLock<SocketAddr>) -> Option<TcpListener> {
    match bind(address, port) {
        Ok(listener) => {
            bound.set(listener.local_addr().unwrap()).expect("bound once");
            Some(listener)
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse => None,
        Err(error) => panic!("failed to listen on {address} port {port}: {error}"),
    }
}
