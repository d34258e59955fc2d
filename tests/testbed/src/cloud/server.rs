//! The HTTP server: one port, three services below three paths.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

use super::answer::{Answer, no_such_path, unauthorised};
use super::embedded::World;
use super::{keystone, neutron, octavia};
use crate::runtime::{Task, runtime};

/// One request, taken apart.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    /// Below the service's version.
    pub(super) path: Vec<String>,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) token: Option<String>,
    /// The token that a call to Keystone is about.
    pub(super) subject: Option<String>,
    /// The request's URL without its query, for links.
    pub(super) url: String,
}

/// What came with a request.
#[derive(Debug)]
pub(super) enum Body {
    Absent,
    /// No JSON.
    Garbage,
    Json(Value),
}

impl Asked {
    /// What the query gives for a key, the first time.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// All that the query gives for a key.
    pub(super) fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.query.iter().filter(move |(own, _)| own == key).map(|(_, value)| value.as_str())
    }
}

impl Body {
    fn read(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Absent;
        }
        serde_json::from_slice(bytes).map_or(Self::Garbage, Self::Json)
    }

    /// The JSON; null where there is none.
    pub(super) fn json(&self) -> &Value {
        match self {
            Self::Json(value) => value,
            Self::Absent | Self::Garbage => &Value::Null,
        }
    }
}

/// Serves until the task is dropped.
pub(super) fn start(world: &Arc<Mutex<World>>) -> (SocketAddr, Task) {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let _runtime = runtime().enter();
    let listener = TcpListener::from_std(listener).unwrap();
    (address, Task::spawn(accept(listener, Arc::clone(world))))
}

async fn accept(listener: TcpListener, world: Arc<Mutex<World>>) {
    // The connections end with the server.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let world = Arc::clone(&world);
        connections.spawn(async move {
            let service = service_fn(|request| answer(Arc::clone(&world), request));
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(
    world: Arc<Mutex<World>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let host = parts.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default();
    let header =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let asked = Asked {
        method: parts.method.to_string(),
        path: parts.uri.path().trim_matches('/').split('/').map(str::to_owned).collect(),
        query: query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect(),
        body: Body::read(&bytes),
        token: header("x-auth-token"),
        subject: header("x-subject-token"),
        url: format!("http://{host}{}", parts.uri.path()),
    };
    let answer = route(&mut world.lock().unwrap(), asked);
    let mut response = Response::builder().status(answer.status).header("Content-Type", "application/json");
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    let body = if answer.body.is_null() { Bytes::new() } else { Bytes::from(answer.body.to_string()) };
    Ok(response.body(Full::new(body)).unwrap())
}

fn route(world: &mut World, mut asked: Asked) -> Answer {
    world.catch_up();
    let service = asked.path.remove(0);
    if service == "identity" {
        return keystone::answer(world, &asked).unwrap_or_else(|error| error);
    }
    // Its list of versions needs no token (`octavia/common/keystone.py`, `neutron/auth.py`).
    if asked.path.is_empty() && asked.method == "GET" {
        match service.as_str() {
            "load-balancer" => return octavia::versions(world),
            "network" => return neutron::versions(world),
            _ => {}
        }
    }
    let token = asked.token.as_ref().and_then(|token| world.store.accounts.token(token)).cloned();
    let Some(token) = token else {
        // `keystonemiddleware/auth_token/__init__.py`.
        let keystone = format!("Keystone uri=\"{}/identity\"", world.base);
        return Answer { headers: vec![("WWW-Authenticate", keystone)], ..unauthorised() };
    };
    let answered = match service.as_str() {
        "network" => neutron::answer(world, &token, &asked),
        "load-balancer" => octavia::answer(world, &token, &asked),
        _ => Err(no_such_path()),
    };
    answered.unwrap_or_else(|error| error)
}

fn pair(text: &str) -> (String, String) {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    (decode(key), decode(value))
}

/// Percent-encoding and `+`, as a form has them.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = std::str::from_utf8(&digits).ok();
                bytes.extend(digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()));
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
