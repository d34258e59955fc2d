//! Tokens and the catalogue.

use super::table::{Table, embedded, everywhere};

const DENIED: &str = "The request you have made requires authentication.";

fn check(mut table: Table<'_>) {
    table.check(include_str!("tables/logins.txt"));
    let subject = table.named("token_of_lb").to_owned();
    table.name("subject", &subject);
    table.check(include_str!("tables/revocation.txt"));
}

#[test]
fn logins() {
    everywhere(check);
}

#[test]
fn only_one_region_and_its_public_endpoints_lead_somewhere() {
    let cloud = embedded();
    let mut table = Table::of(&cloud);
    table.check_lines(&[(
        "GET /v3/auth/catalog",
        "",
        200,
        "catalog.2.type=load-balancer; catalog.2.endpoints.#=3",
    )]);
    let catalogue = table.get("/v3/auth/catalog");
    for service in catalogue["catalog"].as_array().unwrap() {
        for endpoint in service["endpoints"].as_array().unwrap() {
            let url = endpoint["url"].as_str().unwrap();
            assert_eq!(
                endpoint["region"] == "RegionOne",
                !url.starts_with("http://127.0.0.1:9/"),
                "{endpoint}"
            );
        }
    }
}

#[test]
fn tokens_end() {
    let cloud = crate::cloud::EmbeddedCloud::start(crate::cloud::CloudOptions {
        token_lifetime: std::time::Duration::from_millis(700),
        ..Default::default()
    });
    let mut table = Table::of(&cloud);
    table.check_lines(&[("GET /v2.0/networks", "", 200, "")]);
    crate::eventually::eventually("the token has ended", crate::testing::SOON, || {
        table.ask("tenant", "GET", "/v2.0/networks", "").status == 401
    });
}

#[test]
fn all_tokens_can_be_revoked_at_once_and_a_client_logs_in_again() {
    let cloud = embedded();
    let api = cloud.api();
    let mut table = Table::of(&cloud);
    table.check_lines(&[("GET /v2.0/networks", "", 200, "")]);
    cloud.revoke_tokens();
    table.check_lines(&[
        ("GET /v2.0/networks", "", 401, DENIED),
        ("admin: GET /v2/lbaas/pools", "", 401, DENIED),
    ]);
    assert_eq!(api.list("/networks", "networks").len(), 3);
}
