//! `/lbaas/loadbalancers` (`octavia/api/v2/types/load_balancer.py`).

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tracing::debug;

use super::listener::CreateListener;
use super::{OperatingStatus, ProvisioningStatus, ask, tagged};
use crate::openstack::{Deadline, Error, Session};

/// A load balancer as Octavia tells it.
#[derive(Debug, Clone, Deserialize)]
pub struct LoadBalancer {
    /// Id.
    pub id: String,
    /// At most 255 characters.
    #[serde(default)]
    pub name: String,
    /// What Octavia does with it.
    pub provisioning_status: ProvisioningStatus,
    /// How it fares.
    pub operating_status: OperatingStatus,
    /// The VIP.
    pub vip_address: Option<IpAddr>,
    /// The Neutron port of the VIP.
    pub vip_port_id: Option<String>,
    /// The Neutron subnet of the VIP.
    pub vip_subnet_id: Option<String>,
    /// What makes it: `amphora`, `ovn`, …
    pub provider: Option<String>,
    /// Id of its flavor.
    pub flavor_id: Option<String>,
    /// Name of its availability zone.
    pub availability_zone: Option<String>,
    /// ISO 8601 without zone; sorts as text.
    #[serde(default)]
    pub created_at: String,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A load balancer with all that is in it, for one POST.
#[derive(Debug, Clone, Serialize)]
pub struct CreateLoadBalancer {
    /// At most 255 characters.
    pub name: String,
    /// The Neutron port of the VIP.
    pub vip_port_id: String,
    /// What makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Id of its flavor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flavor_id: Option<String>,
    /// Name of its availability zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability_zone: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Everything behind it.
    pub listeners: Vec<CreateListener>,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It can be written to.
    Active,
    /// Octavia gave up.
    Failed,
    /// It does not exist any more.
    Gone,
    /// The time is over; it goes on in the next hook.
    Pending,
}

#[derive(Serialize, Deserialize)]
struct Body<T> {
    loadbalancer: T,
}

/// All that carry a tag in the token's project.
pub async fn list(session: &Session, tag: &str) -> Result<Vec<LoadBalancer>, Error> {
    tagged(session, "/lbaas/loadbalancers", "loadbalancers", tag).await
}

/// Makes it; the answer is its id while Octavia works.
pub async fn create(session: &Session, load_balancer: &CreateLoadBalancer) -> Result<LoadBalancer, Error> {
    let body = Body { loadbalancer: load_balancer };
    session.post(ask("/lbaas/loadbalancers"), &body).await.map(|body: Body<LoadBalancer>| body.loadbalancer)
}

/// Gives it another name.
pub async fn rename(session: &Session, id: &str, name: &str) -> Result<(), Error> {
    let body = serde_json::json!({"loadbalancer": {"name": name}});
    session.put(ask(&format!("/lbaas/loadbalancers/{id}")), &body).await
}

/// Deletes it with all that is in it.
pub async fn delete(session: &Session, id: &str) -> Result<(), Error> {
    let path = format!("/lbaas/loadbalancers/{id}");
    session.delete(crate::openstack::session::Ask { query: &[("cascade", "true")], ..ask(&path) }).await
}

/// Asks every 0.5 s for 15 s, then ever less often down to every 5 s, until Octavia is done or the time is over.
pub async fn wait(session: &Session, id: &str, until: Deadline) -> Result<Waited, Error> {
    let path = format!("/lbaas/loadbalancers/{id}");
    let mut schedule = schedule();
    let mut failures = 0;
    loop {
        let seen: Result<Option<Body<LoadBalancer>>, Error> = session.find(ask(&path)).await;
        match seen.map(|seen| seen.map(|body| body.loadbalancer.provisioning_status)) {
            Ok(None | Some(ProvisioningStatus::Deleted)) => return Ok(Waited::Gone),
            Ok(Some(ProvisioningStatus::Active)) => return Ok(Waited::Active),
            Ok(Some(ProvisioningStatus::Error)) => return Ok(Waited::Failed),
            Ok(Some(
                ProvisioningStatus::PendingCreate
                | ProvisioningStatus::PendingUpdate
                | ProvisioningStatus::PendingDelete
                | ProvisioningStatus::Unknown,
            )) => failures = 0,
            // A wait outlives an API that stumbles.
            Err(error) if failures < 3 => {
                debug!("{error}");
                failures += 1;
            }
            Err(error) => return Err(error),
        }
        let pause = schedule.next().unwrap_or_default();
        if pause >= until.remaining() {
            return Ok(Waited::Pending);
        }
        tokio::time::sleep(pause).await;
    }
}

/// The pauses between looks.
fn schedule() -> impl Iterator<Item = Duration> {
    const FIRST: Duration = Duration::from_millis(500);
    let slower =
        std::iter::successors(Some(FIRST), |pause| Some(pause.mul_f64(1.5).min(Duration::from_secs(5))));
    std::iter::repeat_n(FIRST, 30).chain(slower.skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_frequent_for_15_seconds_and_then_every_5() {
        let pauses: Vec<u128> = schedule().take(38).map(|pause| pause.as_millis()).collect();
        assert!(pauses[..30].iter().all(|pause| *pause == 500));
        assert_eq!(pauses[30..], [750, 1125, 1687, 2531, 3796, 5000, 5000, 5000]);
    }
}
