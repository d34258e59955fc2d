//! What is wanted: options, credentials and requests, parsed once. Pure but for the snapshot.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::config::{self, CloudCredential};
use crate::interface::loadbalancer::{self, Consumer};
use crate::interface::{Bag, http, public_address, replicas};
use crate::juju::{self, Context, Secrets, Snapshot};
use crate::model::answer::Answer;
use crate::model::credentials::Credentials;
use crate::model::finding::Finding;
use crate::model::front::Front;
use crate::model::ids::{RelationId, UnitName};
use crate::model::policy::Policy;
use crate::model::request::{BackEnd, Refusal, Request, RequestKey};

/// Everything that Juju's side wants, and what is wrong with it.
#[derive(Debug)]
pub struct Wish {
    /// None if an option is wrong: then nothing is touched.
    pub policy: Option<Policy>,
    /// None if they are missing or wrong.
    pub credentials: Option<Credentials>,
    /// What can be served.
    pub requests: Vec<Request>,
    /// What cannot.
    pub refusals: Vec<Refusal>,
    /// The units of each readable relation that have an address.
    pub units: BTreeMap<RelationId, BTreeSet<BackEnd>>,
    /// What each readable relation was answered before.
    pub answers: BTreeMap<RelationId, BTreeMap<String, Answer>>,
    /// What each relation that our units answer was told before.
    pub fronts: BTreeMap<RelationId, Front>,
    /// What is wrong or odd.
    pub findings: Vec<Finding>,
}

/// Asks Juju; its cloud credential only if the options are not enough.
pub(super) fn snapshot(context: &Context, writes: bool) -> Result<(Snapshot, Secrets), juju::Error> {
    let application = &context.unit.application;
    juju::take(context, writes, &config::secret_names(), |options, secrets| {
        config::credentials(application, options, secrets, CloudCredential::NotAsked).is_err()
    })
}

/// Who we are in the cloud, whether or not this unit leads.
pub(super) fn credentials(context: &Context) -> Result<Result<Credentials, Vec<Finding>>, juju::Error> {
    let application = &context.unit.application;
    let (options, secrets) = juju::take_options(&config::secret_names(), |options, secrets| {
        config::credentials(application, options, secrets, CloudCredential::NotAsked).is_err()
    })?;
    Ok(config::credentials(application, &options, &secrets.options, given(&secrets)))
}

fn given(secrets: &Secrets) -> CloudCredential<'_> {
    match &secrets.cloud {
        juju::CloudCredential::NotAsked => CloudCredential::NotAsked,
        juju::CloudCredential::Denied => CloudCredential::Denied,
        juju::CloudCredential::Given(text) => CloudCredential::Given(text),
        juju::CloudCredential::Failed(words) => CloudCredential::Failed(words),
    }
}

impl Wish {
    /// Understands a snapshot.
    pub fn read(context: &Context, snapshot: &Snapshot, secrets: &Secrets) -> Self {
        let mut findings = Vec::new();
        let policy = config::policy(&snapshot.options).map_err(|wrong| findings.extend(wrong)).ok();
        let application = &context.unit.application;
        let credentials =
            config::credentials(application, &snapshot.options, &secrets.options, given(secrets));
        let credentials = credentials.map_err(|wrong| findings.extend(wrong)).ok();
        let mut wish = Self {
            policy,
            credentials,
            requests: Vec::new(),
            refusals: Vec::new(),
            units: BTreeMap::new(),
            answers: BTreeMap::new(),
            fronts: fronts(snapshot),
            findings,
        };
        for relation in &snapshot.relations {
            wish.read_relation(relation);
        }
        wish
    }

    fn read_relation(&mut self, relation: &juju::Relation) {
        let juju::Relation { id, application, application_bag, own_bag, unit_bags, unreadable } = relation;
        if let Some(words) = unreadable {
            let text =
                format!("{id} cannot be read ({words}); its load balancers and answers stay as they are");
            self.findings.push(Finding::waiting(text));
            return;
        }
        if id.endpoint == juju::endpoint::LOADBALANCER {
            self.read_public_address(id, application.as_deref(), unit_bags);
            return;
        }
        self.answers.insert(id.clone(), loadbalancer::read_answers(own_bag));
        // Without units and without a name from Juju nobody has asked for anything yet.
        let Some(application) = application else { return };
        let asked =
            loadbalancer::read_requests(&Consumer { relation: id, application, application_bag, unit_bags });
        for Refusal { key, fields, .. } in &asked.refusals {
            let wrong: Vec<String> =
                fields.iter().map(|(field, reason)| format!("{field}: {reason}")).collect();
            self.findings
                .push(Finding::blocked(format!("{application} asks for {key}: {}", wrong.join(", "))));
        }
        self.units.insert(id.clone(), asked.units);
        self.requests.extend(asked.requests);
        self.refusals.extend(asked.refusals);
        self.findings.extend(asked.findings);
    }

    /// With wrong options no front port is known, and nothing is asked for.
    fn read_public_address(
        &mut self,
        id: &RelationId,
        application: Option<&str>,
        unit_bags: &BTreeMap<UnitName, Bag>,
    ) {
        let front = self.policy.as_ref().map(|policy| policy.front_port);
        let Some((application, front)) = application.zip(front) else { return };
        let (request, findings) = public_address::read_request(id, application, unit_bags, front);
        self.units.insert(id.clone(), request.back_ends.clone());
        self.requests.push(request);
        self.findings.extend(findings);
    }

    /// The addresses that consumers know.
    pub(super) fn published(&self) -> BTreeMap<RequestKey, IpAddr> {
        let mut published = BTreeMap::new();
        for (relation, answers) in &self.answers {
            for (name, answer) in answers {
                if let Answer::Address { address, .. } = answer {
                    published.insert(RequestKey { relation: relation.clone(), name: name.clone() }, *address);
                }
            }
        }
        for (relation, front) in &self.fronts {
            let name = public_address::REQUEST.to_owned();
            published.insert(RequestKey { relation: relation.clone(), name }, front.address);
        }
        published
    }
}

/// What our peers were told last.
pub(super) fn state(snapshot: &Snapshot) -> Option<replicas::State> {
    replicas::read(&snapshot.replicas.as_ref()?.own_bag)
}

/// A unit that has just come to lead may have told nobody yet; then it is what the one before it told.
fn fronts(snapshot: &Snapshot) -> BTreeMap<RelationId, Front> {
    let mut fronts = state(snapshot).map(|state| state.fronts).unwrap_or_default();
    for relation in snapshot.relations.iter().chain(&snapshot.websites) {
        let own = match relation.id.endpoint.as_str() {
            juju::endpoint::LOADBALANCER => public_address::read_front(&relation.own_bag),
            juju::endpoint::WEBSITE => http::read_front(&relation.own_bag),
            _ => None,
        };
        fronts.extend(own.map(|front| (relation.id.clone(), front)));
    }
    fronts
}
