//! Logging in: `POST /v3/auth/tokens`.

use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::catalogue::Service;
use super::deadline::Deadline;
use super::error::{Error, shown};
use super::transport::{Call, Transport};
use crate::model::credentials::{ApplicationCredential, Credentials, Domain, Identity, Named};

/// What a login gives.
#[derive(Debug)]
pub(super) struct Login {
    pub(super) token: SecretString,
    pub(super) project_id: String,
    pub(super) catalogue: Vec<Service>,
}

pub(super) async fn log_in(
    transport: &Transport,
    credentials: &Credentials,
    deadline: Deadline,
) -> Result<Login, Error> {
    #[derive(Deserialize)]
    struct Body {
        token: Token,
    }
    #[derive(Deserialize)]
    struct Token {
        project: Option<Project>,
        #[serde(default)]
        catalog: Vec<Service>,
    }
    #[derive(Deserialize)]
    struct Project {
        id: String,
    }
    let url = format!("{}/auth/tokens", base(&credentials.auth_url));
    let body = body(&credentials.identity);
    let call = Call { body: Some(&body), ..Call::new(Method::POST, &url, "/auth/tokens") };
    let answer = transport.call(&call, deadline).await?;
    // Keystone says 404 for a user, project or application credential that is gone.
    if matches!(answer.status, 401 | 403 | 404) {
        let message = super::error::message(&answer.body);
        return Err(Error::Unauthorised { url: shown(&credentials.auth_url), message });
    }
    let token = answer.token.clone();
    let body: Body = answer.json(&call)?;
    let token = token.ok_or_else(|| Error::NoToken { url: shown(&credentials.auth_url) })?;
    let project = body.token.project.ok_or_else(|| Error::NoProject { url: shown(&credentials.auth_url) })?;
    Ok(Login { token, project_id: project.id, catalogue: body.token.catalog })
}

/// Keystone's URL with its version.
fn base(auth_url: &str) -> String {
    let url = auth_url.trim_end_matches('/');
    if url.ends_with("/v3") { url.to_owned() } else { format!("{url}/v3") }
}

/// The body of a login; it holds a secret and goes nowhere but into the request.
fn body(identity: &Identity) -> Value {
    match identity {
        Identity::Password { user, password, project } => {
            let mut user = named(user);
            user["password"] = json!(password.expose_secret());
            json!({"auth": {
                "identity": {"methods": ["password"], "password": {"user": user}},
                "scope": {"project": named(project)},
            }})
        }
        Identity::ApplicationCredential { credential, secret } => {
            let mut body = match credential {
                ApplicationCredential::Id(id) => json!({"id": id}),
                ApplicationCredential::Name { name, user } => json!({"name": name, "user": named(user)}),
            };
            body["secret"] = json!(secret.expose_secret());
            json!({"auth": {"identity": {"methods": ["application_credential"], "application_credential": body}}})
        }
    }
}

fn named(named: &Named) -> Value {
    match named {
        Named::Id(id) => json!({"id": id}),
        Named::Name { name, domain: Domain::Id(id) } => json!({"name": name, "domain": {"id": id}}),
        Named::Name { name, domain: Domain::Name(domain) } => {
            json!({"name": name, "domain": {"name": domain}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_says_who_and_for_what() {
        let name =
            |name: &str| Named::Name { name: name.to_owned(), domain: Domain::Name("Default".to_owned()) };
        let password =
            Identity::Password { user: name("u"), password: "p".into(), project: Named::Id("1".to_owned()) };
        assert_eq!(
            body(&password),
            json!({"auth": {
                "identity": {"methods": ["password"],
                             "password": {"user": {"name": "u", "domain": {"name": "Default"}, "password": "p"}}},
                "scope": {"project": {"id": "1"}}}})
        );
        let by_name = ApplicationCredential::Name { name: "ac".to_owned(), user: Named::Id("7".to_owned()) };
        let identity = Identity::ApplicationCredential { credential: by_name, secret: "s".into() };
        assert_eq!(
            body(&identity)["auth"]["identity"]["application_credential"],
            json!({"name": "ac", "user": {"id": "7"}, "secret": "s"})
        );
        let by_id = ApplicationCredential::Id("9".to_owned());
        let identity = Identity::ApplicationCredential { credential: by_id, secret: "s".into() };
        assert_eq!(body(&identity)["auth"].get("scope"), None);
    }

    #[test]
    fn an_auth_url_may_or_may_not_hold_its_version() {
        for url in ["http://k:5000", "http://k:5000/", "http://k:5000/v3", "http://k:5000/v3/"] {
            assert_eq!(base(url), "http://k:5000/v3");
        }
    }
}
