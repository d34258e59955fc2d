//! The loop: every hook runs it from scratch, whatever Juju calls the hook.

mod converge;
mod publish;
mod removal;
mod wish;

use std::time::Duration;

use anyhow::Context as _;
use tracing::warn;

use crate::error;
use crate::juju::{self, Context};
use crate::model::finding::Finding;
use crate::model::outcome::Outcome;
use crate::octavia::{apply, outcome, show};

pub use converge::{Cloud, Leadership};
pub use wish::Wish;

/// What a hook leaves after its last wait: time to look once more and to tell Juju.
const MARGIN: Duration = Duration::from_mins(1);

/// One hook.
pub fn hook(context: &Context, name: &str) -> anyhow::Result<()> {
    if matches!(name, "install" | "start" | "upgrade-charm" | "config-changed") {
        juju::tools::application_version_set(env!("CARGO_PKG_VERSION"))?;
    }
    let leads = juju::tools::is_leader()?;
    let is_about_peers =
        context.relation.as_ref().is_some_and(|relation| relation.endpoint == juju::endpoint::REPLICAS);
    if leads && is_about_peers {
        // Only the leader says something there, and Juju tells it of its own words too.
        return Ok(());
    }
    let (snapshot, secrets) = wish::snapshot(context, leads || removal::is_last(context, name))?; // I/O, hook tools
    if !snapshot.writes {
        return publish::follow(&snapshot);
    }
    let leadership = if leads { Leadership::just_asked() } else { Leadership::nobody_else() };
    let wish = Wish::read(context, &snapshot, &secrets); // pure
    let (outcome, findings) = match Cloud::new(context, &snapshot, &wish, leadership) {
        Some(cloud) => runtime()?.block_on(provide(&cloud, &removal::Removal::new(context, name, &snapshot))), // I/O
        None => (None, Vec::new()),
    };
    publish::all(context, &snapshot, &wish, outcome.as_ref(), findings) // pure, then I/O, hook tools
}

/// Makes the cloud as it is wished, as far as time goes, and says what is true then.
async fn provide(cloud: &Cloud<'_>, removal: &removal::Removal<'_>) -> (Option<Outcome>, Vec<Finding>) {
    match cloud.converge(removal).await {
        Ok(done) => {
            let outcome = outcome::outcome(&cloud.desired, &done.observed, &done.failed, &done.refused_vips);
            (cloud.is_wanted.then_some(outcome), done.findings)
        }
        Err(error) => {
            warn!("{error}");
            (None, vec![error::finding(&error)])
        }
    }
}

/// What is ours in the cloud.
#[derive(Debug)]
pub struct Shown {
    /// One object a load balancer, for tools.
    pub list: Vec<serde_json::Value>,
    /// The same for people.
    pub table: String,
    /// The names of all, whether they were asked for or not.
    pub names: Vec<String>,
}

/// All of ours in the cloud or that of one name, for an action on any unit; otherwise why it cannot be seen.
pub fn show(context: &Context, name: Option<&str>) -> anyhow::Result<Result<Shown, Vec<Finding>>> {
    let credentials = match wish::credentials(context)? {
        Ok(credentials) => credentials,
        Err(findings) => return Ok(Err(findings)),
    };
    let found = runtime()?.block_on(converge::look(context, credentials));
    let shown = found.map(|observed| {
        let list = show::list(&observed, name);
        Shown { table: show::table(&list), list, names: show::names(&observed) }
    });
    Ok(shown.map_err(|error| vec![error::finding(&error)]))
}

/// The unit that leads, if this one does not and has heard of it.
pub fn leader(context: &Context) -> anyhow::Result<Option<String>> {
    if juju::tools::is_leader()? {
        return Ok(None);
    }
    let (snapshot, _) = wish::snapshot(context, false)?;
    Ok(wish::state(&snapshot).map(|state| state.leader))
}

/// Health monitors only, for an action: what is to be changed, and what could not be.
pub fn monitors(context: &Context, name: Option<&str>, dry_run: bool) -> anyhow::Result<Monitors> {
    let (snapshot, secrets) = wish::snapshot(context, juju::tools::is_leader()?)?;
    if !snapshot.writes {
        return Ok(Monitors::NotLeader);
    }
    let wish = Wish::read(context, &snapshot, &secrets);
    let cloud =
        Cloud::new(context, &snapshot, &wish, Leadership::just_asked()).filter(|cloud| cloud.is_wanted);
    let Some(cloud) = cloud else {
        return Ok(Monitors::Impossible(wish.findings));
    };
    let names = || cloud.desired.load_balancers.values().map(|one| one.name.clone()).collect::<Vec<_>>();
    if let Some(name) = name
        && !names().iter().any(|known| known == name)
    {
        return Ok(Monitors::Unknown(names()));
    }
    runtime()?.block_on(async {
        let mut observed = match cloud.look(None).await {
            Ok(observed) => observed,
            Err(error) => return Ok(Monitors::Impossible(vec![error::finding(&error)])),
        };
        let mut left_alone = outcome::left_alone(&cloud.desired, &observed, name);
        left_alone.extend(wish.findings.iter().map(|finding| finding.text.clone()));
        match cloud.resync(&mut observed, name, dry_run).await {
            Ok((changes, failures)) => Ok(Monitors::Done { changes, left_alone, failures }),
            Err(error) => Ok(Monitors::Impossible(vec![error::finding(&error)])),
        }
    })
}

/// What became of [`monitors`].
#[derive(Debug)]
pub enum Monitors {
    /// Another unit leads.
    NotLeader,
    /// Options, credentials or the cloud forbid it.
    Impossible(Vec<Finding>),
    /// There is no load balancer of that name; these are there.
    Unknown(Vec<String>),
    /// These changes were made, or would be.
    Done {
        /// One line each.
        changes: Vec<String>,
        /// Load balancers and relations that could not be looked after, and why.
        left_alone: Vec<String>,
        /// What went wrong.
        failures: Vec<Finding>,
    },
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("failed to start the runtime")
}
