//! `is-leader` (`jujuc/is-leader.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[FORMAT, OUTPUT], call)?;
    check_empty(&parsed.arguments)?;
    let leads = session.is_leader();
    print(&parsed, "smart", session.directory(), &Value::Bool(leads))
}
