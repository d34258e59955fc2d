//! `relation-ids` (`jujuc/relation-ids.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, usage};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[FORMAT, OUTPUT], call)?;
    let named = parsed.arguments.first().filter(|name| !name.is_empty()).cloned();
    let Some(endpoint) = named.or_else(|| session.hook_endpoint()) else {
        return usage("no endpoint name specified");
    };
    check_empty(parsed.arguments.get(1..).unwrap_or_default())?;
    print(&parsed, "smart", session.directory(), &Value::texts(session.relation_ids(&endpoint)))
}
