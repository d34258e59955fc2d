//! Providers and what they do not take (`octavia/api/v2/controllers/provider.py`,
//! `octavia/api/drivers/amphora_driver/v2/driver.py`, `ovn_octavia_provider/driver.py`: read, not run).

use serde_json::{Value, json};

use super::super::answer::{Answer, Result, fault, ok};
use super::super::embedded::World;
use super::super::store::{Token, text};
use super::allow;
use super::schema::Given;

pub(in super::super) const OVN: &str = "ovn";

pub(super) fn list(world: &World, token: &Token) -> Result {
    allow(token.is_admin() || token.has_role("reader") || token.has_role("member"))?;
    let description = |name: &str| match name {
        "amphora" => "The Octavia Amphora driver",
        "octavia" => "Alias of amphora",
        OVN => "Octavia OVN driver",
        _ => "Some driver",
    };
    let providers: Vec<Value> = world
        .options
        .providers
        .iter()
        .map(|name| json!({"name": name, "description": description(name)}))
        .collect();
    Ok(ok(200, json!({"providers": providers})))
}

/// The provider of a new load balancer.
pub(super) fn chosen(world: &World, wished: Option<&str>) -> Result<String> {
    let providers = world.options.providers;
    let wished = wished.unwrap_or(providers[0]);
    match providers.iter().find(|name| **name == wished) {
        Some(name) => Ok((*name).to_owned()),
        None => Err(fault(400, format!("Provider '{wished}' is not enabled."))),
    }
}

pub(in super::super) fn is_ovn(load_balancer: &Value) -> bool {
    load_balancer["provider"] == OVN
}

fn unsupported(load_balancer: &Value, why: &str) -> Answer {
    let provider = text(load_balancer, "provider");
    fault(501, format!("Provider '{provider}' does not support a requested option: {why}"))
}

/// `_validate_pool_algorithm`; not asked of a pool within a new load balancer by the amphora provider (recorded).
pub(super) fn takes_algorithm(load_balancer: &Value, given: &Given) -> Result<()> {
    let Some(algorithm) = given.get("lb_algorithm").and_then(Value::as_str) else { return Ok(()) };
    if is_ovn(load_balancer) {
        return match algorithm {
            "SOURCE_IP_PORT" | "SOURCE_IP" => Ok(()),
            _ => {
                let why = format!("OVN provider does not support {algorithm} algorithm");
                Err(unsupported(load_balancer, &why))
            }
        };
    }
    if algorithm != "SOURCE_IP_PORT" {
        return Ok(());
    }
    Err(unsupported(load_balancer, "Amphora provider does not support SOURCE_IP_PORT algorithm."))
}

/// OVN balances packets (`_check_for_supported_protocols`).
pub(super) fn takes_protocol(load_balancer: &Value, protocol: &str) -> Result<()> {
    if is_ovn(load_balancer) && !matches!(protocol, "TCP" | "UDP" | "SCTP") {
        return Err(unsupported(
            load_balancer,
            &format!("OVN provider does not support {protocol} protocol"),
        ));
    }
    Ok(())
}

/// `_check_for_allowed_cidrs`.
pub(super) fn takes_cidrs(load_balancer: &Value, given: &Given) -> Result<()> {
    let cidrs = given.get("allowed_cidrs").and_then(Value::as_array);
    if is_ovn(load_balancer) && cidrs.is_some_and(|cidrs| !cidrs.is_empty()) {
        return Err(unsupported(load_balancer, "OVN provider does not support allowed_cidrs option"));
    }
    Ok(())
}

/// `_validate_hm_support`.
pub(super) fn takes_monitor(load_balancer: &Value, kind: &str) -> Result<()> {
    if is_ovn(load_balancer) && !matches!(kind, "TCP" | "UDP-CONNECT") {
        let why = format!(
            "OVN provider does not support {kind} health monitor type. Supported types: TCP, UDP-CONNECT"
        );
        return Err(unsupported(load_balancer, &why));
    }
    Ok(())
}

/// `_check_member_monitor_options`; in a batch the member is skipped, and then this is said.
pub(super) fn takes_member(load_balancer: &Value, given: &Given) -> Result<()> {
    let is_set = |field: &str| given.get(field).is_some_and(|value| !value.is_null());
    if is_ovn(load_balancer) && (is_set("monitor_address") || is_set("monitor_port")) {
        let why = "OVN Load Balancer does not support different member monitor address or port.";
        return Err(unsupported(load_balancer, why));
    }
    Ok(())
}
