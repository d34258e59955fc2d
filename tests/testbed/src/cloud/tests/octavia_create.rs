//! New load balancers: what is refused, and why.

use super::table::{Table, everywhere};

fn check(mut table: Table<'_>) {
    table.check(include_str!("tables/load_balancer_refused.txt"));
    table.check_lines(&[(
        "POST /v2.0/ports -> vip",
        "{'port': {'network_id': '<network>', 'name': 'vip'}}",
        201,
        "",
    )]);
    let port = table.get("/v2.0/ports/<vip>");
    table.name("vip_address", port["port"]["fixed_ips"][0]["ip_address"].as_str().unwrap());
    table.check(include_str!("tables/nested_refused.txt"));
    table.check_lines(&[("DELETE /v2.0/ports/<vip>", "", 204, "")]);
}

#[test]
fn what_a_new_load_balancer_may_not_be() {
    everywhere(check);
}
