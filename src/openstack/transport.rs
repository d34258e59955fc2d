//! One HTTP call: bounded in time and size, repeated where that is safe.

use std::time::Duration;

use once_cell::sync::OnceCell;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Certificate, Client, Method, NoProxy, Proxy};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::debug;

use super::deadline::Deadline;
use super::error::{self, Error};

const CONNECT: Duration = Duration::from_secs(10);
const CALL: Duration = Duration::from_mins(1);
const LARGEST: usize = 16 * 1024 * 1024;
const TRIES: u32 = 4;

/// The proxies of Juju's model configuration (`juju-http-proxy` and so on), which no library reads by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http://` URLs.
    pub http: Option<String>,
    /// For `https://` URLs.
    pub https: Option<String>,
    /// Hosts and CIDRs that are reached directly, comma separated.
    pub no_proxy: Option<String>,
}

/// The HTTP clients, built when first needed.
#[derive(Debug)]
pub(super) struct Transport {
    proxies: Proxies,
    certificates: Vec<String>,
    skip_tls_verify: bool,
    plain: OnceCell<Client>,
    secure: OnceCell<Client>,
}

/// What to send.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) method: Method,
    pub(super) url: &'a str,
    /// For messages.
    pub(super) path: &'a str,
    pub(super) query: &'a [(&'a str, &'a str)],
    pub(super) body: Option<&'a Value>,
    pub(super) token: Option<SecretString>,
    pub(super) limit: Duration,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) token: Option<SecretString>,
    pub(super) body: Vec<u8>,
    retry_after: Option<Duration>,
}

impl<'a> Call<'a> {
    pub(super) fn new(method: Method, url: &'a str, path: &'a str) -> Self {
        Self { method, url, path, query: &[], body: None, token: None, limit: CALL }
    }
}

impl Answer {
    /// The body as what it should be; an error of the API as its words.
    pub(super) fn json<T: DeserializeOwned>(self, call: &Call<'_>) -> Result<T, Error> {
        let body = self.success(call)?;
        serde_json::from_slice(&body).map_err(|source| Error::Unreadable {
            method: call.method.clone(),
            path: call.path.to_owned(),
            source,
        })
    }

    /// The body of a call that went well.
    pub(super) fn success(self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        if (200..300).contains(&self.status) {
            return Ok(self.body);
        }
        Err(Error::Api {
            method: call.method.clone(),
            path: call.path.to_owned(),
            status: self.status,
            message: error::message(&self.body),
        })
    }
}

impl Transport {
    pub(super) fn new(proxies: Proxies, certificates: Vec<String>, skip_tls_verify: bool) -> Self {
        Self { proxies, certificates, skip_tls_verify, plain: OnceCell::new(), secure: OnceCell::new() }
    }

    /// Sends it, again where that is safe, until the deadline.
    pub(super) async fn call(&self, call: &Call<'_>, deadline: Deadline) -> Result<Answer, Error> {
        let mut pause = Duration::from_millis(500);
        for attempt in 1.. {
            let result = self.once(call, deadline).await;
            if attempt == TRIES || !is_worth_another(&result, &call.method) {
                return result;
            }
            let told = result.as_ref().ok().and_then(|answer| answer.retry_after);
            let wait = told.unwrap_or(pause);
            if wait >= deadline.remaining() {
                return result;
            }
            debug!("waiting {wait:?} before {} {} is sent again", call.method, call.path);
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        unreachable!("the loop ends at the last try")
    }

    async fn once(&self, call: &Call<'_>, deadline: Deadline) -> Result<Answer, Error> {
        let Call { method, url, path, query, body, token, limit } = call;
        let limit = deadline.limit(*limit);
        if limit.is_zero() {
            return Err(Error::DeadlinePassed { method: method.clone(), path: (*path).to_owned() });
        }
        let started = std::time::Instant::now();
        let mut request = self.client(url)?.request(method.clone(), *url).query(query).timeout(limit);
        if let Some(token) = token {
            request = request.header("X-Auth-Token", sensitive(token));
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let fail = |source| Error::transport(method, url, source);
        let mut response = request.send().await.map_err(fail)?;
        let status = response.status().as_u16();
        let (token, retry_after) = read_headers(response.headers());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(fail)? {
            if body.len() + chunk.len() > LARGEST {
                return Err(Error::TooLong {
                    method: method.clone(),
                    path: (*path).to_owned(),
                    limit: LARGEST,
                });
            }
            body.extend_from_slice(&chunk);
        }
        debug!("{method} {path} gave {status} in {} ms", started.elapsed().as_millis());
        Ok(Answer { status, token, body, retry_after })
    }

    /// Without TLS no root certificates are loaded: a machine may have none.
    fn client(&self, url: &str) -> Result<&Client, Error> {
        if url.starts_with("https:") {
            return self.secure.get_or_try_init(|| {
                let mut certificates = Vec::new();
                for pem in &self.certificates {
                    certificates.extend(Certificate::from_pem_bundle(pem.as_bytes()).map_err(Error::Client)?);
                }
                let builder = self.builder()?.tls_certs_merge(certificates);
                builder.tls_danger_accept_invalid_certs(self.skip_tls_verify).build().map_err(Error::Client)
            });
        }
        self.plain.get_or_try_init(|| self.builder()?.tls_certs_only([]).build().map_err(Error::Client))
    }

    fn builder(&self) -> Result<reqwest::ClientBuilder, Error> {
        let Proxies { http, https, no_proxy } = &self.proxies;
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("octavia-integrator/", env!("CARGO_PKG_VERSION")));
        let mut proxy = |variable, url: &Option<String>, make: fn(String) -> reqwest::Result<Proxy>| {
            let Some(url) = url else { return Ok(()) };
            let proxy = make(url.clone()).map_err(|source| Error::Proxy { variable, source })?;
            let direct = no_proxy.as_deref().and_then(NoProxy::from_string);
            builder = std::mem::take(&mut builder).proxy(proxy.no_proxy(direct));
            Ok::<(), Error>(())
        };
        proxy("juju-http-proxy", http, Proxy::http)?;
        proxy("juju-https-proxy", https, Proxy::https)?;
        Ok(builder)
    }
}

/// POST is sent again only if nothing was done: no connection, or an answer that refuses before it acts (429, 503).
fn is_worth_another(result: &Result<Answer, Error>, method: &Method) -> bool {
    let repeatable = *method != Method::POST;
    match result {
        Ok(answer) => matches!(answer.status, 429 | 503) || repeatable && matches!(answer.status, 502 | 504),
        Err(Error::Transport { source, .. }) => source.is_connect() || repeatable && !source.is_timeout(),
        Err(_) => false,
    }
}

fn read_headers(headers: &HeaderMap) -> (Option<SecretString>, Option<Duration>) {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let seconds = text("Retry-After").and_then(|seconds| seconds.parse().ok());
    (text("X-Subject-Token").map(SecretString::from), seconds.map(Duration::from_secs))
}

fn sensitive(token: &SecretString) -> HeaderValue {
    let mut value =
        HeaderValue::from_str(token.expose_secret()).unwrap_or_else(|_| HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}
