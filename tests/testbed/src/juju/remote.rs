//! Remote applications: no charm runs there, the scenario says what they write.

use super::state::{Bag, State};
use super::uniter::network_keys;

/// A consumer of the interface `loadbalancer` writes its requests only once it sees the provider's version
/// (`loadbalancer_interface/base.py`).
pub(crate) fn play_consumers(state: &mut State) -> bool {
    let mut wrote = false;
    for relation in state.relations.values_mut() {
        if relation.pending_requests.is_empty() || relation.dying {
            continue;
        }
        let consumer = relation.ends.iter().position(|end| {
            state.applications.get(&end.application).is_some_and(|application| application.charm.is_none())
        });
        let Some(consumer) = consumer else { continue };
        let provider = &relation.ends[1 - consumer].application;
        let sees = |bag: &Bag| bag.contains_key("version");
        if relation.application_bags.get(provider).is_some_and(|bag| sees(&bag.content)) {
            let requests = std::mem::take(&mut relation.pending_requests);
            let name = relation.ends[consumer].application.clone();
            relation.application_bags.entry(name).or_default().merge(&requests);
            wrote = true;
        }
    }
    wrote
}

/// Remote units enter a relation as soon as it exists.
pub(crate) fn enter(state: &mut State, application: &str) {
    let prefix = format!("{application}/");
    let units: Vec<(String, String)> = state
        .units
        .iter()
        .filter(|(name, unit)| name.starts_with(&prefix) && !unit.dying)
        .map(|(name, unit)| (name.clone(), unit.address.clone()))
        .collect();
    for relation in state.relations.values_mut().filter(|relation| !relation.dying) {
        if relation.end_of(application).is_none() {
            continue;
        }
        for (unit, address) in &units {
            if relation.scope.insert(unit.clone()) {
                relation.unit_bags.entry(unit.clone()).or_default().merge(&network_keys(address));
            }
        }
    }
}
