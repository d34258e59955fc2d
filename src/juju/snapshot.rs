//! All that Juju says now: what may be shown in one value, what is secret in another.

use std::collections::BTreeMap;
use std::net::IpAddr;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::context::Context;
use super::endpoint::{self, LB_CONSUMERS, LOADBALANCER, REPLICAS, WEBSITE};
use super::error::Error;
use super::tools::{self, Bag};
use crate::model::ids::{RelationId, UnitName};

/// What a secret option looks like in a snapshot.
const SET: &str = "(set)";

/// All that Juju says, without secrets: a bug report is a test case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Whether this unit may write to the cloud: it leads, or it is the last one and goes.
    pub writes: bool,
    /// Options that are set; secret ones as `(set)`; none on a unit that does not write.
    pub options: BTreeMap<String, Value>,
    /// Relations that ask for load balancers; on a unit that does not write only those that each unit answers.
    pub relations: Vec<Relation>,
    /// Relations of workers, which take an address and ask for nothing.
    pub websites: Vec<Relation>,
    /// The relation with our peers.
    pub replicas: Option<Relation>,
    /// Where our own unit is reached; asked for only if `lb-subnet` is not set or `lb-allowed-cidrs` is.
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
    /// What we wrote: our leader, or, on endpoints that each unit answers, this unit.
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

/// Asks Juju; a unit that does not write needs to know little.
///
/// `secret_options` never reach the snapshot; `needs_cloud_credential` tells from the options whether to ask for it.
pub fn take(
    context: &Context,
    writes: bool,
    secret_options: &[&str],
    needs_cloud_credential: impl Fn(&BTreeMap<String, Value>, &BTreeMap<String, SecretString>) -> bool,
) -> Result<(Snapshot, Secrets), Error> {
    let (websites, replicas) = (relations(context, WEBSITE, writes)?, relations(context, REPLICAS, writes)?);
    let replicas = replicas.into_iter().next();
    let mut asking = relations(context, LOADBALANCER, writes)?;
    if !writes {
        let secrets = Secrets { options: BTreeMap::new(), cloud: CloudCredential::NotAsked };
        return Ok((Snapshot { relations: asking, websites, replicas, ..Snapshot::default() }, secrets));
    }
    let (options, secrets) = take_options(secret_options, needs_cloud_credential)?;
    asking.extend(relations(context, LB_CONSUMERS, writes)?);
    asking.sort_by(|one, other| one.id.cmp(&other.id));
    let is_set =
        |name: &str| options.get(name).and_then(Value::as_str).is_some_and(|value| !value.trim().is_empty());
    let is_needed = !is_set("lb-subnet") || is_set("lb-allowed-cidrs");
    let ingress_address = if is_needed { ingress_address()? } else { None };
    let snapshot = Snapshot { writes, options, relations: asking, websites, replicas, ingress_address };
    Ok((snapshot, secrets))
}

/// The options and what is secret alone.
pub fn take_options(
    secret_options: &[&str],
    needs_cloud_credential: impl Fn(&BTreeMap<String, Value>, &BTreeMap<String, SecretString>) -> bool,
) -> Result<(BTreeMap<String, Value>, Secrets), Error> {
    let (shown, options) = split(tools::config_get()?, secret_options);
    let cloud = if needs_cloud_credential(&shown, &options) {
        cloud_credential()?
    } else {
        CloudCredential::NotAsked
    };
    Ok((shown, Secrets { options, cloud }))
}

/// All relations of an endpoint; a list that could not be had is an error, never an empty list.
fn relations(context: &Context, endpoint: &str, asks: bool) -> Result<Vec<Relation>, Error> {
    tools::relation_ids(endpoint)?.iter().map(|id| relation(context, id, asks)).collect()
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

fn relation(context: &Context, id: &RelationId, asks: bool) -> Result<Relation, Error> {
    let empty = |unreadable| Relation {
        id: id.clone(),
        application: None,
        application_bag: Bag::new(),
        own_bag: Bag::new(),
        unit_bags: BTreeMap::new(),
        unreadable,
    };
    match read(context, id, asks, empty(None)) {
        Err(error) if error.is_out_of_reach() => Ok(empty(Some(error.to_string()))),
        other => other,
    }
}

/// Reads as little as the endpoint needs: who is there only where somebody asks for something.
fn read(context: &Context, id: &RelationId, asks: bool, mut relation: Relation) -> Result<Relation, Error> {
    relation.own_bag = if endpoint::is_told_by_units(&id.endpoint) {
        tools::relation_get_unit(id, &context.unit)?
    } else {
        tools::relation_get_application(id, &context.unit.application)?
    };
    if !asks || matches!(id.endpoint.as_str(), WEBSITE | REPLICAS) {
        return Ok(relation);
    }
    let units = tools::relation_list(id)?;
    relation.application = match units.first() {
        Some(unit) => Some(unit.application.clone()),
        None => tools::relation_application(id)?,
    };
    if let (Some(application), LB_CONSUMERS) = (&relation.application, id.endpoint.as_str()) {
        relation.application_bag = tools::relation_get_application(id, application)?;
    }
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
    match tools::network_get_ingress(LB_CONSUMERS) {
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
