//! One file an action.

mod resync_monitors;
mod show_load_balancers;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::juju::{Context, Error, tools};
use crate::model::finding::Finding;

/// Runs an action; one that we do not know does nothing.
pub fn run(context: &Context, name: &str) -> anyhow::Result<()> {
    match name {
        "resync-monitors" => resync_monitors::run(context),
        "show-load-balancers" => show_load_balancers::run(context),
        _ => Ok(()),
    }
}

/// What an operator gave; Juju has held it against the schema.
struct Parameters(BTreeMap<String, Value>);

impl Parameters {
    fn read() -> Result<Self, Error> {
        tools::action_get().map(Self)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}

fn join(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("; ")
}

fn unknown(name: &str, known: &[String]) -> String {
    if known.is_empty() {
        return format!("there is no load balancer {name:?}, and no other either");
    }
    format!("there is no load balancer {name:?}; there are: {}", known.join(", "))
}
