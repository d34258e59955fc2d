//! Octavia's words for ours, both ways.

use std::collections::BTreeSet;

use super::change::kind_name;
use super::status::{Operating, Provisioning};
use crate::model::port::Port;
use crate::model::probe::Kind;
use crate::model::traffic::Algorithm;
use crate::openstack::octavia::{OperatingStatus, ProvisioningStatus};

/// A `provisioning_status`.
pub(super) fn provisioning(status: ProvisioningStatus) -> Provisioning {
    match status {
        ProvisioningStatus::Active => Provisioning::Active,
        ProvisioningStatus::PendingCreate => Provisioning::PendingCreate,
        ProvisioningStatus::PendingUpdate => Provisioning::PendingUpdate,
        ProvisioningStatus::PendingDelete => Provisioning::PendingDelete,
        ProvisioningStatus::Error => Provisioning::Error,
        ProvisioningStatus::Deleted => Provisioning::Deleted,
        ProvisioningStatus::Unknown => Provisioning::Unknown,
    }
}

/// An `operating_status`.
pub(super) fn operating(status: OperatingStatus) -> Operating {
    match status {
        OperatingStatus::Online => Operating::Online,
        OperatingStatus::Draining => Operating::Draining,
        OperatingStatus::Offline => Operating::Offline,
        OperatingStatus::Degraded => Operating::Degraded,
        OperatingStatus::Error => Operating::Error,
        OperatingStatus::NoMonitor => Operating::NoMonitor,
        OperatingStatus::Unknown => Operating::Unknown,
    }
}

/// An `lb_algorithm`; none for one that this charm does not know.
pub(super) fn algorithm(text: &str) -> Option<Algorithm> {
    Algorithm::ALL.into_iter().find(|algorithm| algorithm.as_str() == text)
}

/// A health monitor's `type`; none for one that this charm does not know.
pub(super) fn kind(text: &str) -> Option<Kind> {
    Kind::ALL.into_iter().map(|(_, kind)| kind).find(|kind| kind_name(*kind) == text)
}

/// The tag that says to which front port a listener, pool, member or monitor belongs.
pub(super) fn front_tag(front: Port) -> String {
    format!("port:{front}")
}

/// The tag by which a pool remembers that its provider does not take a kind of monitor.
pub(super) fn refused_tag(kind: Kind) -> String {
    format!("refused:{}", kind_name(kind).to_ascii_lowercase())
}

/// The kinds of monitor that tags say are not taken.
pub(super) fn refused(tags: &[String]) -> BTreeSet<Kind> {
    let kind = |word: &str| Kind::ALL.into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind);
    tags.iter().filter_map(|tag| kind(tag.strip_prefix("refused:")?)).collect()
}

/// The front port that tags tell.
pub(super) fn front(tags: &[String]) -> Option<Port> {
    tags.iter().find_map(|tag| tag.strip_prefix("port:")?.parse().ok())
}
