//! Juju's hook tools, one function a tool.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::IpAddr;
use std::process::{Command, Stdio};

use secrecy::SecretString;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::Error;
use crate::model::ids::{RelationId, UnitName};

/// A databag.
pub type Bag = BTreeMap<String, String>;

/// One argument may hold this many bytes (Linux `MAX_ARG_STRLEN`, less its final zero).
pub const LONGEST_ARGUMENT: usize = 131_071;

/// The controller's view of who is related and who is here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct GoalState {
    /// Our own units.
    #[serde(default)]
    pub units: BTreeMap<String, Goal>,
    /// Endpoint to applications and their units.
    #[serde(default)]
    pub relations: BTreeMap<String, BTreeMap<String, Goal>>,
}

/// What is to become of a unit or relation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Goal {
    /// `active`, `dying`, `joined`, …
    #[serde(default)]
    pub status: String,
}

impl GoalState {
    /// Endpoint to applications.
    pub fn applications(&self) -> BTreeMap<String, BTreeSet<String>> {
        let names = |goals: &BTreeMap<String, Goal>| {
            goals.keys().filter(|name| !name.contains('/')).cloned().collect()
        };
        self.relations.iter().map(|(endpoint, goals)| (endpoint.clone(), names(goals))).collect()
    }
}

/// All options that are set or have a default.
pub fn config_get() -> Result<BTreeMap<String, Value>, Error> {
    json("config-get", &[])
}

/// The relations of an endpoint that this unit sees.
pub fn relation_ids(endpoint: &str) -> Result<Vec<RelationId>, Error> {
    json("relation-ids", &[endpoint])
}

/// The remote units of a relation.
pub fn relation_list(relation: &RelationId) -> Result<Vec<UnitName>, Error> {
    json("relation-list", &["-r", &relation.to_string()])
}

/// The remote application of a relation.
pub fn relation_application(relation: &RelationId) -> Result<Option<String>, Error> {
    let name: Option<String> = json("relation-list", &["--app", "-r", &relation.to_string()])?;
    Ok(name.filter(|name| !name.is_empty()))
}

/// A unit's databag.
pub fn relation_get_unit(relation: &RelationId, unit: &UnitName) -> Result<Bag, Error> {
    json("relation-get", &["-r", &relation.to_string(), "-", &unit.to_string()])
}

/// An application's databag; our own is for the leader.
pub fn relation_get_application(relation: &RelationId, application: &str) -> Result<Bag, Error> {
    json("relation-get", &["-r", &relation.to_string(), "--app", "-", application])
}

/// Whose databag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BagOf {
    /// The application's, which is for the leader.
    Application,
    /// This unit's own.
    Unit,
}

/// Writes keys of a databag of ours; an empty value deletes a key.
pub fn relation_set(relation: &RelationId, bag: BagOf, changes: &Bag) -> Result<(), Error> {
    let input = serde_json::to_string(changes)
        .map_err(|source| Error::Unreadable { tool: "relation-set", source })?;
    let input = ascii(&input);
    let relation = relation.to_string();
    let mut arguments = vec!["-r", &relation, "--file", "-"];
    if bag == BagOf::Application {
        arguments.push("--app");
    }
    run("relation-set", &arguments, Some(&input)).map(drop)
}

/// Whether we lead; a yes holds for 30 s.
pub fn is_leader() -> Result<bool, Error> {
    json("is-leader", &[])
}

/// Our unit's status and message.
pub fn status_get() -> Result<(String, String), Error> {
    #[derive(Deserialize)]
    struct Status {
        status: String,
        #[serde(default)]
        message: String,
    }
    let Status { status, message } = json("status-get", &["--include-data"])?;
    Ok((status, message))
}

/// Sets our unit's status.
pub fn status_set(status: &str, message: &str) -> Result<(), Error> {
    run("status-set", &[status, "--", message], None).map(drop)
}

/// What `juju status` shows as the application's version.
pub fn application_version_set(version: &str) -> Result<(), Error> {
    run("application-version-set", &["--", version], None).map(drop)
}

/// A line in Juju's log.
pub fn juju_log(level: &str, text: &str) -> Result<(), Error> {
    run("juju-log", &["-l", level, "--", text], None).map(drop)
}

/// The action's parameters.
pub fn action_get() -> Result<BTreeMap<String, Value>, Error> {
    json("action-get", &[])
}

/// Results of the action.
pub fn action_set(results: &[(&str, String)]) -> Result<(), Error> {
    let pairs: Vec<String> = results.iter().map(|(key, value)| argument(&format!("{key}={value}"))).collect();
    let arguments: Vec<&str> = pairs.iter().map(String::as_str).collect();
    run("action-set", &arguments, None).map(drop)
}

/// The action did not do what was asked.
pub fn action_fail(message: &str) -> Result<(), Error> {
    run("action-fail", &["--", &argument(message)], None).map(drop)
}

/// What can be handed to a tool: no zero byte, and not too long.
fn argument(text: &str) -> String {
    let text = text.replace('\0', " ");
    if text.len() <= LONGEST_ARGUMENT {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(LONGEST_ARGUMENT - '…'.len_utf8())])
}

/// The cloud's credential, as JSON text.
pub fn credential_get() -> Result<SecretString, Error> {
    text("credential-get", &["--format=json"]).map(SecretString::from)
}

/// The controller's view.
pub fn goal_state() -> Result<GoalState, Error> {
    json("goal-state", &[])
}

/// The address at which our unit is reached on an endpoint.
pub fn network_get_ingress(endpoint: &str) -> Result<Option<IpAddr>, Error> {
    let address: Option<String> = json("network-get", &[endpoint, "--ingress-address"])?;
    Ok(address.and_then(|address| address.parse().ok()))
}

/// The tool reads YAML, which refuses some characters that JSON may hold as they are, and surrogate pairs.
fn ascii(json: &str) -> String {
    json.chars()
        .map(|c| match u32::from(c) {
            0x20..=0x7e => c.to_string(),
            code @ 0..=0xffff => format!("\\u{code:04x}"),
            code => format!("\\U{code:08x}"),
        })
        .collect()
}

fn json<T: DeserializeOwned>(tool: &'static str, arguments: &[&str]) -> Result<T, Error> {
    let mut all = vec!["--format=json"];
    all.extend(arguments);
    let answer = text(tool, &all)?;
    serde_json::from_str(&answer).map_err(|source| Error::Unreadable { tool, source })
}

fn text(tool: &'static str, arguments: &[&str]) -> Result<String, Error> {
    run(tool, arguments, None).map(|output| String::from_utf8_lossy(&output).into_owned())
}

fn run(tool: &'static str, arguments: &[&str], input: Option<&str>) -> Result<Vec<u8>, Error> {
    let start = |source| Error::Start { tool, source };
    let mut command = Command::new(tool);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().map_err(start)?;
    if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
        // A tool that does not read to the end says why in its own words.
        let _ = pipe.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(start)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).trim().trim_start_matches("ERROR ").to_owned();
    Err(Error::Failed { tool, code: output.status.code().unwrap_or(-1), stderr })
}
