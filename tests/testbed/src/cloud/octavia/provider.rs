//! Providers, and what the amphora provider does not take (`octavia/api/v2/controllers/provider.py`,
//! `octavia/api/drivers/amphora_driver/v2/driver.py`).

use serde_json::{Value, json};

use super::super::answer::{Result, fault, ok};
use super::super::embedded::World;
use super::super::store::{Token, text};
use super::allow;
use super::schema::Given;

/// The first is the default; the second is another name for it (recorded).
const PROVIDERS: [(&str, &str); 2] =
    [("amphora", "The Octavia Amphora driver"), ("octavia", "Alias of amphora")];

pub(super) fn list(_world: &World, token: &Token) -> Result {
    allow(token.is_admin() || token.has_role("reader") || token.has_role("member"))?;
    let providers = PROVIDERS.map(|(name, description)| json!({"name": name, "description": description}));
    Ok(ok(200, json!({"providers": providers})))
}

/// The provider of a new load balancer.
pub(super) fn chosen(_world: &World, wished: Option<&str>) -> Result<String> {
    let wished = wished.unwrap_or(PROVIDERS[0].0);
    match PROVIDERS.iter().find(|(name, _)| *name == wished) {
        Some((name, _)) => Ok((*name).to_owned()),
        None => Err(fault(400, format!("Provider '{wished}' is not enabled."))),
    }
}

/// `_validate_pool_algorithm`; not asked of a pool within a new load balancer (recorded).
pub(super) fn takes_algorithm(load_balancer: &Value, given: &Given) -> Result<()> {
    if given.get("lb_algorithm").and_then(Value::as_str) != Some("SOURCE_IP_PORT") {
        return Ok(());
    }
    let provider = text(load_balancer, "provider");
    let why = "Amphora provider does not support SOURCE_IP_PORT algorithm.";
    Err(fault(501, format!("Provider '{provider}' does not support a requested option: {why}")))
}
