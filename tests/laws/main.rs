//! The laws of the core, on pure functions.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a broken law stops the test at once")]

mod databags;
mod endpoints;
mod generate;
mod imagine;
mod options;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use octavia_integrator::model::mark::{Mark, Scope};
use octavia_integrator::model::monitor::Monitor;
use octavia_integrator::model::policy::Policy;
use octavia_integrator::model::probe::Kind;
use octavia_integrator::model::request::{BackEnd, Request, RequestKey};
use octavia_integrator::octavia::desired::{self, Desired, Setting, Transport};
use octavia_integrator::octavia::observed::{Lookup, Observed, Terrain};
use octavia_integrator::octavia::plan::{self, Tried};
use proptest::prelude::*;
use proptest::sample::Index;

fn desire(requests: &[Request], policy: &Policy, published: &BTreeMap<RequestKey, IpAddr>) -> Desired {
    let scope = Scope::new("7a0e1e6c-2c36-4d3c-8a5e-000000000001", "octavia-integrator");
    let setting = Setting {
        scope: &scope,
        application: "octavia-integrator",
        model: "k8s",
        told: &BTreeMap::new(),
        units: &BTreeMap::new(),
        published,
    };
    desired::desire(requests, policy, &setting).0
}

/// What is no longer asked for, as if Juju confirmed that its relation is gone.
fn released(desired: &Desired, observed: &Observed) -> BTreeSet<Mark> {
    let Observed { load_balancers, ports, floating_ips, terrain: _ } = observed;
    let marks = load_balancers.iter().map(|one| &one.mark);
    let marks =
        marks.chain(ports.iter().map(|one| &one.mark)).chain(floating_ips.iter().map(|one| &one.mark));
    marks.filter(|mark| !desired.load_balancers.contains_key(*mark)).cloned().collect()
}

/// Plans and carries out, once, or twice where OVN makes a load balancer before its parts; how many changes that were.
fn reconcile(desired: &Desired, observed: &mut Observed) -> usize {
    let is_bare_first = match desired.making.provider.as_deref() {
        Some(provider) => provider == "ovn",
        None => observed.terrain.offers_ovn == Some(true),
    };
    let rounds = if is_bare_first { 2 } else { 1 };
    (0..rounds).map(|_| round(desired, observed)).sum()
}

fn round(desired: &Desired, observed: &mut Observed) -> usize {
    let plan = plan::plan(desired, observed, &released(desired, observed), &Tried::default());
    for steps in &plan.steps {
        imagine::imagine(observed, steps, usize::MAX);
    }
    plan.steps.iter().map(|steps| steps.changes.len()).sum()
}

/// Exactly one of everything that is wanted, and nothing else.
fn assert_reached(desired: &Desired, observed: &Observed) {
    let wanted: Vec<&Mark> = desired.load_balancers.keys().collect();
    let mut marks: Vec<&Mark> = observed.load_balancers.iter().map(|one| &one.mark).collect();
    marks.sort();
    assert_eq!(marks, wanted);
    let mut marks: Vec<&Mark> = observed.ports.iter().map(|one| &one.mark).collect();
    marks.sort();
    assert_eq!(marks, wanted);
    for one in &observed.load_balancers {
        let wanted = &desired.load_balancers[&one.mark];
        for listener in &one.listeners {
            let new = &wanted.listeners[&listener.port];
            if new.members.is_empty() && listener.protocol != new.transport.as_str() {
                // It stays as it is until there is somebody who speaks the new protocol.
                continue;
            }
            // A list never locks the members' subnet or the router out, and only public ones have one.
            let allowed = &listener.allowed_cidrs;
            assert!(allowed.is_empty() || wanted.public && one.provider.as_deref() != Some("ovn"));
            assert!(
                allowed.is_empty() || allowed.contains("10.5.5.0/24") && allowed.contains("203.0.113.250/32")
            );
            assert!(!allowed.iter().any(|network| network.contains(':')), "of another address family");
        }
        let fronts: BTreeSet<_> = one.listeners.iter().map(|listener| listener.port).collect();
        assert_eq!(fronts, wanted.listeners.keys().copied().collect());
        assert_eq!(one.listeners.len(), wanted.listeners.len());
        assert_eq!(one.pools.len(), wanted.listeners.len());
        for pool in &one.pools {
            let wanted = &wanted.listeners[&pool.front.unwrap()];
            if wanted.members.is_empty() && pool.protocol != wanted.transport.as_str() {
                // It goes on serving until there is somebody who speaks the new protocol.
                continue;
            }
            let monitored = pool.monitor.as_ref().map(|monitor| monitor.kind.unwrap());
            let kind = |monitor: &Monitor| match (one.provider.as_deref(), wanted.transport) {
                (Some("ovn"), Transport::Tcp) => Kind::Tcp,
                (Some("ovn"), Transport::Udp) => Kind::UdpConnect,
                _ => monitor.probe.kind(),
            };
            assert_eq!(monitored, wanted.monitor.as_ref().map(kind));
            if one.provider.as_deref() != Some("ovn") {
                assert_eq!(pool.algorithm, Some(wanted.algorithm));
            }
            if !wanted.members.is_empty() {
                let members: BTreeSet<_> =
                    pool.members.iter().map(|member| (member.address, member.port)).collect();
                assert_eq!(members, wanted.members.keys().copied().collect());
            }
        }
        let floating =
            observed.floating_ips.iter().filter(|floating_ip| floating_ip.mark == one.mark).count();
        let network = matches!(observed.terrain.floating_network, Lookup::Found(_));
        assert!(floating <= 1);
        if floating == 1 && one.provider.as_deref() == Some("ovn") {
            let port = observed.ports.iter().find(|port| Some(&port.id) == one.vip_port.as_ref());
            assert_eq!(
                port.unwrap().name,
                format!("ovn-lb-vip-{}", one.id),
                "a floating IP that OVN does not wire"
            );
        }
        assert!(floating == 1 || !(wanted.public && network), "a public request has no floating IP");
    }
}

fn start(terrain: Terrain) -> Observed {
    Observed { terrain, ..Observed::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_applied_plan_leaves_nothing_to_plan(
        (before, after) in (generate::requests(), generate::requests()),
        (old, new) in (generate::policy(), generate::policy()),
        terrain in generate::terrain(),
        damage in generate::damage(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&before, &old, &BTreeMap::new()), &mut observed);
        for damage in &damage {
            damage.strike(&mut observed);
        }
        let desired = desire(&after, &new, &BTreeMap::new());
        reconcile(&desired, &mut observed);
        assert_reached(&desired, &observed);
        prop_assert_eq!(reconcile(&desired, &mut observed), 0);
    }

    #[test]
    fn any_prefix_of_a_plan_converges(
        (before, after) in (generate::requests(), generate::requests()),
        (old, new) in (generate::policy(), generate::policy()),
        terrain in generate::terrain(),
        damage in generate::damage(),
        cut in any::<Index>(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&before, &old, &BTreeMap::new()), &mut observed);
        for damage in &damage {
            damage.strike(&mut observed);
        }
        let desired = desire(&after, &new, &BTreeMap::new());
        let plan = plan::plan(&desired, &observed, &released(&desired, &observed), &Tried::default());
        for steps in &plan.steps {
            imagine::imagine(&mut observed, steps, cut.index(steps.changes.len() + 1));
        }
        reconcile(&desired, &mut observed);
        assert_reached(&desired, &observed);
        prop_assert_eq!(reconcile(&desired, &mut observed), 0);
    }

    #[test]
    fn what_a_consumer_wishes_for_goes_before_the_options(
        requests in generate::requests(),
        policy in generate::policy(),
        terrain in generate::terrain(),
    ) {
        let mut observed = start(terrain);
        let desired = desire(&requests, &policy, &BTreeMap::new());
        reconcile(&desired, &mut observed);
        for request in &requests {
            let of = |mark: &Mark| desired.load_balancers[mark].key == request.key;
            let one = observed.load_balancers.iter().find(|one| of(&one.mark)).expect("it is made");
            prop_assert!(request.ingress_address.is_none() || one.vip_address == request.ingress_address);
            let algorithm = Some(request.algorithm.unwrap_or(policy.algorithm));
            let takes_all = one.provider.as_deref() != Some("ovn");
            prop_assert!(!takes_all || one.pools.iter().all(|pool| pool.algorithm == algorithm));
        }
    }

    #[test]
    fn what_was_published_stays_when_two_claim_it(
        requests in generate::requests(),
        policy in generate::policy(),
        terrain in generate::terrain(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&requests, &policy, &BTreeMap::new()), &mut observed);
        for which in 0..observed.load_balancers.len() {
            generate::Damage::DuplicateLoadBalancer(which).strike(&mut observed);
        }
        // The younger twin is the one that consumers know.
        let published: BTreeMap<RequestKey, IpAddr> = requests
            .iter()
            .filter_map(|request| {
                let desired = desire(std::slice::from_ref(request), &policy, &BTreeMap::new());
                let mark = desired.load_balancers.keys().next().unwrap().clone();
                let twin = observed.load_balancers.iter().rfind(|one| one.mark == mark)?;
                Some((request.key.clone(), twin.vip_address?))
            })
            .collect();
        let desired = desire(&requests, &policy, &published);
        reconcile(&desired, &mut observed);
        for one in &observed.load_balancers {
            let key = &desired.load_balancers[&one.mark].key;
            prop_assert_eq!(one.vip_address.as_ref(), published.get(key));
        }
    }

    #[test]
    fn order_does_not_matter(
        (before, after) in (generate::requests(), generate::requests()),
        policy in generate::policy(),
        terrain in generate::terrain(),
        damage in generate::damage(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&before, &policy, &BTreeMap::new()), &mut observed);
        for damage in &damage {
            damage.strike(&mut observed);
        }
        let mut turned = observed.clone();
        turned.load_balancers.reverse();
        turned.ports.reverse();
        turned.floating_ips.reverse();
        for one in &mut turned.load_balancers {
            one.listeners.reverse();
            one.pools.reverse();
            one.pools.iter_mut().for_each(|pool| pool.members.reverse());
        }
        let mut turned_after = after.clone();
        turned_after.reverse();
        let desired = desire(&after, &policy, &BTreeMap::new());
        prop_assert_eq!(&desired, &desire(&turned_after, &policy, &BTreeMap::new()));
        let released = released(&desired, &observed);
        let flat = |observed: &Observed| {
            let plan = plan::plan(&desired, observed, &released, &Tried::default());
            let mut changes: Vec<String> = plan
                .steps
                .iter()
                .flat_map(|steps| steps.changes.iter().map(|change| format!("{} {change:?}", steps.mark)))
                .collect();
            changes.sort();
            changes
        };
        prop_assert_eq!(flat(&observed), flat(&turned));
    }

    #[test]
    fn a_pool_never_loses_its_last_member_to_a_gap(
        requests in generate::requests(),
        policy in generate::policy(),
        terrain in generate::terrain(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&requests, &policy, &BTreeMap::new()), &mut observed);
        let members = |observed: &Observed| -> usize {
            observed.load_balancers.iter().flat_map(|one| &one.pools).map(|pool| pool.members.len()).sum()
        };
        let before = members(&observed);
        let gap: Vec<Request> =
            requests.iter().map(|request| Request { back_ends: BTreeSet::new(), ..request.clone() }).collect();
        reconcile(&desire(&gap, &policy, &BTreeMap::new()), &mut observed);
        prop_assert_eq!(members(&observed), before);
    }
    #[test]
    fn a_withdrawn_request_goes_on_following_its_units(
        (before, after) in (generate::requests(), generate::requests()),
        policy in generate::policy(),
        terrain in generate::terrain(),
    ) {
        let mut observed = start(terrain);
        reconcile(&desire(&before, &policy, &BTreeMap::new()), &mut observed);
        let had = observed.clone();
        let units: BTreeSet<BackEnd> = after.iter().flat_map(|request| request.back_ends.clone()).collect();
        let relations = before.iter().map(|request| request.key.relation.clone());
        let withdrawn = Desired { units: relations.map(|id| (id, units.clone())).collect(), ..Desired::default() };
        let step = |observed: &mut Observed| -> usize {
            let plan = plan::plan(&withdrawn, observed, &BTreeSet::new(), &Tried::default());
            for steps in &plan.steps {
                imagine::imagine(observed, steps, usize::MAX);
            }
            plan.steps.len()
        };
        step(&mut observed);
        prop_assert_eq!(step(&mut observed), 0);
        let pools = |observed: &Observed| {
            observed.load_balancers.iter().flat_map(|one| one.pools.clone()).collect::<Vec<_>>()
        };
        for (pool, had) in pools(&observed).iter().zip(pools(&had)) {
            let addresses: BTreeSet<IpAddr> = pool.members.iter().map(|member| member.address).collect();
            if had.members.is_empty() || units.is_empty() {
                prop_assert_eq!(&pool.members, &had.members);
            } else {
                prop_assert_eq!(addresses, units.iter().map(|unit| unit.address).collect());
            }
        }
    }
}
