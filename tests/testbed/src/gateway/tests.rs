use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Effect, Fault, Gateway, render};
use crate::eventually::eventually;
use crate::runtime::{Task, runtime};
use crate::testing::{SOON, ends};

const ID: &str = "1b2c3d4e-0000-1111-2222-333344445555";

/// A cloud with two services on one port, which remembers what it was asked.
struct Cloud {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    _task: Task,
}

impl Cloud {
    fn start() -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let _runtime = runtime().enter();
        let listener = TcpListener::from_std(listener).unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (own, seen) = (url.clone(), asked.clone());
        let task = Task::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (own, seen) = (own.clone(), seen.clone());
                let service = service_fn(move |request| answer(own.clone(), seen.clone(), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { url, asked, _task: task }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(
    own: String,
    asked: Arc<Mutex<Vec<String>>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let line = format!("{} {}", request.method(), request.uri());
    let host = request.headers()["host"].to_str().unwrap().to_owned();
    let posted = request.into_body().collect().await.unwrap().to_bytes();
    asked.lock().unwrap().push(line.clone());
    let endpoint = |service: &str, path: &str| json!({"type": service, "endpoints": [{"interface": "public", "url": format!("{own}{path}")}]});
    let catalogue = [endpoint("identity", "/identity"), endpoint("load-balancer", "/load-balancer")];
    let (status, body) = match line.as_str() {
        "POST /identity/v3/auth/tokens" => (201, json!({"token": {"catalog": catalogue}}).to_string()),
        "GET /load-balancer/v2/lbaas/loadbalancers?limit=1" => {
            let next = format!("{own}/load-balancer/v2/lbaas/loadbalancers?limit=1&marker={ID}");
            let links = [json!({"rel": "next", "href": next})];
            (200, json!({"loadbalancers": [{"id": ID}], "loadbalancers_links": links}).to_string())
        }
        // Odd spacing, which only bytes that are passed on as they are can keep.
        "GET /load-balancer/v2/lbaas/loadbalancers" => (200, format!("{{\"host\" :  \"{host}\"}}")),
        "POST /load-balancer/v2/lbaas/loadbalancers" => (201, String::from_utf8(posted.to_vec()).unwrap()),
        "DELETE /load-balancer/v2/lbaas/loadbalancers" => (204, String::new()),
        "GET /moved" => (300, String::new()),
        _ => (404, json!({"faultstring": "not here"}).to_string()),
    };
    let answer = Response::builder().status(status).header("x-openstack-request-id", "req-1");
    let answer =
        if status == 300 { answer.header("location", format!("{own}/identity/v3/")) } else { answer };
    Ok(answer.body(Full::new(Bytes::from(body))).unwrap())
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Sends one request; an answer without a complete head is none.
fn ask(method: &str, url: &str, body: &str) -> Option<Answer> {
    read(send(method, url, body))
}

fn send(method: &str, url: &str, body: &str) -> TcpStream {
    let rest = url.strip_prefix("http://").unwrap();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let length = body.len();
    let head = format!("{method} /{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").unwrap();
    stream
}

fn read(mut stream: TcpStream) -> Option<Answer> {
    let mut text = Vec::new();
    // A connection that breaks leaves what was read before.
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    Some(Answer { status, headers, body: body.to_owned() })
}

/// A cloud, the gateway in front of it, and the load balancer endpoint that a login through it has found.
fn logged_in() -> (Cloud, Gateway, String) {
    let cloud = Cloud::start();
    let gateway = Gateway::start(&format!("{}/identity/v3", cloud.url));
    let token = ask("POST", &format!("{}/auth/tokens", gateway.keystone()), "{}").unwrap().json();
    let endpoint = token.pointer("/token/catalog/1/endpoints/0/url").unwrap().as_str().unwrap();
    let load_balancers = format!("{endpoint}/v2/lbaas/loadbalancers");
    gateway.reset();
    (cloud, gateway, load_balancers)
}

#[test]
fn all_traffic_goes_through_a_port_for_each_service() {
    let cloud = Cloud::start();
    let gateway = Gateway::start(&format!("{}/identity/v3", cloud.url));
    let tokens = format!("{}/auth/tokens", gateway.keystone());
    let token = ask("POST", &tokens, "{}").unwrap();
    assert_eq!((token.status, token.headers["x-openstack-request-id"].as_str()), (201, "req-1"));
    let url = |service: usize, token: &Answer| {
        token
            .json()
            .pointer(&format!("/token/catalog/{service}/endpoints/0/url"))
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(format!("{}/v3", url(0, &token)), gateway.keystone());
    assert!(url(1, &token).ends_with("/load-balancer"), "the path stays");
    let host = |url: &str| url.split('/').nth(2).unwrap().to_owned();
    let hosts = [host(&cloud.url), host(&url(0, &token)), host(&url(1, &token))];
    assert!(hosts[0] != hosts[1] && hosts[1] != hosts[2] && hosts[0] != hosts[2], "{hosts:?}");
    let again = ask("POST", &tokens, "{}").unwrap();
    assert_eq!(again.json(), token.json(), "ports stay");
}

#[test]
fn links_lead_back_to_the_gateway_and_all_else_stays_as_it_is() {
    let (cloud, gateway, load_balancers) = logged_in();
    let page = ask("GET", &format!("{load_balancers}?limit=1"), "").unwrap().json();
    let next = page.pointer("/loadbalancers_links/0/href").unwrap().as_str().unwrap();
    assert_eq!(next, format!("{load_balancers}?limit=1&marker={ID}"));

    let cloud_authority = cloud.url.strip_prefix("http://").unwrap();
    let plain = ask("GET", &load_balancers, "").unwrap();
    assert_eq!(plain.body, format!("{{\"host\" :  \"{cloud_authority}\"}}"));

    let identity = gateway.keystone().strip_suffix("/identity/v3").unwrap();
    let moved = ask("GET", &format!("{identity}/moved"), "").unwrap();
    assert_eq!((moved.status, &moved.headers["location"]), (300, &format!("{}/", gateway.keystone())));
    assert_eq!(ask("DELETE", &load_balancers, "").unwrap().status, 204);
}

#[test]
fn calls_are_recorded_in_order_and_by_section() {
    let (_cloud, gateway, load_balancers) = logged_in();
    assert_eq!(gateway.calls(), [], "the login was in the section before");
    ask("POST", &load_balancers, r#"{"loadbalancer": {"name": "a"}}"#).unwrap();
    ask("GET", &format!("{load_balancers}/{ID}?fields=a-rather-long-list"), "").unwrap();
    let calls = gateway.calls();
    assert_eq!(calls[0].request, json!({"loadbalancer": {"name": "a"}}));
    assert_eq!(calls[0].answer, calls[0].request);
    assert_eq!((calls[1].service.as_str(), &calls[1].request), ("load-balancer", &Value::Null));
    assert!(calls[0].number < calls[1].number && calls[1].duration.is_some());
    let lines: Vec<String> = calls.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["POST loadbalancers 201", "GET loadbalancers/{id}?fields=… 404"]);
    assert_eq!(gateway.count("GET", "loadbalancers/{load balancer}"), 1);
    assert_eq!(gateway.writes(), calls[..1]);
    gateway.reset();
    assert_eq!(gateway.count("GET", "loadbalancers/{load balancer}"), 0);
    assert!(render(&calls).lines().all(|line| line.contains(" ms  ")), "{}", render(&calls));
}

#[test]
fn errors_that_nobody_named_are_told_over_all_sections() {
    let (_cloud, gateway, load_balancers) = logged_in();
    ask("GET", &format!("{load_balancers}/{ID}"), "").unwrap();
    ask("GET", &format!("{load_balancers}/{ID}/status"), "").unwrap();
    gateway.plan(Fault::on("GET", "loadbalancers", Effect::answer(500, "<html>")));
    assert_eq!(ask("GET", &load_balancers, "").unwrap().status, 500);
    gateway.reset();
    gateway.expect_error("GET", "loadbalancers/{id}", 404);
    gateway.expect_error("GET", "loadbalancers/{id}/status", 409);
    let errors: Vec<String> = gateway.errors().iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["GET loadbalancers/{id}/status 404"]);
}

#[test]
fn a_planned_answer_never_reaches_the_cloud() {
    let (cloud, gateway, load_balancers) = logged_in();
    let before = cloud.asked();
    gateway.plan(Fault::on(
        "GET",
        "loadbalancers",
        Effect::retry_after(503, 7, json!({"faultstring": "busy"})),
    ));
    let answer = ask("GET", &load_balancers, "").unwrap();
    assert_eq!((answer.status, answer.json()), (503, json!({"faultstring": "busy"})));
    assert_eq!(answer.headers["retry-after"], "7");
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(cloud.asked(), before);
    assert_eq!(ask("GET", &load_balancers, "").unwrap().status, 200, "only once");
    gateway.plan(Fault::on("GET", "loadbalancers", Effect::answer(500, "<html>oops</html>")));
    let answer = ask("GET", &load_balancers, "").unwrap();
    assert_eq!((answer.status, answer.headers["content-type"].as_str()), (500, "text/html"));
}

#[test]
fn dropped_connections_carry_not_one_byte() {
    let (cloud, gateway, load_balancers) = logged_in();
    let before = cloud.asked().len();
    gateway.plan(Fault::on("POST", "loadbalancers", Effect::DropBefore));
    gateway.plan(Fault::on("POST", "loadbalancers", Effect::DropAfter).nth(2));
    assert!(ask("POST", &load_balancers, "{}").is_none());
    assert_eq!(cloud.asked().len(), before);
    assert!(ask("POST", &load_balancers, "{}").is_none());
    assert_eq!(cloud.asked().len(), before + 1);
    let lines: Vec<String> = gateway.calls().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "POST loadbalancers no answer (dropped before it was forwarded)",
            "POST loadbalancers 201 (dropped after it was forwarded)",
        ]
    );
    assert_eq!(gateway.unfired(), []);
}

#[test]
fn bodies_break_off_or_never_end() {
    let (_cloud, gateway, load_balancers) = logged_in();
    let whole = ask("GET", &load_balancers, "").unwrap().body;
    gateway.plan(Fault::on("GET", "loadbalancers", Effect::Truncate));
    let answer = ask("GET", &load_balancers, "").unwrap();
    assert_eq!(answer.headers["content-length"], whole.len().to_string());
    assert_eq!(answer.body, whole[..whole.len() / 2]);

    gateway.plan(Fault::on("GET", "loadbalancers", Effect::Endless));
    let mut stream = send("GET", &load_balancers, "");
    let mut read = 0;
    let mut chunk = vec![0; 64 * 1024];
    while read < 16 * 1024 * 1024 {
        read += match stream.read(&mut chunk).unwrap() {
            0 => panic!("it ended after {read} bytes"),
            more => more,
        };
    }
}

#[test]
fn an_answer_without_a_body_cannot_be_broken_off_in_silence() {
    let (_cloud, gateway, load_balancers) = logged_in();
    for effect in [Effect::Truncate, Effect::Endless] {
        gateway.plan(Fault::on("DELETE", "loadbalancers", effect));
        assert!(ask("DELETE", &load_balancers, "").is_none());
    }
}

#[test]
fn a_delayed_call_is_late_and_otherwise_as_usual() {
    let (_cloud, gateway, load_balancers) = logged_in();
    let delay = Duration::from_millis(300);
    gateway.plan(Fault::on("GET", "loadbalancers", Effect::Delay(delay)));
    let begin = Instant::now();
    assert_eq!(ask("GET", &load_balancers, "").unwrap().status, 200);
    assert!(begin.elapsed() >= delay);
    assert!(gateway.calls()[0].duration.unwrap() >= delay);
}

/// A process that stands for the charm, and how to kill it.
fn charm(gateway: &Gateway) -> Arc<Mutex<Child>> {
    let charm = Arc::new(Mutex::new(
        Command::new("sleep").arg("20").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(),
    ));
    let victim = charm.clone();
    gateway.kill_by(Box::new(move || {
        let mut victim = victim.lock().unwrap();
        victim.kill().unwrap();
        victim.wait().unwrap();
    }));
    charm
}

#[test]
fn the_charm_dies_before_or_after_the_cloud_has_acted() {
    for (effect, acted) in [(Effect::KillBefore, 0), (Effect::KillAfter, 1)] {
        let (cloud, gateway, load_balancers) = logged_in();
        let charm = charm(&gateway);
        let before = cloud.asked().len();
        gateway.plan(Fault::on("POST", "loadbalancers", effect));
        assert!(charm.lock().unwrap().try_wait().unwrap().is_none(), "it lives");
        assert!(ask("POST", &load_balancers, "{}").is_none());
        assert!(
            charm.lock().unwrap().try_wait().unwrap().is_some(),
            "it is dead before the connection closes"
        );
        assert_eq!(cloud.asked().len() - before, acted);
        assert_eq!(gateway.unfired(), []);
    }
}

#[test]
#[should_panic(expected = "nobody has said how to kill the charm: POST ports number 1")]
fn nobody_is_killed_without_a_killer() {
    let cloud = Cloud::start();
    let gateway = Gateway::start(&cloud.url);
    gateway.plan(Fault::on("POST", "ports", Effect::KillBefore));
}

#[test]
fn faults_that_did_not_fire_are_told() {
    let (_cloud, gateway, load_balancers) = logged_in();
    let never = Fault::on("PUT", "loadbalancers/{id}", Effect::DropAfter);
    let half = Fault::on("GET", "loadbalancers", Effect::answer(429, "{}")).times(2);
    gateway.plan(never.clone());
    gateway.plan(half.clone());
    ask("GET", &load_balancers, "").unwrap();
    assert_eq!(gateway.unfired(), [never, half]);
}

#[test]
fn a_call_goes_on_without_the_one_who_made_it() {
    let (cloud, gateway, load_balancers) = logged_in();
    let before = cloud.asked().len();
    gateway.plan(Fault::on("POST", "loadbalancers", Effect::Delay(Duration::from_millis(200))));
    let stream = send("POST", &load_balancers, "{}");
    eventually("the call comes in", SOON, || gateway.count("POST", "loadbalancers") == 1);
    drop(stream);
    gateway.settle();
    assert_eq!(cloud.asked().len(), before + 1);
    assert_eq!(gateway.calls()[0].status, Some(201));
}

#[test]
fn the_gateway_ends_when_dropped() {
    let (_cloud, gateway, load_balancers) = logged_in();
    let authority = load_balancers.split('/').nth(2).unwrap().to_owned();
    let mut open = TcpStream::connect(&authority).unwrap();
    open.write_all(b"GET / HTTP/1.1\r\nHost: cloud\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        let mut byte = [0];
        open.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    drop(gateway);
    assert!(ends(&open));
    eventually("its ports refuse", SOON, || TcpStream::connect(&authority).is_err());
}

#[test]
fn a_cloud_that_is_not_there_is_no_answer() {
    let cloud = Cloud::start();
    let gateway = Gateway::start(&cloud.url);
    drop(cloud);
    let url = format!("{}/v3", gateway.keystone());
    eventually("the cloud is gone", SOON, || ask("GET", &url, "").is_none());
    assert!(gateway.calls().last().unwrap().to_string().ends_with("no answer"));
}
