//! action-get, action-set, action-fail.

use serde_json::Value;

use super::flags::{Parsed, unrecognised};
use super::{Result, bad, refused};
use crate::juju::context::{ActionRun, HookContext};

pub(super) fn get(context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format", "-o", "--output"], &[])?;
    let format = parsed.format()?;
    let key = parsed.at_most(1)?.first().cloned();
    let parameters = &running(context)?.parameters;
    let Some(key) = key else { return Ok(format.print(Some(parameters))) };
    let found = key.split('.').try_fold(parameters, |value, part| value.get(part));
    Ok(format.print(found))
}

pub(super) fn set(context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format"], &[])?;
    let mut results = Vec::new();
    for argument in parsed.positional() {
        let (key, value) = argument
            .split_once('=')
            .ok_or_else(|| bad(format!("argument {argument:?} must be of the form key...=value")))?;
        if ["stdout", "stderr", "stdout-encoding", "stderr-encoding"].contains(&key) {
            return Err(bad(format!("cannot set reserved action key {key:?}")));
        }
        if !key.split('.').all(is_key) {
            return Err(bad(format!(
                "key {key:?} must start and end with lowercase alphanumeric, and contain only lowercase alphanumeric, \
                 hyphens and periods"
            )));
        }
        results.push((key.to_owned(), value.to_owned()));
    }
    running(context)?.results.extend(results);
    Ok(String::new())
}

pub(super) fn fail(context: &mut HookContext, arguments: &[String]) -> Result {
    let parsed = Parsed::read(arguments, &["--format"], &[])?;
    let message = match parsed.positional() {
        [] => "action failed without reason given, check action for errors",
        [message] => message.as_str(),
        [_, rest @ ..] => return Err(unrecognised(rest)),
    };
    running(context)?.failure = Some(message.to_owned());
    Ok(String::new())
}

fn running(context: &mut HookContext) -> std::result::Result<&mut ActionRun, super::No> {
    context.action.as_mut().ok_or_else(|| refused("not running an action"))
}

fn is_key(part: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    part.starts_with(is_plain) && part.ends_with(is_plain) && part.chars().all(|c| is_plain(c) || c == '-')
}

/// Parameters are an object, also without any.
pub(crate) fn parameters(given: Value) -> Value {
    if given.is_null() { Value::Object(serde_json::Map::new()) } else { given }
}
