//! How a table is read.
//!
//! A line is a request, its body (`-` is none), the status of the answer, and what the answer says, with ` | ` between
//! them; `#` begins a comment. `observer: GET …` is asked as somebody else, `… -> name` remembers the id that is answered, `<name>` stands for what was remembered, `'` for `"`.
//! `WAIT <name>` waits until a load balancer is PENDING no more. Of an error the whole message is compared (`…` at its
//! end stands for more), of other answers `field=value; field.0.field=value`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cloud::api::{Reply, send};
use crate::cloud::{Access, CloudOptions, EmbeddedCloud};
use crate::eventually::eventually;
use crate::testing::SOON;

pub(super) type Line<'a> = (&'a str, &'a str, u16, &'a str);

/// A cloud, who may ask it, and what is remembered.
pub(super) struct Table<'a> {
    /// None is a real one.
    embedded: Option<&'a EmbeddedCloud>,
    keystone: String,
    network: String,
    load_balancer: String,
    tokens: BTreeMap<&'static str, String>,
    names: BTreeMap<String, String>,
}

/// A cloud in which Octavia works until somebody waits for it, so that PENDING is always seen.
pub(super) fn embedded() -> EmbeddedCloud {
    EmbeddedCloud::start(CloudOptions { working_time: Duration::from_hours(1), ..CloudOptions::default() })
}

/// On the embedded cloud, and on a real one as well where the environment names one.
pub(super) fn everywhere(check: impl Fn(Table<'_>)) {
    check(Table::of(&embedded()));
    if std::env::var_os("TESTBED_KEYSTONE").is_some() {
        check(real());
    }
}

/// The real one that the environment names: `TESTBED_KEYSTONE`, `TESTBED_PASSWORD` (of all users), `TESTBED_SUBNET`,
/// `TESTBED_EXTERNAL_NETWORK`, and `TESTBED_TENANT`, `…_OBSERVER`, `…_LB`, `…_OTHER`, `…_ADMIN` as `user@project`.
fn real() -> Table<'static> {
    let of = |name: &str| std::env::var(format!("TESTBED_{name}")).unwrap();
    let access = |who: &str| {
        let account = of(&who.to_uppercase());
        let (username, project) = account.split_once('@').unwrap();
        Access {
            keystone: of("KEYSTONE"),
            username: username.to_owned(),
            password: of("PASSWORD"),
            project: project.to_owned(),
            domain: "Default".to_owned(),
            region: "RegionOne".to_owned(),
            subnet: of("SUBNET"),
            external_network: of("EXTERNAL_NETWORK"),
        }
    };
    Table::new(None, access)
}

impl<'a> Table<'a> {
    pub(super) fn of(cloud: &'a EmbeddedCloud) -> Self {
        Self::new(Some(cloud), |who| cloud.access_as(who))
    }

    fn new(embedded: Option<&'a EmbeddedCloud>, access: impl Fn(&str) -> Access) -> Self {
        let tenant = access("tenant");
        let mut table = Self {
            embedded,
            keystone: tenant.keystone.trim_end_matches("/v3").to_owned(),
            network: String::new(),
            load_balancer: String::new(),
            tokens: BTreeMap::new(),
            names: BTreeMap::new(),
        };
        for who in ["tenant", "observer", "lb", "other", "admin"] {
            let Access { username, password, project, domain, .. } = access(who);
            let domain = json!({"name": domain});
            let body = json!({"auth": {
                "identity": {"methods": ["password"], "password": {"user": {
                    "name": username, "domain": domain, "password": password}}},
                "scope": {"project": {"name": project, "domain": domain}}}});
            let reply = send("POST", &format!("{}/v3/auth/tokens", table.keystone), &[], &body.to_string());
            assert_eq!(reply.status, 201, "{username}: {}", reply.body);
            table.tokens.insert(who, reply.token.unwrap());
            if who == "tenant" {
                let url = |kind: &str| {
                    let services = reply.body["token"]["catalog"].as_array().unwrap();
                    let service = services.iter().find(|service| service["type"] == kind).unwrap();
                    let mut endpoints = service["endpoints"].as_array().unwrap().iter();
                    let is_it = |one: &&Value| one["interface"] == "public" && one["region"] == "RegionOne";
                    endpoints.find(is_it).unwrap()["url"].as_str().unwrap().to_owned()
                };
                table.network = url("network");
                table.load_balancer = url("load-balancer");
                let base = table.load_balancer.clone();
                table.name("base", &base);
                for (name, value) in [
                    ("user", username.as_str()),
                    ("password", password.as_str()),
                    ("project", project.as_str()),
                    ("project_id", reply.body["token"]["project"]["id"].as_str().unwrap()),
                    ("user_id", reply.body["token"]["user"]["id"].as_str().unwrap()),
                    ("none", "00000000-0000-0000-0000-000000000000"),
                    ("long", &"x".repeat(256)),
                ] {
                    table.name(name, value);
                }
            }
        }
        for who in ["tenant", "lb"] {
            let token = table.tokens[who].clone();
            table.name(&format!("token_of_{who}"), &token);
        }
        table.name("subnet_name", &tenant.subnet);
        table.check_lines(&[
            ("GET /v2.0/networks?router:external=true -> external", "", 200, ""),
            ("GET /v2.0/subnets?name=<subnet_name> -> subnet", "", 200, ""),
        ]);
        let subnet = table.get("/v2.0/subnets/<subnet>")["subnet"].clone();
        table.name("network", subnet["network_id"].as_str().unwrap());
        // Every subnet here is a /24.
        let cidr = subnet["cidr"].as_str().unwrap();
        table.name("prefix", cidr.rsplit_once('.').unwrap().0);
        table
    }

    /// Remembers a value under a name.
    pub(super) fn name(&mut self, name: &str, value: &str) {
        self.names.insert(name.to_owned(), value.to_owned());
    }

    /// What is remembered under a name.
    pub(super) fn named(&self, name: &str) -> &str {
        self.names.get(name).unwrap_or_else(|| panic!("nothing is named {name}"))
    }

    /// Checks every line of a text, and tells all that do not hold.
    pub(super) fn check(&mut self, text: &str) {
        let is_rule = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let lines: Vec<Line> = text.lines().filter(is_rule).map(line).collect();
        assert!(!lines.is_empty(), "a table without a line checks nothing");
        self.check_lines(&lines);
    }

    /// The same, line by line.
    pub(super) fn check_lines(&mut self, lines: &[Line]) {
        let checked: Vec<_> = lines.iter().map(|line| self.check_line(*line)).collect();
        let wrong: Vec<String> = checked.into_iter().filter_map(Result::err).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }

    fn check_line(&mut self, (request, body, status, expected): Line) -> Result<(), String> {
        let (request, capture) = request.split_once(" -> ").map_or((request, None), |(r, c)| (r, Some(c)));
        let (who, request) = request.split_once(": ").unwrap_or(("tenant", request));
        let request = self.filled(request);
        if request.contains('<') {
            return Err(format!("{request}: nothing has this name"));
        }
        let (method, path) = request.split_once(' ').unwrap();
        if method == "WAIT" {
            self.wait(path);
            return Ok(());
        }
        let reply = self.ask(who, method, path, &self.filled(&body.replace('\'', "\"")));
        let wrong =
            |what: String| Err(format!("{who}: {request} {}\n{what}\n{}", self.filled(body), reply.body));
        if reply.status != status {
            return wrong(format!("is answered by {}, not by {status}", reply.status));
        }
        let expected = self.filled(expected);
        if status >= 400 {
            let message = message(&reply.body);
            let is_right = match expected.strip_suffix('…') {
                Some(start) => message.starts_with(start),
                None => message == expected,
            };
            if !is_right {
                return wrong(format!("says {message:?}\n not {expected:?}"));
            }
        } else {
            for pair in expected.split("; ").filter(|pair| !pair.is_empty()) {
                let (path, wanted) = pair.split_once('=').unwrap();
                let found = at(&reply.body, path);
                if found != wanted {
                    return wrong(format!("{path} is {found}, not {wanted}"));
                }
            }
        }
        if let Some(name) = capture {
            let inner =
                reply.body.as_object().unwrap().values().find(|value| value.is_object() || value.is_array());
            let object = inner.map(|inner| inner.get(0).unwrap_or(inner)).unwrap();
            let Some(id) = object["id"].as_str() else { return wrong(format!("there is no {name}")) };
            let id = id.to_owned();
            self.name(name, &id);
        }
        Ok(())
    }

    /// Asks a service, which the version in the path names.
    pub(super) fn ask(&self, who: &str, method: &str, path: &str, body: &str) -> Reply {
        let base = match path.split('/').collect::<Vec<_>>().as_slice() {
            [_, "v3", ..] => &self.keystone,
            [_, "v2.0", collection, ..] if *collection != "lbaas" => &self.network,
            _ => &self.load_balancer,
        };
        let token = match who {
            "nobody" => "",
            "stranger" => "gAAAAAB-unknown",
            who => &self.tokens[who],
        };
        let mut headers = vec![("X-Auth-Token", token)];
        let subject = self.names.get("subject").map(String::as_str);
        headers.extend(subject.map(|subject| ("X-Subject-Token", subject)));
        headers.retain(|(_, value)| !value.is_empty());
        send(method, &format!("{base}{path}"), &headers, body)
    }

    /// What a path answers the tenant.
    pub(super) fn get(&self, path: &str) -> Value {
        let path = self.filled(path);
        let reply = self.ask("tenant", "GET", &path, "");
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    }

    fn wait(&self, load_balancer: &str) {
        if let Some(cloud) = self.embedded {
            cloud.unstick();
        }
        let path = format!("/v2/lbaas/loadbalancers/{load_balancer}");
        eventually("the load balancer is PENDING no more", SOON * 3, || {
            let reply = self.ask("tenant", "GET", &path, "");
            !at(&reply.body, "loadbalancer.provisioning_status").starts_with("PENDING")
        });
    }

    pub(super) fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.names {
            filled = filled.replace(&format!("<{name}>"), value);
        }
        filled
    }
}

fn line(text: &str) -> Line<'_> {
    let parts: Vec<&str> = text.split(" | ").collect();
    match *parts.as_slice() {
        [wait] if wait.starts_with("WAIT ") => (wait, "", 0, ""),
        [request, body, status, ref rest @ ..] if rest.len() < 2 => {
            let status = status.parse().unwrap_or_else(|_| panic!("no status: {text}"));
            (request, if body == "-" { "" } else { body }, status, rest.first().copied().unwrap_or_default())
        }
        _ => panic!("no line of a table: {text}"),
    }
}

/// The message of an error, in whatever form.
fn message(body: &Value) -> &str {
    let paths = ["/faultstring", "/NeutronError/message", "/error/message", "/description"];
    paths.iter().find_map(|path| body.pointer(path)?.as_str()).unwrap_or_default()
}

/// The value at a path of fields and numbers; `#` counts.
pub(super) fn at(body: &Value, path: &str) -> String {
    let mut value = body;
    for part in path.split('.') {
        if part == "#" {
            return value.as_array().map_or(0, Vec::len).to_string();
        }
        value = match part.parse::<usize>() {
            Ok(index) => &value[index],
            Err(_) => &value[part],
        };
    }
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
