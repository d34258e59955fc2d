//! What Octavia cannot change about a load balancer: it is never rebuilt, and the difference is named.

use crate::model::finding::Finding;
use crate::octavia::desired::{LoadBalancer as Wanted, Making};
use crate::octavia::observed::{LoadBalancer, Lookup, Terrain};

pub(super) fn notes(
    wanted: &Wanted,
    making: &Making,
    present: &LoadBalancer,
    terrain: &Terrain,
) -> Vec<Finding> {
    let subnet = match &terrain.subnet {
        Lookup::Found(subnet) if subnet.named => Some(subnet.id.clone()),
        Lookup::Found(_) | Lookup::Unset | Lookup::Wrong(_) => None,
    };
    let flavor = match &terrain.flavor {
        Lookup::Found(id) => Some(id.clone()),
        Lookup::Unset | Lookup::Wrong(_) => None,
    };
    let vip = wanted.vip.address().map(|address| address.to_string());
    let table = [
        ("lb-subnet", "its VIP in subnet", subnet, &present.vip_subnet),
        ("lb-provider", "its provider", making.provider.clone(), &present.provider),
        ("lb-flavor", "its flavor", flavor, &present.flavor),
        (
            "lb-availability-zone",
            "its availability zone",
            making.availability_zone.clone(),
            &present.availability_zone,
        ),
        (
            "the VIP that is asked for",
            "its VIP",
            vip,
            &present.vip_address.map(|address| address.to_string()),
        ),
    ];
    let note = |(what, thing, wished, present): (&str, &str, Option<String>, &Option<String>)| {
        let wished = wished.filter(|wished| present.as_ref() != Some(wished))?;
        let present = present.as_deref().unwrap_or("(none)");
        Some(Finding::note(format!(
            "{what} is now {wished}, but {} keeps {thing} {present}; remove the relation and relate again to change it",
            wanted.key
        )))
    };
    table.into_iter().filter_map(note).collect()
}
