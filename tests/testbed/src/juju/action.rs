//! Actions.

use serde_json::{Map, Value as Json};

use super::charm::Action;
use super::model::Model;
use super::record::Exit;
use super::session::Run;

/// An action while it runs.
#[derive(Debug)]
pub(crate) struct ActionRun {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) parameters: Json,
    pub(crate) results: Json,
    /// The message of `action-fail`.
    pub(crate) failed: Option<String>,
    pub(crate) log: Vec<String>,
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionStatus {
    /// It did what was asked.
    Completed,
    /// It did not.
    Failed,
}

/// What `juju run` shows of an action.
#[derive(Debug, Clone)]
pub struct ActionResult {
    /// How it ended.
    pub status: ActionStatus,
    /// Why it failed.
    pub message: String,
    /// What `action-set` set.
    pub results: Json,
    /// What `action-log` said.
    pub log: Vec<String>,
    /// What the charm printed.
    pub stdout: String,
    /// What the charm printed to standard error.
    pub stderr: String,
}

impl Model {
    /// `juju run unit action`: runs between hooks, on leaders and followers, also while a hook has failed.
    ///
    /// Panics as the client refuses, if the charm has no such action.
    pub fn run_action(&mut self, unit: &str, name: &str, parameters: Json) -> ActionResult {
        let charm = self.state.application(&self.state.unit(unit).application).charm.clone();
        let action = charm.as_ref().and_then(|charm| charm.actions.get(name));
        let action = action.unwrap_or_else(|| panic!("action {name:?} not defined on unit {unit:?}"));
        let parameters = match checked(action, parameters) {
            Ok(parameters) => parameters,
            Err(message) => return ActionResult::refused(message),
        };
        self.next_action += 1;
        let action = ActionRun {
            id: self.next_action,
            name: name.to_owned(),
            parameters,
            results: Json::Object(Map::new()),
            failed: None,
            log: Vec::new(),
        };
        let mut run = self.new_run(unit, format!("actions/{name}"), None, Some(action));
        self.state.prepare(unit, None);
        let (mut record, output) = self.execute(&mut run);
        let flushed = if record.exit == Exit::Code(0) { self.state.flush(&run) } else { Ok(()) };
        record.committed = record.exit == Exit::Code(0) && flushed.is_ok();
        let action = run.action.take().expect("the run was given an action");
        let mut stderr = output.stderr;
        let failed = match (record.exit, flushed, action.failed) {
            (Exit::Signal, ..) => Some("signal: killed".to_owned()),
            (Exit::Code(0), Err(why), _) => {
                stderr.push_str(&why);
                Some("committing requested changes failed".to_owned())
            }
            (Exit::Code(0), Ok(()), failed) => failed,
            (Exit::Code(code), ..) => Some(format!("exit status {code}")),
        };
        self.records.push(record);
        ActionResult {
            status: if failed.is_some() { ActionStatus::Failed } else { ActionStatus::Completed },
            message: failed.unwrap_or_default(),
            results: action.results,
            log: action.log,
            stdout: output.stdout,
            stderr,
        }
    }
}

impl ActionResult {
    fn refused(message: String) -> Self {
        Self {
            status: ActionStatus::Failed,
            message,
            results: Json::Object(Map::new()),
            log: Vec::new(),
            stdout: String::new(),
            stderr: String::new(),
        }
    }
}

/// Checks parameters against the schema and puts the defaults in; the charm is not run if they are wrong.
fn checked(action: &Action, parameters: Json) -> Result<Json, String> {
    let Json::Object(mut given) = parameters else {
        return Err("validation failed: (root) : must be of type object".to_owned());
    };
    for (name, value) in &given {
        match action.params.get(name).map(|schema| schema.get("type").and_then(Json::as_str)) {
            Some(Some(kind)) if !is_of_type(value, kind) => {
                return Err(format!(
                    "validation failed: (root).{name} : must be of type {kind}, given {value}"
                ));
            }
            None if action.additional_properties == Some(false) => {
                return Err(format!(
                    "validation failed: (root) : additional property \"{name}\" is not allowed"
                ));
            }
            _ => {}
        }
    }
    if let Some(missing) = action.required.iter().find(|name| !given.contains_key(*name)) {
        return Err(format!("validation failed: (root) : \"{missing}\" property is missing and required"));
    }
    for (name, schema) in &action.params {
        if let (Some(default), false) = (schema.get("default"), given.contains_key(name)) {
            given.insert(name.clone(), default.clone());
        }
    }
    Ok(Json::Object(given))
}

fn is_of_type(value: &Json, kind: &str) -> bool {
    match kind {
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

impl Model {
    pub(crate) fn new_run(
        &mut self,
        unit: &str,
        path: String,
        hook: Option<super::hook::Hook>,
        action: Option<ActionRun>,
    ) -> Run {
        self.next_context += 1;
        let name = path.rsplit('/').next().unwrap_or_default();
        Run {
            unit: unit.to_owned(),
            context: format!("{unit}-{name}-{:019}", self.next_context),
            hook,
            action,
            path,
            unit_bags: std::collections::BTreeMap::new(),
            application_bags: std::collections::BTreeMap::new(),
            minion: false,
        }
    }
}
