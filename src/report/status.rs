//! The status line: what is wrong, what to do, or how well all is.

use std::collections::BTreeSet;

use crate::model::finding::{Disposition, Finding};
use crate::model::outcome::{MemberHealth, Outcome, State};
use crate::model::status::{Level, Status};

/// The status of a unit that does not lead and has not heard from the one that does.
pub fn standby() -> Status {
    Status { level: Level::Waiting, message: "the leader has not reported yet".to_owned() }
}

/// The leader's status: the most urgent things that are found, else the state of all load balancers; no outcome means
/// that the cloud could not be asked, or must not be.
pub fn status(outcome: Option<&Outcome>, findings: &[Finding]) -> Status {
    let is_known = outcome.is_some();
    let outcome = &outcome.cloned().unwrap_or_default();
    let mut lines: Vec<(Level, String)> = Vec::new();
    for load_balancer in outcome.load_balancers.values() {
        match &load_balancer.state {
            State::Failed(text) => lines.push((Level::Blocked, text.clone())),
            State::Pending(text) => lines.push((Level::Waiting, text.clone())),
            // A finding says so in words for operators.
            State::Ready(_) | State::Unsupported { .. } => {}
        }
        lines.extend(load_balancer.trouble.iter().map(|text| (Level::Waiting, text.clone())));
    }
    for finding in findings {
        match finding.disposition {
            Disposition::Blocked => lines.push((Level::Blocked, finding.text.clone())),
            Disposition::Waiting => lines.push((Level::Waiting, finding.text.clone())),
            Disposition::Note => {}
        }
    }
    lines.extend(without_members(outcome).into_iter().map(|text| (Level::Waiting, text)));
    let notes = findings.iter().filter(|finding| finding.disposition == Disposition::Note);
    let level = lines.iter().map(|(level, _)| *level).max().unwrap_or(Level::Active);
    let mut texts: Vec<String> = Vec::new();
    if level != Level::Blocked && is_known {
        texts.push(summary(outcome));
    }
    texts.extend(lines.into_iter().filter(|(one, _)| *one == level).map(|(_, text)| text));
    if level != Level::Blocked {
        texts.extend(down(outcome));
        texts.extend(notes.map(|finding| finding.text.clone()));
    }
    let mut seen = BTreeSet::new();
    texts.retain(|text| !text.is_empty() && seen.insert(text.clone()));
    Status { level, message: texts.join("; ") }
}

/// `2 load balancers, 6/6 members online`.
fn summary(outcome: &Outcome) -> String {
    let load_balancers = outcome.load_balancers.len();
    if load_balancers == 0 {
        return "no load balancer is asked for".to_owned();
    }
    let members: Vec<MemberHealth> = outcome
        .load_balancers
        .values()
        .flat_map(|one| one.members.iter().map(|member| member.health))
        .collect();
    let unwatched = members.iter().filter(|health| **health == MemberHealth::NotMonitored).count();
    let online = members.iter().filter(|health| **health == MemberHealth::Online).count();
    let plural = if load_balancers == 1 { "" } else { "s" };
    let watched = members.len() - unwatched;
    let mut texts = vec![format!("{load_balancers} load balancer{plural}")];
    if watched > 0 {
        texts.push(format!("{online}/{watched} members online"));
    }
    if unwatched > 0 {
        texts.push(format!("{unwatched} members not monitored"));
    }
    texts.join(", ")
}

/// `down: kubernetes-control-plane/1 (10.5.5.16:6443)`.
fn down(outcome: &Outcome) -> Option<String> {
    let members = outcome.load_balancers.values().flat_map(|one| &one.members);
    let down: BTreeSet<String> = members
        .filter(|member| member.health == MemberHealth::Down)
        .map(|member| format!("{} ({})", member.name, member.socket))
        .collect();
    (!down.is_empty()).then(|| format!("down: {}", down.into_iter().collect::<Vec<_>>().join(", ")))
}

/// Load balancers that stand and have nobody to send traffic to.
fn without_members(outcome: &Outcome) -> Vec<String> {
    let nobody = outcome.load_balancers.iter().filter_map(|(key, one)| {
        let State::Ready(_) = one.state else { return None };
        let serves = one
            .members
            .iter()
            .any(|member| matches!(member.health, MemberHealth::Online | MemberHealth::NotMonitored));
        let members = one.members.len();
        (!serves).then(|| match members {
            0 => format!("{key}: no member yet"),
            _ => format!("{key}: 0/{members} members online"),
        })
    });
    nobody.collect()
}
