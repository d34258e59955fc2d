//! Our own peer relation: what the leader tells the other units, so that all write and show the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Bag;
use crate::model::front::Front;
use crate::model::ids::RelationId;
use crate::model::status::Status;

/// All that a unit needs that does not lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The unit that leads.
    pub leader: String,
    /// Its status.
    pub status: Status,
    /// What each relation of `loadbalancer` and `website` is told.
    #[serde(default)]
    pub fronts: BTreeMap<RelationId, Front>,
}

/// What the leader told; none before it has, or if it cannot be read.
pub fn read(application_bag: &Bag) -> Option<State> {
    serde_json::from_str(application_bag.get("state")?).ok()
}

/// Our application's databag; the same state is the same text.
pub fn write(state: &State) -> Bag {
    serde_json::to_string(state).map(|text| Bag::from([("state".to_owned(), text)])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::port::Port;
    use crate::model::status::Level;

    #[test]
    fn a_state_reads_back_and_garbage_is_none() {
        let front = Front { address: "10.0.0.5".parse().unwrap(), port: Port::new(443).unwrap() };
        let state = State {
            leader: "lb/0".to_owned(),
            status: Status { level: Level::Blocked, message: "x".to_owned() },
            fronts: BTreeMap::from([("loadbalancer:4".parse().unwrap(), front)]),
        };
        let bag = write(&state);
        assert_eq!(
            bag["state"],
            r#"{"leader":"lb/0","status":{"level":"blocked","message":"x"},"fronts":{"loadbalancer:4":{"address":"10.0.0.5","port":443}}}"#
        );
        assert_eq!(read(&bag), Some(state));
        for garbage in ["", "{", "[]", r#"{"leader": 7}"#] {
            assert_eq!(read(&Bag::from([("state".to_owned(), garbage.to_owned())])), None);
        }
    }
}
