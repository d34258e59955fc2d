//! The interface `loadbalancer`, version 1 (`loadbalancer_interface` 1.2.1, `schemas/v1.py`).

mod answer;
mod request;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::model::finding::Finding;
use crate::model::ids::{RelationId, UnitName};
use crate::model::request::{BackEnd, Refusal, Request, RequestKey};

pub use answer::{read_answers, write_answers};

use super::{Bag, unit_address};

/// What the other end of a relation wrote.
#[derive(Debug, Clone, Copy)]
pub struct Consumer<'a> {
    /// Which relation.
    pub relation: &'a RelationId,
    /// The other end.
    pub application: &'a str,
    /// Its application databag.
    pub application_bag: &'a Bag,
    /// Its units' databags.
    pub unit_bags: &'a BTreeMap<UnitName, Bag>,
}

/// What a consumer asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// What can be served.
    pub requests: Vec<Request>,
    /// What cannot.
    pub refusals: Vec<Refusal>,
    /// The consumer's units that have an address.
    pub units: BTreeSet<BackEnd>,
    /// What is odd.
    pub findings: Vec<Finding>,
}

/// Reads a consumer's databags, whatever they hold; a bad request never hurts another.
///
/// Like the library, it sees nothing before the consumer has written its `version`.
pub fn read_requests(consumer: &Consumer<'_>) -> Asked {
    let mut asked = Asked::default();
    asked.units = units(consumer, &mut asked.findings);
    let requests =
        consumer.application_bag.iter().filter_map(|(key, text)| Some((key.strip_prefix("request_")?, text)));
    let version = consumer.application_bag.get("version").map(|version| version.trim().parse::<u32>());
    match version {
        Some(Ok(1..)) => {}
        Some(Ok(0) | Err(_)) => {
            asked.findings.push(Finding::waiting(format!(
                "{} ({}): expected version 1 of the interface loadbalancer, got {:?}",
                consumer.application, consumer.relation, consumer.application_bag["version"]
            )));
            return asked;
        }
        // Not written yet.
        None => return asked,
    }
    for (name, text) in requests {
        let key = RequestKey { relation: consumer.relation.clone(), name: name.to_owned() };
        match request::read(key, consumer.application, text, &asked.units) {
            Ok(request) => asked.requests.push(request),
            Err(refusal) => asked.refusals.push(refusal),
        }
    }
    asked
}

/// The units that have an address, as the library takes them: their `ingress-address`.
fn units(consumer: &Consumer<'_>, findings: &mut Vec<Finding>) -> BTreeSet<BackEnd> {
    let mut units: BTreeMap<IpAddr, UnitName> = BTreeMap::new();
    for (unit, bag) in consumer.unit_bags {
        // Two units with one address are one back end.
        if let Some(address) = unit_address(unit, bag, &["ingress-address"], findings) {
            units.entry(address).or_insert_with(|| unit.clone());
        }
    }
    units.into_iter().map(|(address, unit)| BackEnd { address, unit: Some(unit) }).collect()
}

#[cfg(test)]
mod tests;
