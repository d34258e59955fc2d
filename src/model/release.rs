//! What may be deleted: things whose relation is gone for certain.
//!
//! In doubt keep: a leak beats an outage.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::RelationId;
use super::mark::Mark;

/// What Juju says about who is related to us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Related {
    /// The relations that `relation-ids` lists, and who is at the other end where that is known.
    pub listed: BTreeMap<RelationId, Option<String>>,
    /// The controller's view (`goal-state`), whatever this unit sees: endpoint to applications.
    pub expected: BTreeMap<String, BTreeSet<String>>,
    /// What this unit has seen end, and so once had in its list.
    pub ended: Seen,
}

/// Which relations this unit knows to have been in its list of relations before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Seen {
    /// Those before one that is listed, since Juju counts upwards.
    #[default]
    Earlier,
    /// This one too: Juju tells of its end.
    Ended(RelationId),
    /// All: Juju has nothing left to tell.
    All,
}

impl Seen {
    fn covers(&self, gone: &RelationId, listed: &RelationId) -> bool {
        let tells = match self {
            Self::Earlier => false,
            Self::Ended(ended) => ended == gone,
            Self::All => true,
        };
        tells || gone.number < listed.number
    }
}

/// The marks whose relation is not listed, and which the controller does not expect either, unless another listed
/// relation is what it means.
///
/// A new leader may not list a young relation yet; an old one of the same consumer says nothing about that.
pub fn released<'a>(marks: impl IntoIterator<Item = &'a Mark>, related: &Related) -> BTreeSet<Mark> {
    marks.into_iter().filter(|mark| is_released(mark, related)).cloned().collect()
}

fn is_released(mark: &Mark, related: &Related) -> bool {
    let Related { listed, expected, ended } = related;
    if listed.contains_key(mark.relation()) {
        return false;
    }
    let endpoint = &mark.relation().endpoint;
    let is_expected = expected
        .get(endpoint)
        .is_some_and(|consumers| consumers.iter().any(|consumer| mark.is_for(consumer)));
    let another_serves = listed.iter().any(|(relation, consumer)| {
        relation.endpoint == *endpoint
            && consumer.as_ref().is_some_and(|consumer| mark.is_for(consumer))
            && ended.covers(mark.relation(), relation)
    });
    !is_expected || another_serves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::mark::Scope;
    use crate::model::request::RequestKey;

    #[test]
    fn only_what_nobody_lists_and_nobody_expects_is_released() {
        let mark = |number| {
            let relation = RelationId { endpoint: "lb-consumers".to_owned(), number };
            Scope::new("uuid", "lb").mark(&RequestKey { relation, name: "api".to_owned() }, "web")
        };
        let id = |number| RelationId { endpoint: "lb-consumers".to_owned(), number };
        // (relations listed with their consumer, consumers expected, what was seen, whether relation 7 of web is released)
        let table: [(&[(u32, Option<&str>)], &[&str], Seen, bool); 13] = [
            (&[], &[], Seen::Earlier, true),
            (&[(7, Some("web"))], &[], Seen::All, false),
            (&[(7, None)], &[], Seen::All, false),
            (&[], &["web"], Seen::All, false),
            (&[], &["other"], Seen::Earlier, true),
            (&[(8, Some("other"))], &["web", "other"], Seen::All, false),
            (&[(8, Some("web"))], &["web"], Seen::Earlier, true),
            (&[(8, None)], &["web"], Seen::All, false),
            (&[(7, Some("web")), (8, Some("web"))], &["web"], Seen::All, false),
            (&[(6, Some("web"))], &["web"], Seen::Earlier, false),
            (&[(6, Some("web"))], &["web"], Seen::Ended(id(5)), false),
            (&[(6, Some("web"))], &["web"], Seen::Ended(id(7)), true),
            (&[(6, Some("web"))], &["web"], Seen::All, true),
        ];
        for (listed, expected, ended, is_released) in table {
            let listed = listed.iter().map(|(number, consumer)| (id(*number), consumer.map(str::to_owned)));
            let expected = expected.iter().map(|name| (*name).to_owned()).collect();
            let related = Related {
                listed: listed.collect(),
                expected: BTreeMap::from([("lb-consumers".to_owned(), expected)]),
                ended,
            };
            assert_eq!(!released([&mark(7)], &related).is_empty(), is_released, "{related:?}");
        }
    }
}
