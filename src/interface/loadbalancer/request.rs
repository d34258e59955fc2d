//! One request, field by field.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde_json::{Map, Value};

use crate::model::health::HealthCheck;
use crate::model::port::Port;
use crate::model::probe::UrlPath;
use crate::model::request::{BackEnd, Refusal, Request, RequestKey};
use crate::model::traffic::{Algorithm, Protocol};

/// The request, or what is wrong with it, field by field.
pub(super) fn read(
    key: RequestKey,
    consumer: &str,
    text: &str,
    units: &BTreeSet<BackEnd>,
) -> Result<Request, Refusal> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        let fields =
            BTreeMap::from([("name".to_owned(), "expected the request as a JSON object".to_owned())]);
        return Err(Refusal { key, fields, received_hash: None });
    };
    let mut reader = Reader { fields: &fields, wrong: BTreeMap::new() };
    let protocol = reader.protocol();
    let ports = reader.ports();
    let public = reader.flag("public", true);
    let sticky = reader.flag("sticky", false);
    let algorithm = reader.algorithm();
    let ingress_address = reader.ingress_address();
    let back_ends = reader.back_ends(units);
    let checks = reader.checks();
    let sent_hash = reader.hash();
    reader.unsupported();
    let wrong = reader.wrong;
    match (protocol, wrong.is_empty()) {
        (Some(protocol), true) => Ok(Request {
            key,
            consumer: consumer.to_owned(),
            protocol,
            ports,
            public,
            sticky,
            algorithm,
            ingress_address,
            back_ends,
            checks,
            sent_hash,
        }),
        _ => Err(Refusal { key, fields: wrong, received_hash: sent_hash }),
    }
}

/// Reads fields and keeps what is wrong with them; null is the same as missing, as it is for the library.
struct Reader<'a> {
    fields: &'a Map<String, Value>,
    wrong: BTreeMap<String, String>,
}

impl<'a> Reader<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn refuse(&mut self, field: &str, expected: &str, got: &Value) {
        self.wrong.insert(field.to_owned(), format!("expected {expected}, got {}", excerpt(got)));
    }

    fn flag(&mut self, name: &str, default: bool) -> bool {
        match self.get(name) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.refuse(name, "true or false", other);
                default
            }
        }
    }

    fn hash(&mut self) -> Option<String> {
        let got = self.get("sent_hash")?;
        let hash = got.as_str().map(str::to_owned);
        if hash.is_none() {
            self.refuse("sent_hash", "text", got);
        }
        hash
    }

    fn protocol(&mut self) -> Option<Protocol> {
        let got = self.get("protocol").unwrap_or(&Value::Null);
        let found = protocol(got);
        if found.is_none() {
            self.refuse("protocol", "tcp, udp, http or https", got);
        }
        found
    }

    fn ports(&mut self) -> BTreeMap<Port, Port> {
        let got = self.get("port_mapping").unwrap_or(&Value::Null);
        let expected = "at least one front port with its back-end port, each from 1 to 65535";
        let ports = got.as_object().filter(|ports| !ports.is_empty()).and_then(|ports| {
            let read: Option<BTreeMap<Port, Port>> =
                ports.iter().map(|(front, back)| Some((front.parse().ok()?, port(back)?))).collect();
            // "443" and "0443" are one front port with two back ends.
            read.filter(|read| read.len() == ports.len())
        });
        if ports.is_none() {
            self.refuse("port_mapping", expected, got);
        }
        ports.unwrap_or_default()
    }

    fn back_ends(&mut self, units: &BTreeSet<BackEnd>) -> BTreeSet<BackEnd> {
        let Some(got) = self.get("backends") else { return units.clone() };
        let addresses: Option<Vec<IpAddr>> = got
            .as_array()
            .and_then(|list| list.iter().map(|address| address.as_str()?.parse().ok()).collect());
        let Some(addresses) = addresses else {
            self.refuse("backends", "a list of IP addresses", got);
            return BTreeSet::new();
        };
        if addresses.is_empty() {
            return units.clone();
        }
        let unit =
            |address| units.iter().find(|unit| unit.address == address).and_then(|unit| unit.unit.clone());
        addresses.into_iter().map(|address| BackEnd { address, unit: unit(address) }).collect()
    }

    fn checks(&mut self) -> Vec<HealthCheck> {
        let Some(got) = self.get("health_checks") else { return Vec::new() };
        let checks: Option<Vec<HealthCheck>> = got
            .as_array()
            .and_then(|list| list.iter().map(|check| health_check(check.as_object()?)).collect());
        if checks.is_none() {
            let expected = "a list of checks, each with protocol (tcp, udp, http or https), port (1 to 65535), path, \
                            interval and retries";
            self.refuse("health_checks", expected, got);
        }
        checks.unwrap_or_default()
    }

    /// The first that we know of a list in order of preference, in any case and with `-` or `_`.
    fn algorithm(&mut self) -> Option<Algorithm> {
        let got = self.get("algorithm")?;
        let words: Option<Vec<String>> = match got {
            Value::String(word) => Some(vec![word.clone()]),
            Value::Array(words) => words.iter().map(|word| Some(word.as_str()?.to_owned())).collect(),
            _ => None,
        };
        let known = |word: &String| {
            let word = word.trim().to_ascii_uppercase().replace('-', "_");
            Algorithm::ALL.into_iter().find(|algorithm| algorithm.as_str() == word)
        };
        let found = words.as_ref().and_then(|words| words.iter().find_map(known));
        if found.is_none() && words.is_none_or(|words| !words.is_empty()) {
            let names = Algorithm::ALL.map(Algorithm::as_str).join(", ");
            self.refuse("algorithm", &format!("a list with one of {names}"), got);
        }
        found
    }

    fn ingress_address(&mut self) -> Option<IpAddr> {
        let got = self.get("ingress_address").filter(|value| value.as_str() != Some(""))?;
        let address = got.as_str().and_then(|text| text.parse().ok());
        if address.is_none() {
            self.refuse("ingress_address", "an IP address", got);
        }
        address
    }

    fn unsupported(&mut self) {
        if self.flag("tls_termination", false) {
            let reason = "TLS passes through to the back ends; it is not terminated here";
            self.wrong.insert("tls_termination".to_owned(), reason.to_owned());
        }
    }
}

fn protocol(value: &Value) -> Option<Protocol> {
    let word = value.as_str()?;
    Protocol::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, protocol)| protocol)
}

fn port(value: &Value) -> Option<Port> {
    match value {
        Value::String(text) => text.parse().ok(),
        _ => Port::try_from(value.as_i64()?).ok(),
    }
}

fn health_check(fields: &Map<String, Value>) -> Option<HealthCheck> {
    let number = |name: &str, default: u32| match fields.get(name) {
        None | Some(Value::Null) => Some(default),
        Some(value) => value.as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX)),
    };
    let path = match fields.get("path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) if path.is_empty() => None,
        Some(path) => Some(path.as_str()?.parse::<UrlPath>().ok()?.to_string()),
    };
    Some(HealthCheck {
        protocol: protocol(fields.get("protocol").or_else(|| fields.get("traffic_type"))?)?,
        port: port(fields.get("port")?)?,
        path,
        interval: number("interval", HealthCheck::DEFAULT_INTERVAL)?,
        retries: number("retries", HealthCheck::DEFAULT_RETRIES)?,
    })
}

/// Enough of a value to know it again.
fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
