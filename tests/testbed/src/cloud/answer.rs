//! Answers, and errors in the form of each service.

use serde_json::{Value, json};

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Null is an empty body.
    pub(super) body: Value,
    pub(super) headers: Vec<(&'static str, String)>,
}

/// What a handler gives: a body with a status, or an error that is an answer too.
pub(super) type Result<T = Answer> = std::result::Result<T, Answer>;

pub(super) fn ok(status: u16, body: Value) -> Answer {
    Answer { status, body, headers: Vec::new() }
}

/// An answer without a body.
pub(super) fn empty(status: u16) -> Answer {
    ok(status, Value::Null)
}

/// Octavia's errors (`octavia/common/exceptions.py`, rendered by WSME).
pub(super) fn fault(status: u16, text: impl Into<String>) -> Answer {
    let code = if status < 500 { "Client" } else { "Server" };
    ok(status, json!({"faultcode": code, "faultstring": text.into(), "debuginfo": null}))
}

/// `octavia/common/exceptions.py`, `ValidationException`.
pub(super) fn invalid(text: impl AsRef<str>) -> Answer {
    fault(400, format!("Validation failure: {}", text.as_ref()))
}

/// Neutron's errors (`neutron/api/v2/resource.py`).
pub(super) fn neutron_error(status: u16, kind: &str, message: impl Into<String>) -> Answer {
    ok(status, json!({"NeutronError": {"type": kind, "message": message.into(), "detail": ""}}))
}

/// Keystone's errors (recorded from Keystone 30).
pub(super) fn keystone_error(status: u16, title: &str, message: impl Into<String>) -> Answer {
    ok(status, json!({"error": {"code": status, "message": message.into(), "title": title}}))
}

/// What each service says to a call without a valid token (recorded from keystonemiddleware).
pub(super) fn unauthorised() -> Answer {
    keystone_error(401, "Unauthorized", "The request you have made requires authentication.")
}

/// Octavia's errors before a controller is reached: Pecan's and `WebOb`'s own (recorded).
pub(super) fn pecan_error(status: u16, title: &str, description: impl Into<String>) -> Answer {
    ok(status, json!({"code": status, "title": title, "description": description.into()}))
}

/// Octavia has nothing at this path.
pub(super) fn no_such_path() -> Answer {
    pecan_error(404, "Not Found", "")
}
