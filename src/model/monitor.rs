//! How members are checked: the operator's policy, the consumer's wish, and the monitor that follows from both.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::health::HealthCheck;
use super::port::Port;
use super::probe::{ExpectedCodes, HttpMethod, HttpProbe, Kind, Probe, UrlPath};
use super::traffic::Protocol;

/// The option `monitor-type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MonitorType {
    /// What fits the traffic and the consumer's check.
    Auto,
    /// This one for every pool that can have it.
    Fixed(Kind),
    /// No monitor: members are never taken out.
    None,
}

/// The `monitor-*` options; what is none follows the consumer's wish, else our own default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonitorPolicy {
    /// What is spoken.
    pub monitor_type: MonitorType,
    /// Seconds between checks, at least 1.
    pub delay: Option<u32>,
    /// Seconds that a check may take, at least 1.
    pub timeout: Option<u32>,
    /// Passed checks until a member is up, 1 to 10.
    pub max_retries: Option<u32>,
    /// Failed checks until a member is down, 1 to 10.
    pub max_retries_down: Option<u32>,
    /// What an HTTP check asks for.
    pub url_path: Option<UrlPath>,
    /// How an HTTP check asks.
    pub http_method: Option<HttpMethod>,
    /// What an HTTP check takes for health.
    pub expected_codes: Option<ExpectedCodes>,
}

impl Default for MonitorPolicy {
    fn default() -> Self {
        Self {
            monitor_type: MonitorType::Auto,
            delay: None,
            timeout: None,
            max_retries: None,
            max_retries_down: None,
            url_path: None,
            http_method: None,
            expected_codes: None,
        }
    }
}

/// The monitor of one pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Monitor {
    /// What is spoken.
    pub probe: Probe,
    /// Seconds between checks.
    pub delay: u32,
    /// Seconds that a check may take.
    pub timeout: u32,
    /// Passed checks until a member is up.
    pub max_retries: u32,
    /// Failed checks until a member is down.
    pub max_retries_down: u32,
    /// Where to ask, if not where the traffic goes.
    pub port: Option<Port>,
}

/// Ports behind which Kubernetes and the web speak TLS.
const TLS_PORTS: [u16; 3] = [443, 6443, 8443];

/// Our own default: a hung API server is out after about 18 s, one that is not ready after about 6 s.
const DELAY: u32 = 5;
const TIMEOUT: u32 = 4;
const MAX_RETRIES: u32 = 2;
const MAX_RETRIES_DOWN: u32 = 2;

/// A day, in seconds: checks that are rarer are none.
pub const LONGEST_DELAY: u32 = 24 * 3600;

/// A UDP-CONNECT monitor may not ask more often (Octavia's `udp_connect_min_interval_health_monitor`).
const UDP_CONNECT_DELAY: u32 = 3;

/// The monitor for a pool, or none where the operator wants none.
pub fn choose(
    policy: &MonitorPolicy,
    traffic: Protocol,
    back: Port,
    check: Option<&HealthCheck>,
) -> Option<Monitor> {
    let kind = kind(policy, traffic, back, check)?;
    let minimum = if kind == Kind::UdpConnect { UDP_CONNECT_DELAY } else { 1 };
    let wished_delay =
        check.map(|check| check.interval).filter(|wish| *wish != HealthCheck::DEFAULT_INTERVAL);
    let wished_down = check.map(|check| check.retries).filter(|wish| *wish != HealthCheck::DEFAULT_RETRIES);
    let delay = policy.delay.or(wished_delay).unwrap_or(DELAY).clamp(minimum, LONGEST_DELAY);
    Some(Monitor {
        probe: probe(policy, kind, check),
        delay,
        timeout: policy.timeout.unwrap_or_else(|| TIMEOUT.min(delay - 1)).max(1),
        max_retries: policy.max_retries.unwrap_or(MAX_RETRIES),
        max_retries_down: policy.max_retries_down.or(wished_down).unwrap_or(MAX_RETRIES_DOWN).clamp(1, 10),
        port: check.map(|check| check.port).filter(|port| *port != back),
    })
}

/// Which check watches which back-end port, and the checks that none of them takes.
///
/// A pool has one monitor: the first check on its own port, else the first on a port that no pool serves.
pub fn assign<'a>(
    ports: &BTreeMap<Port, Port>,
    checks: &'a [HealthCheck],
) -> (BTreeMap<Port, &'a HealthCheck>, Vec<&'a HealthCheck>) {
    let serves = |port: Port| ports.values().any(|back| *back == port);
    let elsewhere = checks.iter().find(|check| !serves(check.port));
    let assigned: BTreeMap<Port, &HealthCheck> = ports
        .values()
        .filter_map(|back| {
            let own = checks.iter().find(|check| check.port == *back);
            own.or(elsewhere).map(|check| (*back, check))
        })
        .collect();
    let left =
        checks.iter().filter(|check| !assigned.values().any(|used| std::ptr::eq(*used, *check))).collect();
    (assigned, left)
}

/// Whether a monitor of this kind may watch a pool for this traffic (`octavia/api/v2/controllers/health_monitor.py`).
pub fn fits(kind: Kind, traffic: Protocol) -> bool {
    match kind {
        Kind::UdpConnect | Kind::Sctp => traffic == Protocol::Udp,
        Kind::Tcp | Kind::Http => true,
        Kind::Https | Kind::TlsHello | Kind::Ping => traffic != Protocol::Udp,
    }
}

fn kind(policy: &MonitorPolicy, traffic: Protocol, back: Port, check: Option<&HealthCheck>) -> Option<Kind> {
    match policy.monitor_type {
        MonitorType::None => None,
        MonitorType::Fixed(kind) if fits(kind, traffic) => Some(kind),
        MonitorType::Fixed(_) | MonitorType::Auto => Some(automatic(traffic, back, check)),
    }
}

fn automatic(traffic: Protocol, back: Port, check: Option<&HealthCheck>) -> Kind {
    let port = check.map_or(back, |check| check.port);
    let spoken = check.map_or(traffic, |check| check.protocol);
    if traffic == Protocol::Udp {
        // A UDP pool takes no HTTPS check; a plain HTTP one may ask another port.
        return if spoken == Protocol::Http { Kind::Http } else { Kind::UdpConnect };
    }
    let tls_traffic = traffic == Protocol::Https && port == back;
    if spoken == Protocol::Https || tls_traffic || TLS_PORTS.contains(&port.get()) {
        return Kind::Https;
    }
    match spoken {
        Protocol::Http | Protocol::Https => Kind::Http,
        Protocol::Tcp | Protocol::Udp => Kind::Tcp,
    }
}

fn probe(policy: &MonitorPolicy, kind: Kind, check: Option<&HealthCheck>) -> Probe {
    let http = || {
        let asked = check.and_then(|check| check.path.as_deref()).and_then(|path| path.parse().ok());
        HttpProbe {
            method: policy.http_method.unwrap_or(HttpMethod::Get),
            path: policy.url_path.clone().or(asked).unwrap_or_else(UrlPath::readyz),
            expected_codes: policy.expected_codes.clone().unwrap_or_else(ExpectedCodes::hardened_api_server),
        }
    };
    match kind {
        Kind::Http => Probe::Http(http()),
        Kind::Https => Probe::Https(http()),
        Kind::Tcp => Probe::Tcp,
        Kind::TlsHello => Probe::TlsHello,
        Kind::Ping => Probe::Ping,
        Kind::UdpConnect => Probe::UdpConnect,
        Kind::Sctp => Probe::Sctp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(number: u16) -> Port {
        Port::new(number).unwrap()
    }

    fn check(protocol: Protocol, number: u16) -> HealthCheck {
        HealthCheck {
            protocol,
            port: port(number),
            path: Some("/livez".to_owned()),
            interval: 30,
            retries: 3,
        }
    }

    fn chosen(policy: &MonitorPolicy, traffic: Protocol, back: u16, check: Option<&HealthCheck>) -> Monitor {
        choose(policy, traffic, port(back), check).unwrap()
    }

    #[test]
    fn auto_follows_the_back_end() {
        use Kind::{Http, Https, Tcp, UdpConnect};
        use Protocol as P;
        let table: [(P, u16, Option<(P, u16)>, Kind); 16] = [
            // What the Charmed Kubernetes control plane really asks for: http on 6443.
            (P::Tcp, 6443, Some((P::Http, 6443)), Https),
            (P::Tcp, 6443, Some((P::Https, 6443)), Https),
            (P::Tcp, 6443, Some((P::Tcp, 6443)), Https),
            (P::Tcp, 6443, None, Https),
            (P::Tcp, 443, None, Https),
            (P::Tcp, 8443, None, Https),
            (P::Https, 9000, None, Https),
            (P::Https, 9000, Some((P::Http, 10_256)), Http),
            (P::Tcp, 9000, Some((P::Https, 9000)), Https),
            (P::Tcp, 8080, Some((P::Http, 8080)), Http),
            (P::Http, 8080, None, Http),
            (P::Tcp, 8080, None, Tcp),
            (P::Tcp, 8080, Some((P::Tcp, 8080)), Tcp),
            (P::Udp, 53, None, UdpConnect),
            (P::Udp, 443, Some((P::Https, 443)), UdpConnect),
            (P::Udp, 53, Some((P::Http, 30_000)), Http),
        ];
        for (traffic, back, wish, expected) in table {
            let wish = wish.map(|(protocol, port)| check(protocol, port));
            let monitor = chosen(&MonitorPolicy::default(), traffic, back, wish.as_ref());
            assert_eq!(monitor.probe.kind(), expected, "{traffic:?} {back} {wish:?}");
        }
    }

    #[test]
    fn without_a_wish_the_defaults_are_ours() {
        let monitor = chosen(&MonitorPolicy::default(), Protocol::Tcp, 6443, None);
        let Monitor { probe, delay, timeout, max_retries, max_retries_down, port } = monitor;
        assert_eq!((delay, timeout, max_retries, max_retries_down, port), (5, 4, 2, 2, None));
        let http = probe.http().unwrap();
        assert_eq!((http.path.as_str(), http.expected_codes.as_str()), ("/readyz", "200,401,403"));
    }

    #[test]
    fn the_librarys_own_30_and_3_are_no_wish_but_other_numbers_are() {
        for (interval, retries, delay, timeout, down) in [
            (30, 3, 5, 4, 2),
            (10, 3, 10, 4, 2),
            (30, 5, 5, 4, 5),
            (2, 99, 2, 1, 10),
            (0, 0, 1, 1, 1),
            (1, 3, 1, 1, 2),
        ] {
            let wish = HealthCheck { interval, retries, ..check(Protocol::Https, 6443) };
            let monitor = chosen(&MonitorPolicy::default(), Protocol::Tcp, 6443, Some(&wish));
            assert_eq!(
                (monitor.delay, monitor.timeout, monitor.max_retries_down),
                (delay, timeout, down),
                "{interval} {retries}"
            );
        }
    }

    #[test]
    fn options_go_before_wishes_and_a_timeout_may_exceed_the_delay() {
        let policy = MonitorPolicy {
            monitor_type: MonitorType::Fixed(Kind::TlsHello),
            delay: Some(5),
            timeout: Some(10),
            max_retries: Some(4),
            max_retries_down: Some(3),
            ..MonitorPolicy::default()
        };
        let wish = HealthCheck { interval: 7, retries: 9, ..check(Protocol::Http, 6443) };
        assert_eq!(
            chosen(&policy, Protocol::Tcp, 6443, Some(&wish)),
            Monitor {
                probe: Probe::TlsHello,
                delay: 5,
                timeout: 10,
                max_retries: 4,
                max_retries_down: 3,
                port: None
            }
        );
    }

    #[test]
    fn a_udp_connect_monitor_never_asks_more_often_than_every_3_seconds() {
        let policy = MonitorPolicy { delay: Some(1), ..MonitorPolicy::default() };
        let monitor = chosen(&policy, Protocol::Udp, 53, None);
        assert_eq!((monitor.delay, monitor.timeout), (3, 2));
    }

    #[test]
    fn a_fixed_kind_that_a_pool_cannot_have_gives_way_to_auto() {
        let policy =
            MonitorPolicy { monitor_type: MonitorType::Fixed(Kind::UdpConnect), ..MonitorPolicy::default() };
        assert_eq!(chosen(&policy, Protocol::Tcp, 6443, None).probe.kind(), Kind::Https);
        let policy =
            MonitorPolicy { monitor_type: MonitorType::Fixed(Kind::Https), ..MonitorPolicy::default() };
        assert_eq!(chosen(&policy, Protocol::Udp, 53, None).probe.kind(), Kind::UdpConnect);
    }

    #[test]
    fn none_means_none() {
        let policy = MonitorPolicy { monitor_type: MonitorType::None, ..MonitorPolicy::default() };
        assert_eq!(choose(&policy, Protocol::Tcp, port(6443), None), None);
    }

    #[test]
    fn each_pool_takes_its_own_check_and_the_rest_is_reported() {
        let ports = BTreeMap::from([(port(443), port(6443)), (port(80), port(8080)), (port(81), port(9090))]);
        let checks = [
            check(Protocol::Tcp, 8080),
            check(Protocol::Http, 6443),
            check(Protocol::Https, 6443),
            check(Protocol::Http, 10_256),
            check(Protocol::Http, 10_257),
        ];
        let (assigned, left) = assign(&ports, &checks);
        assert_eq!(assigned[&port(8080)], &checks[0]);
        assert_eq!(assigned[&port(6443)], &checks[1]);
        assert_eq!(assigned[&port(9090)], &checks[3]);
        assert_eq!(left, [&checks[2], &checks[4]]);
        let monitor = chosen(&MonitorPolicy::default(), Protocol::Tcp, 9090, Some(assigned[&port(9090)]));
        assert_eq!(monitor.port, Some(port(10_256)));
        assert_eq!(monitor.probe.kind(), Kind::Http);
    }
}
