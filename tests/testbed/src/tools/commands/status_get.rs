//! `status-get` (`jujuc/status-get.go`).

use super::{Call, parsed};
use crate::juju::{Session, Status};
use crate::tools::answer::{Answer, Refusal, check_empty, failure};
use crate::tools::flags::{Flag, Takes};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [
        FORMAT,
        OUTPUT,
        Flag { names: &["include-data"], takes: Takes::Nothing },
        Flag { names: &["application"], takes: Takes::Nothing },
    ];
    let parsed = parsed(session, &flags, call)?;
    check_empty(&parsed.arguments)?;
    let data = parsed.is_set("include-data");
    let bare = !data && matches!(parsed.value("format"), None | Some("smart"));
    let value = if parsed.is_set("application") {
        if !session.is_leader() {
            return failure("finding application status: this unit is not the leader");
        }
        let status = session.application_status();
        if bare {
            Value::Text(status.status)
        } else {
            let units = session.unit_statuses();
            let units = units
                .iter()
                .map(|(unit, status)| (unit.clone(), Value::Map(details(status, data))))
                .collect();
            let mut members = details(&status, data);
            members.push(("units".to_owned(), Value::Map(units)));
            Value::map([("application-status", Value::Map(members))])
        }
    } else {
        let status = session.unit_status();
        if bare { Value::Text(status.status) } else { Value::Map(details(&status, data)) }
    };
    print(&parsed, "smart", session.directory(), &value)
}

fn details(status: &Status, data: bool) -> Vec<(String, Value)> {
    let mut members = vec![("status".to_owned(), Value::Text(status.status.clone()))];
    if data {
        members.insert(0, ("message".to_owned(), Value::Text(status.message.clone())));
        members.push(("status-data".to_owned(), Value::Map(Vec::new())));
    }
    members
}
