use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::{
    DataPlane, ListenerConfig, MemberConfig, MemberStatus, MonitorConfig, PoolConfig, Sockets, VipConfig,
};
use crate::backend::{BackEnd, Kind, fetch_https};
use crate::eventually::eventually;
use crate::testing::{SOON, address, ends, free_port};

/// Checks every 5 s with 4 s of patience, 20 times as fast.
const CLOCK: u32 = 20;

fn monitor(kind: &str) -> MonitorConfig {
    MonitorConfig {
        kind: kind.to_owned(),
        delay: Duration::from_secs(5),
        timeout: Duration::from_secs(4),
        rise: 2,
        fall: 2,
        http_method: "GET".to_owned(),
        url_path: "/readyz".to_owned(),
        expected_codes: "200,401,403".to_owned(),
        admin_state_up: true,
    }
}

fn member(back_end: &BackEnd) -> MemberConfig {
    MemberConfig {
        id: format!("member {}", back_end.name()),
        address: back_end.address(),
        port: back_end.port(),
        weight: 1,
        backup: false,
        admin_state_up: true,
        monitor_address: None,
        monitor_port: None,
    }
}

/// One load balancer with one listener, and the means to see it work.
struct Bench {
    sockets: Sockets,
    vip: IpAddr,
    port: u16,
    config: VipConfig,
}

impl Bench {
    fn new(members: Vec<MemberConfig>, monitor: Option<MonitorConfig>) -> Self {
        let vip = address();
        let port = free_port(vip);
        let pool = PoolConfig {
            id: "pool".to_owned(),
            algorithm: "ROUND_ROBIN".to_owned(),
            source_ip_persistence: false,
            members,
            monitor,
        };
        let listener = ListenerConfig {
            id: "listener".to_owned(),
            port,
            protocol: "TCP".to_owned(),
            allowed_cidrs: Vec::new(),
            timeout_client_data: Duration::from_hours(1),
            timeout_member_data: Duration::from_hours(1),
            timeout_member_connect: Duration::from_secs(5),
            pool: Some(pool),
        };
        let config = VipConfig {
            load_balancer: "load balancer".to_owned(),
            addresses: vec![vip],
            listeners: vec![listener],
            spare_pools: Vec::new(),
        };
        let bench = Self { sockets: Sockets::new(CLOCK), vip, port, config };
        bench.apply();
        bench
    }

    fn apply(&self) {
        self.sockets.apply(self.config.clone());
    }

    fn listener(&mut self) -> &mut ListenerConfig {
        &mut self.config.listeners[0]
    }

    fn pool(&mut self) -> &mut PoolConfig {
        self.listener().pool.as_mut().unwrap()
    }

    fn at(&self) -> SocketAddr {
        self.sockets.front(self.vip, self.port).unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.at()).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream
    }

    /// The name of the back end that answers; none if the connection is closed.
    fn fetch(&self) -> Option<String> {
        let at = self.at();
        fetch_https(at.ip(), at.port(), "/version").ok().map(|(_, name)| name)
    }

    /// The names of all back ends that answer within some connections.
    fn served_by(&self, connections: usize) -> BTreeSet<Option<String>> {
        (0..connections).map(|_| self.fetch()).collect()
    }

    fn status(&self, back_end: &BackEnd) -> MemberStatus {
        self.sockets.member_status(&member(back_end).id)
    }

    fn becomes(&self, back_end: &BackEnd, status: MemberStatus) {
        let what = format!("{} becomes {status:?}", back_end.name());
        eventually(&what, SOON, || self.status(back_end) == status);
    }
}

fn https(count: usize) -> Vec<BackEnd> {
    (0..count).map(|_| BackEnd::start(address(), 0, Kind::hardened_api_server())).collect()
}

fn names(back_ends: &[&BackEnd]) -> BTreeSet<Option<String>> {
    back_ends.iter().map(|one| Some(one.name().to_owned())).collect()
}

fn echoes(mut stream: &TcpStream) -> bool {
    let mut said = [0; 4];
    stream.write_all(b"ping").is_ok() && stream.read_exact(&mut said).is_ok() && said == *b"ping"
}

#[test]
fn each_type_of_monitor_sees_what_it_can_see() {
    use MemberStatus::{Down, Up};
    let not_ready = || Kind::Https(500);
    let table = [
        ("TCP", Kind::Https(401), Up),
        ("TCP", not_ready(), Up),
        ("TCP", Kind::Hang, Up),
        ("TCP", Kind::Closed, Down),
        ("TLS-HELLO", Kind::Hang, Up),
        ("TLS-HELLO", Kind::Closed, Down),
        ("HTTP", Kind::Http(200), Up),
        ("HTTP", Kind::Http(500), Down),
        ("HTTP", Kind::Https(200), Down),
        ("HTTP", Kind::Echo, Down),
        ("HTTP", Kind::Hang, Down),
        ("HTTP", Kind::Closed, Down),
        ("HTTPS", Kind::Https(200), Up),
        ("HTTPS", Kind::Https(401), Up),
        ("HTTPS", not_ready(), Down),
        ("HTTPS", Kind::Http(200), Down),
        ("HTTPS", Kind::Banner("SSH-2.0\r\n".to_owned()), Down),
        ("HTTPS", Kind::Hang, Down),
        ("HTTPS", Kind::Closed, Down),
        ("PING", Kind::Closed, Up),
        ("UDP-CONNECT", Kind::Closed, Down),
    ];
    let running: Vec<_> = table
        .into_iter()
        .map(|(monitored, kind, expected)| {
            let port = if kind == Kind::Closed { 6443 } else { 0 };
            let back_end = BackEnd::start(address(), port, kind.clone());
            (Bench::new(vec![member(&back_end)], Some(monitor(monitored))), back_end, expected)
        })
        .collect();
    for (bench, back_end, expected) in &running {
        bench.becomes(back_end, *expected);
    }
    // A member starts up, so those are looked at once more after all the others were found down.
    for (bench, back_end, expected) in &running {
        assert_eq!(bench.status(back_end), *expected, "{:?}", bench.config);
    }
}

#[test]
fn a_udp_server_that_is_there_is_up() {
    let server = std::net::UdpSocket::bind((address(), 0)).unwrap();
    let at = server.local_addr().unwrap();
    let closed = BackEnd::start(at.ip(), at.port(), Kind::Closed);
    let bench = Bench::new(vec![member(&closed)], Some(monitor("UDP-CONNECT")));
    server.set_read_timeout(Some(SOON)).unwrap();
    server.recv_from(&mut [0]).expect("a probe arrives");
    assert_eq!(bench.status(&closed), MemberStatus::Up);
    drop(server);
    bench.becomes(&closed, MemberStatus::Down);
}

#[test]
fn traffic_goes_to_members_that_are_up_and_comes_back() {
    let mut back_ends = https(3);
    let bench = Bench::new(back_ends.iter().map(member).collect(), Some(monitor("HTTPS")));
    let all: Vec<_> = back_ends.iter().collect();
    assert_eq!(bench.served_by(9), names(&all));
    back_ends[1].hang();
    bench.becomes(&back_ends[1], MemberStatus::Down);
    assert_eq!(bench.served_by(6), names(&[&back_ends[0], &back_ends[2]]));
    back_ends[1].start_again();
    bench.becomes(&back_ends[1], MemberStatus::Up);
    let all: Vec<_> = back_ends.iter().collect();
    assert_eq!(bench.served_by(9), names(&all));
}

#[test]
fn a_refused_connection_goes_to_another_member_at_once() {
    let mut back_ends = https(3);
    let bench = Bench::new(back_ends.iter().map(member).collect(), None);
    back_ends[0].stop();
    back_ends[1].stop();
    let begin = Instant::now();
    assert_eq!(bench.served_by(6), names(&[&back_ends[2]]));
    assert!(begin.elapsed() < Duration::from_secs(5), "no waiting for the members that refuse");
    assert_eq!(bench.status(&back_ends[0]), MemberStatus::NoMonitor);
}

#[test]
fn with_every_member_down_connections_are_closed_at_once() {
    let back_ends = https(2);
    let bench = Bench::new(back_ends.iter().map(member).collect(), Some(monitor("HTTPS")));
    for back_end in &back_ends {
        back_end.answer(503);
        bench.becomes(back_end, MemberStatus::Down);
    }
    assert!(ends(&bench.connect()), "although both would answer");
}

#[test]
fn a_listener_without_a_pool_closes_connections() {
    let mut bench = Bench::new(Vec::new(), None);
    assert!(ends(&bench.connect()), "nor does one with an empty pool");
    bench.listener().pool = None;
    bench.apply();
    assert!(ends(&bench.connect()));
}

#[test]
fn sessions_outlive_the_fall_of_their_member() {
    let checked = BackEnd::start(address(), 0, Kind::Https(200));
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let mut config = member(&echo);
    (config.monitor_address, config.monitor_port) = (Some(checked.address()), Some(checked.port()));
    let bench = Bench::new(vec![config], Some(monitor("HTTPS")));
    let session = bench.connect();
    assert!(echoes(&session));
    checked.answer(500);
    bench.becomes(&echo, MemberStatus::Down);
    assert!(ends(&bench.connect()), "new ones are closed");
    assert!(echoes(&session));
}

#[test]
fn sessions_outlive_a_change_but_not_the_load_balancer() {
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let mut bench = Bench::new(vec![member(&echo)], None);
    let session = bench.connect();
    assert!(echoes(&session));
    bench.pool().members.clear();
    bench.apply();
    assert!(ends(&bench.connect()));
    assert!(echoes(&session));
    let at = bench.at();
    bench.sockets.remove("load balancer");
    assert!(ends(&session));
    eventually("the port refuses", SOON, || TcpStream::connect(at).is_err());
    assert_eq!(bench.sockets.front(bench.vip, bench.port), None);
    assert_eq!(bench.status(&echo), MemberStatus::Unknown);
    bench.apply();
    assert!(echoes(&{
        bench.pool().members.push(member(&echo));
        bench.apply();
        bench.connect()
    }));
}

#[test]
fn everything_ends_with_the_data_plane() {
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let bench = Bench::new(vec![member(&echo)], None);
    let (at, session) = (bench.at(), bench.connect());
    assert!(echoes(&session));
    drop(bench);
    assert!(ends(&session));
    eventually("the port refuses", SOON, || TcpStream::connect(at).is_err());
}

#[test]
fn silence_ends_a_session_and_words_do_not() {
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let mut bench = Bench::new(vec![member(&echo)], None);
    bench.listener().timeout_client_data = Duration::from_millis(400);
    bench.apply();
    let session = bench.connect();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(800) {
        assert!(echoes(&session));
    }
    let silent = Instant::now();
    assert!(ends(&session));
    assert!(silent.elapsed() > Duration::from_millis(200));
}

#[test]
fn weight_backup_and_administrators_decide_who_is_eligible() {
    let back_ends = https(4);
    let mut bench = Bench::new(back_ends.iter().map(member).collect(), Some(monitor("HTTPS")));
    let members = &mut bench.pool().members;
    members[1].weight = 0;
    members[2].admin_state_up = false;
    members[3].backup = true;
    bench.apply();
    bench.becomes(&back_ends[1], MemberStatus::Draining);
    assert_eq!(bench.status(&back_ends[2]), MemberStatus::Maintenance);
    assert_eq!(bench.served_by(4), names(&[&back_ends[0]]));
    back_ends[0].answer(500);
    bench.becomes(&back_ends[0], MemberStatus::Down);
    assert_eq!(bench.served_by(4), names(&[&back_ends[3]]), "the backup serves when no other is up");
    back_ends[1].answer(500);
    bench.becomes(&back_ends[1], MemberStatus::Down);
}

#[test]
fn weight_0_gets_nothing_even_where_nobody_checks() {
    let back_ends = https(2);
    let mut bench = Bench::new(back_ends.iter().map(member).collect(), None);
    bench.pool().members[0].weight = 0;
    for algorithm in ["SOURCE_IP", "LEAST_CONNECTIONS", "ROUND_ROBIN"] {
        bench.pool().algorithm = algorithm.to_owned();
        bench.apply();
        assert_eq!(bench.served_by(3), names(&[&back_ends[1]]), "{algorithm}");
    }
    bench.pool().members[1].weight = 0;
    bench.apply();
    assert!(ends(&bench.connect()));
}

#[test]
fn a_switched_off_monitor_checks_nothing() {
    let back_ends = https(1);
    let mut off = monitor("HTTPS");
    off.admin_state_up = false;
    let bench = Bench::new(back_ends.iter().map(member).collect(), Some(off));
    assert_eq!(bench.status(&back_ends[0]), MemberStatus::NoMonitor);
    assert_eq!(bench.served_by(1), names(&[&back_ends[0]]));
}

#[test]
fn a_client_sticks_to_its_member_while_that_is_up() {
    let mut back_ends = https(3);
    let mut bench = Bench::new(back_ends.iter().map(member).collect(), None);
    bench.pool().source_ip_persistence = true;
    bench.apply();
    let first = bench.fetch().unwrap();
    assert_eq!(bench.served_by(5), BTreeSet::from([Some(first.clone())]));
    bench.apply();
    assert_eq!(bench.served_by(5), BTreeSet::from([Some(first.clone())]), "over a change too");
    back_ends.iter_mut().find(|one| one.name() == first).unwrap().stop();
    let second = bench.fetch().unwrap();
    assert_ne!(second, first);
    assert_eq!(bench.served_by(5), BTreeSet::from([Some(second)]));
}

#[test]
fn a_member_keeps_its_standing_over_a_change_of_numbers_and_starts_anew_over_one_of_type() {
    let back_ends = https(1);
    back_ends[0].answer(500);
    let mut bench = Bench::new(back_ends.iter().map(member).collect(), Some(monitor("HTTPS")));
    bench.becomes(&back_ends[0], MemberStatus::Down);
    let checks = back_ends[0].requests("/readyz");

    bench.pool().monitor.as_mut().unwrap().delay = Duration::from_hours(1);
    bench.apply();
    assert_eq!(bench.status(&back_ends[0]), MemberStatus::Down);
    bench.pool().members[0].weight = 5;
    bench.apply();
    assert_eq!(bench.status(&back_ends[0]), MemberStatus::Down);
    eventually("the new check begins", SOON, || back_ends[0].requests("/readyz") > checks);

    bench.pool().monitor = Some(monitor("TCP"));
    bench.apply();
    assert_eq!(bench.status(&back_ends[0]), MemberStatus::Up);
}

#[test]
fn addresses_and_listeners_come_and_go() {
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let mut bench = Bench::new(vec![member(&echo)], None);
    let session = bench.connect();
    assert!(echoes(&session));
    let floating = address();
    bench.config.addresses.push(floating);
    bench.apply();
    let at = bench.sockets.front(floating, bench.port).unwrap();
    assert!(echoes(&TcpStream::connect(at).unwrap()));
    bench.config.addresses.pop();
    bench.apply();
    eventually("the floating address refuses", SOON, || TcpStream::connect(at).is_err());
    let other = free_port(bench.vip);
    let old = bench.at();
    bench.port = other;
    bench.listener().port = other;
    bench.apply();
    assert!(echoes(&bench.connect()));
    eventually("the old port refuses", SOON, || TcpStream::connect(old).is_err());
    assert!(echoes(&session), "a session outlives its listener");
}

#[test]
fn a_pool_without_a_listener_is_watched_too() {
    let back_ends = https(1);
    back_ends[0].answer(500);
    let mut bench = Bench::new(back_ends.iter().map(member).collect(), Some(monitor("HTTPS")));
    let pool = bench.listener().pool.take().unwrap();
    bench.config.spare_pools.push(pool);
    bench.apply();
    bench.becomes(&back_ends[0], MemberStatus::Down);
}

#[test]
fn a_front_port_that_is_still_in_use_is_taken_as_soon_as_it_is_free() {
    let echo = BackEnd::start(address(), 0, Kind::Echo);
    let mut bench = Bench::new(vec![member(&echo)], None);
    let before = std::net::TcpListener::bind((bench.vip, 0)).unwrap();
    bench.port = before.local_addr().unwrap().port();
    bench.listener().port = bench.port;
    bench.apply();
    drop(before);
    assert!(echoes(&bench.connect()));
}
