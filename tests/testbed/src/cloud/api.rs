//! Raw JSON over HTTP, behind the charm's back; the same on both clouds.

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use super::access::Access;
use crate::runtime::runtime;

/// A way into a cloud as one user.
#[derive(Debug, Clone)]
pub struct ApiClient {
    access: Access,
    token: String,
    network: String,
    load_balancer: String,
}

impl ApiClient {
    /// Logs in.
    pub fn new(access: &Access) -> Self {
        let (token, catalogue) = log_in(access);
        let endpoint = |kind: &str| {
            let services = catalogue.as_array().unwrap();
            let service = services.iter().find(|service| service["type"] == kind).unwrap();
            let endpoints = service["endpoints"].as_array().unwrap();
            let endpoint = endpoints
                .iter()
                .find(|one| one["interface"] == "public" && one["region_id"] == access.region.as_str())
                .unwrap();
            endpoint["url"].as_str().unwrap().trim_end_matches('/').to_owned()
        };
        Self {
            token,
            network: endpoint("network"),
            load_balancer: endpoint("load-balancer"),
            access: access.clone(),
        }
    }

    /// `/ports…` is Neutron's, `/lbaas/…` Octavia's.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let base = if path.starts_with("/lbaas") {
            format!("{}/v2", self.load_balancer)
        } else {
            format!("{}/v2.0", self.network)
        };
        let url = format!("{base}{path}");
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let mut reply = send(method, &url, &[("X-Auth-Token", &self.token)], &text);
        // The scenario may have revoked this token too.
        if reply.status == 401 {
            let (token, _) = log_in(&self.access);
            reply = send(method, &url, &[("X-Auth-Token", &token)], &text);
        }
        (reply.status, reply.body)
    }

    /// Makes what must be possible to make, and gives the answer.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call("POST", path, body);
        assert_eq!(status, 201, "POST {path}: {answer}");
        answer
    }

    /// Reads what must be there.
    pub fn get(&self, path: &str) -> Value {
        let (status, answer) = self.call("GET", path, &Value::Null);
        assert_eq!(status, 200, "GET {path}: {answer}");
        answer
    }

    /// Deletes what must be there.
    pub fn delete(&self, path: &str) {
        let (status, answer) = self.call("DELETE", path, &Value::Null);
        assert!(matches!(status, 202 | 204), "DELETE {path}: {status} {answer}");
    }

    /// Changes what must be there.
    pub fn put(&self, path: &str, body: &Value) {
        let (status, answer) = self.call("PUT", path, body);
        assert!(matches!(status, 200 | 202), "PUT {path}: {status} {answer}");
    }

    /// The objects of a list: `list("/lbaas/pools", "pools")`.
    pub fn list(&self, path: &str, key: &str) -> Vec<Value> {
        self.get(path)[key].as_array().cloned().unwrap_or_default()
    }
}

/// A token and the catalogue.
fn log_in(access: &Access) -> (String, Value) {
    let base = access.keystone.trim_end_matches('/').trim_end_matches("/v3");
    let domain = json!({"name": access.domain});
    let body = json!({"auth": {
        "identity": {"methods": ["password"], "password": {"user": {
            "name": access.username, "domain": domain, "password": access.password}}},
        "scope": {"project": {"name": access.project, "domain": domain}},
    }});
    let mut reply = send("POST", &format!("{base}/v3/auth/tokens"), &[], &body.to_string());
    assert_eq!(reply.status, 201, "the login of {} failed: {}", access.username, reply.body);
    (reply.token.unwrap(), reply.body["token"]["catalog"].take())
}

/// What a cloud said.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// The header X-Subject-Token.
    pub(super) token: Option<String>,
    /// Null where it is no JSON.
    pub(super) body: Value,
}

/// One request; an empty body is none.
pub(super) fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    runtime().block_on(async {
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let mut request =
            Request::builder().method(method).uri(url).header("Content-Type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let response =
            client.request(request).await.unwrap_or_else(|error| panic!("{method} {url}: {error}"));
        let status = response.status().as_u16();
        let token = response.headers().get("x-subject-token").and_then(|token| token.to_str().ok());
        let token = token.map(str::to_owned);
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Reply { status, token, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
    })
}
