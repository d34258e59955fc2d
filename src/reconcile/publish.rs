//! Tells consumers, peers and operators what is true now.

use std::collections::BTreeMap;

use crate::interface::{self, Bag, replicas};
use crate::juju::{self, Context, Snapshot, publish, tools};
use crate::model::answer::Answer;
use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::ids::RelationId;
use crate::model::outcome::Outcome;
use crate::model::request::{Refusal, Request};
use crate::model::status::Status;
use crate::report::{answers, status, website};

use super::wish::{self, Wish};

/// A unit that does not lead says what the leader says, and no more.
pub(super) fn follow(snapshot: &Snapshot) -> anyhow::Result<()> {
    let Some(state) = wish::state(snapshot) else { return set_status(&status::standby()) };
    tell_units(snapshot, &state.fronts)?;
    set_status(&state.status)
}

/// Answers first, then the status, and both to the other units.
pub(super) fn all(
    context: &Context,
    snapshot: &Snapshot,
    wish: &Wish,
    outcome: Option<&Outcome>,
    findings: Vec<Finding>,
) -> anyhow::Result<()> {
    let mut findings = [wish.findings.clone(), findings].concat();
    let mut news: Vec<(&juju::Relation, Bag)> = Vec::new();
    let mut served: Vec<(&Request, Front)> = Vec::new();
    let mut fronts: BTreeMap<RelationId, Front> = BTreeMap::new();
    for relation in &snapshot.relations {
        let requests: Vec<&Request> =
            wish.requests.iter().filter(|one| one.key.relation == relation.id).collect();
        if juju::endpoint::is_told_by_units(&relation.id.endpoint) {
            let before = wish.fronts.get(&relation.id).copied();
            let front = answers::front(before, requests.first().copied(), outcome);
            served.extend(requests.first().copied().zip(front));
            fronts.extend(front.map(|front| (relation.id.clone(), front)));
            continue;
        }
        let before = wish.answers.get(&relation.id).cloned().unwrap_or_default();
        let refusals: Vec<Refusal> =
            wish.refusals.iter().filter(|one| one.key.relation == relation.id).cloned().collect();
        let answers = answers::answers(&before, &requests, &refusals, outcome);
        served.extend(requests.iter().filter_map(|request| {
            let Answer::Address { address, .. } = answers.get(&request.key.name)? else { return None };
            Some((*request, Front { address: *address, port: website::port(request)? }))
        }));
        let bag = interface::loadbalancer::write_answers(&answers);
        let differs = bag.iter().any(|(key, value)| relation.own_bag.get(key) != Some(value));
        if relation.unreadable.is_none() && (differs || answers.len() != before.len()) {
            news.push((relation, bag));
        }
    }
    fronts.extend(websites(snapshot, wish, &served, &mut findings));
    let status = status::status(outcome, &findings);
    let leader = context.unit.to_string();
    let state = replicas::State { leader, status: status.clone(), fronts };
    if let Some(relation) = &snapshot.replicas {
        let bag = replicas::write(&state);
        if bag.iter().any(|(key, value)| relation.own_bag.get(key) != Some(value)) {
            news.push((relation, bag));
        }
    }
    // What a unit writes that no longer leads would be refused, and the hook with it.
    if !news.is_empty() && !tools::is_leader()? {
        return follow(snapshot);
    }
    for (relation, bag) in news {
        publish::own_bag(&relation.id, &relation.own_bag, &bag)?;
    }
    tell_units(snapshot, &state.fronts)?;
    set_status(&status)
}

/// What workers are handed; what they have been handed stays where it is not known better.
fn websites(
    snapshot: &Snapshot,
    wish: &Wish,
    served: &[(&Request, Front)],
    findings: &mut Vec<Finding>,
) -> BTreeMap<RelationId, Front> {
    if snapshot.websites.is_empty() {
        return BTreeMap::new();
    }
    let consumers =
        snapshot.relations.iter().filter_map(|relation| relation.application.as_deref()).collect();
    // With wrong options it is not known whose address is meant.
    let chosen = wish.policy.as_ref().and_then(|policy| {
        website::choose(&consumers, served, policy.website_source.as_deref()).unwrap_or_else(|finding| {
            findings.push(finding);
            None
        })
    });
    let of = |relation: &juju::Relation| {
        let before = wish.fronts.get(&relation.id).copied();
        Some((relation.id.clone(), chosen.or(before)?))
    };
    snapshot.websites.iter().filter_map(of).collect()
}

/// This unit's own databags, on the endpoints that each unit answers.
fn tell_units(snapshot: &Snapshot, fronts: &BTreeMap<RelationId, Front>) -> anyhow::Result<()> {
    for relation in snapshot.relations.iter().chain(&snapshot.websites) {
        let Some(front) = fronts.get(&relation.id).filter(|_| relation.unreadable.is_none()) else {
            continue;
        };
        let bag = match relation.id.endpoint.as_str() {
            juju::endpoint::LOADBALANCER => interface::public_address::write_front(*front),
            juju::endpoint::WEBSITE => interface::http::write_front(*front),
            _ => continue,
        };
        publish::own_bag(&relation.id, &relation.own_bag, &bag)?;
    }
    Ok(())
}

fn set_status(status: &Status) -> anyhow::Result<()> {
    publish::unit_status(status.level.as_str(), &status.message)?;
    Ok(())
}
