//! What Juju's hook tools answer, byte for byte (`worker/uniter/runner/jujuc`).

mod action;
mod flags;
mod format;
mod network;
mod relation;
#[cfg(test)]
mod replay;
mod status;

use super::context::HookContext;
use super::state::State;
pub(crate) use action::parameters;
use flags::Parsed;

/// The tools that exist.
pub(crate) const TOOLS: [&str; 16] = [
    "action-fail",
    "action-get",
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

/// What a tool prints and its exit code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why a tool says no: bad arguments (2), or a refusal (1).
#[derive(Debug)]
pub(crate) enum No {
    Arguments(String),
    Refused(String),
}

type Result = std::result::Result<String, No>;

fn bad(text: impl Into<String>) -> No {
    No::Arguments(text.into())
}

fn refused(text: impl Into<String>) -> No {
    No::Refused(text.into())
}

/// Answers one call.
pub(crate) fn answer(
    state: &mut State,
    context: &mut HookContext,
    tool: &str,
    arguments: &[String],
    input: Option<&str>,
) -> Answer {
    // The one tool that warns of its --format flag instead of refusing it.
    let mut stderr = String::new();
    let result = match tool {
        "action-fail" => action::fail(context, arguments),
        "action-get" => action::get(context, arguments),
        "action-set" => action::set(context, arguments),
        "application-version-set" => status::application_version_set(state, context, arguments),
        "config-get" => config_get(state, context, arguments),
        "credential-get" => network::credential_get(state, context, arguments),
        "goal-state" => network::goal_state(state, context, arguments),
        "is-leader" => is_leader(state, context, arguments),
        "juju-log" => status::juju_log(state, context, arguments),
        "network-get" => network::network_get(state, context, arguments),
        "relation-get" => relation::get(state, context, arguments),
        "relation-ids" => relation::ids(state, context, arguments),
        "relation-list" => relation::list(state, context, arguments),
        "relation-set" => relation::set(state, context, arguments, input, &mut stderr),
        "status-get" => status::get(state, context, arguments),
        "status-set" => status::set(state, context, arguments),
        _ => return Answer { code: 127, stdout: String::new(), stderr: format!("{tool}: not found\n") },
    };
    match result {
        Ok(stdout) => Answer { code: 0, stdout, stderr },
        Err(No::Arguments(text)) => {
            Answer { code: 2, stdout: String::new(), stderr: format!("ERROR {text}\n") }
        }
        Err(No::Refused(text)) => {
            Answer { code: 1, stdout: String::new(), stderr: format!("ERROR {text}\n") }
        }
    }
}

/// The one help text that was recorded.
const CONFIG_GET_HELP: &str = include_str!("config-get-help.txt");

fn config_get(state: &State, context: &HookContext, arguments: &[String]) -> Result {
    if arguments.iter().any(|argument| argument == "--help") {
        return Ok(CONFIG_GET_HELP.to_owned());
    }
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &["-a", "--all"])?;
    let format = parsed.format()?;
    let all = parsed.has("-a") || parsed.has("--all");
    let key = parsed.at_most(1)?.first().cloned();
    let application = &state.applications[context.application()];
    let charm = application.charm.as_ref().expect("our own application");
    match key {
        Some(key) if all => Err(bad(format!("cannot use argument --all together with key {key:?}"))),
        Some(key) => Ok(format.print(charm.effective(&application.config, true).get(&key))),
        None => {
            let options = charm.effective(&application.config, all);
            Ok(format.print(Some(&serde_json::to_value(options).unwrap())))
        }
    }
}

fn is_leader(state: &State, context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &[])?;
    parsed.at_most(0)?;
    Ok(parsed.format()?.print(Some(&context.leads(state).into())))
}
