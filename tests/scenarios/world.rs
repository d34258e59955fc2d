//! Everything that a scenario needs: a model of Juju, a cloud, the gateway between them, and back ends.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testbed::backend::{BackEnd, Kind};
use testbed::cloud::{ApiClient, CloudOptions, EmbeddedCloud};
use testbed::gateway::{Fault, Gateway};
use testbed::juju::{ActionStatus, Bag, Deploy, HookRecord, Model, ModelOptions};

pub(crate) const US: &str = "octavia-integrator";
pub(crate) const UNIT: &str = "octavia-integrator/0";
pub(crate) const CONTROL_PLANE: &str = "kubernetes-control-plane";

/// How a world begins.
pub(crate) struct Setup<'a> {
    pub(crate) seed: u64,
    pub(crate) cloud: CloudOptions,
    pub(crate) units: u32,
    pub(crate) trust: bool,
    pub(crate) config: &'a [(&'a str, &'a str)],
    /// How many control plane units, and what they are.
    pub(crate) machines: u8,
    pub(crate) kind: Kind,
    /// What the machine adds to the environment of a hook.
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// The charm; the freshly built binary with the project's files if none is named.
    pub(crate) charm: Option<PathBuf>,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self {
            seed: 1,
            cloud: CloudOptions {
                working_time: std::time::Duration::ZERO,
                clock: 20,
                ..CloudOptions::default()
            },
            units: 1,
            trust: true,
            config: &[],
            machines: 3,
            kind: Kind::hardened_api_server(),
            environment: &[],
            charm: None,
        }
    }
}

/// A running world; a scenario ends it by [`World::end`].
pub(crate) struct World {
    pub(crate) model: Model,
    pub(crate) cloud: EmbeddedCloud,
    pub(crate) gateway: Gateway,
    pub(crate) api: ApiClient,
    pub(crate) machines: Vec<BackEnd>,
    kind: Kind,
    next_machine: u8,
    expected_tool_errors: Vec<&'static str>,
    _charm: tempfile::TempDir,
}

impl World {
    /// Our application is deployed and has settled; `lb-subnet` and `lb-floating-network` are set unless told otherwise.
    pub(crate) fn new(setup: &Setup<'_>) -> Self {
        let charm = tempfile::Builder::new().prefix("charm-").tempdir().unwrap();
        let charm_dir = setup.charm.clone().unwrap_or_else(|| {
            unpacked_charm(charm.path());
            charm.path().to_owned()
        });
        let cloud = EmbeddedCloud::start(setup.cloud.clone());
        let access = cloud.access();
        let gateway = Gateway::start(&access.keystone);
        let mut credential = access.juju_credential();
        credential["endpoint"] = json!(gateway.keystone());
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options = ModelOptions {
            seed: setup.seed,
            credential: Some(credential),
            machine_environment: setup.environment.iter().map(own).collect(),
            ..ModelOptions::default()
        };
        let mut model = Model::new(options);
        let child = model.child();
        gateway.kill_by(Box::new(move || {
            child.kill();
        }));
        let mut config = vec![("lb-subnet", "tenant-subnet"), ("lb-floating-network", "public")];
        config.retain(|(name, _)| setup.config.iter().all(|(other, _)| other != name));
        config.extend(setup.config.iter().filter(|(_, value)| !value.is_empty()));
        let addresses: Vec<String> = (0..setup.units.max(1))
            .map(|number| cloud.machine(250 - u8::try_from(number).unwrap()).to_string())
            .collect();
        let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
        model.deploy(
            US,
            Deploy {
                charm_dir: &charm_dir,
                units: setup.units,
                trust: setup.trust,
                config: &config,
                addresses: &addresses,
            },
        );
        let api = cloud.api();
        let mut world = Self {
            model,
            cloud,
            gateway,
            api,
            machines: Vec::new(),
            kind: setup.kind.clone(),
            next_machine: 201,
            expected_tool_errors: Vec::new(),
            _charm: charm,
        };
        if !setup.trust {
            world.expect_tool_error("credential-get");
        }
        world.model.settle();
        world.model.add_remote(CONTROL_PLANE, &[]);
        for number in 0..setup.machines {
            world.add_machine(CONTROL_PLANE, number.into());
        }
        world
    }

    /// The usual world: trusted, three API servers, nothing related yet.
    pub(crate) fn usual() -> Self {
        Self::new(&Setup::default())
    }

    /// The usual world with both load balancers of a control plane.
    pub(crate) fn serving() -> (Self, u32, u32) {
        Self::serving_with(&Setup::default())
    }

    pub(crate) fn serving_with(setup: &Setup<'_>) -> (Self, u32, u32) {
        let mut world = Self::new(setup);
        let external =
            world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
        let internal =
            world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
        world.model.settle();
        (world, external, internal)
    }

    /// One more back end with its unit.
    pub(crate) fn add_machine(&mut self, application: &str, number: u32) -> IpAddr {
        let address = self.cloud.machine(self.next_machine);
        self.next_machine += 1;
        self.machines.push(BackEnd::start(address, 6443, self.kind.clone()));
        self.model.add_remote_unit(&format!("{application}/{number}"), &address.to_string());
        address
    }

    /// `juju integrate`, and the consumer's requests once all units have met.
    pub(crate) fn relate(&mut self, consumer: &str, endpoint: &str, requests: &[(&str, Value)]) -> u32 {
        let relation = self.model.integrate(&format!("{US}:lb-consumers"), &format!("{consumer}:{endpoint}"));
        self.model.settle();
        self.model.play_consumer(relation, consumer, bag(requests));
        relation
    }

    /// The same, but requests may come before, between and after the units.
    pub(crate) fn relate_at_once(
        &mut self,
        consumer: &str,
        endpoint: &str,
        requests: &[(&str, Value)],
    ) -> u32 {
        let relation = self.model.integrate(&format!("{US}:lb-consumers"), &format!("{consumer}:{endpoint}"));
        self.model.play_consumer(relation, consumer, bag(requests));
        relation
    }

    /// What stands in our answer: its address.
    pub(crate) fn answer(&self, relation: u32, name: &str) -> Option<IpAddr> {
        let answer = self.raw_answer(relation, name)?;
        answer["address"].as_str().map(|address| address.parse().unwrap())
    }

    pub(crate) fn raw_answer(&self, relation: u32, name: &str) -> Option<Value> {
        let bag = self.model.application_bag(relation, US);
        bag.get(&format!("response_{name}")).map(|text| serde_json::from_str(text).unwrap())
    }

    /// What a consumer's leader writes from now on: these keys changed, an empty value deletes one.
    pub(crate) fn rewrite(&mut self, relation: u32, changes: &Bag) {
        let bag = changed(self.model.application_bag(relation, CONTROL_PLANE), changes);
        self.model.play_consumer(relation, CONTROL_PLANE, bag);
    }

    /// What a remote unit writes: these keys changed, an empty value deletes one.
    pub(crate) fn write_unit_bag(&mut self, relation: u32, unit: &str, changes: &Bag) {
        let bag = changed(self.model.unit_bag(relation, unit), changes);
        self.model.set_unit_bag(relation, unit, bag);
    }

    /// One `update-status`, and what happened in it.
    pub(crate) fn update_status(&mut self, unit: &str) -> HookRecord {
        self.model.update_status(unit);
        self.model.hooks().iter().rfind(|hook| hook.name() == "update-status").unwrap().clone()
    }

    /// `juju run`: `completed` or `failed`, why, and each result as text.
    pub(crate) fn run_action(&mut self, unit: &str, name: &str, parameters: Value) -> Action {
        let ran = self.model.run_action(unit, name, parameters);
        let results = ran.results.as_object().into_iter().flatten();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Action {
            status: if ran.status == ActionStatus::Completed { "completed" } else { "failed" },
            message: ran.message,
            results: results.map(|(key, value)| (key.clone(), text(value))).collect(),
        }
    }

    /// The status as one line: `active: 2 load balancers, 6/6 members online`.
    pub(crate) fn line(&self) -> String {
        self.line_of(UNIT)
    }

    /// The same of any unit.
    pub(crate) fn line_of(&self, unit: &str) -> String {
        let status = self.model.unit_status(unit);
        format!("{}: {}", status.status, status.message)
    }

    /// The status alone: `active`, `waiting`, `blocked`.
    pub(crate) fn level(&self) -> String {
        self.model.unit_status(UNIT).status
    }

    /// Hooks until the status is this one; time passes in the cloud meanwhile.
    pub(crate) fn until(&mut self, line: &str) {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        loop {
            self.update_status(UNIT);
            if self.line() == line {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "expected {line:?}, got {:?}", self.line());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// One object of ours by its kind, and all of them.
    pub(crate) fn objects(&self, kind: &str) -> Vec<Value> {
        match kind {
            "members" => {
                let pools = self.objects("pools");
                let members = |pool: &Value| {
                    self.api
                        .list(&format!("/lbaas/pools/{}/members", pool["id"].as_str().unwrap()), "members")
                };
                pools.iter().flat_map(members).collect()
            }
            "ports" => {
                let ports = self.api.list("/ports", "ports");
                ports
                    .into_iter()
                    .filter(|port| port["description"].as_str().unwrap_or_default().starts_with("juju:"))
                    .collect()
            }
            "floatingips" => self.api.list("/floatingips", "floatingips"),
            kind => self.api.list(&format!("/lbaas/{kind}"), kind),
        }
    }

    /// How many there are of each kind: load balancers, listeners, pools, monitors, members, ports, floating IPs.
    pub(crate) fn census(&self) -> [usize; 7] {
        ["loadbalancers", "listeners", "pools", "healthmonitors", "members", "ports", "floatingips"]
            .map(|kind| self.objects(kind).len())
    }

    /// A hook tool that is meant to refuse.
    pub(crate) fn expect_tool_error(&mut self, tool: &'static str) {
        self.expected_tool_errors.push(tool);
    }

    /// A planned fault; its errors are expected.
    pub(crate) fn plan(&self, fault: Fault) {
        self.gateway.plan(fault);
    }

    /// Nothing went wrong but what was named, and all that was planned struck.
    pub(crate) fn end(self) {
        assert!(!self.model.has_unfired_faults(), "planned faults that did not strike");
        assert_eq!(self.gateway.unfired(), [], "planned faults that did not strike");
        // A wait for a deletion ends with a 404.
        let mut errors = self.gateway.errors();
        errors.retain(|call| !(call.is("GET", "loadbalancers/{id}") && call.status == Some(404)));
        assert!(errors.is_empty(), "errors that nobody named:\n{}", testbed::gateway::render(&errors));
        for hook in self.model.hooks() {
            for call in hook.calls.iter().filter(|call| call.code != Some(0) && !call.meddled) {
                let is_named = self.expected_tool_errors.contains(&call.tool.as_str());
                assert!(is_named, "{} of {} was refused: {call:?}", call.tool, hook.path);
            }
        }
    }
}

/// What became of an action.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) status: &'static str,
    pub(crate) message: String,
    pub(crate) results: BTreeMap<String, String>,
}

/// The project's files and the freshly built binary, as they lie in a charm.
fn unpacked_charm(directory: &Path) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["metadata.yaml", "config.yaml", "actions.yaml"] {
        std::fs::copy(project.join(file), directory.join(file)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_octavia-integrator"), directory.join("dispatch")).unwrap();
}

/// What kubernetes-control-plane asks for by loadbalancer-external, as the real library writes it.
pub(crate) fn external() -> Value {
    serde_json::from_str(include_str!("../interop/requests/cp_external.json")).unwrap()
}

/// What kubernetes-control-plane asks for by loadbalancer-internal.
pub(crate) fn internal() -> Value {
    serde_json::from_str(include_str!("../interop/requests/cp_internal.json")).unwrap()
}

/// A request with some fields replaced.
pub(crate) fn with(mut request: Value, changes: &Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

fn changed(mut bag: Bag, changes: &Bag) -> Bag {
    bag.extend(changes.clone());
    bag.retain(|_, value| !value.is_empty());
    bag
}

/// A consumer's application databag.
pub(crate) fn bag(requests: &[(&str, Value)]) -> Bag {
    let mut bag = Bag::from([("version".to_owned(), "1".to_owned())]);
    bag.extend(requests.iter().map(|(name, request)| (format!("request_{name}"), request.to_string())));
    bag
}
