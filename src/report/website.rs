//! The address that workers are handed.

use std::collections::BTreeSet;

use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::port::Port;
use crate::model::request::Request;
use crate::model::traffic::Protocol;

/// Where an API server listens.
const API_SERVER: u16 = 6443;

/// Which load balancer workers get, out of those that were answered with an address; none, and why, if that is open.
///
/// All related `consumers` count, not only those that were answered: workers of the slower of two control planes would be
/// handed the address of the faster one. What was answered is in the API servers' certificates, so it is that address.
pub fn choose(
    consumers: &BTreeSet<&str>,
    served: &[(&Request, Front)],
    source: Option<&str>,
) -> Result<Option<Front>, Finding> {
    let names = || consumers.iter().copied().collect::<Vec<_>>().join(", ");
    let consumer = match source {
        Some(source) if consumers.contains(source) || consumers.is_empty() => source,
        Some(source) => {
            let text = format!(
                "website-source: expected one of {}, got {source:?}; workers get no new address",
                names()
            );
            return Err(Finding::blocked(text));
        }
        None if consumers.len() > 1 => {
            let text = format!(
                "website: workers get no new address, since there is more than one control plane; set website-source to one \
                 of {}",
                names()
            );
            return Err(Finding::blocked(text));
        }
        None => consumers.first().copied().unwrap_or_default(),
    };
    let own = served
        .iter()
        .filter(|(request, _)| request.consumer == consumer && request.protocol != Protocol::Udp);
    // One that leads to an API server before one that does not, internal before public, then by name.
    let rank = |request: &Request| (api_server(request).is_none(), request.public);
    Ok(own.min_by_key(|(request, _)| (rank(request), &request.key)).map(|(_, front)| *front))
}

/// The front port that leads to an API server, else the lowest.
pub fn port(request: &Request) -> Option<Port> {
    api_server(request).or_else(|| request.ports.first_key_value().map(|(front, _)| *front))
}

fn api_server(request: &Request) -> Option<Port> {
    request.ports.iter().find(|(_, back)| back.get() == API_SERVER).map(|(front, _)| *front)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::request::RequestKey;

    fn request(consumer: &str, name: &str, public: bool, ports: &[(u16, u16)]) -> Request {
        let port = |number: u16| Port::new(number).unwrap();
        Request {
            key: RequestKey { relation: "lb-consumers:1".parse().unwrap(), name: name.to_owned() },
            consumer: consumer.to_owned(),
            protocol: Protocol::Tcp,
            ports: ports.iter().map(|(front, back)| (port(*front), port(*back))).collect::<BTreeMap<_, _>>(),
            public,
            sticky: false,
            algorithm: None,
            ingress_address: None,
            back_ends: BTreeSet::new(),
            checks: Vec::new(),
            sent_hash: None,
        }
    }

    fn front(last: u8) -> Front {
        Front { address: [10, 0, 0, last].into(), port: Port::new(443).unwrap() }
    }

    /// Consumers, what was answered, the option, and whose address workers get.
    type Case<'a> = (&'a [&'a str], &'a [(&'a Request, Front)], Option<&'a str>, Result<Option<u8>, &'a str>);

    #[test]
    fn the_internal_one_of_the_only_or_the_named_control_plane() {
        let (outer, inner) =
            (request("cp", "a", true, &[(443, 6443)]), request("cp", "b", false, &[(6443, 6443)]));
        let other = request("k8s", "a", true, &[(443, 6443)]);
        let names = Request { protocol: Protocol::Udp, ..request("cp", "0", false, &[(53, 6443)]) };
        let metrics = request("cp", "0", false, &[(9090, 9090)]);
        let (outer, inner, other) = ((&outer, front(1)), (&inner, front(2)), (&other, front(3)));
        let (names, metrics) = ((&names, front(4)), (&metrics, front(5)));
        let which = "workers get no new address, since there is more than one control plane; set website-source to one of \
                     cp, k8s";
        let table: [Case<'_>; 14] = [
            (&[], &[], None, Ok(None)),
            (&[], &[], Some("cp"), Ok(None)),
            (&["cp"], &[], None, Ok(None)),
            (&["cp"], &[outer], None, Ok(Some(1))),
            (&["cp"], &[outer, inner], None, Ok(Some(2))),
            (&["cp"], &[names], None, Ok(None)),
            (&["cp"], &[metrics], None, Ok(Some(5))),
            (&["cp"], &[names, metrics, outer], None, Ok(Some(1))),
            (&["cp", "k8s"], &[outer, other], None, Err(which)),
            // The other one is still being made.
            (&["cp", "k8s"], &[outer], None, Err(which)),
            (&["cp", "k8s"], &[outer], Some("k8s"), Ok(None)),
            (&["cp", "k8s"], &[outer, other], Some("k8s"), Ok(Some(3))),
            (&["cp", "k8s"], &[other, inner, outer], Some("cp"), Ok(Some(2))),
            (&["cp"], &[outer], Some("web"), Err("website-source: expected one of cp, got \"web\"")),
        ];
        for (consumers, served, source, expected) in table {
            match (choose(&consumers.iter().copied().collect(), served, source), expected) {
                (Err(finding), Err(words)) => assert!(finding.text.contains(words), "{finding}"),
                (chosen, expected) => {
                    let expected = expected.map(|last| last.map(front)).map_err(Finding::blocked);
                    assert_eq!(chosen, expected, "{consumers:?} {source:?}");
                }
            }
        }
    }

    #[test]
    fn the_port_is_that_of_the_api_server() {
        let port = |ports: &[(u16, u16)]| super::port(&request("cp", "a", true, ports)).map(Port::get);
        assert_eq!(port(&[(80, 8080), (443, 6443)]), Some(443));
        assert_eq!(port(&[(444, 8443), (80, 8080)]), Some(80));
    }
}
