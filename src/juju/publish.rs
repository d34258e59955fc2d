//! Tells Juju: only what differs is written.

use tracing::warn;

use super::endpoint;
use super::error::Error;
use super::tools::{self, Bag, BagOf};
use crate::model::ids::RelationId;

/// `juju status` is a table; longer messages help nobody.
const LONGEST_MESSAGE: usize = 1000;

/// Makes our databag hold `wanted`; other keys stay, but for answers that are no longer given.
pub fn own_bag(relation: &RelationId, present: &Bag, wanted: &Bag) -> Result<(), Error> {
    let mut changes: Bag =
        wanted.iter().filter(|(key, value)| present.get(*key) != Some(value)).map(owned).collect();
    for key in present.keys().filter(|key| key.starts_with("response_") && !wanted.contains_key(*key)) {
        changes.insert(key.clone(), String::new());
    }
    if changes.is_empty() {
        return Ok(());
    }
    let to = if endpoint::is_told_by_units(&relation.endpoint) { BagOf::Unit } else { BagOf::Application };
    match tools::relation_set(relation, to, &changes) {
        Err(error) if error.is_out_of_reach() || error.is_not_leader() => {
            warn!("the answer of {relation} is left to the next hook: {error}");
            Ok(())
        }
        other => other,
    }
}

/// Sets our unit's status and line.
pub fn unit_status(status: &str, message: &str) -> Result<(), Error> {
    let message = one_line(message);
    if tools::status_get()? == (status.to_owned(), message.clone()) {
        return Ok(());
    }
    tools::status_set(status, &message)
}

fn owned((key, value): (&String, &String)) -> (String, String) {
    (key.clone(), value.clone())
}

fn one_line(message: &str) -> String {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() <= LONGEST_MESSAGE {
        return line;
    }
    format!("{}…", &line[..line.floor_char_boundary(LONGEST_MESSAGE - '…'.len_utf8())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        assert_eq!(one_line("a\nb"), "a b");
        let long = one_line(&"ü".repeat(5000));
        assert!(long.len() <= LONGEST_MESSAGE && long.ends_with('…'));
    }
}
