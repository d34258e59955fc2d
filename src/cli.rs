//! The command line outside Juju: it explains, since Juju runs this program without arguments.

use clap::Parser;

/// Health-checked OpenStack load balancers for Kubernetes, as a Juju charm.
///
/// This program is the charm `octavia-integrator`.
/// Juju runs it for every hook and action, and says by the environment variable JUJU_DISPATCH_PATH which one.
/// To deploy it: juju deploy octavia-integrator --trust
#[derive(Debug, Parser)]
#[command(name = "octavia-integrator", version)]
pub struct Arguments {}

/// What is said when there is nothing to run.
pub const EXPLANATION: &str = "\
octavia-integrator is a Juju charm: Juju runs this program for every hook and action.
There is nothing to run here, since JUJU_DISPATCH_PATH is not set.
Deploy it with \"juju deploy octavia-integrator --trust\"; --help says more.";
