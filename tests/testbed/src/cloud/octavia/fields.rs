//! Which fields a request may have, and which values (`octavia/api/v2/types`, checked by WSME).

use serde_json::Value;

use super::super::answer::{Result, fault};
use super::Given;

pub(super) const LOAD_BALANCER: &[&str] = &[
    "name",
    "description",
    "admin_state_up",
    "vip_address",
    "vip_port_id",
    "vip_subnet_id",
    "vip_network_id",
    "vip_qos_policy_id",
    "vip_sg_ids",
    "additional_vips",
    "project_id",
    "tenant_id",
    "listeners",
    "pools",
    "provider",
    "flavor_id",
    "availability_zone",
    "tags",
];
pub(super) const LOAD_BALANCER_UPDATE: &[&str] =
    &["name", "description", "admin_state_up", "vip_qos_policy_id", "vip_sg_ids", "tags"];
pub(super) const LISTENER: &[&str] = &[
    "name",
    "description",
    "admin_state_up",
    "protocol",
    "protocol_port",
    "connection_limit",
    "default_pool_id",
    "default_pool",
    "insert_headers",
    "project_id",
    "tenant_id",
    "loadbalancer_id",
    "timeout_client_data",
    "timeout_member_connect",
    "timeout_member_data",
    "timeout_tcp_inspect",
    "tags",
    "allowed_cidrs",
    "l7policies",
];
pub(super) const LISTENER_UPDATE: &[&str] = &[
    "name",
    "description",
    "admin_state_up",
    "connection_limit",
    "default_pool_id",
    "insert_headers",
    "timeout_client_data",
    "timeout_member_connect",
    "timeout_member_data",
    "timeout_tcp_inspect",
    "tags",
    "allowed_cidrs",
];
pub(super) const POOL: &[&str] = &[
    "name",
    "description",
    "admin_state_up",
    "listener_id",
    "loadbalancer_id",
    "protocol",
    "lb_algorithm",
    "session_persistence",
    "project_id",
    "tenant_id",
    "healthmonitor",
    "members",
    "tags",
];
pub(super) const POOL_UPDATE: &[&str] =
    &["name", "description", "admin_state_up", "lb_algorithm", "session_persistence", "tags"];
pub(super) const MEMBER: &[&str] = &[
    "name",
    "admin_state_up",
    "address",
    "protocol_port",
    "weight",
    "backup",
    "subnet_id",
    "project_id",
    "tenant_id",
    "monitor_port",
    "monitor_address",
    "tags",
    "vnic_type",
    "request_sriov",
];
pub(super) const MEMBER_UPDATE: &[&str] =
    &["name", "admin_state_up", "weight", "backup", "monitor_port", "monitor_address", "tags"];
pub(super) const HEALTH_MONITOR: &[&str] = &[
    "name",
    "type",
    "delay",
    "timeout",
    "max_retries",
    "max_retries_down",
    "http_method",
    "url_path",
    "expected_codes",
    "admin_state_up",
    "project_id",
    "tenant_id",
    "pool_id",
    "tags",
    "http_version",
    "domain_name",
];
pub(super) const HEALTH_MONITOR_UPDATE: &[&str] = &[
    "name",
    "delay",
    "timeout",
    "max_retries",
    "max_retries_down",
    "http_method",
    "url_path",
    "expected_codes",
    "admin_state_up",
    "tags",
    "http_version",
    "domain_name",
];

/// Fields that no request may have are refused by their names (recorded for `load_balancer.loadbalancer`).
pub(super) fn known(given: &Given, argument: &str, known: &[&str]) -> Result<()> {
    match given.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(fault(400, format!("Unknown attribute for argument {argument}: {key}"))),
        None => Ok(()),
    }
}

/// What WSME says of a mandatory attribute that is missing.
pub(super) fn mandatory(given: &Given, fields: &[&str]) -> Result<()> {
    match fields.iter().find(|field| given.get(**field).is_none_or(Value::is_null)) {
        Some(field) => Err(fault(
            400,
            format!("Invalid input for field/attribute {field}. Value: 'None'. Mandatory field missing."),
        )),
        None => Ok(()),
    }
}

/// A whole number within bounds, if it is given.
pub(super) fn number(given: &Given, field: &str, least: i64, most: i64) -> Result<()> {
    let Some(value) = given.get(field).filter(|value| !value.is_null()) else { return Ok(()) };
    let Some(number) = value.as_i64() else { return Err(invalid(field, value, "unable to convert to int")) };
    if number < least {
        return Err(invalid(field, value, &format!("Value should be greater or equal to {least}")));
    }
    if number > most {
        return Err(invalid(field, value, &format!("Value should be lower or equal to {most}")));
    }
    Ok(())
}

/// One of several words, if it is given.
pub(super) fn word(given: &Given, field: &str, words: &[&str]) -> Result<()> {
    let Some(value) = given.get(field).filter(|value| !value.is_null()) else { return Ok(()) };
    if value.as_str().is_some_and(|word| words.contains(&word)) {
        return Ok(());
    }
    Err(invalid(field, value, &format!("Value should be one of: {}", words.join(", "))))
}

/// Names, descriptions and tags end at 255 characters.
pub(super) fn lengths(given: &Given) -> Result<()> {
    for field in ["name", "description"] {
        if let Some(text) = given.get(field).and_then(Value::as_str).filter(|text| text.chars().count() > 255)
        {
            return Err(invalid(
                field,
                &Value::from(text),
                "Value should have a maximum character requirement of 255",
            ));
        }
    }
    let tags = given.get("tags").and_then(Value::as_array).into_iter().flatten();
    match tags.filter_map(Value::as_str).find(|tag| tag.chars().count() > 255) {
        Some(tag) => Err(invalid(
            "tags",
            &Value::from(tag),
            "Value should have a maximum character requirement of 255",
        )),
        None => Ok(()),
    }
}

pub(super) fn invalid(field: &str, value: &Value, why: &str) -> super::super::answer::Answer {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    fault(400, format!("Invalid input for field/attribute {field}. Value: '{value}'. {why}"))
}

/// A value that is given, or a default.
pub(super) fn or(given: &Given, field: &str, default: impl Into<Value>) -> Value {
    given.get(field).filter(|value| !value.is_null()).cloned().unwrap_or_else(|| default.into())
}

/// A value that is given, or null.
pub(super) fn or_null(given: &Given, field: &str) -> Value {
    given.get(field).cloned().unwrap_or_default()
}
