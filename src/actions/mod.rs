//! One file an action.

mod resync_monitors;

use crate::juju::Context;

/// Runs an action; one that we do not know does nothing.
pub fn run(context: &Context, name: &str) -> anyhow::Result<()> {
    match name {
        "resync-monitors" => resync_monitors::run(context),
        _ => Ok(()),
    }
}
