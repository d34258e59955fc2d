//! Hooks by name, and what Juju says in them.

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hook {
    /// The first.
    Install,
    /// This unit leads now.
    LeaderElected,
    /// Config, trust or addresses changed.
    ConfigChanged,
    /// After the first `config-changed`, and after each reboot.
    Start,
    /// There is another revision of the charm.
    UpgradeCharm,
    /// The unit is going, its relations are gone.
    Stop,
    /// The last.
    Remove,
    /// From time to time.
    UpdateStatus,
    /// Something happened in a relation.
    Relation(RelationHook),
    /// Any other name, which Juju dispatches as well.
    Other(String),
}

/// A relation hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationHook {
    /// What happened.
    pub event: RelationEvent,
    /// Number of the relation.
    pub relation: u32,
    /// Our endpoint.
    pub endpoint: String,
    /// The remote application; in a peer relation our own.
    pub application: String,
    /// The remote unit: none in created, broken, and in changed for the application's databag.
    pub unit: Option<String>,
    /// Who leaves, in departed.
    pub departing: Option<String>,
    /// The version of the databag that the hook tells of.
    pub(crate) version: u64,
}

/// What happened in a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationEvent {
    /// The relation is there.
    Created,
    /// A remote unit is there.
    Joined,
    /// A databag changed.
    Changed,
    /// A remote unit is gone, or we are going.
    Departed,
    /// The relation is gone for us.
    Broken,
}

impl Hook {
    /// The hook's name, such as `lb-consumers-relation-changed`.
    pub fn name(&self) -> String {
        match self {
            Self::Install => "install".to_owned(),
            Self::LeaderElected => "leader-elected".to_owned(),
            Self::ConfigChanged => "config-changed".to_owned(),
            Self::Start => "start".to_owned(),
            Self::UpgradeCharm => "upgrade-charm".to_owned(),
            Self::Stop => "stop".to_owned(),
            Self::Remove => "remove".to_owned(),
            Self::UpdateStatus => "update-status".to_owned(),
            Self::Other(name) => name.clone(),
            Self::Relation(hook) => {
                let event = match hook.event {
                    RelationEvent::Created => "created",
                    RelationEvent::Joined => "joined",
                    RelationEvent::Changed => "changed",
                    RelationEvent::Departed => "departed",
                    RelationEvent::Broken => "broken",
                };
                format!("{}-relation-{event}", hook.endpoint)
            }
        }
    }

    /// The relation hook, if it is one.
    pub(crate) fn relation(&self) -> Option<&RelationHook> {
        match self {
            Self::Relation(hook) => Some(hook),
            _ => None,
        }
    }
}
