//! `config-get` (`jujuc/config-get.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, quoted, usage};
use crate::tools::flags::{Flag, Takes};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

const HELP: &str = "Usage: config-get [options] [<key>]

Summary:
Print application configuration.

Options:
-a, --all  (= false)
    print all keys
--format  (= smart)
    Specify output format (json|smart|yaml)
-o, --output (= \"\")
    Specify an output file

Details:
config-get returns information about the application configuration
(as defined by config.yaml). If called without arguments, it returns
a dictionary containing all config settings that are either explicitly
set, or which have a non-nil default value. If the --all flag is passed,
it returns a dictionary containing all defined config settings including
nil values (for those without defaults). If called with a single argument,
it returns the value of that config key. Missing config keys are reported
as nulls, and do not return an error.

<key> and --all are mutually exclusive.

Examples:

    INTERVAL=$(config-get interval)

    config-get --all
";

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [FORMAT, OUTPUT, Flag { names: &["all", "a"], takes: Takes::Nothing }];
    let parsed = parsed(session, &flags, call).map_err(|refusal| match refusal {
        Refusal::Help(_) => Refusal::Help(HELP.to_owned()),
        other => other,
    })?;
    let key = parsed.arguments.first().filter(|key| !key.is_empty());
    if let (Some(key), true) = (key, parsed.is_set("all")) {
        return usage(format!("cannot use argument --all together with key {}", quoted(key)));
    }
    check_empty(parsed.arguments.get(1..).unwrap_or_default())?;
    let settings = session.settings();
    let value = match key {
        Some(key) => settings.get(key).map_or(Value::Null, Value::from),
        None => Value::Map(
            settings
                .iter()
                .filter(|(_, value)| parsed.is_set("all") || !value.is_null())
                .map(|(key, value)| (key.clone(), Value::from(value)))
                .collect(),
        ),
    };
    print(&parsed, "smart", session.directory(), &value)
}
