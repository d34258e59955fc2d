//! Options that shape load balancers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;
use serde_json::Value;

use super::options::Reader;
use crate::model::finding::Finding;
use crate::model::list;
use crate::model::monitor::{LONGEST_DELAY, MonitorPolicy, MonitorType};
use crate::model::policy::Policy;
use crate::model::probe::{HttpMethod, Kind};
use crate::model::traffic::Algorithm;

/// Octavia takes at most 24 days, in milliseconds (`octavia/common/constants.py`, `MAX_TIMEOUT`).
const LONGEST_TIMEOUT: u32 = 24 * 24 * 3600;

/// A hook that is longer holds up every other unit of its machine.
const LONGEST_HOOK: u32 = 1800;

/// The policy, or everything that is wrong.
pub fn policy(options: &BTreeMap<String, Value>) -> Result<Policy, Vec<Finding>> {
    let mut reader = Reader::new(options);
    let monitor = monitor(&mut reader);
    let algorithms = Algorithm::ALL.map(|algorithm| (algorithm.as_str(), algorithm));
    let policy = Policy {
        subnet: reader.text("lb-subnet").map(str::to_owned),
        floating_network: reader.text("lb-floating-network").map(str::to_owned),
        algorithm: reader.choice("lb-method", &algorithms).unwrap_or(Algorithm::RoundRobin),
        front_port: reader.port("lb-port"),
        provider: reader.text("lb-provider").map(str::to_owned),
        flavor: reader.text("lb-flavor").map(str::to_owned),
        availability_zone: reader.text("lb-availability-zone").map(str::to_owned),
        allowed_cidrs: reader.parsed("lb-allowed-cidrs", cidrs).unwrap_or_default(),
        name_template: reader.parsed("lb-name-template", str::parse).unwrap_or_default(),
        vip_addresses: reader.parsed("lb-vip-address", str::parse).unwrap_or_default(),
        website_source: reader.text("website-source").map(str::to_owned),
        monitor,
        idle_timeout: reader.number("lb-idle-timeout", 1, LONGEST_TIMEOUT, "seconds").unwrap_or_default(),
        connect_timeout: reader
            .number("lb-connect-timeout", 1, LONGEST_TIMEOUT, "seconds")
            .unwrap_or_default(),
        provisioning_timeout: reader
            .number("provisioning-timeout", 1, LONGEST_HOOK, "seconds")
            .unwrap_or_default(),
    };
    if reader.wrong.is_empty() { Ok(policy) } else { Err(reader.wrong) }
}

/// Networks, as Octavia takes them: without host bits.
fn cidrs(text: &str) -> Result<BTreeSet<IpNet>, String> {
    let (mut networks, mut wrong) = (BTreeSet::new(), Vec::new());
    for word in list::words(text) {
        match word.parse::<IpNet>().or_else(|_| word.parse::<IpAddr>().map(IpNet::from)) {
            Ok(network) => {
                networks.insert(network.trunc());
            }
            Err(_) => wrong.push(word),
        }
    }
    if wrong.is_empty() {
        return Ok(networks);
    }
    Err(format!(
        "expected networks such as 203.0.113.0/24, separated by commas, got {}",
        list::quoted(&wrong)
    ))
}

fn monitor(reader: &mut Reader<'_>) -> MonitorPolicy {
    let mut types = vec![("auto", MonitorType::Auto)];
    types.extend(Kind::ALL.map(|(word, kind)| (word, MonitorType::Fixed(kind))));
    types.push(("none", MonitorType::None));
    let methods = HttpMethod::ALL.map(|method| (method.as_str(), method));
    let monitor_type = reader.choice("monitor-type", &types).unwrap_or(MonitorType::Auto);
    // Octavia's udp_connect_min_interval_health_monitor.
    let least_delay = if monitor_type == MonitorType::Fixed(Kind::UdpConnect) { 3 } else { 1 };
    MonitorPolicy {
        monitor_type,
        delay: reader.number("monitor-delay", least_delay, LONGEST_DELAY, "seconds"),
        timeout: reader.number("monitor-timeout", 1, LONGEST_DELAY, "seconds"),
        max_retries: reader.number("monitor-max-retries", 1, 10, "a number"),
        max_retries_down: reader.number("monitor-max-retries-down", 1, 10, "a number"),
        url_path: reader.parsed("monitor-url-path", str::parse),
        http_method: reader.choice("monitor-http-method", &methods),
        expected_codes: reader.parsed("monitor-expected-codes", str::parse),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(options: Value) -> Result<Policy, Vec<Finding>> {
        policy(&serde_json::from_value(options).unwrap())
    }

    #[test]
    fn unset_options_have_their_defaults() {
        let policy = read(json!({"lb-subnet": "", "monitor-url-path": null})).unwrap();
        assert_eq!(policy.subnet, None);
        assert_eq!(policy.monitor, MonitorPolicy::default());
        assert_eq!(
            (policy.idle_timeout, policy.connect_timeout, policy.provisioning_timeout),
            (3600, 5, 120)
        );
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once_with_name_value_and_cure() {
        let wrong = read(json!({
            "lb-method": "random", "monitor-type": "HTTPS", "monitor-delay": 0, "monitor-timeout": -1,
            "monitor-max-retries": 11, "monitor-max-retries-down": 0, "monitor-url-path": "readyz",
            "monitor-http-method": "get", "monitor-expected-codes": "200,401-403", "lb-idle-timeout": 0,
            "lb-connect-timeout": 99_999_999, "provisioning-timeout": 0, "lb-subnet": 7, "lb-port": 70_000,
            "lb-allowed-cidrs": "10.0.0.0/8, 10.0.0.0/33, moon", "lb-name-template": "{{ unit }}", "lb-vip-address": "x",
        }))
        .unwrap_err();
        let texts: Vec<&str> = wrong.iter().map(|finding| finding.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "monitor-type: expected one of auto, https, http, tcp, tls-hello, ping, udp-connect, sctp, none, got \"HTTPS\"",
                "monitor-delay: expected seconds from 1 to 86400, got 0",
                "monitor-timeout: expected seconds from 1 to 86400, got -1",
                "monitor-max-retries: expected a number from 1 to 10, got 11",
                "monitor-max-retries-down: expected a number from 1 to 10, got 0",
                "monitor-url-path: expected a path such as /readyz (no spaces, at most 255 characters), got \"readyz\"",
                "monitor-http-method: expected one of GET, HEAD, POST, PUT, DELETE, TRACE, OPTIONS, PATCH, CONNECT, got \"get\"",
                "monitor-expected-codes: expected HTTP codes as a list such as 200,401,403 or as one range such as 200-204, got \"200,401-403\"",
                "lb-subnet: expected text, got 7",
                "lb-method: expected one of ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT, got \"random\"",
                "lb-port: expected a port from 1 to 65535, got 70000",
                "lb-allowed-cidrs: expected networks such as 203.0.113.0/24, separated by commas, got \"10.0.0.0/33\", \"moon\"",
                "lb-name-template: expected text with {{ app }}, {{ model }}, {{ consumer }} or {{ request }}, got \"{{ unit }}\": \"unit\" is none of them",
                "lb-vip-address: expected one IP address, or <request or consumer>=<address> pairs, got \"x\"",
                "lb-idle-timeout: expected seconds from 1 to 2073600, got 0",
                "lb-connect-timeout: expected seconds from 1 to 2073600, got 99999999",
                "provisioning-timeout: expected seconds from 1 to 1800, got 0",
            ]
        );
    }

    #[test]
    fn networks_lose_their_host_bits_and_an_address_is_a_network() {
        let read = |text: &str| {
            let cidrs = read(json!({"lb-allowed-cidrs": text})).unwrap().allowed_cidrs;
            cidrs.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            read("10.1.2.3/8,10.0.0.0/8 192.0.2.7,\t\r\n fd00::1/64"),
            ["10.0.0.0/8", "192.0.2.7/32", "fd00::/64"]
        );
        assert_eq!(read(" "), Vec::<String>::new());
    }

    #[test]
    fn a_udp_connect_monitor_asks_at_most_every_3_seconds() {
        assert!(read(json!({"monitor-type": "udp-connect", "monitor-delay": 2})).is_err());
        assert!(read(json!({"monitor-type": "udp-connect", "monitor-delay": 3})).is_ok());
    }
}
