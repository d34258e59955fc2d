//! `goal-state` (`jujuc/goal-state.go`): only YAML and JSON, YAML by default.

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty};
use crate::tools::flags::{Flag, Takes};
use crate::tools::format::{OUTPUT, print};

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let format = Flag { names: &["format"], takes: Takes::Format(&["json", "yaml"]) };
    let parsed = parsed(session, &[format, OUTPUT], call)?;
    check_empty(&parsed.arguments)?;
    print(&parsed, "yaml", session.directory(), &session.goal_state())
}
