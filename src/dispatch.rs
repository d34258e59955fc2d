//! From what Juju runs us for to what we do.

use crate::juju::{Context, Invocation};
use crate::{actions, reconcile};

/// Every hook runs the loop, also one that we do not know; an action that we do not know does nothing.
pub fn run(context: &Context) -> anyhow::Result<()> {
    match &context.invocation {
        // These run in a context of their own, without relations and leadership.
        Invocation::Hook(name) if matches!(name.as_str(), "collect-metrics" | "meter-status-changed") => {
            Ok(())
        }
        Invocation::Hook(name) => reconcile::hook(context, name),
        Invocation::Action(name) => actions::run(context, name),
    }
}
