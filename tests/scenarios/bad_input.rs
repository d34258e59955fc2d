//! Bad input, and what it gets: each case leaves what was served before as it was, and its line is kept as it is printed.

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, with};

trials![requests, a_machine_without_root_certificates, the_cloud_and_its_credentials];

/// What differs from run to run made the same: ids, addresses of this machine, ports that were free.
fn steady(line: &str) -> String {
    let mut words = Vec::new();
    for word in line.split(' ') {
        let bare = word.trim_matches(|c: char| "\"();:,/".contains(c));
        let is_id = bare.len() == 36 && bare.split('-').count() == 5;
        let masked = if is_id { word.replace(bare, "ID") } else { word.to_owned() };
        words.push(mask_addresses(&masked));
    }
    words.join(" ")
}

/// One case of a table.
fn entry(what: &str, line: &str) -> String {
    format!("{what}\n    {}\n", steady(line))
}

fn mask_addresses(word: &str) -> String {
    let Some(at) = word.find("127.") else { return word.to_owned() };
    let end = word[at..]
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':')
        .map_or(word.len(), |end| at + end);
    format!("{}ADDRESS{}", &word[..at], &word[end..])
}

fn requests() {
    let replaced = |changes: Value| with(external(), &changes).to_string();
    let without = |field: &str| {
        let mut request = external();
        request.as_object_mut().unwrap().remove(field);
        request.to_string()
    };
    let cases = [
        ("not JSON", "{".to_owned(), "name"),
        ("no object", "[]".to_owned(), "name"),
        ("no protocol", without("protocol"), "protocol"),
        ("no port_mapping", without("port_mapping"), "port_mapping"),
        ("a wrong type", replaced(json!({"public": "yes"})), "public"),
        ("port 0", replaced(json!({"port_mapping": {"443": 0}})), "port_mapping"),
        ("port 70000", replaced(json!({"port_mapping": {"70000": 6443}})), "port_mapping"),
        ("an empty mapping", replaced(json!({"port_mapping": {}})), "port_mapping"),
        ("a back end that is no address", replaced(json!({"backends": ["cp-0.example"]})), "backends"),
        (
            "a check without a port",
            replaced(json!({"health_checks": [{"protocol": "http"}]})),
            "health_checks",
        ),
        ("tls_termination", replaced(json!({"tls_termination": true})), "tls_termination"),
        ("an unknown algorithm", replaced(json!({"algorithm": ["fastest"]})), "algorithm"),
        (
            "no address to be reached at",
            replaced(json!({"ingress_address": "lb.example"})),
            "ingress_address",
        ),
    ];
    let (mut world, outer, inner) = World::serving();
    let mut table = String::new();
    let fresh = world.relate(CONTROL_PLANE, "more", &[]);
    for (what, text, field) in cases {
        let served = world.raw_answer(outer, "api-server-external");
        let census = world.census();
        // Once where a good answer stands, and once where there never was one.
        world.rewrite(outer, &[("request_api-server-external".to_owned(), text.clone())].into());
        world.model.settle();
        world.rewrite(fresh, &[("request_new".to_owned(), text)].into());
        world.model.settle();
        assert_eq!(
            (world.raw_answer(outer, "api-server-external"), world.census()),
            (served, census),
            "{what}"
        );
        let refused = world.raw_answer(fresh, "new").unwrap_or_else(|| panic!("{what}: {}", world.line()));
        assert_eq!((&refused["error"], &refused["address"]), (&json!("unsupported"), &Value::Null), "{what}");
        let fields: Vec<&String> = refused["error_fields"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field], "{what}");
        assert!(world.answer(inner, "api-server-internal").is_some(), "{what}: the others are served");
        let line = world.line();
        let named = format!("{CONTROL_PLANE} asks for new (lb-consumers:{fresh}): {field}: ");
        assert!(line.starts_with("blocked: ") && line.contains(&named), "{what}: {line}");
        table.push_str(&entry(what, &line));
        world.rewrite(outer, &[("request_api-server-external".to_owned(), external().to_string())].into());
        world.model.settle();
        world.rewrite(fresh, &[("request_new".to_owned(), String::new())].into());
        world.model.settle();
    }
    world.until("active: 2 load balancers, 6/6 members online");
    insta::assert_snapshot!("bad_requests", table);
    world.end();
}

/// Only TLS needs them, and then the operator is told what to do.
fn a_machine_without_root_certificates() {
    let environment = [("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")];
    let mut world = World::new(&Setup { environment: &environment, ..Setup::default() });
    assert_eq!(world.line(), "active: no load balancer is asked for", "plain HTTP needs none");
    let url = format!("https://{}:6443/v3", world.machines[0].address());
    world.model.configure(US, &[("auth-url", &url)]);
    world.model.settle();
    let line = world.line();
    assert!(line.starts_with("blocked: failed to "), "{line}");
    assert!(line.contains("endpoint-tls-ca"), "{line}");
    world.end();
}

fn the_cloud_and_its_credentials() {
    let denied = json!({"faultcode": "Client", "faultstring": "Policy does not allow this request to be performed.", "debuginfo": null});
    let (mut world, outer, inner) = World::serving();
    world.until("active: 2 load balancers, 6/6 members online");
    let before = (
        world.raw_answer(outer, "api-server-external"),
        world.raw_answer(inner, "api-server-internal"),
        world.census(),
    );
    let untrusted = format!("https://{}:6443/v3", world.machines[0].address());
    let mut table = String::new();
    let cases: [(&str, Vec<(&str, &str)>, &str, &str); 10] = [
        ("a wrong password", vec![("password", "x")], "blocked", "refuses the credentials"),
        ("an unknown project", vec![("project-name", "nobody")], "blocked", "refuses the credentials"),
        ("an unknown region", vec![("region", "Atlantis")], "blocked", "RegionOne, RegionTwo"),
        ("no such service in the region", vec![("region", "RegionTwo")], "blocked", "load-balancer"),
        ("an endpoint that refuses", vec![("auth-url", "http://127.0.0.1:9/v3")], "waiting", "refused"),
        ("a certificate that nobody trusts", vec![("auth-url", &untrusted)], "blocked", "endpoint-tls-ca"),
        ("a URL that is none", vec![("auth-url", "keystone.example")], "blocked", "auth-url: expected a URL"),
        ("a certificate that is none", vec![("endpoint-tls-ca", "x")], "blocked", "endpoint-tls-ca: "),
        ("a subnet that nobody has", vec![("lb-subnet", "moon")], "blocked", "lb-subnet is \"moon\""),
        (
            "a network that nobody has",
            vec![("lb-floating-network", "moon")],
            "blocked",
            "lb-floating-network is",
        ),
    ];
    for (what, options, level, words) in cases {
        if what == "a wrong password" || what == "an unknown project" {
            world.gateway.expect_error("POST", "auth/tokens", 401);
        }
        let lasting = [("lb-subnet", "tenant-subnet"), ("lb-floating-network", "public")];
        let all: Vec<(&str, &str)> = options.iter().copied().chain([("provisioning-timeout", "1")]).collect();
        world.model.configure(US, &all);
        world.model.settle();
        check(&world, what, level, words, &mut table, outer, inner, &before);
        for (option, _) in &options {
            match lasting.iter().find(|(name, _)| name == option) {
                Some(one) => world.model.configure(US, &[*one]),
                None => world.model.unset(US, &[option]),
            }
        }
        world.model.settle();
    }
    let broken = [
        ("a cloud that forbids", Effect::answer(403, denied), "blocked", "Policy does not allow"),
        ("a server in trouble", Effect::answer(500, "<html>"), "waiting", "gave 500"),
        ("garbage", Effect::answer(200, "hello"), "waiting", "failed to read the answer"),
        ("an answer without end", Effect::Endless, "waiting", "is longer than 16777216 bytes"),
    ];
    for (what, effect, level, words) in broken {
        world.plan(Fault::on("GET", "loadbalancers", effect));
        world.update_status(UNIT);
        check(&world, what, level, words, &mut table, outer, inner, &before);
    }
    world.update_status(UNIT);
    world.until("active: 2 load balancers, 6/6 members online");
    insta::assert_snapshot!("bad_clouds", table);
    world.end();
}

#[expect(clippy::too_many_arguments, reason = "what every case must hold")]
fn check(
    world: &World,
    what: &str,
    level: &str,
    words: &str,
    table: &mut String,
    outer: u32,
    inner: u32,
    before: &(Option<Value>, Option<Value>, [usize; 7]),
) {
    let line = world.line();
    assert!(line.starts_with(level) && line.contains(words), "{what}: {line}");
    let now = (
        world.raw_answer(outer, "api-server-external"),
        world.raw_answer(inner, "api-server-internal"),
        world.census(),
    );
    assert_eq!(&now, before, "{what}: what was served stays");
    table.push_str(&entry(what, &line));
}
