//! Observe, plan, apply, and look again, until nothing is left to do or the time is over.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tracing::warn;

use super::MARGIN;
use super::removal::Removal;
use super::wish::Wish;
use crate::error;
use crate::juju::{self, Context, Snapshot};
use crate::model::credentials::Credentials;
use crate::model::finding::Finding;
use crate::model::mark::{Mark, Scope};
use crate::model::policy::Policy;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::octavia::apply::{Applied, Failure, Reason};
use crate::octavia::desired::{self, Desired, Setting};
use crate::octavia::observe::{self, Question};
use crate::octavia::observed::{LoadBalancer, Observed, Terrain};
use crate::octavia::plan::{self, Plan, Tried};
use crate::openstack::{Deadline, Error, Proxies, Session};

/// What is made in the first round and ends in ERROR is sent its values in the second, replaced in the third, and, if it is
/// a monitor, by one of another kind in the fourth; the last only looks.
const ROUNDS: usize = 5;

/// A yes to "do we lead?" holds for 30 s; it is asked again before a write when it is this old.
const FRESH: Duration = Duration::from_secs(20);

/// One project of one cloud, and what it should hold.
pub struct Cloud<'a> {
    session: Session,
    scope: Scope,
    question: Question<'a>,
    /// What it should hold.
    pub desired: Desired,
    findings: Vec<Finding>,
    /// Whether the options say what is wanted.
    pub is_wanted: bool,
    leadership: Leadership,
    until: Deadline,
}

/// How far a hook came.
pub(super) struct Converged {
    /// What there is at the end.
    pub(super) observed: Observed,
    /// What could not be done, or is left as it is.
    pub(super) findings: Vec<Finding>,
    /// The load balancers whose changes could not all be carried out.
    pub(super) failed: BTreeSet<Mark>,
    /// Why the cloud does not give an address that was asked for.
    pub(super) refused_vips: BTreeMap<Mark, String>,
}

/// What a hook learns round by round.
#[derive(Debug, Default)]
struct Progress {
    tried: Tried,
    failed: BTreeSet<Mark>,
    refused_vips: BTreeMap<Mark, String>,
    findings: Vec<Finding>,
    /// What the last plan said.
    notes: Vec<Finding>,
}

impl Progress {
    fn refuse(&mut self, refused: &[(Mark, Port, Kind)]) {
        for (mark, front, kind) in refused {
            self.tried.refused.entry((mark.clone(), *front)).or_default().insert(*kind);
        }
    }
}

impl<'a> Cloud<'a> {
    /// None if the credentials are wrong or missing.
    pub fn new(
        context: &Context,
        snapshot: &Snapshot,
        wish: &'a Wish,
        leadership: Leadership,
    ) -> Option<Self> {
        let (policy, credentials) = (wish.policy.as_ref(), wish.credentials.as_ref()?);
        let seconds = policy.map_or(Policy::PROVISIONING_TIMEOUT, |policy| policy.provisioning_timeout);
        let budget = Duration::from_secs(seconds.into());
        let scope = Scope::new(&context.model_uuid, &context.unit.application);
        let published = wish.published();
        let setting = Setting {
            scope: &scope,
            application: &context.unit.application,
            model: &context.model_name,
            told: &wish.fronts,
            units: &wish.units,
            published: &published,
        };
        // With wrong options nothing is wanted that is not there already: only what is released goes.
        let (desired, findings) =
            policy.map_or_else(Default::default, |policy| desired::desire(&wish.requests, policy, &setting));
        let wanted = desired.load_balancers.keys().cloned().collect();
        Some(Self {
            session: Session::new(credentials.clone(), proxies(context), Deadline::after(budget + MARGIN)),
            question: Question {
                subnet: policy.and_then(|policy| policy.subnet.as_deref()),
                floating_network: policy.and_then(|policy| policy.floating_network.as_deref()),
                own_address: snapshot.ingress_address,
                back_ends: wish
                    .requests
                    .iter()
                    .flat_map(|one| &one.back_ends)
                    .chain(wish.units.values().flatten())
                    .map(|one| one.address)
                    .collect(),
                flavor: policy.and_then(|policy| policy.flavor.as_deref()),
                surroundings: policy.is_some_and(|policy| !policy.allowed_cidrs.is_empty())
                    && wish.requests.iter().any(|request| request.public),
                wanted,
            },
            scope,
            desired,
            findings,
            is_wanted: policy.is_some(),
            leadership,
            until: Deadline::after(budget),
        })
    }

    /// What there is.
    pub async fn look(&self, before: Option<&Terrain>) -> Result<Observed, Error> {
        Box::pin(observe::observe(&self.session, &self.scope, &self.question, before)).await
    }

    /// Carries out a plan while we lead.
    pub async fn carry_out(&self, plan: &Plan) -> Applied {
        super::apply::apply(&self.session, plan, &|| self.leadership.holds(), self.until).await
    }

    pub(super) async fn converge(&self, removal: &Removal<'_>) -> Result<Converged, Error> {
        let mut observed = self.look(None).await?;
        let orphans = self.orphans(&observed);
        let released = removal.released(&orphans);
        if self.wait_to_delete(&observed, &released, removal).await? {
            observed = self.look(Some(&observed.terrain)).await?;
        }
        let mut findings = self.findings.clone();
        if self.is_wanted {
            findings.extend(kept(orphans.difference(&released)));
        }
        let mut progress = Progress { findings, ..Progress::default() };
        for round in 0..ROUNDS {
            let mut plan = plan::plan(&self.desired, &observed, &released, &progress.tried);
            if plan.takes_away() {
                let desired = Desired { unmet: removal.unmet(), ..self.desired.clone() };
                plan = plan::plan(&desired, &observed, &released, &progress.tried);
            }
            progress.notes = std::mem::take(&mut plan.findings);
            plan.steps.retain(|steps| !progress.failed.contains(&steps.mark));
            if plan.takes_away() && removal.is_leaving() {
                plan.steps.retain(|steps| released.contains(&steps.mark));
            }
            // The last round only looks.
            if plan.steps.is_empty() || self.until.has_passed() || round + 1 == ROUNDS {
                break;
            }
            if !self.advance(&plan, &mut observed, &mut progress).await? {
                break;
            }
        }
        let Progress { findings, notes, failed, refused_vips, tried: _ } = progress;
        Ok(Converged { observed, findings: [findings, notes].concat(), failed, refused_vips })
    }

    /// Health monitors only: what changed, or would, and what went wrong.
    pub(super) async fn resync(
        &self,
        observed: &mut Observed,
        name: Option<&str>,
        dry_run: bool,
    ) -> Result<(Vec<String>, Vec<Finding>), Error> {
        let nothing = BTreeSet::new();
        let tried = Tried { again: true, ..Tried::default() };
        let mut progress = Progress { tried, ..Progress::default() };
        let mut changes = Vec::new();
        for _ in 0..ROUNDS {
            let plan = plan::plan(&self.desired, observed, &nothing, &progress.tried);
            let mut plan = plan.monitors_only(name);
            plan.steps.retain(|steps| !progress.failed.contains(&steps.mark));
            changes.extend(plan.lines());
            if plan.steps.is_empty() || dry_run || self.until.has_passed() {
                break;
            }
            if !self.advance(&plan, observed, &mut progress).await? {
                break;
            }
            progress.tried.again = false;
        }
        Ok((changes, progress.findings))
    }

    /// Carries out a plan, learns from what went wrong, and looks again; no if somebody else leads by now.
    async fn advance(
        &self,
        plan: &Plan,
        observed: &mut Observed,
        progress: &mut Progress,
    ) -> Result<bool, Error> {
        let replaced = plan.replaced_monitors(&progress.tried);
        progress.tried.ids.extend(in_error(observed));
        let applied = self.carry_out(plan).await;
        let leads = !applied.failures.iter().any(|failure| matches!(failure.reason, Reason::LeadershipLost));
        let failures = applied.failures.into_iter().filter(|failure| {
            let refused = failure.refused_monitors();
            if !refused.is_empty() {
                warn!("{}; another kind of monitor follows", error::failure(failure));
            }
            progress.refuse(&refused);
            refused.is_empty()
        });
        let failures: Vec<Failure> = failures.collect();
        for failure in &failures {
            warn!("{}", error::failure(failure));
            progress.failed.insert(failure.mark.clone());
            progress.refused_vips.extend(failure.refused_vip().map(|why| (failure.mark.clone(), why)));
        }
        progress.findings.extend(error::findings(&failures));
        if leads {
            *observed = self.look(Some(&observed.terrain)).await?;
            progress.refuse(&plan::still_in_error(observed, &replaced));
        }
        Ok(leads)
    }

    /// What Octavia is still at work on cannot be deleted; it waits for the next hook, but after the last there is none.
    async fn wait_to_delete(
        &self,
        observed: &Observed,
        released: &BTreeSet<Mark>,
        removal: &Removal<'_>,
    ) -> Result<bool, Error> {
        let is_busy = |one: &&LoadBalancer| released.contains(&one.mark) && one.provisioning.is_pending();
        let busy: Vec<&LoadBalancer> = observed.load_balancers.iter().filter(is_busy).collect();
        if busy.is_empty() || !removal.is_last() {
            return Ok(false);
        }
        super::apply::settle(&self.session, &busy, self.until).await?;
        Ok(true)
    }

    /// What carries our marks and nobody asks for.
    fn orphans(&self, observed: &Observed) -> BTreeSet<Mark> {
        let Observed { load_balancers, ports, floating_ips, terrain: _ } = observed;
        let marks = load_balancers.iter().map(|one| &one.mark);
        let marks =
            marks.chain(ports.iter().map(|one| &one.mark)).chain(floating_ips.iter().map(|one| &one.mark));
        marks.filter(|mark| !self.desired.load_balancers.contains_key(*mark)).cloned().collect()
    }
}

/// What carries our marks, and nothing of the terrain.
pub(super) async fn look(context: &Context, credentials: Credentials) -> Result<Observed, Error> {
    let until = Deadline::after(MARGIN);
    let session = Session::new(credentials, proxies(context), until);
    let scope = Scope::new(&context.model_uuid, &context.unit.application);
    Box::pin(observe::observe(&session, &scope, &Question::default(), None)).await
}

fn proxies(context: &Context) -> Proxies {
    let juju::Proxies { http, https, no_proxy } = context.proxies.clone();
    Proxies { http, https, no_proxy }
}

/// Whether we lead, asked again when the last yes grows old; a no sticks.
#[derive(Debug)]
pub struct Leadership {
    last_yes: Cell<Option<Instant>>,
    nobody_else: bool,
}

impl Leadership {
    /// Juju said yes a moment ago.
    pub fn just_asked() -> Self {
        Self { last_yes: Cell::new(Some(Instant::now())), nobody_else: false }
    }

    /// We are the last unit, so nobody else can lead.
    pub fn nobody_else() -> Self {
        Self { nobody_else: true, ..Self::just_asked() }
    }

    fn holds(&self) -> bool {
        let Some(last_yes) = self.last_yes.get() else { return false };
        if self.nobody_else || last_yes.elapsed() < FRESH {
            return true;
        }
        let leads = juju::tools::is_leader().unwrap_or(false);
        self.last_yes.set(leads.then(Instant::now));
        leads
    }
}

/// Things of ours that stay although this unit sees no request for them.
fn kept<'m>(marks: impl Iterator<Item = &'m Mark>) -> Option<Finding> {
    let mut relations: Vec<String> = marks.map(|mark| mark.relation().to_string()).collect();
    relations.sort();
    relations.dedup();
    (!relations.is_empty()).then(|| {
        Finding::note(format!(
            "what was made for {} stays until its relation is gone for certain",
            relations.join(", ")
        ))
    })
}

/// Parts whose last operation failed while their load balancer is well.
fn in_error(observed: &Observed) -> Vec<String> {
    use crate::octavia::status::Provisioning::Error;
    let mut ids = Vec::new();
    for load_balancer in &observed.load_balancers {
        let listeners = load_balancer.listeners.iter().map(|one| (&one.id, one.provisioning));
        let pools = load_balancer.pools.iter().map(|one| (&one.id, one.provisioning));
        let members =
            load_balancer.pools.iter().flat_map(|one| &one.members).map(|one| (&one.id, one.provisioning));
        let monitors = load_balancer
            .pools
            .iter()
            .filter_map(|one| one.monitor.as_ref())
            .map(|one| (&one.id, one.provisioning));
        let parts = listeners.chain(pools).chain(members).chain(monitors);
        ids.extend(parts.filter(|(_, provisioning)| *provisioning == Error).map(|(id, _)| id.clone()));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_yes_is_asked_again_and_a_no_sticks() {
        assert!(Leadership::just_asked().holds());
        // Here is no Juju to say yes again.
        let old = Leadership { last_yes: Cell::new(Instant::now().checked_sub(FRESH)), nobody_else: false };
        assert!(!old.holds());
        assert!(!old.holds());
    }
}
