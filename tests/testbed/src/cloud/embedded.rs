//! The embedded cloud as a scenario holds it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::access::Access;
use super::api::ApiClient;
use super::store::{Kind, Store, Then, User, new_id};
use super::{beat, lists, server};
use crate::data_plane::{DataPlane, Sockets};
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
    /// The longest page of a list.
    pub longest_page: usize,
    /// Addresses in the tenant's subnet that can be had.
    pub addresses: u8,
}

impl Default for CloudOptions {
    fn default() -> Self {
        Self {
            clock: 10,
            working_time: Duration::from_millis(60),
            heartbeat: Duration::from_millis(50),
            longest_page: 1000,
            addresses: 200,
        }
    }
}

/// An OpenStack in this process.
pub struct EmbeddedCloud {
    world: Arc<Mutex<World>>,
    sockets: Arc<Sockets>,
    network: [u8; 2],
    _tasks: [Task; 2],
}

/// Everything behind the API.
pub(super) struct World {
    pub(super) store: Store,
    pub(super) options: CloudOptions,
    pub(super) base: String,
    pub(super) data_plane: Arc<dyn DataPlane>,
    pub(super) network: [u8; 2],
}

impl World {
    /// What Octavia's worker has finished meanwhile becomes true.
    pub(super) fn catch_up(&mut self) {
        let now = Instant::now();
        let is_done = |until: Option<Instant>| until.is_some_and(|until| until <= now);
        let done: Vec<String> = self
            .store
            .busy
            .iter()
            .filter(|(_, busy)| is_done(busy.until))
            .map(|(id, _)| id.clone())
            .collect();
        for id in done {
            let Some(busy) = self.store.busy.remove(&id) else { continue };
            for then in busy.then {
                match then {
                    Then::Becomes(kind, id, status) => {
                        self.store.set(kind, &id, "provisioning_status", status);
                    }
                    Then::Goes(kind, id) => self.store.remove(kind, &id),
                }
            }
            super::octavia::refer(self, &id);
            beat::apply(self, &id);
        }
    }
}

impl EmbeddedCloud {
    /// A cloud with a tenant, an observer, an administrator and another tenant; a network, a subnet and an external
    /// network.
    pub fn start(options: CloudOptions) -> Self {
        let sockets = Arc::new(Sockets::new(options.clock));
        let network = free_network();
        let data_plane: Arc<dyn DataPlane> = sockets.clone();
        let heartbeat = options.heartbeat;
        let world = World { store: Store::default(), options, base: String::new(), data_plane, network };
        let world = Arc::new(Mutex::new(world));
        let (address, server) = server::start(&world);
        let beats = Task::spawn(beat::run(Arc::downgrade(&world), heartbeat));
        {
            let mut world = world.lock().unwrap();
            world.base = format!("http://{address}");
            seed(&mut world);
        }
        Self { world, sockets, network, _tasks: [server, beats] }
    }

    /// How to reach it as the tenant.
    pub fn access(&self) -> Access {
        self.access_as("tenant")
    }

    /// How to reach it as another user: `observer`, `admin`, `other`.
    pub fn access_as(&self, username: &str) -> Access {
        let world = self.world.lock().unwrap();
        let user = world.store.users.iter().find(|user| user.name == username).unwrap();
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
        let [second, third] = self.network;
        let address = IpAddr::V4(Ipv4Addr::new(127, second, third, last));
        let mut world = self.world.lock().unwrap();
        let subnet = world.store.all(Kind::Subnet)[0].clone();
        let port = json!({
            "id": new_id(), "name": "", "description": "", "network_id": subnet["network_id"],
            "project_id": subnet["project_id"], "tenant_id": subnet["project_id"], "device_id": new_id(),
            "device_owner": "compute:nova", "status": "ACTIVE", "admin_state_up": true, "tags": [],
            "fixed_ips": [{"subnet_id": subnet["id"], "ip_address": address.to_string()}],
        });
        world.store.add(Kind::Port, port);
        address
    }

    /// The port of a machine is gone.
    pub fn forget_machine(&self, last: u8) {
        let [second, third] = self.network;
        let address = format!("127.{second}.{third}.{last}");
        let mut world = self.world.lock().unwrap();
        let port = world
            .store
            .all(Kind::Port)
            .iter()
            .find(|port| port["fixed_ips"][0]["ip_address"] == address.as_str());
        let id = port.and_then(|port| port["id"].as_str()).unwrap().to_owned();
        world.store.remove(Kind::Port, &id);
    }

    /// One more subnet of the tenant's network; its id.
    pub fn add_subnet(&self, name: &str) -> String {
        let mut world = self.world.lock().unwrap();
        let mut subnet = world.store.all(Kind::Subnet)[0].clone();
        let id = new_id();
        subnet["id"] = json!(id);
        subnet["name"] = json!(name);
        subnet["cidr"] = json!("127.14.0.0/24");
        world.store.add(Kind::Subnet, subnet);
        id
    }

    /// Where a front port is really bound: 10,000 higher if it is below 1024 and may not be bound.
    pub fn front(&self, address: IpAddr, port: u16) -> Option<std::net::SocketAddr> {
        self.sockets.front(address, port)
    }

    /// A credential of the tenant: id (and name) and secret.
    pub fn add_application_credential(&self, id: &str, secret: &str) {
        let mut world = self.world.lock().unwrap();
        world.store.application_credentials.push((id.to_owned(), secret.to_owned(), "tenant".to_owned()));
    }

    /// Every token becomes invalid.
    pub fn revoke_tokens(&self) {
        self.world.lock().unwrap().store.tokens.clear();
    }

    /// The next operation on an object of a kind (`pool`, `member`, `healthmonitor`, `listener`, `loadbalancer`) ends
    /// in ERROR.
    pub fn fail_next(&self, kind: &str) {
        let kind = super::octavia::kind(kind);
        self.world.lock().unwrap().store.switches.fail.push(kind);
    }

    /// The next operation on a load balancer never ends.
    pub fn stick_next(&self) {
        self.world.lock().unwrap().store.switches.stick = true;
    }

    /// The amphorae report nothing while this is so.
    pub fn silence(&self, silent: bool) {
        self.world.lock().unwrap().store.switches.silent = silent;
    }

    /// The tenant may have so many of a kind.
    pub fn set_quota(&self, kind: &str, most: usize) {
        let kind = super::octavia::kind(kind);
        let mut world = self.world.lock().unwrap();
        let project = world.store.users[0].project_id.clone();
        world.store.quotas.insert((project, kind), most);
    }

    /// What no API can do: a field of an object in the database.
    pub fn set_in_database(&self, kind: &str, id: &str, field: &str, value: impl Into<Value>) {
        let kind = super::octavia::kind(kind);
        self.world.lock().unwrap().store.set(kind, id, field, value);
    }

    /// Everything that the cloud holds but for machines, by kind: for "nothing of ours is left".
    pub fn everything(&self) -> Value {
        let mut world = self.world.lock().unwrap();
        world.catch_up();
        let mut all = serde_json::Map::new();
        for (kind, objects) in world.store.kinds() {
            let objects: Vec<Value> = objects.iter().map(lists::shown).collect();
            all.insert(format!("{kind:?}"), Value::from(objects));
        }
        Value::Object(all)
    }
}

/// Two parts of an address that no other cloud of this process has, and rarely one of another process.
fn free_network() -> [u8; 2] {
    static NEXT: AtomicU8 = AtomicU8::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    [16 + (low ^ high) % 180, NEXT.fetch_add(1, Ordering::Relaxed) % 128]
}

fn seed(world: &mut World) {
    let [second, third] = world.network;
    let project = |name: &str| (name.to_owned(), new_id().replace('-', ""));
    let (tenant, other, admin) = (project("tenant"), project("other"), project("admin"));
    let user = |name: &str, (project, project_id): &(String, String), roles: &[&str]| User {
        name: name.to_owned(),
        id: new_id().replace('-', ""),
        password: format!("{name}-hunter2"),
        project: project.clone(),
        project_id: project_id.clone(),
        roles: roles.iter().map(|role| (*role).to_owned()).collect(),
    };
    world.store.users = vec![
        user("tenant", &tenant, &["member", "load-balancer_member"]),
        user("observer", &tenant, &["reader", "load-balancer_observer"]),
        user("admin", &admin, &["admin"]),
        user("other", &other, &["member", "load-balancer_member"]),
    ];
    let network = |name: &str, project: &str, external: bool| {
        json!({"id": new_id(), "name": name, "project_id": project, "tenant_id": project, "router:external": external,
               "shared": false, "status": "ACTIVE", "admin_state_up": true, "description": "", "tags": []})
    };
    let inside = network("tenant-net", &tenant.1, false);
    let outside = network("public", &admin.1, true);
    let subnet = |name: &str, network: &Value, cidr: String| {
        json!({"id": new_id(), "name": name, "network_id": network["id"], "project_id": network["project_id"],
               "tenant_id": network["project_id"], "cidr": cidr, "ip_version": 4, "description": "", "tags": []})
    };
    world.store.add(Kind::Subnet, subnet("tenant-subnet", &inside, format!("127.{second}.{third}.0/24")));
    world
        .store
        .add(Kind::Subnet, subnet("public-subnet", &outside, format!("127.{second}.{}.0/24", third + 128)));
    world.store.add(Kind::Network, inside);
    world.store.add(Kind::Network, outside);
}
