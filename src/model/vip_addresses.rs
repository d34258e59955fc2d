//! The option `lb-vip-address`: the addresses to ask for.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
    /// The wish for one request, of `count` in all; an error says what an operator has to write instead.
    pub fn wish(&self, request: &str, consumer: &str, count: usize) -> Result<Option<IpAddr>, String> {
        match self {
            Self::Any => Ok(None),
            Self::Only(address) if count <= 1 => Ok(Some(*address)),
            Self::Only(address) => Err(format!(
                "lb-vip-address: {address} is one address for {count} load balancers; expected <request or \
                 consumer>=<address> pairs"
            )),
            Self::Named(addresses) => Ok(addresses.get(request).or_else(|| addresses.get(consumer)).copied()),
        }
    }
}

impl FromStr for VipAddresses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected one IP address, or <request or consumer>=<address> pairs";
        let words: Vec<&str> = text.split([',', ' ', '\n']).filter(|word| !word.is_empty()).collect();
        if let [word] = words.as_slice()
            && !word.contains('=')
        {
            return word.parse().map(Self::Only).map_err(|_| format!("{expected}, got {text:?}"));
        }
        let mut addresses = BTreeMap::new();
        for word in words {
            let pair = word.split_once('=').filter(|(name, _)| !name.is_empty());
            let pair =
                pair.and_then(|(name, address)| Some((name.to_owned(), address.parse::<IpAddr>().ok()?)));
            let (name, address) = pair.ok_or_else(|| format!("{expected}, got {word:?}"))?;
            if addresses.values().any(|taken| *taken == address) {
                return Err(format!("{expected}, got {address} twice"));
            }
            if addresses.insert(name, address).is_some() {
                return Err(format!("{expected}, got two for {word:?}"));
            }
        }
        Ok(if addresses.is_empty() { Self::Any } else { Self::Named(addresses) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_or_pairs_of_name_and_address() {
        let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        let wish = |text: &str, count| text.parse::<VipAddresses>().unwrap().wish("api", "web", count);
        assert_eq!(wish("10.0.0.5", 1), Ok(address("10.0.0.5")));
        assert!(wish("10.0.0.5", 2).unwrap_err().contains("10.0.0.5 is one address for 2 load balancers"));
        assert_eq!(wish("web=10.0.0.6, api=fd00::5", 2), Ok(address("fd00::5")));
        assert_eq!(wish("web=10.0.0.6 other=10.0.0.7", 2), Ok(address("10.0.0.6")));
        assert_eq!(wish("other=10.0.0.7", 1), Ok(None));
        assert_eq!(wish(",", 7), Ok(None));
        for bad in [
            "x",
            "10.0.0.5,10.0.0.6",
            "=10.0.0.5",
            "api=",
            "api=x",
            "a=10.0.0.5,b=10.0.0.5",
            "a=10.0.0.5,a=10.0.0.6",
        ] {
            assert!(
                bad.parse::<VipAddresses>().unwrap_err().starts_with("expected one IP address, or"),
                "{bad}"
            );
        }
    }
}
