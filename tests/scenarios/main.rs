//! The charm binary as Juju runs it, against a cloud.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a broken scenario stops the test at once")]
use std::process::ExitCode;
use testbed::juju::*;
fn main() -> ExitCode {
    if let Some(code) = act_as_tool() {
        return code;
    }
    let dir = tempfile::tempdir().unwrap();
    for f in ["metadata.yaml", "config.yaml", "actions.yaml"] {
        std::fs::copy(format!("{}/{f}", env!("CARGO_MANIFEST_DIR")), dir.path().join(f)).unwrap();
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_octavia-integrator"), dir.path().join("dispatch"))
        .unwrap();
    let mut m = Model::new(7);
    let backs: Vec<String> = std::env::var("BACKS").unwrap().split(',').map(str::to_owned).collect();
    m.deploy(
        "octavia-integrator",
        &Deploy {
            charm_dir: dir.path(),
            units: 1,
            trust: false,
            config: &[("lb-subnet", "tenant-subnet"), ("lb-floating-network", "public")],
            credential: serde_json::from_str(&std::env::var("CRED").unwrap()).unwrap(),
            addresses: &["127.0.0.4"],
        },
    );
    m.settle();
    println!("{:?}", m.status("octavia-integrator/0"));
    m.trust("octavia-integrator", true);
    m.settle();
    println!("{:?}", m.status("octavia-integrator/0"));
    let units: Vec<(u32, &str)> =
        backs.iter().enumerate().map(|(i, b)| (u32::try_from(i).unwrap(), b.as_str())).collect();
    m.add_remote("kubernetes-control-plane", &units);
    let req = |name: &str, front: &str, public: bool| {
        Bag::from([
            ("version".to_owned(), "1".to_owned()),
            (
                format!("request_{name}"),
                format!(
                    r#"{{"algorithm": [], "backends": [], "health_checks": [{{"interval": 30, "path": "/livez", "port": 6443, "protocol": "http", "retries": 3}}], "id": "d6", "ingress_address": null, "name": "{name}", "port_mapping": {{"{front}": 6443}}, "protocol": "tcp", "public": {public}, "sent_hash": "fb36", "sticky": false, "tls_cert": null, "tls_key": null, "tls_termination": false}}"#
                ),
            ),
        ])
    };
    let a = m.integrate("octavia-integrator:lb-consumers", "kubernetes-control-plane:loadbalancer-external");
    m.request(a, "kubernetes-control-plane", &req("api-server-external", "443", true));
    let b = m.integrate("octavia-integrator:lb-consumers", "kubernetes-control-plane:loadbalancer-internal");
    m.request(b, "kubernetes-control-plane", &req("api-server-internal", "6443", false));
    m.settle();
    println!(
        "{:?} {:?}",
        m.application_bag(a, "octavia-integrator"),
        m.application_bag(b, "octavia-integrator")
    );
    for _ in 0..4 {
        std::thread::sleep(std::time::Duration::from_secs(6));
        m.update_status("octavia-integrator/0");
        println!("{:?}", m.status("octavia-integrator/0"));
    }
    if let Ok(cmd) = std::env::var("PAUSE") {
        std::process::Command::new("sh").arg("-c").arg(cmd).status().unwrap();
    }
    for _ in 0..4 {
        std::thread::sleep(std::time::Duration::from_secs(6));
        m.update_status("octavia-integrator/0");
        println!("{:?}", m.status("octavia-integrator/0"));
    }
    m.configure(
        "octavia-integrator",
        &[
            ("monitor-type", "tls-hello"),
            ("monitor-delay", "5"),
            ("monitor-timeout", "10"),
            ("monitor-max-retries", "4"),
        ],
    );
    m.settle();
    println!("{:?}", m.status("octavia-integrator/0"));
    if std::env::var("KEEP").is_err() {
        m.remove_relation(a);
        m.remove_relation(b);
        m.settle();
        println!("{:?}", m.status("octavia-integrator/0"));
        m.update_status("octavia-integrator/0");
        println!("{:?}", m.status("octavia-integrator/0"));
    }
    for l in m.log() {
        if l.level != "DEBUG" || std::env::var("DBG").is_ok() {
            println!("{} {} {}", l.unit, l.level, l.text);
        }
    }
    for h in m.hooks() {
        println!("{} {} {:?} {} tools {:?}", h.unit, h.path, h.exit, h.calls.len(), h.wall);
    }
    ExitCode::SUCCESS
}
