//! The interface `http`: kubernetes-worker up to 1.28 takes its API server's address by `kube-api-endpoint`.
//!
//! Each unit of ours writes the same (`interface-http`, `provides.py`).

use super::Bag;
use crate::model::front::Front;

/// What was written before; none if it cannot be read.
pub fn read_front(own_unit_bag: &Bag) -> Option<Front> {
    let address = own_unit_bag.get("hostname")?.parse().ok()?;
    Some(Front { address, port: own_unit_bag.get("port")?.parse().ok()? })
}

/// Our unit's databag.
pub fn write_front(front: Front) -> Bag {
    Bag::from([
        ("hostname".to_owned(), front.address.to_string()),
        ("private-address".to_owned(), front.address.to_string()),
        ("port".to_owned(), front.port.to_string()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::port::Port;

    #[test]
    fn what_is_written_reads_back() {
        let front = Front { address: "10.0.0.5".parse().unwrap(), port: Port::new(6443).unwrap() };
        let bag = write_front(front);
        assert_eq!((bag["hostname"].as_str(), bag["private-address"].as_str()), ("10.0.0.5", "10.0.0.5"));
        assert_eq!((bag["port"].as_str(), read_front(&bag)), ("6443", Some(front)));
        assert_eq!(read_front(&Bag::new()), None);
    }
}
