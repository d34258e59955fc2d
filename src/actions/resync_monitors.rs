//! `resync-monitors`: reconciles health monitors now, and lists what changed.

use super::{Parameters, join, unknown};
use crate::juju::{Context, tools};
use crate::reconcile::{self, Monitors};

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    let parameters = Parameters::read()?;
    let name = parameters.text("load-balancer");
    let dry_run = parameters.flag("dry-run");
    match reconcile::monitors(context, name, dry_run)? {
        Monitors::NotLeader => {
            let leader = reconcile::leader(context)?;
            let leader = leader.unwrap_or_else(|| format!("{}/leader", context.unit.application));
            tools::action_fail(&format!("{} does not lead; run it on {leader}", context.unit))?;
        }
        Monitors::Impossible(findings) => tools::action_fail(&join(&findings))?,
        Monitors::Unknown(known) => {
            tools::action_fail(&unknown(name.unwrap_or_default(), &known))?;
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
