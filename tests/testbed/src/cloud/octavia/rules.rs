//! Rules that several operations share (`octavia/api/v2/controllers`, `octavia/common/validate.py`).

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, fault, invalid};
use super::super::embedded::World;
use super::super::store::Kind;
use super::schema::Given;

/// Names and descriptions that are not given, or null, are shown as empty.
pub(super) fn or_empty(given: &Given, field: &str) -> Value {
    given.get(field).filter(|value| !value.is_null()).cloned().unwrap_or_else(|| json!(""))
}

/// Null counts as down (`octavia/api/common/types.py`, `to_dict`).
pub(super) fn up(given: &Given) -> Value {
    json!(given.get("admin_state_up") == Some(&json!(true)))
}

/// The database keeps a set of tags, in their order.
pub(super) fn tags(given: &Given) -> Value {
    let tags = given.get("tags").and_then(Value::as_array).into_iter().flatten();
    let tags: BTreeSet<&str> = tags.filter_map(Value::as_str).collect();
    json!(tags)
}

/// A new object's tags must differ: the database says so with whatever the kind has for duplicates (recorded); a PUT
/// is another matter.
pub(super) fn has_twin_tags(given: &Given) -> bool {
    let all = given.get("tags").and_then(Value::as_array).map_or(0, Vec::len);
    tags(given).as_array().is_none_or(|tags| tags.len() < all)
}

/// `octavia/common/exceptions.py`, `IDAlreadyExists`.
pub(super) fn already_exists() -> Answer {
    fault(409, "Already an entity with that specified id.")
}

/// Writes what a PUT gives. Tags that are there already may be given twice, new ones may not (recorded).
pub(super) fn set(world: &mut World, kind: Kind, id: &str, given: &Given) -> Result<()> {
    let before: Vec<Value> =
        world.store.get(kind, id).and_then(|object| object["tags"].as_array().cloned()).unwrap_or_default();
    let given_tags = given.get("tags").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut fresh = given_tags.iter().filter(|tag| !before.contains(tag)).collect::<Vec<_>>();
    let all = fresh.len();
    fresh.sort_by_key(ToString::to_string);
    fresh.dedup();
    if fresh.len() < all {
        return Err(fault(500, format!("(pymysql.err.IntegrityError) (1062, \"Duplicate entry for {id}\")")));
    }
    for (field, value) in given {
        let value = match field.as_str() {
            "name" | "description" => or_empty(given, field),
            "admin_state_up" => up(given),
            // Null leaves them as they are (recorded).
            "tags" if value.is_null() => continue,
            "tags" => tags(given),
            _ => value.clone(),
        };
        world.store.set(kind, id, field, value);
    }
    Ok(())
}

/// `octavia/common/constants.py`, `VALID_LISTENER_POOL_PROTOCOL_MAP`.
pub(super) fn pool_fits(listener: &str, pool: &str) -> Result<()> {
    let fitting: &[&str] = match listener {
        "TCP" => &["HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"],
        "HTTP" | "TERMINATED_HTTPS" => &["HTTP", "PROXY", "PROXYV2"],
        "HTTPS" => &["HTTPS", "PROXY", "PROXYV2", "TCP"],
        "UDP" => &["UDP"],
        "SCTP" => &["SCTP"],
        _ => return Err(fault(400, format!("Protocol {listener} listeners cannot have child objects."))),
    };
    if fitting.contains(&pool) {
        return Ok(());
    }
    let text = format!("The pool protocol '{pool}' is invalid while the listener protocol is '{listener}'.");
    Err(invalid(text))
}

/// `_validate_pool_request_for_udp_sctp` and `check_session_persistence`.
pub(super) fn persistence_fits(protocol: &str, given: &Given, only_for: &str) -> Result<()> {
    let Some(persistence) = given.get("session_persistence").filter(|value| value.is_object()) else {
        return Ok(());
    };
    let is_given = |field: &str| persistence.get(field).is_some_and(|value| !value.is_null());
    let kind = persistence["type"].as_str().unwrap_or_default();
    if matches!(protocol, "UDP" | "SCTP") {
        if kind == "SOURCE_IP" && is_given("cookie_name") {
            let text = "session_persistence SOURCE_IP type for UDP and SCTP protocols only accepts: type, \
                        persistence_timeout, persistence_granularity.";
            return Err(invalid(text));
        }
        if is_given("cookie_name") {
            return Err(invalid("Cookie names are not supported for UDP/SCTP pools."));
        }
        if kind.ends_with("COOKIE") {
            let text =
                format!("Session persistence of type {kind} is not supported for UDP/SCTP protocol pools.");
            return Err(invalid(text));
        }
    } else if is_given("persistence_timeout") || is_given("persistence_granularity") {
        let text = format!("persistence_timeout and persistence_granularity is only for {only_for} pools.");
        return Err(invalid(text));
    }
    match (kind, is_given("cookie_name")) {
        ("", _) => Err(invalid("Invalid session_persistence provided.")),
        ("APP_COOKIE", false) => Err(invalid(
            "Field \"cookie_name\" must be specified when using the \"APP_COOKIE\" session persistence type.",
        )),
        ("APP_COOKIE", true) | (_, false) => Ok(()),
        (_, true) => Err(invalid(
            "Field \"cookie_name\" can only be specified with session persistence of type \"APP_COOKIE\".",
        )),
    }
}

fn not_an_option(value: &str, option: &str) -> Answer {
    fault(400, format!("{value} is not a valid option for {option}"))
}

/// `_validate_create_hm`.
pub(super) fn complete_monitor(given: &Given) -> Result<()> {
    for field in ["type", "delay", "timeout", "max_retries"] {
        if given.get(field).is_none_or(Value::is_null) {
            return Err(not_an_option("None", field));
        }
    }
    let kind = given["type"].as_str().unwrap_or_default();
    if !matches!(kind, "HTTP" | "HTTPS") {
        for field in ["http_method", "url_path", "expected_codes"] {
            if given.get(field).and_then(Value::as_str).is_some_and(|value| !value.is_empty()) {
                return Err(not_an_option(field, &format!("health monitors of type {kind}")));
            }
        }
    }
    domain_fits(given.get("domain_name"), given.get("http_version"))
}

fn domain_fits(domain: Option<&Value>, version: Option<&Value>) -> Result<()> {
    if domain.is_none_or(Value::is_null) {
        return Ok(());
    }
    match version.and_then(Value::as_f64) {
        None => Err(invalid("'http_version' must be specified when 'domain_name' is provided.")),
        Some(version) if version < 1.1 => {
            let option = "health monitors HTTP 1.1 domain name health check";
            Err(not_an_option(&format!("http_version {version:.1}"), option))
        }
        Some(_) => Ok(()),
    }
}

/// `_validate_update_hm`.
pub(super) fn monitor_update(monitor: &Value, given: &Given) -> Result<()> {
    let kind = monitor["type"].as_str().unwrap_or_default();
    if !matches!(kind, "HTTP" | "HTTPS") {
        for field in ["http_method", "url_path", "expected_codes"] {
            if given.contains_key(field) {
                return Err(not_an_option(field, &format!("health monitors of type {kind}")));
            }
        }
    }
    for field in ["delay", "max_retries", "timeout"] {
        if given.get(field).is_some_and(Value::is_null) {
            return Err(not_an_option("None", field));
        }
    }
    let or_before = |field: &str| given.get(field).filter(|value| !value.is_null()).or(Some(&monitor[field]));
    domain_fits(or_before("domain_name"), or_before("http_version"))
}

/// `_validate_healthmonitor_request_for_udp_sctp` and its opposite, as `post` says them.
pub(super) fn monitor_fits(pool: &str, given: &Given) -> Result<()> {
    monitor_fits_as(pool, given, pool)
}

/// Within a graph the pool itself takes the place of its protocol in the text (recorded).
pub(super) fn monitor_fits_graph(pool: &str, given: &Given) -> Result<()> {
    monitor_fits_as(pool, given, "<octavia.common.data_models.Pool object at 0x7f0000000000>")
}

fn monitor_fits_as(pool: &str, given: &Given, pool_text: &str) -> Result<()> {
    let kind = given.get("type").and_then(Value::as_str).unwrap_or_default();
    if !matches!(pool, "UDP" | "SCTP") {
        if matches!(kind, "UDP-CONNECT" | "SCTP") {
            return Err(invalid(format!("The {kind} type is only supported for pools of type UDP/SCTP.")));
        }
        return Ok(());
    }
    if !matches!(kind, "UDP-CONNECT" | "SCTP" | "TCP" | "HTTP") {
        let types = "UDP-CONNECT/SCTP/TCP/HTTP";
        let text = format!(
            "The associated pool protocol is {pool_text}, so only a {types} health monitor is supported."
        );
        return Err(invalid(text));
    }
    // `octavia/common/config.py`, `udp_connect_min_interval_health_monitor`.
    match given.get("delay").and_then(Value::as_i64) {
        Some(delay) if kind == "UDP-CONNECT" && delay < 3 => Err(invalid(format!(
            "The request delay value {delay} should be larger than 3 for UDP-CONNECT health monitor type."
        ))),
        _ => Ok(()),
    }
}

/// The metadata service's address is nobody's back end (`ip_not_reserved`, `octavia/common/config.py`).
pub(super) fn not_reserved(given: &Given) -> Result<()> {
    let address = given.get("address").and_then(Value::as_str).unwrap_or_default();
    let reserved: IpAddr = [169, 254, 169, 254].into();
    if address.parse() == Ok(reserved) {
        return Err(not_an_option(address, "member address"));
    }
    Ok(())
}

/// There is no flavor that allows it (`octavia/common/exceptions.py`, `MemberSRIOVDisabled`).
pub(super) fn no_sriov(given: &Given) -> Result<()> {
    if given.get("request_sriov") == Some(&json!(true)) {
        return Err(fault(400, "The load balancer flavor does not allow SR-IOV member ports."));
    }
    Ok(())
}
