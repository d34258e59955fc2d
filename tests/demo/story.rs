//! The story, chapter by chapter.

use std::time::Duration;

use serde_json::{Value, json};
use testbed::backend::Traffic;
use testbed::cloud::CloudOptions;
use testbed::eventually::eventually;
use testbed::gateway::render;

use crate::table::{table, text};
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external, internal};

const WORKER: &str = "kubernetes-worker";

/// Health monitors run this many times as fast as they are configured.
const CLOCK: u32 = 10;

const SOON: Duration = Duration::from_secs(20);

pub(crate) fn tell() {
    println!(
        "The charm's binary is real; Juju is a model, OpenStack is embedded, and its data plane is real sockets on"
    );
    println!("127.0.0.0/8. Health monitors run {CLOCK} times as fast as the tables say.");
    let mut world = deploy();
    let (outer, inner) = relate(&mut world);
    let website = workers(&mut world, inner);
    lose_a_unit(&mut world, outer);
    tune(&mut world);
    scale(&mut world, inner);
    let leader = replace_ourselves(&mut world, outer, website);
    clean_up(&mut world, &[outer, inner, website], &leader);
    world.end();
}

fn deploy() -> World {
    chapter(1, "Deploy without trust: the status says what to do");
    command("juju deploy octavia-integrator");
    let cloud = CloudOptions {
        clock: CLOCK,
        working_time: Duration::from_millis(300),
        heartbeat: Duration::from_millis(300),
        ..CloudOptions::default()
    };
    let mut world = World::new(&Setup { cloud, trust: false, ..Setup::default() });
    status(&world, UNIT);
    assert!(world.line().starts_with("blocked: no cloud credentials: run \"juju trust octavia-integrator\""));
    command("juju trust octavia-integrator");
    world.model.trust(US, true);
    world.model.settle();
    status(&world, UNIT);
    assert_eq!(world.line(), "active: no load balancer is asked for");
    world
}

fn relate(world: &mut World) -> (u32, u32) {
    chapter(2, "Relate a control plane of three hardened API servers");
    println!(
        "Before, as a load balancer without a monitor looks to its operator: whether members live is not known."
    );
    let pool = without_monitor(world);
    members(world, &pool, "before");
    assert!(
        world
            .api
            .list(&format!("/lbaas/pools/{pool}/members"), "members")
            .iter()
            .all(|one| one["operating_status"] == "NO_MONITOR")
    );
    let load_balancer = world.objects("loadbalancers")[0]["id"].as_str().unwrap().to_owned();
    world.api.delete(&format!("/lbaas/loadbalancers/{load_balancer}?cascade=true"));
    eventually("it is gone", SOON, || world.objects("loadbalancers").is_empty());

    command("juju integrate octavia-integrator:lb-consumers kubernetes-control-plane:loadbalancer-external");
    command("juju integrate octavia-integrator:lb-consumers kubernetes-control-plane:loadbalancer-internal");
    world.gateway.reset();
    let seen = world.model.log().len();
    let hooks = world.model.hooks().len();
    // The members' statuses of the moment at which the load balancers stand, before the first report of a check.
    world.cloud.silence(true);
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api-server-external", external())]);
    let inner = world.relate(CONTROL_PLANE, "loadbalancer-internal", &[("api-server-internal", internal())]);
    while world.answer(outer, "api-server-external").is_none()
        || world.answer(inner, "api-server-internal").is_none()
    {
        world.model.next_hook().expect("the answers come before everything is at rest");
    }
    let fresh = pool_of(world, "api-server-external");
    plan(world, seen);
    println!("Just made, no check has been heard of yet:");
    members(world, &fresh, "at first");
    pools(world);
    assert!(world.objects("pools").iter().all(|one| one["operating_status"] == "OFFLINE"));
    assert!(world.objects("members").iter().all(|one| one["operating_status"] != "ONLINE"));
    world.cloud.silence(false);
    world.model.settle();
    println!("{} hooks ran, and these calls changed something:", world.model.hooks().len() - hooks);
    print!("{}", render(&world.gateway.writes()));
    assert_eq!(world.gateway.count("POST", "loadbalancers"), 2, "one POST each");
    world.until("active: 2 load balancers, 6/6 members online");
    println!("\nAnd soon after:");
    members(world, &fresh, "then");
    pools(world);
    assert!(world.objects("pools").iter().all(|one| one["operating_status"] == "ONLINE"));
    load_balancers(world);
    let outside = world.answer(outer, "api-server-external").unwrap();
    let inside = world.answer(inner, "api-server-internal").unwrap();
    println!(
        "Answers: kubectl and everybody outside {outside}:443 (floating IP), workers {inside}:6443 (VIP)."
    );
    assert_eq!(outside.to_string(), text(&world.objects("floatingips")[0], "floating_ip_address"));
    assert!(world.machines.iter().all(|machine| machine.address() != outside && machine.address() != inside));
    status(world, UNIT);
    (outer, inner)
}

/// A second unit of ours, and workers of both generations: every one of them gets the VIP, from whoever tells it.
fn workers(world: &mut World, inner: u32) -> u32 {
    chapter(3, "Hand the workers the VIP, never a unit's own address");
    command("juju add-unit octavia-integrator");
    let address = world.cloud.machine(248).to_string();
    let second = world.model.add_unit_at(US, &address);
    world.model.settle();
    status(world, UNIT);
    status(world, &second);
    assert_eq!(world.line_of(&second), world.line());
    command("juju integrate octavia-integrator:website kubernetes-worker:kube-api-endpoint  # up to 1.28");
    world.model.add_remote(WORKER, &[]);
    let machine = world.cloud.machine(247).to_string();
    world.model.add_remote_unit(&format!("{WORKER}/0"), &machine);
    let website = world.model.integrate(&format!("{US}:website"), &format!("{WORKER}:kube-api-endpoint"));
    world.model.settle();
    let inside = world.answer(inner, "api-server-internal").unwrap();
    for unit in [UNIT, second.as_str()] {
        let bag = world.model.unit_bag(website, unit);
        println!("    {unit} says hostname={} port={}", bag["hostname"], bag["port"]);
        assert_eq!((bag["hostname"].clone(), bag["port"].as_str()), (inside.to_string(), "6443"));
    }
    println!(
        "From 1.29 on the control plane passes its answer on (kube-control, api-endpoints): https://{inside}:6443."
    );
    let traffic = Traffic::start(world.cloud.front(inside, 6443).unwrap(), "/version", 50);
    eventually("workers reach all three", SOON, || traffic.tally().answered.len() == 3);
    assert_eq!(traffic.stop().failures, Vec::<String>::new());
    website
}

/// What an integrator without monitors makes: listener, pool and members, and nobody who looks after them.
fn without_monitor(world: &World) -> String {
    let subnet = world.api.list("/subnets?name=tenant-subnet", "subnets")[0]["id"].clone();
    let members: Vec<Value> = world
        .machines
        .iter()
        .map(|machine| json!({"address": machine.address().to_string(), "protocol_port": 6443, "name": machine.name()}))
        .collect();
    let pool = json!({"name": "p", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "members": members});
    let listener = json!({"name": "l", "protocol": "TCP", "protocol_port": 443, "default_pool": pool});
    let body = json!({"loadbalancer": {"name": "before", "vip_subnet_id": subnet, "listeners": [listener]}});
    let (status, made) = world.api.call("POST", "/lbaas/loadbalancers", &body);
    assert_eq!(status, 201, "{made}");
    eventually("it is made", SOON, || world.objects("loadbalancers")[0]["provisioning_status"] == "ACTIVE");
    world.objects("pools")[0]["id"].as_str().unwrap().to_owned()
}

fn lose_a_unit(world: &mut World, outer: u32) {
    chapter(4, "Lose a unit, not a request");
    let address = world.answer(outer, "api-server-external").unwrap();
    let front = world.cloud.front(address, 443).unwrap();
    println!("Requests flow through {front}, 50 a second, while kubernetes-control-plane/1 is stopped.");
    let traffic = Traffic::start(front, "/version", 50);
    eventually("all three answer", SOON, || traffic.tally().answered.len() == 3);
    world.machines[1].stop();
    let down = world.machines[1].address();
    world.until(&format!(
        "active: 2 load balancers, 4/6 members online; down: kubernetes-control-plane/1 ({down}:6443)"
    ));
    status(world, UNIT);
    members(world, &pool_of(world, "api-server-external"), "meanwhile");
    let before = traffic.tally();
    traffic.reset();
    eventually("the others answer", SOON, || traffic.tally().successes() >= 50);
    let after = traffic.tally();
    println!(
        "{} requests failed until it was marked down, {} of {} since.",
        before.failures.len(),
        after.failures.len(),
        after.successes()
    );
    assert_eq!(after.failures, Vec::<String>::new());
    world.machines[1].start_again();
    world.until("active: 2 load balancers, 6/6 members online");
    println!("It is started again:");
    status(world, UNIT);
    traffic.reset();
    eventually("all three answer again", SOON, || traffic.tally().answered.len() == 3);
    assert_eq!(traffic.stop().failures, Vec::<String>::new());
}

fn tune(world: &mut World) {
    chapter(5, "Tune the monitors, and lose one");
    let configure = |world: &mut World, options: &[(&str, &str)]| {
        let words: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        command(&format!("juju config octavia-integrator {}", words.join(" ")));
        world.gateway.reset();
        let seen = world.model.log().len();
        world.model.configure(US, options);
        world.model.settle();
        plan(world, seen);
        world.gateway.writes()
    };
    let writes = configure(world, &[("monitor-delay", "10")]);
    assert!(
        writes.len() == 2
            && writes.iter().all(|call| call.request == json!({"healthmonitor": {"delay": 10}}))
    );
    configure(
        world,
        &[
            ("monitor-type", "tls-hello"),
            ("monitor-delay", "5"),
            ("monitor-timeout", "10"),
            ("monitor-max-retries", "4"),
        ],
    );
    monitors(world);
    for monitor in world.objects("healthmonitors") {
        let fields = ["type", "delay", "timeout", "max_retries"].map(|field| text(&monitor, field));
        assert_eq!(fields, ["TLS-HELLO", "5", "10", "4"]);
    }
    let monitor = world.objects("healthmonitors")[0]["id"].as_str().unwrap().to_owned();
    command("openstack loadbalancer healthmonitor delete …");
    world.api.delete(&format!("/lbaas/healthmonitors/{monitor}"));
    eventually("it is gone", SOON, || world.objects("healthmonitors").len() == 1);
    command("juju run octavia-integrator/0 resync-monitors");
    let result = world.run_action(UNIT, "resync-monitors", json!({}));
    for (key, value) in &result.results {
        println!("    {key}: {value}");
    }
    assert_eq!((result.status, world.objects("healthmonitors").len()), ("completed", 2));
    for option in ["monitor-type", "monitor-delay", "monitor-timeout", "monitor-max-retries"] {
        world.model.unset(US, &[option]);
    }
    world.model.settle();
    world.until("active: 2 load balancers, 6/6 members online");
}

fn scale(world: &mut World, inner: u32) {
    chapter(6, "Scale the control plane to five, then to one");
    let vip = world.answer(inner, "api-server-internal");
    command("juju add-unit -n 2 kubernetes-control-plane");
    let seen = world.model.log().len();
    world.add_machine(CONTROL_PLANE, 3);
    world.add_machine(CONTROL_PLANE, 4);
    world.model.settle();
    plan(world, seen);
    world.until("active: 2 load balancers, 10/10 members online");
    status(world, UNIT);
    command("juju remove-unit kubernetes-control-plane/1 … /4");
    for number in 1..5 {
        world.model.remove_unit(&format!("{CONTROL_PLANE}/{number}"));
    }
    world.model.settle();
    world.until("active: 2 load balancers, 2/2 members online");
    status(world, UNIT);
    assert_eq!(world.answer(inner, "api-server-internal"), vip, "the address is for life");
}

fn replace_ourselves(world: &mut World, outer: u32, website: u32) -> String {
    println!("\nOur own leader unit goes, and a replacement leads before it sees any relation:");
    let before = (world.census(), world.raw_answer(outer, "api-server-external"));
    let told = |world: &World, unit: &str| {
        let bag = world.model.unit_bag(website, unit);
        (bag["hostname"].clone(), bag["port"].clone())
    };
    let before_told = told(world, UNIT);
    command("juju remove-unit octavia-integrator/0; juju add-unit octavia-integrator");
    world.model.remove_unit(UNIT);
    world.model.settle();
    let address = world.cloud.machine(249).to_string();
    let replacement = world.model.add_unit_at(US, &address);
    world.model.set_leader(US, Some(&replacement));
    let install = world.model.next_hook().unwrap().clone();
    assert_eq!(install.path, "hooks/install");
    assert_eq!(world.census(), before.0, "nothing is deleted");
    world.model.settle();
    world.update_status(&replacement);
    status(world, &replacement);
    assert_eq!(told(world, &replacement), before_told, "workers hear the same from the new one");
    assert_eq!(
        (world.census(), world.raw_answer(outer, "api-server-external")),
        before,
        "nothing is deleted"
    );
    replacement
}

fn clean_up(world: &mut World, relations: &[u32], leader: &str) {
    chapter(7, "Remove the relations: nothing of ours is left");
    command("juju remove-relation octavia-integrator kubernetes-worker; juju remove-relation …");
    let seen = world.model.log().len();
    for relation in relations {
        world.model.remove_relation(*relation);
    }
    world.model.settle();
    world.update_status(leader);
    plan(world, seen);
    status(world, leader);
    let kinds =
        ["load balancers", "listeners", "pools", "health monitors", "members", "ports", "floating IPs"];
    let left: Vec<String> =
        kinds.iter().zip(world.census()).map(|(kind, count)| format!("{count} {kind}")).collect();
    println!("Left in the cloud: {}.", left.join(", "));
    assert_eq!(world.census(), [0; 7]);
}

fn chapter(number: u32, title: &str) {
    println!("\n{number}. {title}\n");
}

fn command(line: &str) {
    println!("$ {line}");
}

fn status(world: &World, unit: &str) {
    let status = world.model.unit_status(unit);
    let star = if world.model.leader(US) == Some(unit) { "*" } else { " " };
    println!("    {unit}{star}  {}  {}", status.status, status.message);
}

/// What the charm logged about its changes since then.
fn plan(world: &World, seen: usize) {
    for line in world.model.log().iter().skip(seen).filter(|line| line.level != "DEBUG") {
        println!("    {} {}", line.level, line.text);
    }
}

/// The pool of a load balancer by the end of its name.
fn pool_of(world: &World, name: &str) -> String {
    let load_balancers = world.objects("loadbalancers");
    let found = load_balancers.iter().find(|one| text(one, "name").ends_with(name)).unwrap();
    text(&found["pools"][0], "id")
}

fn load_balancers(world: &World) {
    let listeners = world.objects("listeners");
    let floating_ips = world.objects("floatingips");
    let rows: Vec<Vec<String>> = world
        .objects("loadbalancers")
        .iter()
        .map(|one| {
            let listener =
                listeners.iter().find(|listener| listener["loadbalancers"][0]["id"] == one["id"]).unwrap();
            let port = u16::try_from(listener["protocol_port"].as_u64().unwrap()).unwrap();
            let floating = floating_ips.iter().find(|floating| floating["port_id"] == one["vip_port_id"]);
            let floating = floating.map(|floating| text(floating, "floating_ip_address"));
            let address = floating.clone().unwrap_or_else(|| text(one, "vip_address"));
            let bound = world.cloud.front(address.parse().unwrap(), port).unwrap();
            vec![
                text(one, "name"),
                text(one, "vip_address"),
                floating.unwrap_or_default(),
                port.to_string(),
                bound.port().to_string(),
                text(one, "provisioning_status"),
                text(one, "operating_status"),
            ]
        })
        .collect();
    let head = [
        "name",
        "vip_address",
        "floating_ip",
        "port",
        "served at",
        "provisioning_status",
        "operating_status",
    ];
    println!("$ openstack loadbalancer list\n{}", table(&head, &rows));
}

fn members(world: &World, pool: &str, when: &str) {
    let rows: Vec<Vec<String>> = world
        .api
        .list(&format!("/lbaas/pools/{pool}/members"), "members")
        .iter()
        .map(|one| {
            ["name", "address", "protocol_port", "provisioning_status", "operating_status"]
                .map(|field| text(one, field))
                .into()
        })
        .collect();
    let head = ["name", "address", "protocol_port", "provisioning_status", "operating_status"];
    println!("$ openstack loadbalancer member list …  # {when}\n{}", table(&head, &rows));
}

fn pools(world: &World) {
    let fields = ["name", "lb_algorithm", "provisioning_status", "operating_status"];
    let rows: Vec<Vec<String>> =
        world.objects("pools").iter().map(|one| fields.map(|field| text(one, field)).into()).collect();
    println!("$ openstack loadbalancer pool list\n{}", table(&fields, &rows));
}

fn monitors(world: &World) {
    let fields =
        ["name", "type", "delay", "timeout", "max_retries", "max_retries_down", "provisioning_status"];
    let rows: Vec<Vec<String>> = world
        .objects("healthmonitors")
        .iter()
        .map(|one| fields.map(|field| text(one, field)).into())
        .collect();
    println!("$ openstack loadbalancer healthmonitor list\n{}", table(&fields, &rows));
}
