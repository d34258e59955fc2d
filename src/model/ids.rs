//! Juju's names for things.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A relation: its endpoint on our side and its number, unique in the model; `lb-consumers:7`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelationId {
    /// Our endpoint.
    pub endpoint: String,
    /// Juju's counter.
    pub number: u32,
}

impl fmt::Display for RelationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.endpoint, self.number)
    }
}

impl FromStr for RelationId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.rsplit_once(':').and_then(|(endpoint, number)| {
            let number = number.parse().ok()?;
            (!endpoint.is_empty()).then(|| Self { endpoint: endpoint.to_owned(), number })
        });
        parsed.ok_or_else(|| format!("expected a relation id such as \"lb-consumers:7\", got {text:?}"))
    }
}

impl TryFrom<String> for RelationId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RelationId> for String {
    fn from(id: RelationId) -> Self {
        id.to_string()
    }
}

/// A unit's name, such as `kubernetes-control-plane/1`; ordered by application, then by number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UnitName {
    /// The application.
    pub application: String,
    /// The unit's number.
    pub number: u32,
}

impl fmt::Display for UnitName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.application, self.number)
    }
}

impl FromStr for UnitName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.rsplit_once('/').and_then(|(application, number)| {
            let number = number.parse().ok()?;
            (!application.is_empty()).then(|| Self { application: application.to_owned(), number })
        });
        parsed.ok_or_else(|| format!("expected a unit name such as \"web/0\", got {text:?}"))
    }
}

impl TryFrom<String> for UnitName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<UnitName> for String {
    fn from(name: UnitName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_they_were_written() {
        for text in ["lb-consumers:7", "a:0"] {
            assert_eq!(text.parse::<RelationId>().unwrap().to_string(), text);
        }
        assert_eq!("web/10".parse::<UnitName>().unwrap().to_string(), "web/10");
    }

    #[test]
    fn what_is_no_name_is_refused_with_its_text() {
        for text in ["", "7", ":7", "a:", "a:x", "a:-1"] {
            assert!(text.parse::<RelationId>().unwrap_err().contains(&format!("{text:?}")));
        }
        for text in ["", "web", "web/", "/0", "web/x"] {
            assert!(text.parse::<UnitName>().unwrap_err().contains(&format!("{text:?}")));
        }
    }

    #[test]
    fn unit_ten_comes_after_unit_two() {
        assert!("web/2".parse::<UnitName>() < "web/10".parse::<UnitName>());
    }
}
