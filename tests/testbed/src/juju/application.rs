//! An application: ours, with a charm, or a remote one that only the scenario moves.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::charm::Charm;
use super::unit::Status;

/// An application of the model.
#[derive(Debug)]
pub(crate) struct Application {
    /// None for a remote application, which has no code.
    pub(crate) charm: Option<Arc<Charm>>,
    /// Moves with each refresh.
    pub(crate) revision: u32,
    /// Options that the operator set.
    pub(crate) set_options: BTreeMap<String, Json>,
    pub(crate) trust: bool,
    pub(crate) leader: Option<String>,
    /// As the leader set it.
    pub(crate) status: Option<Status>,
    pub(crate) version: String,
    pub(crate) dying: bool,
    pub(crate) next_unit: u32,
}

impl Application {
    pub(crate) fn new(charm: Option<Arc<Charm>>) -> Self {
        Self {
            charm,
            revision: 0,
            set_options: BTreeMap::new(),
            trust: false,
            leader: None,
            status: None,
            version: String::new(),
            dying: false,
            next_unit: 0,
        }
    }

    /// Every option: what was set, else its default, else null.
    pub(crate) fn settings(&self) -> BTreeMap<String, Json> {
        let mut settings = self.charm.as_ref().map(|charm| charm.defaults()).unwrap_or_default();
        settings.extend(self.set_options.clone());
        settings
    }
}
