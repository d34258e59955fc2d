//! Rules of health monitors (`octavia/api/v2/types/health_monitor.py`, `controllers/health_monitor.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, fault};
use super::super::store::new_id;
use super::super::store::now;
use super::Given;
use super::fields::{self, or, or_null};

const TYPES: &[&str] = &["HTTP", "HTTPS", "PING", "SCTP", "TCP", "TLS-HELLO", "UDP-CONNECT"];
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH", "CONNECT"];

/// A new one for a pool of this protocol.
pub(super) fn new(given: &Given, argument: &str, protocol: &str, project: &str) -> Result<Value> {
    fields::known(given, argument, fields::HEALTH_MONITOR)?;
    fields::mandatory(given, &["type", "delay", "timeout", "max_retries"])?;
    fields::word(given, "type", TYPES)?;
    let kind = given["type"].as_str().unwrap_or_default();
    check(given, kind)?;
    let udp_only = ["UDP-CONNECT", "SCTP"].contains(&kind);
    let udp_pool = ["UDP", "SCTP"].contains(&protocol);
    if udp_pool && !["UDP-CONNECT", "SCTP", "TCP", "HTTP"].contains(&kind) || !udp_pool && udp_only {
        return Err(fault(
            400,
            format!(
                "Validation failure: The associated pool protocol is {protocol}, so only a supported type can be used, not {kind}."
            ),
        ));
    }
    let http = ["HTTP", "HTTPS"].contains(&kind);
    let http_default =
        |field: &str, default: &str| if http { or(given, field, default) } else { Value::Null };
    Ok(json!({
        "id": new_id(), "name": or(given, "name", ""), "type": kind, "delay": given["delay"],
        "timeout": given["timeout"], "max_retries": given["max_retries"],
        "max_retries_down": or(given, "max_retries_down", 3), "http_method": http_default("http_method", "GET"),
        "url_path": http_default("url_path", "/"), "expected_codes": http_default("expected_codes", "200"),
        "admin_state_up": or(given, "admin_state_up", true), "project_id": project, "tenant_id": project,
        "provisioning_status": "PENDING_CREATE", "operating_status": "OFFLINE", "created_at": now(),
        "updated_at": null, "tags": or(given, "tags", json!([])), "http_version": or_null(given, "http_version"),
        "domain_name": or_null(given, "domain_name"),
    }))
}

/// What create and update check alike.
pub(super) fn check(given: &Given, kind: &str) -> Result<()> {
    fields::lengths(given)?;
    fields::number(given, "delay", 0, i64::MAX)?;
    fields::number(given, "timeout", 0, i64::MAX)?;
    fields::number(given, "max_retries", 1, 10)?;
    fields::number(given, "max_retries_down", 1, 10)?;
    fields::word(given, "http_method", METHODS)?;
    if let Some(path) = given.get("url_path").filter(|path| !path.is_null()) {
        let good =
            path.as_str().is_some_and(|path| path.starts_with('/') && !path.contains(char::is_whitespace));
        if !good {
            return Err(fields::invalid("url_path", path, "Value should be a URL path that starts with /"));
        }
    }
    if let Some(codes) = given.get("expected_codes").filter(|codes| !codes.is_null())
        && !codes.as_str().is_some_and(is_codes)
    {
        let pattern = r"^(\d{3}(\s*,\s*\d{3})*)$|^(\d{3}-\d{3})$";
        return Err(fields::invalid(
            "expected_codes",
            codes,
            &format!("Value should match the pattern {pattern}"),
        ));
    }
    let http_only = ["http_method", "url_path", "expected_codes", "http_version", "domain_name"];
    let is_given = |field: &&&str| given.get(**field).is_some_and(|value| !value.is_null());
    if let Some(field) = http_only.iter().find(is_given)
        && !["HTTP", "HTTPS"].contains(&kind)
    {
        return Err(fault(
            400,
            format!("Validation failure: {field} is not a valid option for health monitors of type {kind}"),
        ));
    }
    let too_often = given.get("delay").and_then(Value::as_i64).is_some_and(|delay| delay < 3);
    if kind == "UDP-CONNECT" && too_often {
        return Err(fault(
            400,
            "Validation failure: The request delay value should be larger than or equal to 3 for UDP-CONNECT health monitor type.",
        ));
    }
    Ok(())
}

fn is_codes(text: &str) -> bool {
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split(',').all(|code| is_code(code.trim()))
        || text.split_once('-').is_some_and(|(first, last)| is_code(first) && is_code(last))
}
