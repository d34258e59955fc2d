//! Who we are in the cloud: Juju's credential, overridden by `credentials`, overridden by single options.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use super::certificates;
use super::options::Reader;
use crate::model::credentials::{ApplicationCredential, Credentials, Domain, Identity, Named};
use crate::model::finding::Finding;

/// What Juju said when it was asked for the cloud's credential.
#[derive(Debug, Clone, Copy)]
pub enum CloudCredential<'a> {
    /// It was not asked: the options are enough.
    NotAsked,
    /// The application is not trusted.
    Denied,
    /// The credential as JSON text.
    Given(&'a SecretString),
    /// It failed for another reason, in Juju's words.
    Failed(&'a str),
}

/// Single options that say who we are, and the names they have in credentials.
const SINGLE: [&str; 11] = [
    "auth-url",
    "username",
    "project-name",
    "project-id",
    "user-domain-name",
    "user-domain-id",
    "project-domain-name",
    "project-domain-id",
    "domain-name",
    "domain-id",
    "region",
];

/// The credentials, or everything that is wrong or missing.
pub fn credentials(
    application: &str,
    options: &BTreeMap<String, Value>,
    secrets: &BTreeMap<String, SecretString>,
    cloud: CloudCredential<'_>,
) -> Result<Credentials, Vec<Finding>> {
    let mut reader = Reader::new(options);
    let mut values = Source::default();
    if let CloudCredential::Given(text) = cloud {
        match serde_json::from_str(text.expose_secret()) {
            Ok(Value::Object(credential)) => {
                values.override_by(read(&credential, "credential-get", &mut reader.wrong));
            }
            Ok(_) | Err(_) => reader.wrong.push(Finding::blocked(
                "credential-get gives something else than a credential; set the option credentials instead",
            )),
        }
    }
    if let Some(text) = secrets.get("credentials").filter(|text| !text.expose_secret().trim().is_empty()) {
        match object(text.expose_secret()) {
            Some(credential) => values.override_by(read(&credential, "credentials", &mut reader.wrong)),
            None => reader.wrong.push(Finding::blocked(
                "credentials: expected base64 of a JSON object with auth-url, username, password and so on",
            )),
        }
    }
    let mut single = Source { password: secrets.get("password").cloned(), ..Source::default() };
    for name in SINGLE {
        single.set(name, reader.text(name));
    }
    if let Some(pem) = reader.parsed("endpoint-tls-ca", certificates::read) {
        single.certificates = vec![pem];
    }
    values.override_by(single);
    let mut wrong = reader.wrong;
    let is_url = |url: &String| url.starts_with("http://") || url.starts_with("https://");
    if values.get("auth-url").is_some_and(|url| !is_url(&url)) {
        // It is not shown, since it may hold a password.
        wrong.push(Finding::blocked("auth-url: expected a URL such as https://keystone.example:5000/v3"));
    }
    match values.credentials() {
        Ok(credentials) if wrong.is_empty() => Ok(credentials),
        Ok(_) => Err(wrong),
        Err(missing) => {
            wrong.extend(missing_finding(application, &missing, cloud));
            Err(wrong)
        }
    }
}

fn missing_finding(application: &str, missing: &[String], cloud: CloudCredential<'_>) -> Vec<Finding> {
    let missing = missing.join(", ");
    vec![match cloud {
        CloudCredential::Denied => Finding::blocked(format!(
            "no cloud credentials: run \"juju trust {application}\", or set the option credentials (missing: {missing})"
        )),
        CloudCredential::Failed(words) => Finding::blocked(format!(
            "credential-get failed: {words}; set the option credentials (missing: {missing})"
        )),
        CloudCredential::Given(_) => Finding::blocked(format!(
            "the cloud's credential in Juju lacks {missing}; set these options, or the option credentials"
        )),
        CloudCredential::NotAsked => {
            Finding::blocked(format!("the credentials lack {missing}; set these options"))
        }
    }]
}

/// Names that say the same in different ways: a source that uses one of them overrides all of them.
const SAME: [&[&str]; 5] = [
    &["username", "user-id"],
    &["project-name", "project-id"],
    &["user-domain-name", "user-domain-id"],
    &["project-domain-name", "project-domain-id"],
    &["application-credential-id", "application-credential-name"],
];

/// The domain of both user and project; `user-` or `project-` before it says whose alone.
const DOMAINS: [&str; 2] = ["domain-name", "domain-id"];

/// What one source says about who we are, or several, the later ones over the earlier ones.
#[derive(Default)]
struct Source {
    plain: BTreeMap<String, String>,
    password: Option<SecretString>,
    /// Of an application credential.
    secret: Option<SecretString>,
    certificates: Vec<String>,
    skip_tls_verify: Option<bool>,
}

/// The form of `credential-get` (`endpoint`, `credential.attrs`), or flat keys as openstack-integrator documents.
fn read(credential: &Map<String, Value>, whence: &str, wrong: &mut Vec<Finding>) -> Source {
    let mut source = Source::default();
    let mut certificate = |text: &str| match certificates::read(text) {
        Ok(pem) => Some(pem),
        Err(reason) => {
            wrong.push(Finding::blocked(format!("{whence}: its certificates: {reason}")));
            None
        }
    };
    let inner = credential.get("credential").and_then(Value::as_object);
    let attributes = inner.and_then(|inner| inner.get("attrs").or_else(|| inner.get("attributes")));
    let attributes = attributes.and_then(Value::as_object);
    for (key, value) in credential.iter().chain(attributes.into_iter().flatten()) {
        let Some(value) = value.as_str().filter(|value| !value.is_empty()) else { continue };
        match key.replace('_', "-").as_str() {
            "password" => source.password = Some(SecretString::from(value)),
            "application-credential-secret" => source.secret = Some(SecretString::from(value)),
            "endpoint-tls-ca" => source.certificates.extend(certificate(value)),
            "endpoint" => source.set("auth-url", Some(value)),
            "tenant-name" => source.set("project-name", Some(value)),
            "tenant-id" => source.set("project-id", Some(value)),
            other => source.set(other, Some(value)),
        }
    }
    for key in ["cacertificates", "ca-certificates"] {
        let given = credential.get(key).and_then(Value::as_array).into_iter().flatten();
        source.certificates.extend(given.filter_map(|pem| certificate(pem.as_str()?)));
    }
    source.skip_tls_verify = credential.get("skip-tls-verify").and_then(Value::as_bool);
    source
}

impl Source {
    fn set(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            self.plain.insert(name.to_owned(), value.to_owned());
        }
    }

    fn get(&self, name: &str) -> Option<String> {
        self.plain.get(name).cloned()
    }

    /// A later source goes before this one, also where it says the same in another way.
    fn override_by(&mut self, later: Self) {
        let Self { plain, password, secret, certificates, skip_tls_verify } = later;
        for names in SAME.iter().filter(|names| names.iter().any(|name| plain.contains_key(*name))) {
            for name in *names {
                self.plain.remove(*name);
            }
        }
        if DOMAINS.iter().any(|name| plain.contains_key(*name)) {
            // What is said of both goes before all that earlier sources said of either.
            self.plain.retain(|earlier, _| !DOMAINS.iter().any(|name| earlier.ends_with(name)));
        }
        self.plain.extend(plain);
        // The last source that gives a secret says how we log in.
        if password.is_some() || secret.is_some() {
            self.password = password;
            self.secret = secret;
        }
        if !certificates.is_empty() {
            self.certificates = certificates;
        }
        self.skip_tls_verify = skip_tls_verify.or(self.skip_tls_verify);
    }

    /// What they come to, or the names of what is missing.
    fn credentials(self) -> Result<Credentials, Vec<String>> {
        let mut missing = Vec::new();
        let auth_url = self.get("auth-url").unwrap_or_else(|| {
            missing.push("auth-url".to_owned());
            String::new()
        });
        let identity = if let Some(secret) = &self.secret {
            self.application_credential(&mut missing)
                .map(|credential| Identity::ApplicationCredential { credential, secret: secret.clone() })
        } else {
            self.password_identity(&mut missing)
        };
        match identity {
            Some(identity) if missing.is_empty() => Ok(Credentials {
                auth_url,
                region: self.get("region"),
                identity,
                certificates: self.certificates,
                skip_tls_verify: self.skip_tls_verify.unwrap_or(false),
            }),
            _ => Err(missing),
        }
    }

    fn application_credential(&self, missing: &mut Vec<String>) -> Option<ApplicationCredential> {
        if let Some(id) = self.get("application-credential-id") {
            return Some(ApplicationCredential::Id(id));
        }
        let Some(name) = self.get("application-credential-name") else {
            missing.push("application-credential-id".to_owned());
            return None;
        };
        self.user(missing).map(|user| ApplicationCredential::Name { name, user })
    }

    fn password_identity(&self, missing: &mut Vec<String>) -> Option<Identity> {
        let user = self.user(missing);
        if self.password.is_none() {
            missing.push("password".to_owned());
        }
        let project = match (self.get("project-id"), self.get("project-name")) {
            (Some(id), _) => Some(Named::Id(id)),
            (None, Some(name)) => Some(Named::Name { name, domain: self.domain("project") }),
            (None, None) => {
                missing.push("project-name".to_owned());
                None
            }
        };
        Some(Identity::Password { user: user?, password: self.password.clone()?, project: project? })
    }

    fn user(&self, missing: &mut Vec<String>) -> Option<Named> {
        if let Some(id) = self.get("user-id") {
            return Some(Named::Id(id));
        }
        let name = self.get("username");
        if name.is_none() {
            missing.push("username".to_owned());
        }
        name.map(|name| Named::Name { name, domain: self.domain("user") })
    }

    /// The domain of the user or the project; one domain may stand for both, and Keystone's first is the last resort.
    fn domain(&self, whose: &str) -> Domain {
        let id = self.get(&format!("{whose}-domain-id"));
        let name = self.get(&format!("{whose}-domain-name"));
        match (id, name) {
            (Some(id), _) => Domain::Id(id),
            (None, Some(name)) => Domain::Name(name),
            (None, None) => match (self.get("domain-id"), self.get("domain-name")) {
                (Some(id), _) => Domain::Id(id),
                (None, Some(name)) => Domain::Name(name),
                (None, None) => Domain::Id("default".to_owned()),
            },
        }
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    let compact: String = text.split_whitespace().collect();
    let json = BASE64_STANDARD.decode(compact).ok()?;
    match serde_json::from_slice(&json).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
#[path = "credentials_tests.rs"]
mod tests;
