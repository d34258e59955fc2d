//! One file for each hook tool, or for each family of them. Texts and exit codes are those of Juju 3.6
//! (`worker/uniter/runner/jujuc/*.go`).

mod action;
mod application_version_set;
mod config_get;
mod credential_get;
mod goal_state;
mod is_leader;
mod juju_log;
mod network_get;
mod relation_get;
mod relation_ids;
mod relation_list;
mod relation_set;
mod status_get;
mod status_set;

use super::answer::{Answer, Refusal, usage};
use super::flags::{Flag, Parsed, Takes, parse};
use crate::juju::Session;

/// Every tool that the model knows; any other is not in the folder of tools.
pub const NAMES: [&str; 17] = [
    "action-fail",
    "action-get",
    "action-log",
    "action-set",
    "application-version-set",
    "config-get",
    "credential-get",
    "goal-state",
    "is-leader",
    "juju-log",
    "network-get",
    "relation-get",
    "relation-ids",
    "relation-list",
    "relation-set",
    "status-get",
    "status-set",
];

/// One call as a tool sees it.
pub(crate) struct Call<'a> {
    pub(crate) arguments: &'a [String],
    /// Standard input, once it was asked for.
    pub(crate) input: Option<&'a [u8]>,
}

/// Answers one call; `None` asks for the caller's standard input.
pub(crate) fn answer(session: &mut Session<'_>, tool: &str, call: &Call<'_>) -> Option<Answer> {
    let result = match tool {
        "action-fail" => action::fail(session, call),
        "action-get" => action::get(session, call),
        "action-log" => action::log(session, call),
        "action-set" => action::set(session, call),
        "application-version-set" => application_version_set::run(session, call),
        "config-get" => config_get::run(session, call),
        "credential-get" => credential_get::run(session, call),
        "goal-state" => goal_state::run(session, call),
        "is-leader" => is_leader::run(session, call),
        "juju-log" => juju_log::run(session, call),
        "network-get" => network_get::run(session, call),
        "relation-get" => relation_get::run(session, call),
        "relation-ids" => relation_ids::run(session, call),
        "relation-list" => relation_list::run(session, call),
        "relation-set" => relation_set::run(session, call),
        "status-get" => status_get::run(session, call),
        "status-set" => status_set::run(session, call),
        other => usage(format!("unknown command: {other}")),
    };
    match result {
        Ok(answer) => Some(answer),
        Err(Refusal::NeedsInput) => None,
        Err(Refusal::Usage(text)) => Some(Answer::error(2, &text)),
        Err(Refusal::Run(text)) => Some(Answer::error(1, &text)),
        Err(Refusal::Help(text)) if text.is_empty() => {
            Some(Answer::error(2, &format!("the model of Juju has no help text for {tool}")))
        }
        Err(Refusal::Help(text)) => Some(Answer::printed(text)),
    }
}

/// `-r`, `--relation`.
const RELATION: Flag = Flag { names: &["r", "relation"], takes: Takes::Relation };
/// `--app`.
const APP: Flag = Flag { names: &["app"], takes: Takes::Nothing };

fn parsed(session: &Session<'_>, flags: &[Flag], call: &Call<'_>) -> Result<Parsed, Refusal> {
    parse(flags, call.arguments, &|text| session.find_relation(text).map(|_| ()))
}

/// The relation that `-r` names, else that of the hook.
fn relation(session: &Session<'_>, parsed: &Parsed) -> Option<u32> {
    match parsed.value("r") {
        Some(text) => session.find_relation(text).ok(),
        None => session.hook_relation(),
    }
}
