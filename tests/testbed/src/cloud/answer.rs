//! Answers, and errors in the form of each service.

use serde_json::{Value, json};

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) token: Option<String>,
}

/// What a handler gives: a body with a status, or an error that is an answer too.
pub(super) type Result<T = Answer> = std::result::Result<T, Answer>;

pub(super) fn ok(status: u16, body: Value) -> Answer {
    Answer { status, body, token: None }
}

/// Octavia's errors (`octavia/common/exceptions.py`, rendered by WSME).
pub(super) fn fault(status: u16, text: impl Into<String>) -> Answer {
    let code = if status < 500 { "Client" } else { "Server" };
    ok(status, json!({"faultcode": code, "faultstring": text.into(), "debuginfo": null}))
}

/// Neutron's errors (`neutron/api/v2/resource.py`).
pub(super) fn neutron_error(status: u16, kind: &str, message: impl Into<String>) -> Answer {
    ok(status, json!({"NeutronError": {"type": kind, "message": message.into(), "detail": ""}}))
}

/// Keystone's errors (recorded from Keystone 30).
pub(super) fn keystone_error(status: u16, title: &str, message: &str) -> Answer {
    ok(status, json!({"error": {"code": status, "message": message, "title": title}}))
}

/// What each service says to a call without a valid token (recorded from keystonemiddleware).
pub(super) fn unauthorised() -> Answer {
    keystone_error(401, "Unauthorized", "The request you have made requires authentication.")
}

/// Pecan's and WebOb's answer to a path that nobody serves.
pub(super) fn no_such_path() -> Answer {
    ok(404, json!({"code": 404, "title": "Not Found", "description": ""}))
}
