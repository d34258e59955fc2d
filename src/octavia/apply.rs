//! Carries out a plan: load balancers side by side, the changes of one in their order.
//!
//! Octavia locks a load balancer while it works on it, so each locking change waits until the one before is done.

mod bodies;

use std::collections::BTreeMap;

use futures_util::future::{join_all, try_join_all};
use tracing::{info, warn};

use super::change::{Change, PoolReference, PortReference};
use super::observed::LoadBalancer;
use super::plan::{Plan, Steps};
use crate::model::mark::Mark;
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::openstack::octavia::load_balancer::{self, Waited};
use crate::openstack::octavia::{health_monitor, listener, member, pool};
use crate::openstack::{Deadline, Error, Session, neutron};

/// What became of a plan.
#[derive(Debug, Default)]
pub struct Applied {
    /// The load balancers whose changes could not all be carried out, and why.
    pub failures: Vec<Failure>,
}

/// Why the changes of one load balancer ended early.
#[derive(Debug)]
pub struct Failure {
    /// Whose changes.
    pub mark: Mark,
    /// The load balancer's name.
    pub name: String,
    /// Why.
    pub reason: Reason,
}

/// Why changes end early.
#[derive(Debug)]
pub enum Reason {
    /// The cloud refused this change.
    Refused {
        /// The change.
        change: Box<Change>,
        /// The cloud's reason.
        source: Error,
    },
    /// What Octavia makes of a change cannot be seen.
    Unseen(Error),
    /// Octavia is still at work and the hook's time is over.
    TimeIsOver,
    /// Octavia put the load balancer in ERROR, or deleted it.
    LoadBalancerFailed,
    /// Another unit leads now.
    LeadershipLost,
}

impl Failure {
    /// Why the cloud does not give the address that was asked for, if that is what it refused.
    pub fn refused_vip(&self) -> Option<String> {
        match &self.reason {
            Reason::Refused { change, source: Error::Api { status: 400 | 409, message, .. } }
                if matches!(**change, Change::CreatePort { address: Some(_), .. }) =>
            {
                Some(message.clone())
            }
            _ => None,
        }
    }

    /// The monitors that a provider does not take (501), if that is why a change failed.
    ///
    /// A load balancer made at once does not tell which of its parts it means.
    pub fn refused_monitors(&self) -> Vec<(Mark, Port, Kind)> {
        let Reason::Refused { change, source } = &self.reason else { return Vec::new() };
        if !source.is_not_implemented() {
            return Vec::new();
        }
        let kinds: Vec<(Port, Kind)> = match &**change {
            Change::CreateMonitor { front, monitor, .. } => vec![(*front, monitor.probe.kind())],
            Change::CreateLoadBalancer { listeners, .. } => {
                let monitors = listeners.iter().map(|(front, one)| Some((*front, one.monitor.as_ref()?)));
                monitors.flatten().map(|(front, monitor)| (front, monitor.probe.kind())).collect()
            }
            _ => Vec::new(),
        };
        kinds.into_iter().map(|(front, kind)| (self.mark.clone(), front, kind)).collect()
    }
}

/// Carries out what it can until the time is over; `may_write` is asked before every write.
pub async fn apply(session: &Session, plan: &Plan, may_write: &dyn Fn() -> bool, until: Deadline) -> Applied {
    let runs = plan.steps.iter().map(|steps| async move {
        let run = Run { session, steps, may_write, until };
        run.all().await.err().map(|reason| Failure {
            mark: steps.mark.clone(),
            name: steps.name.clone(),
            reason,
        })
    });
    Applied { failures: join_all(runs).await.into_iter().flatten().collect() }
}

/// Waits until Octavia is done with these, or the time is over.
pub async fn settle(session: &Session, busy: &[&LoadBalancer], until: Deadline) -> Result<(), Error> {
    let waits = busy.iter().map(|one| {
        info!("{}: waiting for Octavia, which says {}", one.name, one.provisioning.as_str());
        load_balancer::wait(session, &one.id, until)
    });
    try_join_all(waits).await.map(drop)
}

/// The changes of one load balancer.
struct Run<'a> {
    session: &'a Session,
    steps: &'a Steps,
    may_write: &'a dyn Fn() -> bool,
    until: Deadline,
}

/// What earlier changes of the same load balancer made.
#[derive(Default)]
struct Made {
    port: Option<String>,
    pools: BTreeMap<Port, String>,
    /// The load balancer that Octavia is at work on, because of us.
    busy: Option<String>,
}

impl Run<'_> {
    async fn all(&self) -> Result<(), Reason> {
        let mut made = Made::default();
        for change in &self.steps.changes {
            if change.waits() {
                self.settle(&mut made).await?;
            }
            if !(self.may_write)() {
                return Err(Reason::LeadershipLost);
            }
            info!("{}: {change}", self.steps.name);
            self.insist(change, &mut made).await?;
        }
        self.settle(&mut made).await
    }

    /// Waits until Octavia is done with what we wrote.
    async fn settle(&self, made: &mut Made) -> Result<(), Reason> {
        let Some(id) = made.busy.take() else { return Ok(()) };
        match load_balancer::wait(self.session, &id, self.until).await.map_err(Reason::Unseen)? {
            Waited::Active | Waited::Gone => Ok(()),
            Waited::Failed => Err(Reason::LoadBalancerFailed),
            Waited::Pending => Err(Reason::TimeIsOver),
        }
    }

    /// Writes; if Octavia turns out to be busy with the load balancer, waits and writes once more.
    async fn insist(&self, change: &Change, made: &mut Made) -> Result<(), Reason> {
        let mut result = self.write(change, made).await;
        if let (Err(error), Some(id)) = (&result, self.steps.load_balancer.as_ref())
            && error.is_immutable()
        {
            warn!("{}: {error}; waiting for Octavia", self.steps.name);
            made.busy = Some(id.clone());
            self.settle(made).await?;
            result = self.write(change, made).await;
        }
        result.map_err(|source| Reason::Refused { change: Box::new(change.clone()), source })
    }

    async fn write(&self, change: &Change, made: &mut Made) -> Result<(), Error> {
        let Self { session, steps: Steps { mark, load_balancer, .. }, .. } = self;
        match change {
            Change::CreatePort { name, network, subnet, address } => {
                let body = bodies::port(mark, name, network, subnet, *address);
                made.port = Some(neutron::port::create(session, &body).await?.id);
            }
            Change::CreateLoadBalancer { name, request, port, making, listeners, subnets } => {
                let port = vip_port(port, made);
                let body = bodies::load_balancer(mark, name, request, port, making, listeners, subnets);
                made.busy = Some(load_balancer::create(session, &body).await?.id);
            }
            Change::CreateFloatingIp { network, port } => {
                let body = bodies::floating_ip(mark, network, vip_port(port, made));
                neutron::floating_ip::create(session, &body).await?;
            }
            Change::AttachFloatingIp { id, port, address: _ } => {
                neutron::floating_ip::attach(session, id, &vip_port(port, made)).await?;
            }
            Change::DeleteLoadBalancer { id, name: _ } => {
                load_balancer::delete(session, id).await?;
                made.busy = Some(id.clone());
            }
            Change::DeleteFloatingIp { id, address: _ } => neutron::floating_ip::delete(session, id).await?,
            Change::RenamePort { id, name } => neutron::port::rename(session, id, name).await?,
            Change::DeletePort { id } => neutron::port::delete(session, id).await?,
            _ => {
                self.write_part(change, made).await?;
                made.busy.clone_from(load_balancer);
            }
        }
        Ok(())
    }

    /// Changes of a load balancer that is there.
    async fn write_part(&self, change: &Change, made: &mut Made) -> Result<(), Error> {
        let Self { session, steps: Steps { mark, .. }, .. } = self;
        match change {
            Change::RenameLoadBalancer { id, name } => load_balancer::rename(session, id, name).await,
            Change::CreatePool { load_balancer, name, front, transport, algorithm, sticky, refused } => {
                let body = bodies::pool(mark, name, *front, *transport, *algorithm, *sticky, refused);
                let body = pool::CreatePool { loadbalancer_id: Some(load_balancer.clone()), ..body };
                let id = pool::create(session, &body).await?.id;
                made.pools.insert(*front, id);
                Ok(())
            }
            Change::UpdatePool { id, algorithm, sticky, refused, front } => {
                let tags = refused.as_ref().map(|refused| bodies::pool_tags(mark, *front, refused));
                pool::update(session, id, &bodies::pool_fields(*algorithm, *sticky, tags)).await
            }
            Change::DeletePool { id } => pool::delete(session, id).await,
            Change::PutMembers { pool, front, members, difference: _, departed: _ } => {
                let body: Vec<member::PutMember> =
                    members.iter().map(|member| bodies::member(mark, *front, member)).collect();
                member::put(session, &pool_id(pool, made), &body).await
            }
            Change::CreateMonitor { pool, front, name, monitor } => {
                let body = bodies::monitor(mark, name, *front, monitor);
                let body = health_monitor::CreateHealthMonitor { pool_id: Some(pool_id(pool, made)), ..body };
                health_monitor::create(session, &body).await.map(drop)
            }
            Change::UpdateMonitor { id, fields, front: _ } => {
                health_monitor::update(session, id, &bodies::monitor_fields(fields)).await
            }
            Change::DeleteMonitor { id, front: _, kind: _ } => health_monitor::delete(session, id).await,
            Change::CreateListener {
                load_balancer,
                name,
                front,
                transport,
                allowed_cidrs,
                timeouts,
                pool,
            } => {
                let body = bodies::listener(mark, name, *front, *transport, *timeouts, allowed_cidrs);
                let body = listener::CreateListener {
                    loadbalancer_id: Some(load_balancer.clone()),
                    default_pool_id: Some(pool_id(pool, made)),
                    ..body
                };
                listener::create(session, &body).await.map(drop)
            }
            Change::UpdateListener { id, idle_timeout, connect_timeout, allowed_cidrs, pool, front: _ } => {
                let pool = pool.as_ref().map(|pool| pool_id(pool, made));
                let allowed_cidrs = allowed_cidrs.as_ref();
                let body = bodies::listener_fields(*idle_timeout, *connect_timeout, allowed_cidrs, pool);
                listener::update(session, id, &body).await
            }
            Change::DeleteListener { id, front: _ } => listener::delete(session, id).await,
            Change::CreatePort { .. }
            | Change::RenamePort { .. }
            | Change::CreateLoadBalancer { .. }
            | Change::CreateFloatingIp { .. }
            | Change::AttachFloatingIp { .. }
            | Change::DeleteLoadBalancer { .. }
            | Change::DeleteFloatingIp { .. }
            | Change::DeletePort { .. } => Ok(()),
        }
    }
}

/// A plan names only ports that are there or that it makes before; an empty id is refused by the API.
fn vip_port(port: &PortReference, made: &Made) -> String {
    match port {
        PortReference::Existing(id) => id.clone(),
        PortReference::Planned => made.port.clone().unwrap_or_default(),
    }
}

fn pool_id(pool: &PoolReference, made: &Made) -> String {
    match pool {
        PoolReference::Existing(id) => id.clone(),
        PoolReference::Planned(front) => made.pools.get(front).cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::credentials::{ApplicationCredential, Credentials, Identity};
    use crate::model::ids::RelationId;
    use crate::model::mark::Scope;
    use crate::model::request::RequestKey;
    use crate::openstack::Proxies;

    #[test]
    fn nothing_is_written_without_the_lead() {
        let credentials = Credentials {
            auth_url: "http://127.0.0.1:9".to_owned(),
            region: None,
            identity: Identity::ApplicationCredential {
                credential: ApplicationCredential::Id("1".to_owned()),
                secret: "s".into(),
            },
            certificates: Vec::new(),
            skip_tls_verify: false,
        };
        let until = Deadline::after(Duration::from_millis(100));
        let session = Session::new(credentials, Proxies::default(), until);
        let relation = RelationId { endpoint: "lb-consumers".to_owned(), number: 1 };
        let key = RequestKey { relation, name: "api".to_owned() };
        let steps = Steps {
            mark: Scope::new("uuid", "lb").mark(&key, "web"),
            name: "api".to_owned(),
            load_balancer: None,
            changes: vec![Change::DeletePort { id: "1".to_owned() }],
        };
        let plan = Plan { steps: vec![steps], findings: Vec::new() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reason = |leads: bool| {
            let applied = runtime.block_on(apply(&session, &plan, &|| leads, until));
            applied.failures.into_iter().next().unwrap().reason
        };
        assert!(matches!(reason(false), Reason::LeadershipLost));
        assert!(matches!(reason(true), Reason::Refused { .. }), "with it the cloud is called");
    }
}
