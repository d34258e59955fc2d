//! `juju-log` (`jujuc/juju-log.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, quoted, usage};
use crate::tools::flags::{Flag, Takes};

const LEVELS: [&str; 6] = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [
        Flag { names: &["debug"], takes: Takes::Nothing },
        Flag { names: &["log-level", "l"], takes: Takes::Text },
        Flag { names: &["format"], takes: Takes::Text },
    ];
    let parsed = parsed(session, &flags, call)?;
    if parsed.arguments.is_empty() {
        return usage("no message specified");
    }
    let wanted = parsed.value("log-level").unwrap_or("INFO").to_uppercase();
    let level = if parsed.is_set("debug") {
        "DEBUG"
    } else if let Some(level) = LEVELS.into_iter().find(|level| *level == wanted) {
        level
    } else {
        let named = quoted(parsed.value("log-level").unwrap_or_default());
        session.log("WARNING", &format!("Specified log level of {named} is not valid"));
        "INFO"
    };
    let prefix = session.hook_relation_id().map(|id| format!("{id}: ")).unwrap_or_default();
    session.log(level, &format!("{prefix}{}", parsed.arguments.join(" ")));
    Ok(Answer::default())
}
