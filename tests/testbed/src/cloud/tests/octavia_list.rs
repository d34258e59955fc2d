//! Lists: filters, tags, fields and pages.

use super::table::{Table, everywhere};

fn check(mut table: Table<'_>) {
    for rules in [
        include_str!("tables/list_1_made.txt"),
        include_str!("tables/list_2_lists.txt"),
        include_str!("tables/list_3_ports.txt"),
    ] {
        table.check(rules);
    }
}

#[test]
fn lists_of_load_balancers() {
    everywhere(check);
}

#[test]
fn an_operator_can_bound_the_pages() {
    let cloud = crate::cloud::EmbeddedCloud::start(crate::cloud::CloudOptions {
        longest_page: 2,
        ..Default::default()
    });
    let mut table = Table::of(&cloud);
    table.check(include_str!("tables/list_1_made.txt"));
    table.check_lines(&[
        (
            "GET /v2/lbaas/loadbalancers?fields=id",
            "",
            200,
            "loadbalancers.#=2; loadbalancers_links.0.rel=next",
        ),
        (
            "GET /v2/lbaas/loadbalancers?limit=5&fields=id",
            "",
            200,
            "loadbalancers.#=2; loadbalancers_links.0.rel=next",
        ),
        (
            "GET /v2/lbaas/loadbalancers?limit=2&marker=<b>",
            "",
            200,
            "loadbalancers.#=1; loadbalancers_links.0.rel=previous",
        ),
    ]);
}
