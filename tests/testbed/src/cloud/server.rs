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
    pub(super) body: Value,
    pub(super) token: Option<String>,
    /// The request's URL without its query, for links.
    pub(super) url: String,
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
    let asked = Asked {
        method: parts.method.to_string(),
        path: parts.uri.path().trim_matches('/').split('/').map(str::to_owned).collect(),
        query: query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect(),
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        token: parts.headers.get("x-auth-token").and_then(|token| token.to_str().ok()).map(str::to_owned),
        url: format!("http://{host}{}", parts.uri.path()),
    };
    let answer = route(&mut world.lock().unwrap(), asked);
    let mut response = Response::builder().status(answer.status).header("Content-Type", "application/json");
    if let Some(token) = answer.token {
        response = response.header("X-Subject-Token", token);
    }
    let body = if answer.body.is_null() { Bytes::new() } else { Bytes::from(answer.body.to_string()) };
    Ok(response.body(Full::new(body)).unwrap())
}

fn route(world: &mut World, mut asked: Asked) -> Answer {
    world.catch_up();
    let service = asked.path.first().cloned().unwrap_or_default();
    asked.path.remove(0);
    if service == "identity" {
        return keystone::answer(world, &asked);
    }
    // `GET /` of Octavia needs no token (`octavia/common/keystone.py`).
    if service == "load-balancer" && asked.path.is_empty() && asked.method == "GET" {
        return octavia::versions();
    }
    let token = asked.token.as_ref().and_then(|token| world.store.tokens.get(token)).cloned();
    let Some(token) = token else { return unauthorised() };
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
