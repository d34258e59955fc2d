//! `relation-get` (`jujuc/relation-get.go`).

use super::{APP, Call, RELATION, parsed, relation};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, quoted, usage};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[RELATION, APP, FORMAT, OUTPUT], call)?;
    let Some(id) = relation(session, &parsed) else {
        return usage("no relation id specified");
    };
    let key = parsed.arguments.first().map(String::as_str).filter(|key| !matches!(*key, "" | "-"));
    let target = target(session, parsed.is_set("app"), parsed.arguments.get(1))?;
    check_empty(parsed.arguments.get(2..).unwrap_or_default())?;
    let bag = match &target {
        Target::Unit(unit) => session.read_unit_bag(id, unit),
        Target::Application(application) => session.read_application_bag(id, application),
    }
    .map_err(Refusal::Run)?;
    let value = match key {
        Some(key) => bag.get(key).map_or(Value::Null, |value| Value::Text(value.clone())),
        None => Value::from(&bag),
    };
    print(&parsed, "smart", session.directory(), &value)
}

enum Target {
    Unit(String),
    Application(String),
}

/// `determineUnitOrAppName`: what is named wins, then the hook's remote unit, then its remote application.
fn target(session: &Session<'_>, app: bool, named: Option<&String>) -> Result<Target, Refusal> {
    if let Some(name) = named {
        let application = name.rsplit_once('/').map(|(application, _)| application.to_owned());
        return match (application, app) {
            (Some(application), true) => Ok(Target::Application(application)),
            (Some(_), false) => Ok(Target::Unit(name.clone())),
            (None, true) => Ok(Target::Application(name.clone())),
            (None, false) => usage(format!("expected unit name, got application name {}", quoted(name))),
        };
    }
    if let (false, Some(unit)) = (app, session.remote_unit()) {
        return Ok(Target::Unit(unit));
    }
    match session.remote_application() {
        Some(application) => Ok(Target::Application(application)),
        None => usage("no unit or application specified"),
    }
}
