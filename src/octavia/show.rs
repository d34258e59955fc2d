//! What there is, for tools and for people.

use std::fmt::Write as _;
use std::net::SocketAddr;

use serde_json::{Value, json};

use super::change::kind_name;
use super::observed::{HealthMonitor, LoadBalancer, Observed, Pool};

/// One object a load balancer, in the order of their names.
pub fn list(observed: &Observed, name: Option<&str>) -> Vec<Value> {
    let mut load_balancers: Vec<&LoadBalancer> = chosen(observed, name).collect();
    load_balancers.sort_by_key(|one| (&one.name, &one.id));
    load_balancers.into_iter().map(|one| load_balancer(observed, one)).collect()
}

/// The names that there are.
pub fn names(observed: &Observed) -> Vec<String> {
    let mut names: Vec<String> = observed.load_balancers.iter().map(|one| one.name.clone()).collect();
    names.sort();
    names
}

/// The same as indented lines.
pub fn table(list: &[Value]) -> String {
    let mut table = String::new();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for one in list {
        let floating = one["floating-ip"].as_str().map(|address| format!(" ({address})")).unwrap_or_default();
        let _ = writeln!(
            table,
            "{}  {}{floating}  {}  {}/{}",
            text(&one["name"]),
            text(&one["vip-address"]),
            text(&one["provider"]),
            text(&one["provisioning-status"]),
            text(&one["operating-status"]),
        );
        for listener in one["listeners"].as_array().into_iter().flatten() {
            let monitor = listener["monitor"]["text"].as_str().unwrap_or("no monitor");
            let _ = writeln!(
                table,
                "  {} {}  {monitor}  {}",
                text(&listener["protocol"]),
                listener["port"],
                text(&listener["provisioning-status"])
            );
            for member in listener["members"].as_array().into_iter().flatten() {
                let _ = writeln!(
                    table,
                    "    {}  {}  {}",
                    text(&member["name"]),
                    text(&member["address"]),
                    text(&member["operating-status"])
                );
            }
        }
    }
    table
}

fn chosen<'o>(observed: &'o Observed, name: Option<&str>) -> impl Iterator<Item = &'o LoadBalancer> {
    observed.load_balancers.iter().filter(move |one| name.is_none_or(|name| name == one.name))
}

fn load_balancer(observed: &Observed, one: &LoadBalancer) -> Value {
    let leads = |port: &Option<String>| port.is_some() && *port == one.vip_port;
    let floating =
        observed.floating_ips.iter().find(|floating| floating.mark == one.mark && leads(&floating.port));
    let mut listeners: Vec<_> = one.listeners.iter().collect();
    listeners.sort_by_key(|listener| listener.port);
    let listeners = listeners.into_iter().map(|listener| {
        let pool = one.pools.iter().find(|pool| Some(&pool.id) == listener.pool.as_ref());
        json!({
            "port": listener.port.get(),
            "protocol": listener.protocol,
            "provisioning-status": listener.provisioning.as_str(),
            "allowed-cidrs": listener.allowed_cidrs,
            "monitor": pool.and_then(|pool| pool.monitor.as_ref()).map(monitor),
            "members": pool.map(members).unwrap_or_default(),
        })
    });
    json!({
        "name": one.name,
        "id": one.id,
        "relation": one.mark.relation().to_string(),
        "vip-address": one.vip_address,
        "floating-ip": floating.map(|floating| floating.address),
        "provider": one.provider,
        "provisioning-status": one.provisioning.as_str(),
        "operating-status": one.operating.as_str(),
        "listeners": listeners.collect::<Vec<_>>(),
    })
}

fn monitor(one: &HealthMonitor) -> Value {
    let HealthMonitor {
        kind, delay, timeout, max_retries, max_retries_down, url_path, expected_codes, ..
    } = one;
    let kind = kind.map_or("unknown", kind_name);
    let path = url_path.as_deref().map(|path| format!(" {path}")).unwrap_or_default();
    json!({
        "type": kind,
        "delay": delay,
        "timeout": timeout,
        "max-retries": max_retries,
        "max-retries-down": max_retries_down,
        "url-path": url_path,
        "expected-codes": expected_codes,
        "provisioning-status": one.provisioning.as_str(),
        "text": format!("{kind}{path} {delay}/{timeout}/{max_retries}/{max_retries_down}"),
    })
}

fn members(pool: &Pool) -> Vec<Value> {
    let mut members: Vec<_> = pool.members.iter().collect();
    members.sort_by_key(|member| (&member.name, member.address, member.port));
    let one = |member: &&super::observed::Member| {
        json!({
            "name": member.name,
            "address": SocketAddr::new(member.address, member.port.get()).to_string(),
            "provisioning-status": member.provisioning.as_str(),
            "operating-status": member.operating.as_str(),
            "weight": member.weight,
            "admin-state-up": member.admin_state_up,
        })
    };
    members.iter().map(one).collect()
}
