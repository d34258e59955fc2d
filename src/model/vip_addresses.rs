//! The option `lb-vip-address`: the addresses to ask for.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::list;
use super::request::Request;

/// The VIPs that an operator wishes for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VipAddresses {
    /// Whatever is free.
    #[default]
    Any,
    /// This one, for the only load balancer that there is.
    Only(IpAddr),
    /// By the name of a request, or of the consumer's application.
    Named(BTreeMap<String, IpAddr>),
}

impl VipAddresses {
    /// The wish for one of these requests; an error says what an operator has to write instead.
    ///
    /// A request with a wish of its own needs none from the operator.
    pub fn wish(&self, request: &Request, requests: &[Request]) -> Result<Option<IpAddr>, String> {
        if request.ingress_address.is_some() {
            return Ok(None);
        }
        let all = requests.iter().filter(|one| one.ingress_address.is_none());
        match self {
            Self::Any => Ok(None),
            Self::Only(address) => match all.count() {
                0 | 1 => Ok(Some(*address)),
                count => Err(format!(
                    "lb-vip-address: {address} is one address for {count} load balancers; expected {PAIRS}"
                )),
            },
            Self::Named(addresses) => {
                // A name of a request goes before that of its consumer.
                let name_of = |request: &Request| {
                    let names = [&request.key.name, &request.consumer];
                    names.into_iter().find(|name| addresses.contains_key(*name)).cloned()
                };
                let Some(name) = name_of(request) else { return Ok(None) };
                let served: Vec<String> = all
                    .filter(|one| name_of(one).as_ref() == Some(&name))
                    .map(|one| one.key.to_string())
                    .collect();
                if served.len() > 1 {
                    return Err(format!(
                        "lb-vip-address: {name:?} stands for {} load balancers, {}; expected {PAIRS}, each for one of \
                         them",
                        served.len(),
                        served.join(", ")
                    ));
                }
                Ok(addresses.get(&name).copied())
            }
        }
    }
}

const PAIRS: &str = "<request or consumer>=<address> pairs";

impl FromStr for VipAddresses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = format!("expected one IP address, or {PAIRS}");
        let words = list::words(text);
        if let [word] = words.as_slice()
            && !word.contains('=')
        {
            return word.parse().map(Self::Only).map_err(|_| format!("{expected}, got {word:?}"));
        }
        let mut addresses = BTreeMap::new();
        let mut wrong = Vec::new();
        for word in words {
            // An address holds no such sign, a request's name may.
            let pair = word.rsplit_once('=').filter(|(name, _)| !name.is_empty());
            match pair.and_then(|(name, address)| Some((name, address.parse::<IpAddr>().ok()?))) {
                Some((name, address)) if addresses.values().any(|taken| *taken == address) => {
                    return Err(format!("{expected}, got {address} twice, again for {name:?}"));
                }
                Some((name, address)) => {
                    if addresses.insert(name.to_owned(), address).is_some() {
                        return Err(format!("{expected}, got two for {name:?}"));
                    }
                }
                None => wrong.push(word),
            }
        }
        if !wrong.is_empty() {
            return Err(format!("{expected}, got {}", list::quoted(&wrong)));
        }
        Ok(if addresses.is_empty() { Self::Any } else { Self::Named(addresses) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::port::Port;
    use crate::model::request::RequestKey;
    use crate::model::traffic::Protocol;

    /// A request of a consumer over a relation.
    fn request(relation: u32, consumer: &str, name: &str) -> Request {
        let port = Port::new(443).unwrap();
        Request {
            key: RequestKey {
                relation: format!("lb-consumers:{relation}").parse().unwrap(),
                name: name.to_owned(),
            },
            consumer: consumer.to_owned(),
            protocol: Protocol::Tcp,
            ports: BTreeMap::from([(port, port)]),
            public: true,
            sticky: false,
            algorithm: None,
            ingress_address: None,
            back_ends: BTreeSet::new(),
            checks: Vec::new(),
            sent_hash: None,
        }
    }

    /// What each request gets, or why not.
    fn wishes(text: &str, requests: &[Request]) -> Vec<String> {
        let addresses: VipAddresses = text.parse().unwrap();
        let wish = |request| match addresses.wish(request, requests) {
            Ok(address) => address.map_or_else(|| "any".to_owned(), |address| address.to_string()),
            Err(reason) => reason,
        };
        requests.iter().map(wish).collect()
    }

    #[test]
    fn an_address_is_wished_for_by_one_load_balancer_alone() {
        let (outer, inner) = (request(1, "cp", "external"), request(2, "cp", "internal"));
        let other = request(3, "k8s", "external");
        let served = Request { ingress_address: Some([10, 0, 0, 9].into()), ..request(4, "cp", "own") };
        let one_for_two = "lb-vip-address: 10.0.0.5 is one address for 2 load balancers; expected <request or \
                           consumer>=<address> pairs";
        let consumer_twice = "lb-vip-address: \"cp\" stands for 2 load balancers, external (lb-consumers:1), internal \
                              (lb-consumers:2); expected <request or consumer>=<address> pairs, each for one of them";
        let request_twice = "lb-vip-address: \"external\" stands for 2 load balancers, external (lb-consumers:1), \
                             external (lb-consumers:3); expected <request or consumer>=<address> pairs, each for one of \
                             them";
        let table: [(&str, &str, Vec<&Request>, &[&str]); 11] = [
            ("nothing is asked for", " , ", vec![&outer, &inner], &["any", "any"]),
            ("one for the only one", "10.0.0.5", vec![&outer], &["10.0.0.5"]),
            ("one for two", "10.0.0.5", vec![&outer, &inner], &[one_for_two, one_for_two]),
            ("the other has its own wish", "10.0.0.5", vec![&outer, &served], &["10.0.0.5", "any"]),
            ("by consumer", "cp=fd00::5\n", vec![&inner, &other], &["fd00::5", "any"]),
            ("by request", "internal=10.0.0.6", vec![&outer, &inner], &["any", "10.0.0.6"]),
            (
                "the request goes first, and the consumer is for the rest",
                "cp=10.0.0.5,internal=10.0.0.6",
                vec![&outer, &inner],
                &["10.0.0.5", "10.0.0.6"],
            ),
            ("a consumer with two", "cp=10.0.0.5", vec![&outer, &inner], &[consumer_twice, consumer_twice]),
            (
                "two consumers with one name",
                "external=10.0.0.5",
                vec![&outer, &inner, &other],
                &[request_twice, "any", request_twice],
            ),
            (
                "two consumers by their own names",
                "cp=10.0.0.5 k8s=10.0.0.6",
                vec![&outer, &other],
                &["10.0.0.5", "10.0.0.6"],
            ),
            ("somebody else", "web=10.0.0.5", vec![&outer], &["any"]),
        ];
        for (what, text, requests, expected) in table {
            let requests: Vec<Request> = requests.into_iter().cloned().collect();
            assert_eq!(wishes(text, &requests), expected, "{what}");
        }
        assert_eq!(wishes("a=b=10.0.0.5", &[request(1, "cp", "a=b")]), ["10.0.0.5"]);
    }

    #[test]
    fn all_that_is_no_address_and_no_pair_is_named() {
        for (bad, got) in [
            ("x", "got \"x\""),
            ("10.0.0.5,10.0.0.6", "got \"10.0.0.5\", \"10.0.0.6\""),
            ("10.0.0.5 api=10.0.0.6", "got \"10.0.0.5\""),
            ("=10.0.0.5", "got \"=10.0.0.5\""),
            ("api=", "got \"api=\""),
            ("api=x, web=10.0.0.5 y", "got \"api=x\", \"y\""),
            ("a=10.0.0.5,b=10.0.0.5", "got 10.0.0.5 twice, again for \"b\""),
            ("a=10.0.0.5,a=10.0.0.6", "got two for \"a\""),
        ] {
            let expected =
                format!("expected one IP address, or <request or consumer>=<address> pairs, {got}");
            assert_eq!(bad.parse::<VipAddresses>(), Err(expected), "{bad}");
        }
    }
}
