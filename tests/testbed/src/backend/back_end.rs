//! One server of a scenario.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::serve::serve;
use crate::runtime::{Task, runtime};

/// The paths by which a Kubernetes API server tells its health.
const HEALTH: [&str; 3] = ["/readyz", "/livez", "/healthz"];

/// What a back end is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// HTTPS: this status on `/readyz`, `/livez` and `/healthz`, on any other path 200 and the back end's name.
    Https(u16),
    /// The same without TLS; on a port like 6443 it is the server that speaks the wrong protocol.
    Http(u16),
    /// TCP: sends back what it gets.
    Echo,
    /// TCP: says this, and sends back what it gets then.
    Banner(String),
    /// Accepts connections and never says a word.
    Hang,
    /// Nothing listens.
    Closed,
}

impl Kind {
    /// A Kubernetes API server that knows no anonymous users: 401 on its health paths.
    pub fn hardened_api_server() -> Self {
        Self::Https(401)
    }
}

/// A server on one address and port; gone when dropped.
#[derive(Debug)]
pub struct BackEnd {
    at: SocketAddr,
    shared: Arc<Shared>,
    hung: watch::Sender<bool>,
    running: Option<Running>,
}

/// What a back end's connections know.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) kind: Kind,
    pub(super) name: String,
    answers: Mutex<Answers>,
    requests: Mutex<BTreeMap<String, usize>>,
}

#[derive(Debug)]
struct Answers {
    health: u16,
    everywhere: Option<u16>,
}

#[derive(Debug)]
struct Running {
    listening: Task,
    connections: Connections,
}

type Connections = Arc<Mutex<JoinSet<()>>>;

impl BackEnd {
    /// Starts a back end; port 0 is any free port.
    pub fn start(address: IpAddr, port: u16, kind: Kind) -> Self {
        let at = SocketAddr::new(address, port);
        let listener = (kind != Kind::Closed).then(|| listen(at));
        let at = listener.as_ref().map_or(at, |listener| listener.local_addr().unwrap());
        let health = match kind {
            Kind::Https(status) | Kind::Http(status) => status,
            Kind::Echo | Kind::Banner(_) | Kind::Hang | Kind::Closed => 200,
        };
        let answers = Mutex::new(Answers { health, everywhere: None });
        let shared = Arc::new(Shared { kind, name: at.to_string(), answers, requests: Mutex::default() });
        let (hung, _) = watch::channel(shared.kind == Kind::Hang);
        let mut back_end = Self { at, shared, hung, running: None };
        back_end.running = listener.map(|listener| back_end.run(listener));
        back_end
    }

    /// Where it listens.
    pub fn address(&self) -> IpAddr {
        self.at.ip()
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.at.port()
    }

    /// What it answers on any path that is not about health: its address and port.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Ends it as if killed: its connections break and its port refuses new ones.
    pub fn stop(&mut self) {
        let Some(Running { listening, connections }) = self.running.take() else { return };
        runtime().block_on(async {
            listening.end().await;
            let mut connections = std::mem::take(&mut *connections.lock().unwrap());
            connections.shutdown().await;
        });
    }

    /// Stops it as SIGSTOP would: connections are still accepted, nothing is ever answered.
    pub fn hang(&self) {
        self.hung.send_replace(true);
    }

    /// Brings it back: what hung goes on where it stood, what was stopped begins anew on the same port.
    pub fn start_again(&mut self) {
        self.hung.send_replace(self.shared.kind == Kind::Hang);
        if self.running.is_none() && self.shared.kind != Kind::Closed {
            self.running = Some(self.run(listen(self.at)));
        }
    }

    /// From now on its health paths answer with this status.
    pub fn answer(&self, status: u16) {
        self.shared.answers.lock().unwrap().health = status;
    }

    /// From now on every path answers with this status; with none, as its kind says.
    pub fn answer_everywhere(&self, status: impl Into<Option<u16>>) {
        self.shared.answers.lock().unwrap().everywhere = status.into();
    }

    /// How many HTTP requests came for this path.
    pub fn requests(&self, path: &str) -> usize {
        self.shared.requests.lock().unwrap().get(path).copied().unwrap_or_default()
    }

    fn run(&self, listener: TcpListener) -> Running {
        let connections = Connections::default();
        let listening = accept(listener, self.shared.clone(), self.hung.subscribe(), connections.clone());
        Running { listening: Task::spawn(listening), connections }
    }
}

impl Shared {
    /// Counts a request and says how to answer it: the status, and whether with the name.
    pub(super) fn answer_to(&self, path: &str) -> u16 {
        *self.requests.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        let answers = self.answers.lock().unwrap();
        let by_kind = if HEALTH.contains(&path) { answers.health } else { 200 };
        answers.everywhere.unwrap_or(by_kind)
    }
}

fn listen(at: SocketAddr) -> TcpListener {
    let listener =
        std::net::TcpListener::bind(at).unwrap_or_else(|error| panic!("failed to listen on {at}: {error}"));
    listener.set_nonblocking(true).unwrap();
    let _runtime = runtime().enter();
    TcpListener::from_std(listener).unwrap()
}

async fn accept(
    listener: TcpListener,
    shared: Arc<Shared>,
    hung: watch::Receiver<bool>,
    connections: Connections,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let mut connections = connections.lock().unwrap();
        while connections.try_join_next().is_some() {}
        connections.spawn(serve(stream, shared.clone(), hung.clone()));
    }
}
