//! Which hook a unit's agent runs next (`worker/uniter/resolver.go`, `worker/uniter/relation/resolver.go`).

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::state::{Configured, Hook, Joined, Relation, State};

/// The next hook of a unit, or none if it has nothing to do.
pub(crate) fn next_hook(state: &State, unit: &str, random: &mut StdRng) -> Option<Hook> {
    let this = state.units.get(unit)?;
    let agent = &this.agent;
    if agent.removed {
        return None;
    }
    if let Some(failed) = &agent.failed {
        return Some(failed.clone());
    }
    let mut relations = relations(state, unit);
    relations.shuffle(random);
    if agent.installed && !this.dying {
        let fresh = relations.iter().find(|(id, relation)| {
            !relation.dying && !agent.relations.get(id).is_some_and(|joined| joined.created)
        });
        if let Some((id, relation)) = fresh {
            return Some(relation_hook(unit, *id, relation, "created", None));
        }
    }
    if agent.installed && state.is_leader(unit) && !agent.leader_elected {
        return Some(plain("leader-elected"));
    }
    if let Some(queued) = agent.queued.front() {
        return Some(plain(queued));
    }
    if this.dying && agent.installed {
        return last_hook(state, unit, &relations);
    }
    if !agent.installed {
        return Some(plain("install"));
    }
    if agent.configured.as_ref() != Some(&configured(state, unit)) {
        return Some(plain("config-changed"));
    }
    relations
        .iter()
        .find_map(|(id, relation)| next_in_relation(state, unit, *id, relation, agent.relations.get(id)?))
}

/// What config-changed tells: options, trust and addresses.
pub(crate) fn configured(state: &State, unit: &str) -> Configured {
    let this = &state.units[unit];
    let application = &state.applications[&this.application];
    Configured { config: application.config.clone(), trust: application.trust, address: this.address.clone() }
}

fn relations<'a>(state: &'a State, unit: &str) -> Vec<(u32, &'a Relation)> {
    let application = application(unit);
    let ours = state.relations.iter().filter(|(_, relation)| relation.end_of(application).is_some());
    ours.map(|(id, relation)| (*id, relation)).collect()
}

/// A dying unit leaves its relations, stops, and is removed.
fn last_hook(state: &State, unit: &str, relations: &[(u32, &Relation)]) -> Option<Hook> {
    let agent = &state.units[unit].agent;
    for (id, relation) in relations {
        let Some(joined) = agent.relations.get(id).filter(|joined| !joined.broken) else { continue };
        if let Some(hook) = next_in_relation(state, unit, *id, relation, joined) {
            return Some(hook);
        }
    }
    match (agent.stopped, agent.removed) {
        (false, _) => Some(plain("stop")),
        (true, false) => Some(plain("remove")),
        (true, true) => None,
    }
}

fn next_in_relation(
    state: &State,
    unit: &str,
    id: u32,
    relation: &Relation,
    joined: &Joined,
) -> Option<Hook> {
    if !joined.created || joined.broken {
        return None;
    }
    let this_is_dying = state.units[unit].dying;
    let remote = relation.other_than(application(unit))?.application.clone();
    // A unit that leaves, or a relation that ends, has no members any more.
    let mut members: BTreeMap<String, u64> = BTreeMap::new();
    if !this_is_dying && !relation.dying {
        for member in relation.members(&remote) {
            members.insert(member.clone(), relation.unit_bags.get(member).map_or(0, |bag| bag.version));
        }
    }
    let hook = |kind: &str, member: Option<&str>| relation_hook(unit, id, relation, kind, member);
    if let Some(owed) = joined.owed_changed.as_deref().filter(|owed| members.contains_key(*owed)) {
        return Some(hook("changed", Some(owed)));
    }
    if let Some(gone) = joined.members.keys().find(|member| !members.contains_key(*member)) {
        let departing = if this_is_dying { unit } else { gone };
        return Some(Hook { departing: Some(departing.to_owned()), ..hook("departed", Some(gone)) });
    }
    if this_is_dying || relation.dying {
        return Some(hook("broken", None));
    }
    let version = relation.application_bags.get(&remote).map_or(0, |bag| bag.version);
    if version > joined.applications.get(&remote).copied().unwrap_or(0) {
        return Some(hook("changed", None));
    }
    if let Some(new) = members.keys().find(|member| !joined.members.contains_key(*member)) {
        return Some(hook("joined", Some(new)));
    }
    let changed = members.iter().find(|(member, version)| joined.members.get(*member) != Some(version));
    changed.map(|(member, _)| hook("changed", Some(member)))
}

fn relation_hook(unit: &str, id: u32, relation: &Relation, kind: &str, member: Option<&str>) -> Hook {
    let application = application(unit);
    let endpoint = &relation.end_of(application).expect("our own relation").endpoint;
    let remote = relation.other_than(application).map(|end| end.application.clone());
    Hook {
        name: format!("{endpoint}-relation-{kind}"),
        relation: Some(id),
        remote_unit: Some(member.unwrap_or_default().to_owned()),
        remote_application: remote,
        departing: None,
    }
}

fn plain(name: &str) -> Hook {
    Hook { name: name.to_owned(), ..Hook::default() }
}

fn application(unit: &str) -> &str {
    unit.split('/').next().unwrap_or_default()
}

/// What changes in the agent's memory before a hook runs: a joined or changed shows the member's bag of now.
pub(crate) fn before(state: &mut State, unit: &str, hook: &Hook) {
    let Some(id) = hook.relation else { return };
    let kind = hook.name.rsplit('-').next().unwrap_or_default();
    if let Some(member) = hook.remote_unit.as_ref().filter(|member| !member.is_empty())
        && matches!(kind, "joined" | "changed")
    {
        let bag =
            state.relations[&id].unit_bags.get(member).map(|bag| bag.content.clone()).unwrap_or_default();
        state.units.get_mut(unit).unwrap().agent.cache.insert((id, member.clone()), bag);
    }
    if kind == "departed"
        && let Some(member) = &hook.remote_unit
    {
        let joined = state.units.get_mut(unit).unwrap().agent.relations.get_mut(&id).unwrap();
        joined.members.remove(member);
    }
}

/// What changes once a hook has ended well.
pub(crate) fn after(state: &mut State, unit: &str, hook: &Hook) {
    match hook.name.as_str() {
        "install" => {
            state.units.get_mut(unit).unwrap().agent.installed = true;
            enter_scopes(state, unit);
        }
        "leader-elected" => state.units.get_mut(unit).unwrap().agent.leader_elected = true,
        "config-changed" => {
            let now = configured(state, unit);
            let agent = &mut state.units.get_mut(unit).unwrap().agent;
            agent.configured = Some(now);
            agent.queued.retain(|queued| queued != "config-changed");
            if !agent.started {
                agent.queued.push_back("start".to_owned());
            }
        }
        "start" => {
            let agent = &mut state.units.get_mut(unit).unwrap().agent;
            agent.started = true;
            agent.queued.retain(|queued| queued != "start");
        }
        "upgrade-charm" => {
            let agent = &mut state.units.get_mut(unit).unwrap().agent;
            agent.queued.retain(|queued| queued != "upgrade-charm");
            agent.queued.push_back("config-changed".to_owned());
        }
        "stop" => state.units.get_mut(unit).unwrap().agent.stopped = true,
        "remove" => state.units.get_mut(unit).unwrap().agent.removed = true,
        _ => after_relation_hook(state, unit, hook),
    }
}

fn after_relation_hook(state: &mut State, unit: &str, hook: &Hook) {
    let Some(id) = hook.relation else { return };
    let kind = hook.name.rsplit('-').next().unwrap_or_default();
    let relation = state.relations.get_mut(&id).unwrap();
    let joined = state.units.get_mut(unit).unwrap().agent.relations.entry(id).or_default();
    let member = hook.remote_unit.clone().unwrap_or_default();
    match kind {
        "created" => joined.created = true,
        "joined" => {
            joined.members.insert(member.clone(), 0);
            joined.owed_changed = Some(member);
        }
        "changed" if member.is_empty() => {
            let remote = hook.remote_application.clone().unwrap_or_default();
            let version = relation.application_bags.get(&remote).map_or(0, |bag| bag.version);
            joined.applications.insert(remote, version);
        }
        "changed" => {
            let version = relation.unit_bags.get(&member).map_or(0, |bag| bag.version);
            joined.members.insert(member, version);
            joined.owed_changed = None;
        }
        "broken" => {
            joined.broken = true;
            relation.scope.remove(unit);
            if relation.dying && relation.scope.is_empty() {
                state.relations.remove(&id);
            }
        }
        _ => {}
    }
}

/// A unit enters all its relations at once when it is installed, and a new relation as soon as it exists.
pub(crate) fn enter_scopes(state: &mut State, unit: &str) {
    let this = &state.units[unit];
    if !this.agent.installed || this.dying {
        return;
    }
    let address = this.address.clone();
    let application = application(unit).to_owned();
    for (id, relation) in &mut state.relations {
        if relation.dying || relation.end_of(&application).is_none() {
            continue;
        }
        if relation.scope.insert(unit.to_owned()) {
            relation.unit_bags.entry(unit.to_owned()).or_default().merge(&network_keys(&address));
            state.units.get_mut(unit).unwrap().agent.relations.entry(*id).or_default();
        }
    }
}

/// What Juju itself writes into every unit's bag.
pub(crate) fn network_keys(address: &str) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("egress-subnets".to_owned(), format!("{address}/32")),
        ("ingress-address".to_owned(), address.to_owned()),
        ("private-address".to_owned(), address.to_owned()),
    ])
}
