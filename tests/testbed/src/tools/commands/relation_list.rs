//! `relation-list` (`jujuc/relation-list.go`).

use super::{APP, Call, RELATION, parsed, relation};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, usage};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[RELATION, APP, FORMAT, OUTPUT], call)?;
    let Some(id) = relation(session, &parsed) else {
        return usage("no relation id specified");
    };
    check_empty(&parsed.arguments)?;
    let value = if parsed.is_set("app") {
        Value::Text(session.other_application(id))
    } else {
        Value::texts(session.members(id))
    };
    print(&parsed, "smart", session.directory(), &value)
}
