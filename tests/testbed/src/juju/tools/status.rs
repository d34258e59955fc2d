//! status-get, status-set, application-version-set, juju-log: immediate, never rolled back.

use serde_json::{Value, json};

use super::flags::{Parsed, unrecognised};
use super::{Result, bad, refused};
use crate::juju::context::HookContext;
use crate::juju::state::{LogLine, State, Status};

pub(super) fn get(state: &State, context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed =
        Parsed::read(arguments, &["--format", "-o", "--output"], &["--include-data", "--application"])?;
    parsed.at_most(0)?;
    let format = parsed.format()?;
    if parsed.has("--application") {
        if !context.leads(state) {
            return Err(refused("finding application status: this unit is not the leader"));
        }
        return Ok(format.print(Some(&application_status(state, context.application()))));
    }
    let Status { level, message } = &state.units[&context.unit].status;
    let value: Value = match (parsed.has("--include-data"), format) {
        (true, _) => json!({"message": message, "status": level, "status-data": {}}),
        (false, super::format::Format::Smart) => json!(level),
        (false, _) => json!({"status": level}),
    };
    Ok(format.print(Some(&value)))
}

pub(super) fn set(state: &mut State, context: &mut HookContext, arguments: &[String]) -> Result {
    const LEVELS: [&str; 4] = ["maintenance", "blocked", "waiting", "active"];
    let parsed = Parsed::read(arguments, &["--format"], &["--application"])?;
    let (level, message) = match parsed.positional() {
        [] => return Err(bad("invalid args, require <status> [message]")),
        [level] => (level, ""),
        [level, message] => (level, message.as_str()),
        [_, _, rest @ ..] => return Err(unrecognised(rest)),
    };
    if !LEVELS.contains(&level.as_str()) {
        return Err(bad(format!("invalid status {level:?}, expected one of [{}]", LEVELS.join(" "))));
    }
    if parsed.has("--application") {
        return if context.leads(state) {
            Ok(String::new())
        } else {
            Err(refused("this unit is not the leader"))
        };
    }
    let unit = state.units.get_mut(&context.unit).unwrap();
    unit.status = Status { level: level.clone(), message: message.to_owned() };
    unit.history.push(unit.status.clone());
    let status = unit.status.clone();
    let application = state.applications.get_mut(context.application()).unwrap();
    application.unit_statuses.insert(context.unit.clone(), status);
    Ok(String::new())
}

fn application_status(state: &State, application: &str) -> Value {
    let application = &state.applications[application];
    let document =
        |status: &Status| json!({"message": status.message, "status": status.level, "status-data": {}});
    let mut whole = document(&application.status.clone().unwrap_or_default());
    whole["units"] =
        application.unit_statuses.iter().map(|(unit, status)| (unit.clone(), document(status))).collect();
    json!({"application-status": whole})
}

pub(super) fn application_version_set(
    state: &mut State,
    context: &HookContext,
    arguments: &[String],
) -> Result {
    let parsed = Parsed::read(arguments, &[], &[])?;
    let version = parsed.at_most(1)?.first().ok_or_else(|| bad("no version specified"))?;
    state.applications.get_mut(context.application()).unwrap().version.clone_from(version);
    Ok(String::new())
}

pub(super) fn juju_log(state: &mut State, context: &HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["-l", "--log-level", "--format"], &["--debug"])?;
    let words = parsed.positional();
    if words.is_empty() {
        return Err(bad("no message specified"));
    }
    let level =
        if parsed.has("--debug") { "DEBUG" } else { parsed.value(&["-l", "--log-level"]).unwrap_or("INFO") };
    let known = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"].contains(&level);
    let level = if known { level } else { "INFO" }.to_owned();
    state.log.push(LogLine { unit: context.unit.clone(), level, text: words.join(" ") });
    Ok(String::new())
}
