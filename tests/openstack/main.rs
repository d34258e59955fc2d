//! The charm on a real OpenStack, from the first relation to a clean end; `TESTBED_*` say which (CONTRIBUTING.md).
//!
//! Juju is a model, the gateway counts, and the back ends listen on addresses of the tenant's subnet on this machine.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what does not hold on a real cloud stops at once"
)]
#![expect(clippy::print_stdout, reason = "its output is a transcript")]

#[path = "../demo/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use testbed::backend::{BackEnd, Kind, Traffic};
use testbed::cloud::{Access, ApiClient};
use testbed::eventually::eventually;
use testbed::gateway::{Gateway, render};
use testbed::juju::{Bag, Deploy, Model, ModelOptions};

use table::{table, text};

const US: &str = "octavia-integrator";
const UNIT: &str = "octavia-integrator/0";
const CONTROL_PLANE: &str = "kubernetes-control-plane";
const SLOW: Duration = Duration::from_mins(2);

fn main() -> ExitCode {
    if let Some(code) = testbed::tools::act() {
        return code;
    }
    let Some(access) = access() else {
        println!("TESTBED_KEYSTONE and its like name no real OpenStack");
        return ExitCode::FAILURE;
    };
    let machines = std::env::var("TESTBED_MACHINES").unwrap_or_else(|_| "127.20.0".to_owned());
    Story::begin(&access, &machines).tell();
    ExitCode::SUCCESS
}

fn access() -> Option<Access> {
    let of = |name: &str| std::env::var(format!("TESTBED_{name}")).ok();
    let tenant = of("TENANT")?;
    let (username, project) = tenant.split_once('@')?;
    Some(Access {
        keystone: of("KEYSTONE")?,
        username: username.to_owned(),
        password: of("PASSWORD")?,
        project: project.to_owned(),
        domain: "Default".to_owned(),
        region: "RegionOne".to_owned(),
        subnet: of("SUBNET")?,
        external_network: of("EXTERNAL_NETWORK")?,
    })
}

struct Story {
    model: Model,
    gateway: Gateway,
    api: ApiClient,
    machines: Vec<BackEnd>,
    _charm: tempfile::TempDir,
}

impl Story {
    fn begin(access: &Access, machines: &str) -> Self {
        let charm = tempfile::tempdir().unwrap();
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        for file in ["metadata.yaml", "config.yaml", "actions.yaml"] {
            std::fs::copy(project.join(file), charm.path().join(file)).unwrap();
        }
        let dispatch = charm.path().join("dispatch");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_octavia-integrator"), dispatch).unwrap();
        let gateway = Gateway::start(&access.keystone);
        let mut credential = access.juju_credential();
        credential["endpoint"] = json!(gateway.keystone());
        let options = ModelOptions { credential: Some(credential), ..ModelOptions::default() };
        let mut model = Model::new(options);
        let config = [
            ("lb-subnet", access.subnet.as_str()),
            ("lb-floating-network", access.external_network.as_str()),
        ];
        let addresses = [format!("{machines}.209")];
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        let deploy =
            Deploy { charm_dir: charm.path(), units: 1, trust: true, config: &config, addresses: &addresses };
        model.deploy(US, deploy);
        model.settle();
        model.add_remote(CONTROL_PLANE, &[]);
        let mut story =
            Self { model, gateway, api: ApiClient::new(access), machines: Vec::new(), _charm: charm };
        for number in 0..3 {
            let address: IpAddr = format!("{machines}.{}", 211 + number).parse().unwrap();
            story.machines.push(BackEnd::start(address, 6443, Kind::hardened_api_server()));
            story.model.add_remote_unit(&format!("{CONTROL_PLANE}/{number}"), &address.to_string());
        }
        story
    }

    fn tell(mut self) {
        let (outer, inner) = self.create();
        self.unchanged();
        self.lose_one(outer);
        self.shrink();
        self.allow();
        self.model.remove_relation(outer);
        self.model.remove_relation(inner);
        self.model.settle();
        self.model.update_status(UNIT);
        self.status();
        let left: usize = ["loadbalancers", "listeners", "pools", "healthmonitors"]
            .iter()
            .map(|kind| self.list(&format!("/lbaas/{kind}"), kind).len())
            .sum();
        let ours = |kind: &str| {
            let all = self.list(&format!("/{kind}"), kind);
            all.iter().filter(|one| text(one, "description").starts_with("juju:")).count()
        };
        println!("left: {left} of Octavia, {} ports, {} floating IPs", ours("ports"), ours("floatingips"));
        assert_eq!((left, ours("ports"), ours("floatingips")), (0, 0, 0));
        let mut errors = self.gateway.errors();
        errors.retain(|call| !(call.is("GET", "loadbalancers/{id}") && call.status == Some(404)));
        assert!(errors.is_empty(), "{}", render(&errors));
    }

    fn create(&mut self) -> (u32, u32) {
        self.gateway.reset();
        let requests = [
            ("external", include_str!("../interop/requests/cp_external.json")),
            ("internal", include_str!("../interop/requests/cp_internal.json")),
        ];
        let relations = requests.map(|(which, request)| {
            let remote = format!("{CONTROL_PLANE}:loadbalancer-{which}");
            let relation = self.model.integrate(&format!("{US}:lb-consumers"), &remote);
            self.model.settle();
            let bag = Bag::from([
                ("version".to_owned(), "1".to_owned()),
                (format!("request_api-server-{which}"), request.to_owned()),
            ]);
            self.model.play_consumer(relation, CONTROL_PLANE, bag);
            self.model.settle();
            relation
        });
        let writes = self.gateway.writes();
        println!("create: {} calls with polls, writes:\n{}", self.gateway.calls().len(), render(&writes));
        for relation in relations {
            println!("{:?}", self.model.application_bag(relation, US));
        }
        self.until("active: 2 load balancers, 6/6 members online");
        (relations[0], relations[1])
    }

    fn unchanged(&mut self) {
        self.gateway.reset();
        self.model.update_status(UNIT);
        let hook = self.model.hooks().iter().rfind(|hook| hook.name() == "update-status").unwrap();
        println!(
            "unchanged hook: {} calls, {} hook tools, {} ms, CPU {:?}",
            self.gateway.calls().len(),
            hook.calls.len(),
            hook.wall.as_millis(),
            hook.cpu
        );
        println!("{}", render(&self.gateway.calls()));
        assert_eq!(self.gateway.writes(), []);
    }

    fn lose_one(&mut self, outer: u32) {
        let answer: Value =
            serde_json::from_str(&self.model.application_bag(outer, US)["response_api-server-external"])
                .unwrap();
        let front = SocketAddr::new(answer["address"].as_str().unwrap().parse().unwrap(), 443);
        let traffic = Traffic::start(front, "/version", 20);
        eventually("all three answer", SLOW, || traffic.tally().answered.len() == 3);
        self.machines[1].stop();
        let down = self.machines[1].address();
        self.until(&format!(
            "active: 2 load balancers, 4/6 members online; down: {CONTROL_PLANE}/1 ({down}:6443)"
        ));
        let before = traffic.tally().failures.len();
        traffic.reset();
        eventually("the others answer", SLOW, || traffic.tally().successes() >= 50);
        let since = traffic.stop();
        println!("{before} requests failed until it was marked down, {} since", since.failures.len());
        self.members();
        assert_eq!(since.failures, Vec::<String>::new());
        self.machines[1].start_again();
        self.until("active: 2 load balancers, 6/6 members online");
        let shown = self.model.run_action(UNIT, "show-load-balancers", json!({}));
        println!("$ juju run {UNIT} show-load-balancers\n{}", shown.results["table"].as_str().unwrap());
    }

    fn shrink(&mut self) {
        self.gateway.reset();
        self.model.remove_unit(&format!("{CONTROL_PLANE}/1"));
        self.model.settle();
        let writes = self.gateway.writes();
        println!("a member leaves: {} calls, writes:\n{}", self.gateway.calls().len(), render(&writes));
        assert!(writes.len() == 2 && writes.iter().all(|call| call.is("PUT", "pools/{id}/members")));
        self.until("active: 2 load balancers, 4/4 members online");
    }

    /// A list of who may connect, with what must never be locked out; then everybody again.
    fn allow(&mut self) {
        for (value, is_kept) in [("203.0.113.0/24", true), ("", false)] {
            self.model.configure(US, &[("lb-allowed-cidrs", value)]);
            self.model.settle();
            let listeners = self.list("/lbaas/listeners", "listeners");
            let public = listeners.iter().find(|one| one["protocol_port"] == 443).unwrap();
            println!("lb-allowed-cidrs={value:?}: allowed_cidrs {}", public["allowed_cidrs"]);
            assert_eq!(public["allowed_cidrs"].is_array(), is_kept);
            self.gateway.reset();
            self.model.update_status(UNIT);
            assert_eq!(self.gateway.writes(), [], "it reads back as it was meant");
        }
    }

    fn until(&mut self, line: &str) {
        eventually(line, SLOW, || {
            self.model.update_status(UNIT);
            let status = self.model.unit_status(UNIT);
            format!("{}: {}", status.status, status.message) == line
        });
        self.status();
    }

    fn status(&self) {
        let status = self.model.unit_status(UNIT);
        println!("    {UNIT}*  {}  {}", status.status, status.message);
    }

    fn list(&self, path: &str, key: &str) -> Vec<Value> {
        self.api.list(path, key)
    }

    fn members(&self) {
        let fields = ["name", "address", "protocol_port", "provisioning_status", "operating_status"];
        let mut rows = BTreeMap::new();
        for pool in self.list("/lbaas/pools", "pools") {
            let path = format!("/lbaas/pools/{}/members", text(&pool, "id"));
            for member in self.list(&path, "members") {
                let row: Vec<String> = fields.map(|field| text(&member, field)).into();
                rows.insert((text(&pool, "name"), row[0].clone()), row);
            }
        }
        let rows: Vec<Vec<String>> = rows.into_values().collect();
        println!("$ openstack loadbalancer member list …\n{}", table(&fields, &rows));
    }
}
