//! Ownership marks: how we know our own things in the cloud.
//!
//! The cloud is the only memory: whatever carries a mark of ours is ours, nothing else is touched.
//! Marks hold lower-case letters, digits, `-` and `:` only.
//! A comma would make a tag unfindable (Octavia separates the values of its `tags` filter by commas), and a request's name may hold anything, so it is a hash here.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::ids::RelationId;
use super::request::RequestKey;

/// Octavia's tags and Neutron's descriptions end here, in characters.
const LONGEST: usize = 255;

/// What all marks of one application in one model share: `juju:<model uuid>:<application>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Scope(String);

impl Scope {
    /// The scope of an application in a model.
    pub fn new(model_uuid: &str, application: &str) -> Self {
        Self(format!("juju:{}:{}", clean(model_uuid), clean(application)))
    }

    /// The tag that all our Octavia objects carry.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads a mark of this scope; none if the text is not one.
    pub fn parse(&self, text: &str) -> Option<Mark> {
        let rest = text.strip_prefix(&self.0)?.strip_prefix(':')?;
        let mut parts = rest.rsplitn(4, ':');
        let request = parts.next()?.to_owned();
        let number = parts.next()?.parse().ok()?;
        let consumer = parts.next()?.to_owned();
        let endpoint = parts.next()?.to_owned();
        let well_formed =
            !endpoint.is_empty() && !consumer.is_empty() && !endpoint.contains(':') && is_digest(&request);
        well_formed.then(|| Mark {
            text: text.to_owned(),
            relation: RelationId { endpoint, number },
            consumer,
        })
    }

    /// The mark of what is made for a request.
    pub fn mark(&self, key: &RequestKey, consumer: &str) -> Mark {
        let RequestKey { relation, name } = key;
        let write = |consumer: &str| {
            let RelationId { endpoint, number } = relation;
            format!("{}:{}:{consumer}:{number}:{}", self.0, clean(endpoint), digest(name))
        };
        let plain = clean(consumer);
        let text = write(&plain);
        if text.len() <= LONGEST {
            return Mark { text, relation: relation.clone(), consumer: plain };
        }
        let consumer = digest(consumer);
        Mark { text: write(&consumer), relation: relation.clone(), consumer }
    }
}

/// The mark of one load balancer and of all that belongs to it.
///
/// `juju:<model uuid>:<application>:<endpoint>:<consumer application>:<relation number>:<hash of the request's name>`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Mark {
    text: String,
    relation: RelationId,
    consumer: String,
}

impl Mark {
    /// The tag, or the description.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What all marks of the application share.
    pub fn scope(&self) -> &str {
        let end = self.text.match_indices(':').nth(2).map_or(self.text.len(), |(end, _)| end);
        &self.text[..end]
    }

    /// The relation that it was made for.
    pub fn relation(&self) -> &RelationId {
        &self.relation
    }

    /// Whether it was made for this application.
    pub fn is_for(&self, consumer: &str) -> bool {
        self.consumer == clean(consumer) || self.consumer == digest(consumer)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A name as it looks inside a mark.
fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            'a'..='z' | '0'..='9' | '-' => character,
            'A'..='Z' => character.to_ascii_lowercase(),
            _ => '-',
        })
        .collect()
}

/// The first 16 hexadecimal digits of SHA-256.
fn digest(text: &str) -> String {
    use fmt::Write as _;
    Sha256::digest(text.as_bytes()).iter().take(8).fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn is_digest(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope::new("7a0e1e6c-2c36-4d3c-8a5e-000000000001", "octavia-integrator")
    }

    fn key(name: &str) -> RequestKey {
        RequestKey {
            relation: RelationId { endpoint: "lb-consumers".to_owned(), number: 7 },
            name: name.to_owned(),
        }
    }

    #[test]
    fn a_mark_reads_back_as_it_was_written() {
        let mark = scope().mark(&key("api-server-external"), "kubernetes-control-plane");
        let start = "juju:7a0e1e6c-2c36-4d3c-8a5e-000000000001:octavia-integrator:lb-consumers:kubernetes-control-plane:7:";
        assert_eq!(mark.as_str(), format!("{start}{}", digest("api-server-external")));
        assert!(mark.is_for("kubernetes-control-plane") && !mark.is_for("kubernetes"));
        assert_eq!(mark.scope(), scope().as_str());
        assert_eq!(scope().parse(mark.as_str()), Some(mark));
    }

    #[test]
    fn hostile_request_names_stay_inside_the_alphabet_and_apart() {
        let names = ["", ",", "a,b", "a:b", "../..", "ü\n\0", "{{ x }}", "A", "a", &"x".repeat(10_000)];
        let marks: std::collections::BTreeSet<Mark> =
            names.iter().map(|name| scope().mark(&key(name), "web")).collect();
        assert_eq!(marks.len(), names.len());
        for mark in marks {
            assert!(mark.as_str().len() <= LONGEST);
            assert!(mark.as_str().chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-' | ':')), "{mark}");
        }
    }

    #[test]
    fn a_very_long_consumer_still_fits_a_tag_and_reads_back() {
        let mark = scope().mark(&key("x"), &"web-".repeat(80));
        assert!(mark.as_str().len() <= LONGEST);
        assert!(mark.is_for(&"web-".repeat(80)));
        assert_eq!(scope().parse(mark.as_str()), Some(mark));
    }

    #[test]
    fn marks_of_others_are_not_ours() {
        let other = Scope::new("7a0e1e6c-2c36-4d3c-8a5e-000000000001", "octavia").mark(&key("x"), "web");
        assert_eq!(scope().parse(other.as_str()), None);
        let longer =
            Scope::new("7a0e1e6c-2c36-4d3c-8a5e-000000000001", "octavia-integrator-b").mark(&key("x"), "web");
        assert_eq!(scope().parse(longer.as_str()), None);
        for text in [
            "",
            "juju:",
            scope().as_str(),
            "lb",
            &format!("{}:lb-consumers:web:x:{}", scope().as_str(), digest("")),
        ] {
            assert_eq!(scope().parse(text), None, "{text}");
        }
    }
}
