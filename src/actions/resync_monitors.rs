//! `resync-monitors`: reconciles health monitors now, and lists what changed.

use serde_json::Value;

use crate::juju::{Context, tools};
use crate::model::finding::Finding;
use crate::reconcile::{self, Monitors};

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let parameters = tools::action_get()?;
    let name = parameters.get("load-balancer").and_then(Value::as_str).filter(|name| !name.is_empty());
    let dry_run = parameters.get("dry-run").and_then(Value::as_bool).unwrap_or(false);
    match reconcile::monitors(context, name, dry_run)? {
        Monitors::NotLeader => {
            let application = &context.unit.application;
            tools::action_fail(&format!("{} does not lead; run it on {application}/leader", context.unit))?;
        }
        Monitors::Impossible(findings) => tools::action_fail(&join(&findings))?,
        Monitors::Unknown(known) => {
            let name = name.unwrap_or_default();
            tools::action_fail(&format!(
                "there is no load balancer {name:?}; there are: {}",
                known.join(", ")
            ))?;
        }
        Monitors::Done { changes, left_alone, failures } => {
            let verb = if dry_run { "would-change" } else { "changed" };
            let mut results = vec![(verb, changes.len().to_string())];
            if !changes.is_empty() {
                results.push(("changes", changes.join("\n")));
            }
            if !left_alone.is_empty() {
                results.push(("left-alone", left_alone.join("\n")));
            }
            tools::action_set(&results)?;
            if !failures.is_empty() {
                tools::action_fail(&join(&failures))?;
            }
        }
    }
    Ok(())
}

fn join(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("; ")
}
