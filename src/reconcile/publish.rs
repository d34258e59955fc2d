//! Tells consumers and operators what is true now.

use std::collections::BTreeMap;

use crate::interface::loadbalancer;
use crate::juju::{self, Snapshot, publish, tools};
use crate::model::finding::Finding;
use crate::model::outcome::Outcome;
use crate::model::request::{Refusal, Request};
use crate::report::{answers, status};

use super::wish::Wish;

/// A unit that does not lead writes nothing but its own status.
pub(super) fn standby() -> anyhow::Result<()> {
    set_status(&status::standby())
}

/// Answers first, then the status.
pub(super) fn all(
    snapshot: &Snapshot,
    wish: &Wish,
    outcome: Option<&Outcome>,
    findings: Vec<Finding>,
) -> anyhow::Result<()> {
    let findings = [wish.findings.clone(), findings].concat();
    let mut news: Vec<(&juju::Relation, BTreeMap<String, String>)> = Vec::new();
    for relation in snapshot.relations.iter().filter(|relation| relation.unreadable.is_none()) {
        let before = wish.answers.get(&relation.id).cloned().unwrap_or_default();
        let requests: Vec<Request> =
            wish.requests.iter().filter(|one| one.key.relation == relation.id).cloned().collect();
        let refusals: Vec<Refusal> =
            wish.refusals.iter().filter(|one| one.key.relation == relation.id).cloned().collect();
        let answers = answers::answers(&before, &requests, &refusals, outcome);
        let bag = loadbalancer::write_answers(&answers);
        if bag.iter().any(|(key, value)| relation.own_bag.get(key) != Some(value))
            || answers.len() != before.len()
        {
            news.push((relation, bag));
        }
    }
    // Answers of a unit that no longer leads would be refused, and the hook with them.
    if !news.is_empty() && !tools::is_leader()? {
        return standby();
    }
    for (relation, bag) in news {
        publish::application_bag(&relation.id, &relation.own_bag, &bag)?;
    }
    set_status(&status::status(outcome, &findings))
}

fn set_status(status: &status::Status) -> anyhow::Result<()> {
    publish::unit_status(status.level.as_str(), &status.message)?;
    Ok(())
}
