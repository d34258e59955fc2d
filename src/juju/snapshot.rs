//! All that Juju says now: what may be shown in one value, what is secret in another.

use std::collections::BTreeMap;
use std::net::IpAddr;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::context::Context;
use super::error::Error;
use super::tools::{self, Bag};
use crate::model::ids::{RelationId, UnitName};

/// The endpoint of the interface `loadbalancer`.
pub const ENDPOINT: &str = "lb-consumers";

/// What a secret option looks like in a snapshot.
const SET: &str = "(set)";

/// All that Juju says, without secrets: a bug report is a test case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Whether this unit may write: it leads, or it is the last one and goes.
    pub writes: bool,
    /// Options that are set; secret ones as `(set)`.
    pub options: BTreeMap<String, Value>,
    /// Relations of `lb-consumers`.
    pub relations: Vec<Relation>,
    /// Where our own unit is reached; asked for only if `lb-subnet` is not set.
    pub ingress_address: Option<IpAddr>,
}

/// One relation as this unit sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// Which.
    pub id: RelationId,
    /// The other end, if it is known.
    pub application: Option<String>,
    /// What the other end's leader wrote.
    pub application_bag: Bag,
    /// What our leader wrote.
    pub own_bag: Bag,
    /// What each remote unit wrote; a unit that left meanwhile is left out.
    pub unit_bags: BTreeMap<UnitName, Bag>,
    /// Juju lists the relation, but does not let us read it: its words.
    pub unreadable: Option<String>,
}

/// What is secret; it can be neither printed nor serialised.
#[derive(Debug)]
pub struct Secrets {
    /// Options that hold secrets.
    pub options: BTreeMap<String, SecretString>,
    /// What `credential-get` said.
    pub cloud: CloudCredential,
}

/// What `credential-get` said.
#[derive(Debug)]
pub enum CloudCredential {
    /// The options are enough.
    NotAsked,
    /// The application is not trusted.
    Denied,
    /// The credential as JSON text.
    Given(SecretString),
    /// It failed otherwise: its words.
    Failed(String),
}

/// Asks Juju; a unit that does not write needs to know no more.
///
/// `secret_options` never reach the snapshot; `needs_cloud_credential` tells from the options whether to ask for it.
pub fn take(
    context: &Context,
    writes: bool,
    secret_options: &[&str],
    needs_cloud_credential: impl Fn(&BTreeMap<String, Value>, &BTreeMap<String, SecretString>) -> bool,
) -> Result<(Snapshot, Secrets), Error> {
    let nothing = || Secrets { options: BTreeMap::new(), cloud: CloudCredential::NotAsked };
    if !writes {
        return Ok((Snapshot::default(), nothing()));
    }
    let (options, secret) = split(tools::config_get()?, secret_options);
    // A list that could not be had is an error, never an empty list.
    let relations = tools::relation_ids(ENDPOINT)?;
    let relations = relations.iter().map(|id| relation(context, id)).collect::<Result<_, _>>()?;
    let subnet_is_set =
        options.get("lb-subnet").and_then(Value::as_str).is_some_and(|subnet| !subnet.trim().is_empty());
    let ingress_address = if subnet_is_set { None } else { ingress_address()? };
    let cloud = if needs_cloud_credential(&options, &secret) {
        cloud_credential()?
    } else {
        CloudCredential::NotAsked
    };
    let snapshot = Snapshot { writes, options, relations, ingress_address };
    Ok((snapshot, Secrets { options: secret, cloud }))
}

fn split(
    options: BTreeMap<String, Value>,
    secret_options: &[&str],
) -> (BTreeMap<String, Value>, BTreeMap<String, SecretString>) {
    let mut secrets = BTreeMap::new();
    let shown = options
        .into_iter()
        .map(|(name, value)| match value {
            Value::String(secret) if secret_options.contains(&name.as_str()) && !secret.is_empty() => {
                secrets.insert(name.clone(), SecretString::from(secret));
                (name, Value::String(SET.to_owned()))
            }
            value => (name, value),
        })
        .collect();
    (shown, secrets)
}

fn relation(context: &Context, id: &RelationId) -> Result<Relation, Error> {
    let empty = |unreadable| Relation {
        id: id.clone(),
        application: None,
        application_bag: Bag::new(),
        own_bag: Bag::new(),
        unit_bags: BTreeMap::new(),
        unreadable,
    };
    match read(context, id, empty(None)) {
        Err(error) if error.is_out_of_reach() => Ok(empty(Some(error.to_string()))),
        other => other,
    }
}

fn read(context: &Context, id: &RelationId, mut relation: Relation) -> Result<Relation, Error> {
    let units = tools::relation_list(id)?;
    relation.application = match units.first() {
        Some(unit) => Some(unit.application.clone()),
        None => tools::relation_application(id)?,
    };
    if let Some(application) = &relation.application {
        relation.application_bag = tools::relation_get_application(id, application)?;
    }
    relation.own_bag = tools::relation_get_application(id, &context.unit.application)?;
    let mut refused = None;
    for unit in units {
        match tools::relation_get_unit(id, &unit) {
            Ok(bag) => {
                relation.unit_bags.insert(unit, bag);
            }
            // The relation reads, so it is this unit that has gone.
            Err(error) if error.is_out_of_reach() && !error.is_relation_gone() => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    match refused {
        // All units at once do not go: it is the relation that cannot be read.
        Some(error) if relation.unit_bags.is_empty() => Err(error),
        _ => Ok(relation),
    }
}

/// None where Juju knows no network for the endpoint: then lb-subnet is asked for.
fn ingress_address() -> Result<Option<IpAddr>, Error> {
    match tools::network_get_ingress(ENDPOINT) {
        Err(error @ Error::Failed { .. }) => {
            tracing::debug!("{error}");
            Ok(None)
        }
        other => other,
    }
}

fn cloud_credential() -> Result<CloudCredential, Error> {
    match tools::credential_get() {
        Ok(credential) => Ok(CloudCredential::Given(credential)),
        Err(error) if error.is_permission_denied() => Ok(CloudCredential::Denied),
        Err(error @ Error::Failed { .. }) => Ok(CloudCredential::Failed(error.to_string())),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_a_trace_but_no_value() {
        let options = BTreeMap::from([
            ("password".to_owned(), Value::from("hunter2")),
            ("credentials".to_owned(), Value::from("")),
            ("username".to_owned(), Value::from("u")),
        ]);
        let (shown, secrets) = split(options, &["password", "credentials"]);
        assert_eq!(shown["password"], "(set)");
        assert_eq!(shown["credentials"], "");
        assert_eq!(secrets.keys().collect::<Vec<_>>(), ["password"]);
        assert!(!format!("{shown:?} {secrets:?}").contains("hunter2"));
    }
}
