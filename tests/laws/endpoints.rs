//! Units, peers and workers: their databags may hold anything too, and what we write reads back.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use octavia_integrator::interface::{Bag, http, public_address, replicas};
use octavia_integrator::model::front::Front;
use octavia_integrator::model::ids::{RelationId, UnitName};
use octavia_integrator::model::port::Port;
use octavia_integrator::model::status::{Level, Status};
use octavia_integrator::report::website;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::generate;

fn port() -> impl Strategy<Value = Port> {
    (1_u16..).prop_map(|number| Port::new(number).expect("not 0"))
}

fn front() -> impl Strategy<Value = Front> {
    (any::<IpAddr>(), port()).prop_map(|(address, port)| Front { address, port })
}

fn relation() -> impl Strategy<Value = RelationId> {
    (select(vec!["loadbalancer", "website"]), any::<u32>())
        .prop_map(|(endpoint, number)| RelationId { endpoint: endpoint.to_owned(), number })
}

fn state() -> impl Strategy<Value = replicas::State> {
    let level = select(vec![Level::Active, Level::Waiting, Level::Blocked]);
    (".{0,12}", level, ".{0,20}", btree_map(relation(), front(), 0..4)).prop_map(
        |(leader, level, message, fronts)| replicas::State {
            leader,
            status: Status { level, message },
            fronts,
        },
    )
}

/// What a unit may write: the keys that we read, and others.
fn unit_bag() -> impl Strategy<Value = Bag> {
    let key = prop_oneof![
        6 => select(vec!["ingress-address", "private-address", "public-address", "hostname", "port"])
            .prop_map(str::to_owned),
        1 => ".{0,6}",
    ];
    let value = prop_oneof![
        4 => select(vec!["10.5.5.7", "10.5.5.8", "fd00::7", "6443", "8443", ""]).prop_map(str::to_owned),
        1 => ".{0,9}",
    ];
    btree_map(key, value, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masters_get_one_load_balancer_whatever_their_units_write(
        bags in btree_map(0_u32..12, unit_bag(), 0..5),
        front in port(),
    ) {
        let bags: BTreeMap<UnitName, Bag> = bags
            .into_iter()
            .map(|(number, bag)| (UnitName { application: "m".to_owned(), number }, bag))
            .collect();
        let (request, findings) =
            public_address::read_request(&"loadbalancer:3".parse().unwrap(), "m", &bags, front);
        prop_assert_eq!(request.ports.keys().collect::<Vec<_>>(), [&front]);
        let addresses: BTreeSet<IpAddr> = request.back_ends.iter().map(|one| one.address).collect();
        prop_assert_eq!(addresses.len(), request.back_ends.len(), "an address is a back end once");
        // A unit serves, or says where it is not, or is named.
        for (unit, bag) in &bags {
            let told = ["ingress-address", "private-address"].map(|key| bag.get(key).filter(|text| !text.is_empty()));
            let Some(text) = told.into_iter().flatten().next() else { continue };
            let serves = text.parse().is_ok_and(|address| addresses.contains(&address));
            let named = findings.iter().any(|finding| finding.text.starts_with(&format!("{unit}: ")));
            prop_assert!(serves || named, "{unit}: {bag:?}");
        }
    }

    #[test]
    fn what_our_units_write_reads_back_and_anything_else_is_survived(front in front(), bag in unit_bag()) {
        prop_assert_eq!(public_address::read_front(&public_address::write_front(front)), Some(front));
        prop_assert_eq!(http::read_front(&http::write_front(front)), Some(front));
        for read in [public_address::read_front(&bag), http::read_front(&bag)].into_iter().flatten() {
            prop_assert_eq!(read.port.to_string().parse(), bag["port"].parse::<Port>());
        }
    }

    #[test]
    fn what_the_leader_tells_reads_back_and_a_cut_text_is_none(state in state(), cut in any::<prop::sample::Index>()) {
        let bag = replicas::write(&state);
        let read = replicas::read(&bag).expect("it reads back");
        prop_assert_eq!(&read, &state);
        prop_assert_eq!(replicas::write(&read), bag.clone(), "the same state is the same text");
        let text: Vec<char> = bag["state"].chars().collect();
        let cut: String = text[..cut.index(text.len())].iter().collect();
        prop_assert_eq!(replicas::read(&Bag::from([("state".to_owned(), cut)])), None);
    }

    #[test]
    fn anything_that_a_peer_may_read_is_survived(text in "[{}\\[\\]\":,a-z0-9]{0,30}") {
        let _ = replicas::read(&Bag::from([("state".to_owned(), text)]));
    }

    #[test]
    fn workers_get_what_one_control_plane_was_answered(
        requests in generate::requests(),
        consumers in vec(select(vec!["cp", "k8s"]), 4),
        answered in vec(any::<bool>(), 4),
        source in option::of(select(vec!["cp", "k8s", "web"])),
    ) {
        let mut requests = requests;
        for (request, consumer) in requests.iter_mut().zip(&consumers) {
            (*consumer).clone_into(&mut request.consumer);
        }
        let related: BTreeSet<&str> = requests.iter().map(|request| request.consumer.as_str()).collect();
        let served: Vec<_> = requests
            .iter()
            .zip(&answered)
            .zip(1_u8..)
            .filter(|((_, answered), _)| **answered)
            .map(|((request, _), last)| {
                let port = website::port(request).expect("a request has ports");
                (request, Front { address: [10, 0, 0, last].into(), port })
            })
            .collect();
        let chosen = website::choose(&related, &served, source);
        let is_open = match source {
            Some(source) => !related.is_empty() && !related.contains(source),
            None => related.len() > 1,
        };
        prop_assert_eq!(chosen.is_err(), is_open);
        if let Ok(Some(front)) = chosen {
            let (request, _) = served.iter().find(|(_, one)| *one == front).expect("it was answered");
            prop_assert!(source.is_none_or(|source| source == request.consumer));
            prop_assert!(request.ports.contains_key(&front.port));
        }
    }
}
