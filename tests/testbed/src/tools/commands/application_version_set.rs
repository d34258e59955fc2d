//! `application-version-set` (`jujuc/application-version-set.go`).

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, usage};

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[], call)?;
    let Some(version) = parsed.arguments.first() else {
        return usage("no version specified");
    };
    check_empty(&parsed.arguments[1..])?;
    session.set_application_version(version);
    Ok(Answer::default())
}
