//! What scenarios do behind the charm's back.

use serde_json::{Value, json};

use super::table::{Table, embedded};
use crate::cloud::{ApiClient, EmbeddedCloud};

fn with_load_balancer(cloud: &EmbeddedCloud) -> (ApiClient, String) {
    let api = cloud.api();
    let subnet = api.list("/subnets?name=tenant-subnet", "subnets").remove(0);
    let body = json!({"loadbalancer": {"vip_subnet_id": subnet["id"], "name": "ours"}});
    let made = api.post("/lbaas/loadbalancers", &body);
    (api, made["loadbalancer"]["id"].as_str().unwrap().to_owned())
}

#[test]
fn everything_is_listed_and_nothing_is_left() {
    let cloud = embedded();
    cloud.machine(201);
    let before = cloud.everything();
    let (api, id) = with_load_balancer(&cloud);
    assert_ne!(cloud.everything()["LoadBalancer"], before["LoadBalancer"]);
    let mut table = Table::of(&cloud);
    table.name("lb", &id);
    table.check_lines(&[("WAIT <lb>", "", 0, "")]);
    api.delete(&format!("/lbaas/loadbalancers/{id}"));
    table.check_lines(&[("WAIT <lb>", "", 0, "")]);
    let after = cloud.everything();
    for (kind, objects) in before.as_object().unwrap() {
        assert_eq!(&after[kind], objects, "{kind}");
    }
    assert_eq!(after["LoadBalancer"], json!([]));
}

#[test]
fn what_is_the_databases_own_is_never_shown() {
    let cloud = embedded();
    with_load_balancer(&cloud);
    let everything = cloud.everything().to_string();
    assert!(everything.contains("\"ours\""));
    assert!(!everything.contains("\"_"), "{everything}");
}

#[test]
fn application_credentials_are_given_by_hand() {
    let cloud = embedded();
    cloud.add_application_credential("the-id", "the-secret");
    let mut table = Table::of(&cloud);
    for identity in [
        "{'id': 'the-id', 'secret': 'the-secret'}",
        "{'name': 'the-id', 'secret': 'the-secret', 'user': {'id': '<user_id>'}}",
    ] {
        let body = format!(
            "{{'auth': {{'identity': {{'methods': ['application_credential'], 'application_credential': {identity}}}}}}}"
        );
        let body = table.filled(&body.replace('\'', "\""));
        let reply = table.ask("nobody", "POST", "/v3/auth/tokens", &body);
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(reply.body["token"]["project"]["id"], table.named("project_id"));
    }
    table.check_lines(&[("GET /v2.0/networks", "", 200, "")]);
}

#[test]
fn quotas_can_be_set_by_hand() {
    let cloud = embedded();
    cloud.set_quota("loadbalancer", 0);
    cloud.set_quota("floatingip", 0);
    Table::of(&cloud).check_lines(&[
        (
            "POST /v2/lbaas/loadbalancers",
            "{'loadbalancer': {'vip_subnet_id': '<subnet>'}}",
            403,
            "Quota has been met for resources: Load Balancer",
        ),
        (
            "POST /v2.0/floatingips",
            "{'floatingip': {'floating_network_id': '<external>'}}",
            409,
            "Quota exceeded for resources: ['floatingip'].",
        ),
    ]);
}

#[test]
fn two_clouds_have_nothing_in_common() {
    let (one, other) = (embedded(), embedded());
    let cidrs = |cloud: &EmbeddedCloud| -> Vec<Value> {
        cloud.api().list("/subnets", "subnets").iter().map(|subnet| subnet["cidr"].clone()).collect()
    };
    let (one, other) = (cidrs(&one), cidrs(&other));
    assert_eq!(one.len(), 3);
    assert!(one.iter().all(|cidr| !other.contains(cidr)), "{one:?} {other:?}");
}

#[test]
fn every_user_reaches_the_cloud() {
    let cloud = embedded();
    for (user, status) in
        [("tenant", 200), ("observer", 200), ("nolb", 200), ("lb", 403), ("admin", 200), ("other", 200)]
    {
        let api = ApiClient::new(&cloud.access_as(user));
        assert_eq!(api.call("GET", "/lbaas/loadbalancers", &Value::Null).0, status, "{user}");
    }
}

#[test]
fn the_credential_that_juju_hands_over_opens_the_cloud() {
    let access = embedded().access();
    let credential = access.juju_credential();
    assert_eq!(credential["endpoint"], access.keystone.as_str());
    assert_eq!(credential["credential"]["attrs"]["password"], "tenant-hunter2");
}
