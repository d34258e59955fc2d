//! `network-get` (`jujuc/network-get.go`).

use super::{Call, RELATION, parsed};
use crate::juju::{Network, Session};
use crate::tools::answer::{Answer, Refusal, check_empty, usage};
use crate::tools::flags::{Flag, Takes};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [
        RELATION,
        Flag { names: &["bind-address"], takes: Takes::Nothing },
        Flag { names: &["ingress-address"], takes: Takes::Nothing },
        Flag { names: &["egress-subnets"], takes: Takes::Nothing },
        FORMAT,
        OUTPUT,
    ];
    let parsed = parsed(session, &flags, call)?;
    let Some(binding) = parsed.arguments.first() else {
        return usage("no arguments specified");
    };
    if binding.is_empty() {
        return usage("no binding name specified");
    }
    check_empty(&parsed.arguments[1..])?;
    let network = session.network(binding).map_err(Refusal::Run)?;
    let mut members: Vec<(String, Value)> = [
        ("bind-address", Value::from(network.address.clone())),
        ("egress-subnets", Value::texts([network.egress.clone()])),
        ("ingress-address", Value::from(network.address.clone())),
    ]
    .into_iter()
    .filter(|(name, _)| parsed.is_set(name))
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let as_json = parsed.value("format") == Some("json");
    let value = match members.len() {
        0 => whole(&network, as_json),
        1 => members.remove(0).1,
        _ => Value::Map(members),
    };
    print(&parsed, "smart", session.directory(), &value)
}

/// Everything. The YAML form repeats some members under their old names (`core/network` `InterfaceAddress`).
fn whole(network: &Network, as_json: bool) -> Value {
    let address = || Value::from(network.address.clone());
    let mut addresses = vec![
        ("hostname", Value::from("")),
        ("value", address()),
        ("cidr", Value::from(network.cidr.clone())),
    ];
    let mut interface = vec![
        ("mac-address", Value::from(network.mac_address.clone())),
        ("interface-name", Value::from(network.interface.clone())),
    ];
    if !as_json {
        addresses.push(("address", address()));
    }
    interface.push(("addresses", Value::List(vec![members(addresses)])));
    if !as_json {
        interface.push(("macaddress", Value::from(network.mac_address.clone())));
        interface.push(("interfacename", Value::from(network.interface.clone())));
    }
    Value::map([
        ("bind-addresses", Value::List(vec![members(interface)])),
        ("egress-subnets", Value::texts([network.egress.clone()])),
        ("ingress-addresses", Value::List(vec![address()])),
    ])
}

fn members(list: Vec<(&str, Value)>) -> Value {
    Value::Map(list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
