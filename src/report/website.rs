//! The address that workers are handed.

use std::collections::BTreeSet;

use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::port::Port;
use crate::model::request::Request;

/// Where an API server listens.
const API_SERVER: u16 = 6443;

/// Which load balancer workers get, out of those that were answered with an address; none, and why, if that is open.
///
/// What was answered is in the API servers' certificates, so it is that address.
pub fn choose(served: &[(&Request, Front)], source: Option<&str>) -> Result<Option<Front>, Finding> {
    let consumers: BTreeSet<&str> = served.iter().map(|(request, _)| request.consumer.as_str()).collect();
    let names = || consumers.iter().copied().collect::<Vec<_>>().join(", ");
    let consumer = match source {
        Some(source) if consumers.contains(source) || consumers.is_empty() => source,
        Some(source) => {
            let text = format!(
                "website-source: expected one of {}, got {source:?}; workers get no address",
                names()
            );
            return Err(Finding::blocked(text));
        }
        None if consumers.len() > 1 => {
            let text = format!(
                "website: workers get no address, since there is more than one control plane; set website-source to one \
                 of {}",
                names()
            );
            return Err(Finding::blocked(text));
        }
        None => consumers.first().copied().unwrap_or_default(),
    };
    let own = served.iter().filter(|(request, _)| request.consumer == consumer);
    // Internal before public, then by name.
    Ok(own.min_by_key(|(request, _)| (request.public, &request.key)).map(|(_, front)| *front))
}

/// The front port that leads to an API server, else the lowest.
pub fn port(request: &Request) -> Option<Port> {
    let api_server = request.ports.iter().find(|(_, back)| back.get() == API_SERVER);
    api_server.or_else(|| request.ports.first_key_value()).map(|(front, _)| *front)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::request::RequestKey;
    use crate::model::traffic::Protocol;

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

    #[test]
    fn the_internal_one_of_the_only_or_the_named_control_plane() {
        let (outer, inner) =
            (request("cp", "a", true, &[(443, 6443)]), request("cp", "b", false, &[(6443, 6443)]));
        let other = request("k8s", "a", true, &[(443, 6443)]);
        let table: [(&[(&Request, Front)], Option<&str>, Result<Option<Front>, &str>); 8] = [
            (&[], None, Ok(None)),
            (&[], Some("cp"), Ok(None)),
            (&[(&outer, front(1))], None, Ok(Some(front(1)))),
            (&[(&outer, front(1)), (&inner, front(2))], None, Ok(Some(front(2)))),
            (&[(&outer, front(1)), (&other, front(3))], None, Err("set website-source to one of cp, k8s")),
            (&[(&outer, front(1)), (&other, front(3))], Some("k8s"), Ok(Some(front(3)))),
            (&[(&other, front(3)), (&inner, front(2)), (&outer, front(1))], Some("cp"), Ok(Some(front(2)))),
            (&[(&outer, front(1))], Some("web"), Err("website-source: expected one of cp, got \"web\"")),
        ];
        for (served, source, expected) in table {
            match (choose(served, source), expected) {
                (Err(finding), Err(words)) => assert!(finding.text.contains(words), "{finding}"),
                (chosen, expected) => assert_eq!(chosen.ok(), expected.ok(), "{source:?}"),
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
