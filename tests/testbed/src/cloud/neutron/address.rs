//! Who has which address (`neutron/ipam`, `neutron/db/ipam_backend_mixin.py`).

use std::net::Ipv4Addr;

use serde_json::Value;

use super::super::answer::{Result, neutron_error};
use super::super::embedded::World;
use super::super::store::{Kind, text};

/// Addresses of a subnet: IPv4 only.
struct Range {
    first: u32,
    last: u32,
}

impl Range {
    fn of(subnet: &Value) -> Self {
        let (address, length) = text(subnet, "cidr").split_once('/').expect("every subnet has one");
        let address = u32::from(address.parse::<Ipv4Addr>().expect("an IPv4 subnet"));
        let hosts = u32::MAX.checked_shr(length.parse().expect("a length")).unwrap_or(0);
        Self { first: address & !hosts, last: address | hosts }
    }

    /// Neither the network's own address nor the one for all.
    fn has_host(&self, address: Ipv4Addr) -> bool {
        (self.first + 1..self.last).contains(&u32::from(address))
    }
}

/// Whether an address lies in a subnet.
pub(in super::super) fn lies_in(subnet: &Value, address: &str) -> bool {
    let range = Range::of(subnet);
    address.parse().is_ok_and(|address: Ipv4Addr| (range.first..=range.last).contains(&u32::from(address)))
}

fn is_taken(world: &World, address: &str, but: Option<&str>) -> bool {
    let is_its = |port: &Value| {
        let ips = port["fixed_ips"].as_array().into_iter().flatten();
        port["id"].as_str() != but && ips.into_iter().any(|ip| ip["ip_address"] == address)
    };
    world.store.all(Kind::Port).iter().any(is_its)
}

/// An address that is asked for, in this subnet.
pub(super) fn wished(world: &World, subnet: &Value, address: &str, but: Option<&str>) -> Result<String> {
    if !address.parse().is_ok_and(|address| Range::of(subnet).has_host(address)) {
        let text = format!("IP address {address} is not a valid IP for the specified subnet.");
        return Err(neutron_error(400, "InvalidIpForSubnet", text));
    }
    if is_taken(world, address, but) {
        let text = format!("IP address {address} already allocated in subnet {}", text(subnet, "id"));
        return Err(neutron_error(409, "IpAddressAlreadyAllocated", text));
    }
    Ok(address.to_owned())
}

/// Any free address of the subnet's pool, the lowest.
pub(super) fn free(world: &World, subnet: &Value) -> Option<String> {
    let pool = &subnet["allocation_pools"][0];
    let end = |field: &str| text(pool, field).parse::<Ipv4Addr>().map(u32::from);
    let (Ok(start), Ok(end)) = (end("start"), end("end")) else { return None };
    (start..=end)
        .map(|number| Ipv4Addr::from(number).to_string())
        .find(|address| !is_taken(world, address, None))
}
