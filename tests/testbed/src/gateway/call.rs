//! One call through the gateway, as it is recorded and shown.

use std::fmt::{self, Display};
use std::time::Duration;

use serde_json::Value;

use super::fault::Effect;
use super::name::{fits, name};

/// A value of a query that is longer than this is not shown.
const SHOWN: usize = 12;

/// What was asked, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its place in the order in which the calls came, from 0.
    pub number: usize,
    /// The service's type in the catalogue.
    pub service: String,
    /// The HTTP method.
    pub method: String,
    /// The path, as it came.
    pub path: String,
    /// The query, as it came; empty if there was none.
    pub query: String,
    /// The request's body: null if there was none, a string if it was not JSON.
    pub request: Value,
    /// The status; none if there was no answer.
    pub status: Option<u16>,
    /// The answer's body, as the cloud gave it: null if there was none, a string if it was not JSON.
    pub answer: Value,
    /// How long it took; none while it is under way.
    pub duration: Option<Duration>,
    /// What the gateway did to it.
    pub fault: Option<Effect>,
}

impl Call {
    /// The path by name: `loadbalancers/{id}/status`.
    pub fn name(&self) -> String {
        name(&self.path)
    }

    /// Whether it has this method and its path this pattern: `pools/{pool}/members`.
    pub fn is(&self, method: &str, pattern: &str) -> bool {
        self.method == method && fits(&self.name(), pattern)
    }

    /// Whether it asked the cloud to change something; a login does not.
    pub fn is_write(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD") && !self.is("POST", "auth/tokens")
    }

    /// Whether the cloud itself answered with an error.
    pub(super) fn is_error_of_the_cloud(&self) -> bool {
        self.status.is_some_and(|status| status >= 400) && !matches!(self.fault, Some(Effect::Answer { .. }))
    }
}

/// `GET loadbalancers?tags=… 200`
impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.name())?;
        for (place, pair) in self.query.split('&').filter(|pair| !pair.is_empty()).enumerate() {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = if value.chars().count() > SHOWN { "…" } else { value };
            write!(f, "{}{key}={value}", if place == 0 { '?' } else { '&' })?;
        }
        match self.status {
            Some(status) => write!(f, " {status}")?,
            None => f.write_str(" no answer")?,
        }
        match &self.fault {
            Some(fault) => write!(f, " ({fault})"),
            None => Ok(()),
        }
    }
}

/// The calls as lines of a table, with milliseconds in front.
pub fn render(calls: &[Call]) -> String {
    let line = |call: &Call| match call.duration {
        Some(duration) => format!("{:>6} ms  {call}\n", duration.as_millis()),
        None => format!("{:>6}     {call}\n", "…"),
    };
    calls.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::Value;

    use super::{Call, render};
    use crate::gateway::Effect;

    fn call(method: &str, path: &str, query: &str, status: Option<u16>) -> Call {
        Call {
            number: 0,
            service: "load-balancer".to_owned(),
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            request: Value::Null,
            status,
            answer: Value::Null,
            duration: Some(Duration::from_millis(12)),
            fault: None,
        }
    }

    #[test]
    fn calls_are_shown_in_one_line() {
        let id = "1b2c3d4e-0000-1111-2222-333344445555";
        let tags = "tags=a-very-long-tag-indeed&limit=2";
        for (call, expected) in [
            (call("GET", "/v2/lbaas/loadbalancers", tags, Some(200)), "GET loadbalancers?tags=…&limit=2 200"),
            (call("DELETE", &format!("/v2.0/ports/{id}"), "", Some(204)), "DELETE ports/{id} 204"),
            (call("GET", "/v2.0/ports", "", None), "GET ports no answer"),
        ] {
            assert_eq!(call.to_string(), expected);
        }
        let mut killed = call("POST", "/v2/lbaas/loadbalancers", "", Some(201));
        killed.fault = Some(Effect::KillAfter);
        assert_eq!(render(&[killed]), "    12 ms  POST loadbalancers 201 (killed after it was forwarded)\n");
    }

    #[test]
    fn a_login_is_no_write() {
        for (method, path, expected) in [
            ("POST", "/v3/auth/tokens", false),
            ("GET", "/v2.0/ports", false),
            ("POST", "/v2.0/ports", true),
            ("DELETE", "/v2.0/ports/1b2c3d4e000011112222333344445555", true),
        ] {
            assert_eq!(call(method, path, "", None).is_write(), expected, "{method} {path}");
        }
    }
}
