//! Planted secrets are found where they are allowed, and nowhere else.

use libtest_mimic::Trial;
use serde_json::json;

use crate::trials;
use crate::world::{Setup, UNIT, US, World};

trials![planted_secrets_leave_the_process_only_for_keystone];

/// Everything that left the charm's process, as text.
fn traces(world: &World) -> Vec<(String, String)> {
    let mut traces = Vec::new();
    for line in world.model.log() {
        traces.push(("log".to_owned(), line.text.clone()));
    }
    for hook in world.model.hooks() {
        for call in &hook.calls {
            traces.push((format!("arguments of {}", call.tool), call.arguments.join(" ")));
            traces.push((format!("input of {}", call.tool), call.input.clone().unwrap_or_default()));
        }
        for line in &hook.log {
            traces.push(("output".to_owned(), line.text.clone()));
        }
    }
    for status in world.model.unit(UNIT).history() {
        traces.push(("status".to_owned(), status.message));
    }
    for relation in 0..3 {
        traces.push(("databag".to_owned(), format!("{:?}", world.model.application_bag(relation, US))));
    }
    for call in world.gateway.calls() {
        if !call.is("POST", "auth/tokens") {
            traces.push((
                format!("request {} {}", call.method, call.path),
                format!("{} {}", call.query, call.request),
            ));
        }
    }
    traces
}

fn planted_secrets_leave_the_process_only_for_keystone() {
    let (mut world, _, _) = World::serving_with(&Setup { trust: true, ..Setup::default() });
    let password = world.cloud.access().password;
    assert_eq!(password, "tenant-hunter2");
    // Every way in, and trouble on each: what goes wrong is said without them.
    world.gateway.expect_error("POST", "auth/tokens", 401);
    world.model.configure(US, &[("password", "option-hunter2")]);
    world.model.settle();
    world.run_action(UNIT, "resync-monitors", json!({}));
    let object = r#"{"username": "tenant", "password": "json-hunter2"}"#;
    world.model.configure(US, &[("password", ""), ("credentials", &crate::credentials::base64(object))]);
    world.model.settle();
    world.model.unset(US, &["credentials"]);
    world.model.configure(US, &[("endpoint-tls-ca", "hunter2-is-no-certificate")]);
    world.model.settle();
    world.model.unset(US, &["endpoint-tls-ca"]);
    world.model.settle();

    // They are there to be found: Keystone got them, and hook tools handed them in.
    let logins: Vec<String> = world
        .gateway
        .calls()
        .iter()
        .filter(|call| call.is("POST", "auth/tokens"))
        .map(|call| call.request.to_string())
        .collect();
    for secret in ["tenant-hunter2", "option-hunter2", "json-hunter2"] {
        assert!(logins.iter().any(|login| login.contains(secret)), "{secret} never reached Keystone");
    }
    let handed_in: String =
        world.model.hooks().iter().flat_map(|hook| hook.calls.clone()).map(|call| call.stdout).collect();
    assert!(handed_in.contains("tenant-hunter2") && handed_in.contains("option-hunter2"));

    let tokens = ["gAAAAAB"];
    for (place, text) in traces(&world) {
        for secret in ["tenant-hunter2", "option-hunter2", "json-hunter2"].iter().chain(&tokens) {
            assert!(!text.contains(secret), "{secret} in {place}: {text}");
        }
    }
    world.end();
}
