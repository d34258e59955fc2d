//! The interface `public-address`: kubernetes-master and kubernetes-control-plane up to 1.28 take a load balancer by it.
//!
//! Each unit of ours writes the same address and port; the other side writes nothing but, if at all, its units' port
//! (`interface-public-address`, `provides.py`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::{Bag, unit_address};
use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::ids::{RelationId, UnitName};
use crate::model::port::Port;
use crate::model::request::{BackEnd, Request, RequestKey};
use crate::model::traffic::Protocol;

/// The name of the one request of a relation.
pub const REQUEST: &str = "loadbalancer";

/// Where an API server listens if its unit does not say.
const API_SERVER: Port = Port::new(6443).unwrap();

/// One load balancer for the remote application, whatever its units write.
pub fn read_request(
    relation: &RelationId,
    application: &str,
    unit_bags: &BTreeMap<UnitName, Bag>,
    front: Port,
) -> (Request, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut units: Vec<(&UnitName, IpAddr, Port)> = Vec::new();
    for (unit, bag) in unit_bags {
        let keys = ["ingress-address", "private-address"];
        let Some(address) = unit_address(unit, bag, &keys, &mut findings) else { continue };
        match bag.get("port").filter(|text| !text.is_empty()).map(|text| text.trim().parse()) {
            None => units.push((unit, address, API_SERVER)),
            Some(Ok(port)) => units.push((unit, address, port)),
            Some(Err(reason)) => {
                findings.push(Finding::note(format!("{unit}: port: {reason}; it is left out")));
            }
        }
    }
    // One front port leads to one back-end port: that of most units, so that a single wrong one takes only itself out.
    let count = |port: Port| units.iter().filter(|(_, _, other)| *other == port).count();
    let most = units.iter().rev().max_by_key(|(_, _, port)| count(*port)).map(|(_, _, port)| *port);
    let mut back_ends: BTreeSet<BackEnd> = BTreeSet::new();
    for (unit, address, port) in &units {
        if let Some(most) = most.filter(|most| most != port) {
            findings.push(Finding::note(format!(
                "{unit}: port: expected {most} as the other units have, got {port}; it is left out"
            )));
        } else if back_ends.iter().all(|one| one.address != *address) {
            back_ends.insert(BackEnd { address: *address, unit: Some((*unit).clone()) });
        }
    }
    let request = Request {
        key: RequestKey { relation: relation.clone(), name: REQUEST.to_owned() },
        consumer: application.to_owned(),
        protocol: Protocol::Tcp,
        ports: BTreeMap::from([(front, most.unwrap_or(API_SERVER))]),
        public: true,
        sticky: false,
        algorithm: None,
        ingress_address: None,
        back_ends,
        checks: Vec::new(),
        sent_hash: None,
    };
    (request, findings)
}

/// What was written before; none if it cannot be read.
pub fn read_front(own_unit_bag: &Bag) -> Option<Front> {
    let address = own_unit_bag.get("public-address")?.parse().ok()?;
    Some(Front { address, port: own_unit_bag.get("port")?.parse().ok()? })
}

/// Our unit's databag.
pub fn write_front(front: Front) -> Bag {
    Bag::from([
        ("public-address".to_owned(), front.address.to_string()),
        ("port".to_owned(), front.port.to_string()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(units: &[(&str, &[(&str, &str)])]) -> (Request, Vec<Finding>) {
        let bag = |pairs: &[(&str, &str)]| -> Bag {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let bags = units.iter().map(|(unit, pairs)| (unit.parse().unwrap(), bag(pairs))).collect();
        read_request(&"loadbalancer:3".parse().unwrap(), "kubernetes-master", &bags, Port::new(443).unwrap())
    }

    #[test]
    fn units_need_say_nothing_but_where_they_are() {
        let (request, findings) = read(&[
            ("kubernetes-master/0", &[("ingress-address", "10.0.0.10")]),
            ("kubernetes-master/1", &[("private-address", "10.0.0.11")]),
            ("kubernetes-master/2", &[]),
        ]);
        assert_eq!(findings, []);
        assert_eq!((request.back_ends.len(), request.public), (2, true));
        assert_eq!(request.ports, BTreeMap::from([(Port::new(443).unwrap(), Port::new(6443).unwrap())]));
    }

    #[test]
    fn a_unit_that_says_otherwise_or_nonsense_is_left_out_by_name() {
        let (request, findings) = read(&[
            ("m/0", &[("ingress-address", "10.0.0.11"), ("port", "6443")]),
            ("m/1", &[("ingress-address", "10.0.0.10"), ("port", "8443")]),
            ("m/2", &[("ingress-address", "10.0.0.12"), ("port", "x")]),
            ("m/3", &[("ingress-address", "somewhere"), ("port", "8443")]),
            ("m/4", &[("ingress-address", "10.0.0.10"), ("port", "8443")]),
        ]);
        assert_eq!(request.back_ends.len(), 1);
        // Where there is no majority, the first unit's counts.
        let (even, _) = read(&[
            ("m/0", &[("ingress-address", "10.0.0.10"), ("port", "8443")]),
            ("m/1", &[("ingress-address", "10.0.0.11"), ("port", "6443")]),
        ]);
        assert_eq!(even.ports.values().map(|port| port.get()).collect::<Vec<_>>(), [8443]);
        assert_eq!(request.ports, BTreeMap::from([(Port::new(443).unwrap(), Port::new(8443).unwrap())]));
        let texts: Vec<&str> = findings.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "m/2: port: expected a port from 1 to 65535, got \"x\"; it is left out",
                "m/3: expected an IP address as ingress-address, got \"somewhere\"; it is left out",
                "m/0: port: expected 8443 as the other units have, got 6443; it is left out",
            ]
        );
    }

    #[test]
    fn without_units_it_is_a_request_all_the_same() {
        let (request, findings) = read(&[]);
        assert_eq!((request.back_ends.len(), request.ports.len(), findings.len()), (0, 1, 0));
    }

    #[test]
    fn what_is_written_reads_back_and_nonsense_does_not() {
        let front = Front { address: "203.0.113.7".parse().unwrap(), port: Port::new(443).unwrap() };
        assert_eq!(write_front(front)["public-address"], "203.0.113.7");
        assert_eq!(read_front(&write_front(front)), Some(front));
        assert_eq!(read_front(&Bag::new()), None);
        assert_eq!(read_front(&Bag::from([("public-address".to_owned(), "x".to_owned())])), None);
    }
}
