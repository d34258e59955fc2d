//! The embedded cloud as a scenario holds it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::access::Access;
use super::api::ApiClient;
use super::keystone::Credential;
use super::network::{Network, Part};
use super::store::{Busy, Kind, Store, new_id};
use super::{beat, neutron, octavia, seed, server};
use crate::data_plane::{DataPlane, Sockets, VipConfig};
use crate::runtime::Task;

/// What may differ from cloud to cloud.
#[derive(Debug, Clone)]
pub struct CloudOptions {
    /// Health monitors run this many times as fast as configured.
    pub clock: u32,
    /// How long Octavia works on a load balancer.
    pub working_time: Duration,
    /// How often the amphorae report.
    pub heartbeat: Duration,
    /// The longest page of a list, as an operator sets it; by default there is none.
    pub longest_page: usize,
    /// The last of the addresses in each subnet that Neutron gives.
    pub addresses: u8,
    /// How long a token is valid.
    pub token_lifetime: Duration,
    /// Octavia's providers by name; the first is the default.
    pub providers: &'static [&'static str],
    /// Octavia's flavors by name, and whether they may be used.
    pub flavors: &'static [(&'static str, bool)],
    /// Octavia's availability zones by name, and whether they may be used.
    pub availability_zones: &'static [(&'static str, bool)],
}

impl Default for CloudOptions {
    fn default() -> Self {
        Self {
            clock: 10,
            working_time: Duration::from_millis(60),
            heartbeat: Duration::from_millis(50),
            longest_page: usize::MAX,
            addresses: 200,
            token_lifetime: Duration::from_hours(1),
            providers: &["amphora", "octavia"],
            flavors: &[],
            availability_zones: &[],
        }
    }
}

/// An OpenStack in this process.
pub struct EmbeddedCloud {
    world: Arc<Mutex<World>>,
    sockets: Option<Arc<Sockets>>,
    _tasks: [Task; 2],
}

/// Everything behind the API.
pub(super) struct World {
    pub(super) store: Store,
    pub(super) options: CloudOptions,
    pub(super) base: String,
    pub(super) data_plane: Arc<dyn DataPlane>,
    /// What the data plane was told last, by load balancer.
    pub(super) serving: BTreeMap<String, VipConfig>,
    pub(super) network: Network,
}

impl World {
    /// What Octavia's worker has finished meanwhile becomes true.
    pub(super) fn catch_up(&mut self) {
        let now = Instant::now();
        let is_done = |busy: &Busy| busy.until.is_some_and(|until| until <= now);
        let done: Vec<String> =
            self.store.busy.iter().filter(|(_, busy)| is_done(busy)).map(|(id, _)| id.clone()).collect();
        for id in done {
            let Some(busy) = self.store.busy.remove(&id) else { continue };
            octavia::finish(self, &id, busy.changes);
        }
    }
}

impl EmbeddedCloud {
    /// A cloud with a tenant and an observer of one project, another tenant and an administrator; two networks with a
    /// subnet each, an external network, and a router between them.
    pub fn start(options: CloudOptions) -> Self {
        let sockets = Arc::new(Sockets::new(options.clock));
        Self { sockets: Some(sockets.clone()), ..Self::start_with(options, sockets) }
    }

    /// The same with a data plane of one's own.
    pub fn start_with(options: CloudOptions, data_plane: Arc<dyn DataPlane>) -> Self {
        let heartbeat = options.heartbeat;
        let world = Arc::new(Mutex::new(World {
            store: Store::default(),
            options,
            base: String::new(),
            data_plane,
            serving: BTreeMap::new(),
            network: Network::claim(),
        }));
        let (address, server) = server::start(&world);
        let beats = Task::spawn(beat::run(Arc::downgrade(&world), heartbeat));
        {
            let mut world = world.lock().unwrap();
            world.base = format!("http://{address}");
            seed::seed(&mut world);
        }
        Self { world, sockets: None, _tasks: [server, beats] }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    /// How to reach it as the tenant.
    pub fn access(&self) -> Access {
        self.access_as("tenant")
    }

    /// How to reach it as another user: `observer`, `nolb` (without a role of Octavia's own), `lb` (with
    /// nothing else), `admin`, `other`.
    pub fn access_as(&self, username: &str) -> Access {
        let world = self.world();
        let user = world.store.accounts.user(username).unwrap();
        Access {
            keystone: format!("{}/identity/v3", world.base),
            username: username.to_owned(),
            password: user.password.clone(),
            project: user.project.clone(),
            domain: "Default".to_owned(),
            region: "RegionOne".to_owned(),
            subnet: "tenant-subnet".to_owned(),
            external_network: "public".to_owned(),
        }
    }

    /// Raw calls as the tenant.
    pub fn api(&self) -> ApiClient {
        ApiClient::new(&self.access())
    }

    /// An address of the tenant's subnet for a machine, with its Neutron port; `last` is its last part, from 201.
    pub fn machine(&self, last: u8) -> IpAddr {
        assert!(last > 200, "lower addresses are for VIPs");
        let mut world = self.world();
        let address = world.network.address(Part::Tenant, last);
        let subnet = world.store.all(Kind::Subnet)[0].clone();
        let project = subnet["project_id"].as_str().unwrap().to_owned();
        let port = json!({
            "network_id": subnet["network_id"], "device_id": new_id(), "device_owner": "compute:nova",
            "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": address.to_string()}],
        });
        neutron::make_port(&mut world, &project, port.as_object().unwrap()).expect("the address is free");
        address
    }

    /// The port of a machine is gone.
    pub fn forget_machine(&self, last: u8) {
        let mut world = self.world();
        let address = world.network.address(Part::Tenant, last).to_string();
        let is_its = |port: &&Value| port["fixed_ips"][0]["ip_address"] == address.as_str();
        let id = world.store.all(Kind::Port).iter().find(is_its).unwrap()["id"].as_str().unwrap().to_owned();
        neutron::delete_port(&mut world, &id);
    }

    /// One more subnet of the tenant's network; its id.
    pub fn add_subnet(&self, name: &str) -> String {
        let mut world = self.world();
        let network = world.store.all(Kind::Network)[0].clone();
        let subnet = seed::subnet(&mut world, name, &network, Part::Other);
        subnet["id"].as_str().unwrap().to_owned()
    }

    /// Where a front port is really bound: 10,000 higher if it is below 1024 and may not be bound.
    pub fn front(&self, address: IpAddr, port: u16) -> Option<SocketAddr> {
        self.sockets.as_ref()?.front(address, port)
    }

    /// A credential of the tenant: id (and name) and secret.
    pub fn add_application_credential(&self, id: &str, secret: &str) {
        let mut world = self.world();
        let user = world.store.accounts.user("tenant").unwrap().clone();
        world.store.accounts.credentials.push(Credential {
            id: id.to_owned(),
            name: id.to_owned(),
            secret: secret.to_owned(),
            user_id: user.id,
            roles: user.roles,
        });
    }

    /// Every token becomes invalid.
    pub fn revoke_tokens(&self) {
        self.world().store.accounts.revoke_all();
    }

    /// The next operation on an object of a kind (`pool`, `member`, `healthmonitor`, `listener`, `loadbalancer`) ends
    /// in ERROR.
    pub fn fail_next(&self, kind: &str) {
        let kind = octavia::kind(kind);
        self.world().store.switches.fail.push(kind);
    }

    /// Whatever Octavia does with a health monitor of this type ends in ERROR from now on.
    pub fn fail_monitors(&self, kind: &str) {
        self.world().store.switches.fail_monitors = Some(kind.to_owned());
    }

    /// The next operation on a load balancer does not end.
    pub fn stick_next(&self) {
        self.world().store.switches.stick = true;
    }

    /// Whatever Octavia is working on, stuck or not, ends now.
    pub fn unstick(&self) {
        let mut world = self.world();
        world.store.switches.stick = false;
        for busy in world.store.busy.values_mut() {
            busy.until = Some(Instant::now());
        }
    }

    /// The amphorae report nothing while this is so.
    pub fn silence(&self, silent: bool) {
        self.world().store.switches.silent = silent;
    }

    /// The tenant may have so many of a kind.
    pub fn set_quota(&self, kind: &str, most: usize) {
        let kind = octavia::kind(kind);
        let mut world = self.world();
        let project = world.store.accounts.user("tenant").unwrap().project_id.clone();
        world.store.quotas.insert((project, kind), i64::try_from(most).unwrap());
    }

    /// What no API can do: a field of an object in the database.
    pub fn set_in_database(&self, kind: &str, id: &str, field: &str, value: impl Into<Value>) {
        let kind = octavia::kind(kind);
        self.world().store.set(kind, id, field, value);
    }

    /// Everything that the cloud holds, by kind: for "nothing of ours is left".
    pub fn everything(&self) -> Value {
        let mut world = self.world();
        world.catch_up();
        let mut all = serde_json::Map::new();
        for (kind, objects) in world.store.kinds() {
            let objects: Vec<Value> = objects.iter().map(octavia::shown).collect();
            all.insert(format!("{kind:?}"), Value::from(objects));
        }
        Value::Object(all)
    }
}
