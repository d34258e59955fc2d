//! Plays the consumer of a `loadbalancer` relation.

use super::model::Model;
use super::relation::Bag;
use super::state::State;

/// A remote application that asks for load balancers as `loadbalancer_interface` does: only after the provider's
/// databag holds a `version` does it write its own databag.
#[derive(Debug)]
pub(crate) struct Consumer {
    relation: u32,
    application: String,
    bag: Bag,
}

impl Model {
    /// From now on this remote application writes its requests as soon as it sees the provider's `version`.
    /// The databag is what the library wrote, `version` included.
    pub fn play_consumer(&mut self, relation: u32, application: &str, bag: Bag) {
        self.consumers.retain(|known| known.relation != relation);
        self.consumers.push(Consumer { relation, application: application.to_owned(), bag });
    }

    /// Lets a consumer write, if it has something to write.
    pub(crate) fn consume(&mut self, at: usize) -> bool {
        let consumer = &self.consumers[at];
        if !consumer.is_due(&self.state) {
            return false;
        }
        let (relation, application, bag) =
            (consumer.relation, consumer.application.clone(), consumer.bag.clone());
        self.set_application_bag(relation, &application, bag);
        true
    }
}

impl Consumer {
    fn is_due(&self, state: &State) -> bool {
        let Some(relation) = state.relations.get(&self.relation).filter(|relation| !relation.dying) else {
            return false;
        };
        let bag = |application: &str| relation.application_bags.get(application).map(|bag| &bag.content);
        let provider = relation.other_application(&self.application);
        bag(provider).is_some_and(|bag| bag.contains_key("version"))
            && bag(&self.application) != Some(&self.bag)
    }
}
