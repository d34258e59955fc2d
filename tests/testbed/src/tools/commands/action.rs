//! `action-get`, `action-set`, `action-fail` and `action-log` (`jujuc/action-*.go`).

use serde_json::Value as Json;

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, quoted, usage};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn get(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[FORMAT, OUTPUT], call)?;
    check_empty(parsed.arguments.get(1..).unwrap_or_default())?;
    let parameters = &session.action().map_err(Refusal::Run)?.parameters;
    let value = match parsed.arguments.first() {
        None => Some(parameters),
        Some(path) => path.split('.').try_fold(parameters, |value, key| value.get(key)),
    };
    let value = value.map_or(Value::Null, Value::from);
    print(&parsed, "smart", session.directory(), &value)
}

pub(super) fn set(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    const RESERVED: [&str; 4] = ["stdout", "stdout-encoding", "stderr", "stderr-encoding"];
    let parsed = parsed(session, &[], call)?;
    let mut results = Vec::new();
    for argument in &parsed.arguments {
        let Some((key, value)) = argument.split_once('=') else {
            return usage(format!("argument {} must be of the form key...=value", quoted(argument)));
        };
        if RESERVED.contains(&key) {
            return usage(format!("cannot set reserved action key {}", quoted(key)));
        }
        let path: Vec<&str> = key.split('.').collect();
        if let Some(wrong) = path.iter().find(|part| !is_key(part)) {
            return usage(format!(
                "key {} must start and end with lowercase alphanumeric, and contain only lowercase alphanumeric, \
                 hyphens and periods",
                quoted(wrong)
            ));
        }
        results.push((path, value));
    }
    let action = session.action().map_err(Refusal::Run)?;
    for (path, value) in results {
        let mut place = &mut action.results;
        for key in path {
            if !place.is_object() {
                *place = Json::Object(serde_json::Map::new());
            }
            place = &mut place[key];
        }
        *place = Json::from(value);
    }
    Ok(Answer::default())
}

/// `^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$`
fn is_key(part: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    part.starts_with(plain) && part.ends_with(plain) && part.chars().all(|c| plain(c) || c == '-')
}

pub(super) fn fail(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[], call)?;
    check_empty(parsed.arguments.get(1..).unwrap_or_default())?;
    let message = parsed
        .arguments
        .first()
        .map_or("action failed without reason given, check action for errors", String::as_str);
    session.action().map_err(Refusal::Run)?.failed = Some(message.to_owned());
    Ok(Answer::default())
}

pub(super) fn log(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[], call)?;
    if parsed.arguments.is_empty() {
        return usage("no message specified");
    }
    session.action().map_err(Refusal::Run)?.log.push(parsed.arguments.join(" "));
    Ok(Answer::default())
}
