//! One load balancer with everything, and what may be done with its parts.

use super::table::{Table, everywhere};

fn check(mut table: Table<'_>) {
    for rules in [
        include_str!("tables/paths.txt"),
        include_str!("tables/life_1_create.txt"),
        include_str!("tables/life_2_pending.txt"),
        include_str!("tables/life_3_update.txt"),
        include_str!("tables/life_4_single.txt"),
        include_str!("tables/life_5_rights.txt"),
        include_str!("tables/life_6_delete.txt"),
    ] {
        table.check(rules);
    }
}

#[test]
fn the_life_of_a_load_balancer_and_its_parts() {
    everywhere(check);
}
