//! The gateway's own port for one service.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, Weak};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::handle::handle;
use super::origin::Origin;
use super::proxy::State;
use crate::runtime::{Task, runtime};

/// Whose place a port takes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct At {
    /// The service's type in the catalogue.
    pub(super) service: String,
    /// Where the cloud has it.
    pub(super) cloud: Origin,
}

/// Takes a service's place until dropped.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) at: Arc<At>,
    pub(super) address: SocketAddr,
    _task: Task,
    _connections: Connections,
}

/// They end with the front.
type Connections = Arc<Mutex<JoinSet<()>>>;

impl Front {
    pub(super) fn start(at: At, state: Weak<State>) -> Self {
        let at = Arc::new(at);
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let _runtime = runtime().enter();
        let listener = TcpListener::from_std(listener).unwrap();
        let connections = Connections::default();
        let task = Task::spawn(accept(listener, at.clone(), state, connections.clone()));
        Self { at, address, _task: task, _connections: connections }
    }
}

async fn accept(listener: TcpListener, at: Arc<At>, state: Weak<State>, connections: Connections) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let Some(state) = state.upgrade() else { return };
        let mut connections = connections.lock().unwrap();
        while connections.try_join_next().is_some() {}
        connections.spawn(serve(stream, at.clone(), state));
    }
}

async fn serve(stream: TcpStream, at: Arc<At>, state: Arc<State>) {
    let service = service_fn(|request| {
        // On a task of its own: a charm that dies does not take back what it has asked for.
        let handled = tokio::spawn(handle(state.clone(), at.clone(), request));
        async { handled.await.map_err(std::io::Error::other)? }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
