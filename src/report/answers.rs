//! The answers of one relation.
//!
//! A good answer is never taken back: consumers fall back to single units the moment an answer turns into an error.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::model::answer::Answer;
use crate::model::front::Front;
use crate::model::outcome::{Outcome, State};
use crate::model::request::{Refusal, Request};

/// What stands in the databag after this hook, by request name: what stood there, but for what is known better now.
pub fn answers(
    before: &BTreeMap<String, Answer>,
    requests: &[&Request],
    refusals: &[Refusal],
    outcome: Option<&Outcome>,
) -> BTreeMap<String, Answer> {
    let mut answers = before.clone();
    for request in requests {
        let is_known = matches!(before.get(&request.key.name), Some(Answer::Address { .. }));
        if let Some(address) = ready(request, outcome, is_known) {
            let answer = Answer::Address { address, received_hash: request.sent_hash.clone() };
            answers.insert(request.key.name.clone(), answer);
        } else if let (false, Some((field, reason))) = (is_known, unsupported(request, outcome)) {
            let fields = BTreeMap::from([(field.to_owned(), reason.to_owned())]);
            let answer = Answer::Unsupported { fields, received_hash: request.sent_hash.clone() };
            answers.insert(request.key.name.clone(), answer);
        } else if let Some(Answer::Unsupported { .. }) = answers.get(&request.key.name) {
            // What was refused before is asked for rightly now, and on its way.
            answers.remove(&request.key.name);
        }
    }
    for Refusal { key, fields, received_hash } in refusals {
        if !matches!(before.get(&key.name), Some(Answer::Address { .. })) {
            let answer = Answer::Unsupported { fields: fields.clone(), received_hash: received_hash.clone() };
            answers.insert(key.name.clone(), answer);
        }
    }
    answers
}

fn unsupported<'o>(request: &Request, outcome: Option<&'o Outcome>) -> Option<(&'o str, &'o str)> {
    match &outcome?.load_balancers.get(&request.key)?.state {
        State::Unsupported { field, reason } => Some((field, reason)),
        State::Ready(_) | State::Pending(_) | State::Failed(_) => None,
    }
}

/// Where the one load balancer of a relation is reached, by the same rules.
pub fn front(before: Option<Front>, request: Option<&Request>, outcome: Option<&Outcome>) -> Option<Front> {
    let known = request.and_then(|request| {
        let port = *request.ports.first_key_value()?.0;
        Some(Front { address: ready(request, outcome, before.is_some())?, port })
    });
    known.or(before)
}

/// What is answered already changes only when all that changed with it is done.
fn ready(request: &Request, outcome: Option<&Outcome>, is_known: bool) -> Option<IpAddr> {
    let one = outcome?.load_balancers.get(&request.key)?;
    match one.state {
        State::Ready(address) if one.is_settled || !is_known => Some(address),
        State::Ready(_) | State::Pending(_) | State::Unsupported { .. } | State::Failed(_) => None,
    }
}
