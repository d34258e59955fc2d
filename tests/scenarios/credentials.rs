//! Logging in, in every way and with every mistake.

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testbed::gateway::{Effect, Fault};

use crate::trials;
use crate::world::{CONTROL_PLANE, Setup, UNIT, US, World, external};

trials![
    options_alone_are_enough_and_juju_is_not_asked,
    an_application_credential_by_id_and_by_name,
    a_wrong_password_is_blocked_and_answers_stay,
    a_wrong_region_names_the_right_ones,
    a_user_who_may_not_write_is_told_so_in_the_apis_words,
    a_token_revoked_in_the_middle_of_a_hook_is_renewed_once,
    a_keystone_that_refuses_connections_is_waited_for,
    a_wrong_credentials_option_is_named_and_not_shown,
];

fn options_alone_are_enough_and_juju_is_not_asked() {
    let mut world = World::new(&Setup { trust: false, ..Setup::default() });
    let access = world.cloud.access();
    let keystone = world.gateway.keystone().to_owned();
    world.model.configure(
        US,
        &[
            ("auth-url", &keystone),
            ("username", &access.username),
            ("password", &access.password),
            ("project-name", &access.project),
            ("user-domain-name", "Default"),
            ("project-domain-name", "Default"),
            ("region", "RegionOne"),
        ],
    );
    world.model.settle();
    assert_eq!(world.line(), "active: no load balancer is asked for");
    let hook = world.update_status(UNIT);
    assert!(hook.calls.iter().all(|call| call.tool != "credential-get"));
    world.end();
}

fn an_application_credential_by_id_and_by_name() {
    for credential in [
        json!({"application-credential-id": "4711"}),
        json!({"application_credential_name": "4711", "username": "tenant", "user-domain-name": "Default"}),
    ] {
        let mut world = World::new(&Setup { trust: false, ..Setup::default() });
        world.cloud.add_application_credential("4711", "s3cret");
        let mut object = json!({"auth-url": world.gateway.keystone(), "region": "RegionOne", "application-credential-secret": "s3cret"});
        for (key, value) in credential.as_object().unwrap() {
            object[key] = value.clone();
        }
        world.model.configure(US, &[("credentials", &base64(&object.to_string()))]);
        let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
        world.model.settle();
        assert!(world.answer(outer, "api").is_some(), "{}", world.line());
        world.end();
    }
}

fn a_wrong_password_is_blocked_and_answers_stay() {
    let (mut world, outer, _) = World::serving();
    let before = world.raw_answer(outer, "api-server-external");
    world.gateway.expect_error("POST", "auth/tokens", 401);
    world.model.configure(US, &[("password", "not-it")]);
    world.model.settle();
    assert!(
        world.line().starts_with("blocked: Keystone at http://127.0.0.1:")
            && world.line().ends_with("refuses the credentials: The request you have made requires authentication.; correct the credentials"),
        "{}",
        world.line()
    );
    assert_eq!(world.raw_answer(outer, "api-server-external"), before);
    world.model.unset(US, &["password"]);
    world.model.settle();
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_wrong_region_names_the_right_ones() {
    let mut world = World::new(&Setup { config: &[("region", "Atlantis")], ..Setup::default() });
    assert_eq!(
        world.line(),
        "blocked: region \"Atlantis\" is not one of the catalogue's: RegionOne, RegionTwo; set region to one of them"
    );
    world.model.configure(US, &[("region", "RegionOne")]);
    world.model.settle();
    assert_eq!(world.line(), "active: no load balancer is asked for");
    world.end();
}

fn a_user_who_may_not_write_is_told_so_in_the_apis_words() {
    let mut world = World::usual();
    let observer = world.cloud.access_as("observer");
    let mut credential = observer.juju_credential();
    credential["endpoint"] = Value::from(world.gateway.keystone());
    world.model.set_credential(Some(credential));
    world.gateway.expect_error("POST", "ports", 403);
    let outer = world.relate(CONTROL_PLANE, "loadbalancer-external", &[("api", external())]);
    world.model.settle();
    assert_eq!(
        world.line(),
        "blocked: octavia-integrator-k8s-kubernetes-control-plane-api: failed to create the VIP port in subnet \
         ID: POST /ports gave 403: rule:create_port is disallowed by policy; give the user the roles member and \
         load-balancer_member in its project"
            .replace("ID", world.api.list("/subnets?name=tenant-subnet", "subnets")[0]["id"].as_str().unwrap())
    );
    assert_eq!(world.answer(outer, "api"), None);
    world.end();
}

fn a_token_revoked_in_the_middle_of_a_hook_is_renewed_once() {
    let (mut world, _, _) = World::serving();
    world.gateway.reset();
    let unauthorised = json!({"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}});
    for path in ["loadbalancers", "ports", "pools"] {
        world.plan(Fault::on("GET", path, Effect::answer(401, &unauthorised)));
    }
    world.update_status(UNIT);
    // Three calls side by side learn of it, and one login serves them all.
    assert_eq!(world.gateway.count("POST", "auth/tokens"), 2);
    world.until("active: 2 load balancers, 6/6 members online");
    world.end();
}

fn a_keystone_that_refuses_connections_is_waited_for() {
    let (mut world, outer, _) = World::serving();
    let before = world.raw_answer(outer, "api-server-external");
    world
        .model
        .configure(US, &[("auth-url", "http://127.0.0.1:9/identity/v3"), ("provisioning-timeout", "1")]);
    world.model.settle();
    assert_eq!(world.level(), "waiting");
    assert!(
        world.line().contains("failed to call POST http://127.0.0.1:9/identity/v3/auth/tokens: "),
        "{}",
        world.line()
    );
    assert!(world.line().contains("refused"), "{}", world.line());
    assert_eq!(world.raw_answer(outer, "api-server-external"), before);
    world.end();
}

fn a_wrong_credentials_option_is_named_and_not_shown() {
    let mut world =
        World::new(&Setup { config: &[("credentials", "hunter2-is-no-base64")], ..Setup::default() });
    assert_eq!(
        world.line(),
        "blocked: credentials: expected base64 of a JSON object with auth-url, username, password and so on"
    );
    assert!(world.model.log().iter().all(|line| !line.text.contains("hunter2")));
    world.model.unset(US, &["credentials"]);
    world.model.settle();
    assert_eq!(world.line(), "active: no load balancer is asked for");
    world.end();
}

pub(crate) fn base64(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let mut bytes = [0_u8; 3];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let number = u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]]);
        for place in 0..4 {
            let digit = usize::try_from((number >> (18 - 6 * place)) & 63).unwrap();
            encoded.push(if place <= chunk.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    encoded
}
