//! One file a relation interface: databag text to the model and back. Pure.

pub mod http;
pub mod loadbalancer;
pub mod public_address;
pub mod replicas;

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::model::finding::Finding;
use crate::model::ids::UnitName;

/// A databag.
pub type Bag = BTreeMap<String, String>;

/// Where a unit is reached, by the first of these keys that it has; none, and a finding, if that is no IP address.
fn unit_address(unit: &UnitName, bag: &Bag, keys: &[&str], findings: &mut Vec<Finding>) -> Option<IpAddr> {
    let (key, text) =
        keys.iter().find_map(|key| Some((key, bag.get(*key).filter(|text| !text.is_empty())?)))?;
    let address = text.parse().ok();
    if address.is_none() {
        findings.push(Finding::note(format!(
            "{unit}: expected an IP address as {key}, got {text:?}; it is left out"
        )));
    }
    address
}
