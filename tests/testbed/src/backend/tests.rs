use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::{BackEnd, Kind, Traffic, fetch_http, fetch_https};
use crate::eventually::eventually;
use crate::testing::{SOON, address, ends};

fn fetch(back_end: &BackEnd, path: &str) -> Result<(u16, String), ()> {
    fetch_https(back_end.address(), back_end.port(), path).map_err(drop)
}

fn connect(back_end: &BackEnd) -> TcpStream {
    let stream = TcpStream::connect((back_end.address(), back_end.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    stream
}

#[test]
fn a_hardened_api_server_answers_401_about_its_health_and_its_name_elsewhere() {
    let back_end = BackEnd::start(address(), 0, Kind::hardened_api_server());
    for path in ["/readyz", "/livez", "/healthz"] {
        assert_eq!(fetch(&back_end, path), Ok((401, String::new())), "{path}");
    }
    assert_eq!(fetch(&back_end, "/version"), Ok((200, back_end.name().to_owned())));
    assert_eq!(back_end.requests("/version"), 1);
    assert_eq!(back_end.requests("/readyz"), 1);
    assert_eq!(back_end.requests("/never"), 0);
}

#[test]
fn answers_change_while_it_runs() {
    let back_end = BackEnd::start(address(), 0, Kind::Https(200));
    back_end.answer(500);
    assert_eq!(fetch(&back_end, "/readyz"), Ok((500, String::new())));
    assert_eq!(fetch(&back_end, "/version").unwrap().0, 200);
    back_end.answer_everywhere(503);
    assert_eq!(fetch(&back_end, "/version").unwrap().0, 503);
    back_end.answer_everywhere(None);
    assert_eq!(fetch(&back_end, "/version").unwrap().0, 200);
}

#[test]
fn each_protocol_is_only_spoken_where_it_is() {
    let https = BackEnd::start(address(), 0, Kind::Https(200));
    let http = BackEnd::start(address(), 0, Kind::Http(200));
    assert_eq!(fetch_http(http.address(), http.port(), "/readyz").unwrap().0, 200);
    assert_eq!(fetch(&http, "/readyz"), Err(()));
    let (status, body) = fetch_http(https.address(), https.port(), "/readyz").unwrap();
    assert_eq!((status, body.trim()), (400, "Client sent an HTTP request to an HTTPS server."));
}

#[test]
fn tcp_is_echoed_after_a_banner() {
    for (kind, greeting) in [(Kind::Echo, ""), (Kind::Banner("hello ".to_owned()), "hello ")] {
        let back_end = BackEnd::start(address(), 0, kind);
        let mut stream = connect(&back_end);
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream.write_all(b"ping").unwrap();
        let mut said = vec![0; greeting.len() + 4];
        stream.read_exact(&mut said).unwrap();
        assert_eq!(String::from_utf8(said).unwrap(), format!("{greeting}ping"));
    }
}

#[test]
fn what_is_stopped_refuses_and_comes_back_on_the_same_port() {
    let mut back_end = BackEnd::start(address(), 0, Kind::Banner("hello".to_owned()));
    let at = SocketAddr::new(back_end.address(), back_end.port());
    let hello = |mut stream: &TcpStream| {
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut said = [0; 5];
        stream.read_exact(&mut said).is_ok() && said == *b"hello"
    };
    let open = connect(&back_end);
    assert!(hello(&open));
    back_end.stop();
    assert!(ends(&open), "open connections break");
    assert!(TcpStream::connect(at).is_err());
    back_end.stop();
    back_end.start_again();
    assert_eq!(back_end.port(), at.port());
    assert!(hello(&connect(&back_end)));
}

#[test]
fn what_hangs_accepts_says_nothing_and_goes_on_where_it_stood() {
    let mut back_end = BackEnd::start(address(), 0, Kind::Echo);
    back_end.hang();
    let mut stream = connect(&back_end);
    stream.write_all(b"ping").unwrap();
    let mut said = [0; 4];
    assert!(stream.read_exact(&mut said).is_err());
    back_end.start_again();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"ping");
}

#[test]
fn the_kinds_that_never_answer_never_do() {
    let mut hung = BackEnd::start(address(), 0, Kind::Hang);
    hung.start_again();
    let mut stream = connect(&hung);
    stream.write_all(b"ping").unwrap();
    assert!(stream.read(&mut [0]).is_err(), "silence, not an end");
    let mut closed = BackEnd::start(address(), 6443, Kind::Closed);
    closed.start_again();
    assert!(TcpStream::connect((closed.address(), closed.port())).is_err());
}

#[test]
fn a_dropped_back_end_is_gone() {
    let back_end = BackEnd::start(address(), 0, Kind::Echo);
    let at = SocketAddr::new(back_end.address(), back_end.port());
    assert!(TcpStream::connect(at).is_ok());
    drop(back_end);
    eventually("the port refuses", SOON, || TcpStream::connect(at).is_err());
}

#[test]
fn traffic_counts_who_answers_and_what_fails() {
    let mut back_end = BackEnd::start(address(), 0, Kind::Https(200));
    let at = SocketAddr::new(back_end.address(), back_end.port());
    let traffic = Traffic::start(at, "/version", 100);
    eventually("five answers", SOON, || traffic.tally().successes() >= 5);
    assert_eq!(traffic.tally().failures, Vec::<String>::new());
    back_end.stop();
    eventually("a failure", SOON, || !traffic.tally().failures.is_empty());
    back_end.start_again();
    traffic.reset();
    eventually("answers again", SOON, || traffic.tally().successes() >= 1);
    let tally = traffic.stop();
    assert_eq!(tally.answered.keys().collect::<Vec<_>>(), [back_end.name()]);
}
