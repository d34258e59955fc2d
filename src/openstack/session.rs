//! A session: one login a process, and calls with its token.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;

use super::catalogue::{self, Kind};
use super::deadline::Deadline;
use super::error::Error;
use super::keystone::{self, Login};
use super::transport::{Answer, Call, Proxies, Transport};
use crate::model::credentials::Credentials;

/// A way into one project of one cloud.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    credentials: Credentials,
    deadline: Deadline,
    login: Mutex<Option<Arc<Login>>>,
}

/// What is asked of a service.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) kind: Kind,
    pub(super) path: &'a str,
    pub(super) query: &'a [(&'a str, &'a str)],
    pub(super) limit: Duration,
}

impl<'a> Ask<'a> {
    pub(super) fn new(kind: Kind, path: &'a str) -> Self {
        Self { kind, path, query: &[], limit: Duration::from_mins(1) }
    }
}

impl Session {
    /// Nothing is sent before the first call.
    pub fn new(credentials: Credentials, proxies: Proxies, deadline: Deadline) -> Self {
        let transport =
            Transport::new(proxies, credentials.certificates.clone(), credentials.skip_tls_verify);
        Self { transport, credentials, deadline, login: Mutex::new(None) }
    }

    /// The project that the token is for: every list is narrowed to it, since an administrator's show all.
    pub async fn project_id(&self) -> Result<String, Error> {
        Ok(self.login(None).await?.project_id.clone())
    }

    /// When this session's calls end.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, ask: Ask<'_>) -> Result<T, Error> {
        self.json(Method::GET, ask, None).await
    }

    /// Reads what may be gone.
    pub(super) async fn find<T: DeserializeOwned>(&self, ask: Ask<'_>) -> Result<Option<T>, Error> {
        match self.get(ask).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        ask: Ask<'_>,
        body: &impl Serialize,
    ) -> Result<T, Error> {
        self.json(Method::POST, ask, Some(&to_json(body, &Method::POST, ask)?)).await
    }

    pub(super) async fn put(&self, ask: Ask<'_>, body: &impl Serialize) -> Result<(), Error> {
        let body = to_json(body, &Method::PUT, ask)?;
        self.send(Method::PUT, ask, Some(&body), |answer, call| answer.success(call).map(drop)).await
    }

    /// What is gone already is as it should be.
    pub(super) async fn delete(&self, ask: Ask<'_>) -> Result<(), Error> {
        let sent = self.send(Method::DELETE, ask, None, |answer, call| answer.success(call).map(drop)).await;
        match sent {
            Err(error) if error.is_not_found() => Ok(()),
            other => other,
        }
    }

    async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        ask: Ask<'_>,
        body: Option<&Value>,
    ) -> Result<T, Error> {
        self.send(method, ask, body, Answer::json).await
    }

    /// Sends with the token; a token that has become invalid is renewed once.
    async fn send<T>(
        &self,
        method: Method,
        ask: Ask<'_>,
        body: Option<&Value>,
        read: impl Fn(Answer, &Call<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut login = self.login(None).await?;
        let mut renewed = false;
        loop {
            let endpoint =
                catalogue::endpoint(&login.catalogue, ask.kind, self.credentials.region.as_deref())?;
            let url = format!("{endpoint}{}", ask.path);
            let call = Call {
                method: method.clone(),
                url: &url,
                path: ask.path,
                query: ask.query,
                body,
                token: Some(login.token.clone()),
                limit: ask.limit,
            };
            let answer = self.transport.call(&call, self.deadline).await?;
            if answer.status != 401 || renewed {
                return read(answer, &call);
            }
            login = self.login(Some(&login)).await?;
            renewed = true;
        }
    }

    /// The present login, or a new one if there is none or the present one is `stale`; side by side calls share it.
    async fn login(&self, stale: Option<&Arc<Login>>) -> Result<Arc<Login>, Error> {
        let mut present = self.login.lock().await;
        if let Some(login) = present.as_ref()
            && stale.is_none_or(|stale| !Arc::ptr_eq(stale, login))
        {
            return Ok(Arc::clone(login));
        }
        let login = Arc::new(keystone::log_in(&self.transport, &self.credentials, self.deadline).await?);
        *present = Some(Arc::clone(&login));
        Ok(login)
    }
}

fn to_json(body: &impl Serialize, method: &Method, ask: Ask<'_>) -> Result<Value, Error> {
    serde_json::to_value(body).map_err(|source| Error::Unreadable {
        method: method.clone(),
        path: ask.path.to_owned(),
        source,
    })
}
