//! `status-set` (`jujuc/status-set.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, failure, quoted, usage};
use crate::tools::flags::{Flag, Takes};

const STATUSES: [&str; 4] = ["maintenance", "blocked", "waiting", "active"];

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [Flag { names: &["application"], takes: Takes::Nothing }];
    let parsed = parsed(session, &flags, call)?;
    let Some(status) = parsed.arguments.first() else {
        return usage("invalid args, require <status> [message]");
    };
    if !STATUSES.contains(&status.as_str()) {
        let known = STATUSES.join(" ");
        return usage(format!("invalid status {}, expected one of [{known}]", quoted(status)));
    }
    check_empty(parsed.arguments.get(2..).unwrap_or_default())?;
    let message = parsed.arguments.get(1).map_or("", String::as_str);
    if parsed.is_set("application") {
        if !session.is_leader() {
            return failure("this unit is not the leader");
        }
        session.set_application_status(status, message);
    } else {
        session.set_unit_status(status, message);
    }
    Ok(Answer::default())
}
