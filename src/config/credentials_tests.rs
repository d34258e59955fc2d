//! Who we are, from every source and every mix of them.

use serde_json::json;

use super::*;

/// As Juju 3.6's own hook tool wrote it.
const CLOUD: &str = r#"{"type":"openstack","name":"stack","region":"R1","endpoint":"https://k:5000/v3","credential":{"auth-type":"userpass","attrs":{"password":"p","project-domain-name":"d","tenant-name":"t","user-domain-name":"d","username":"u","version":"3"}}}"#;

struct Given {
    options: Value,
    credentials: Option<Value>,
    password: Option<&'static str>,
    cloud: Option<&'static str>,
}

impl Given {
    fn read(&self) -> Result<Credentials, Vec<String>> {
        let options: BTreeMap<String, Value> = serde_json::from_value(self.options.clone()).unwrap();
        let mut secrets = BTreeMap::new();
        if let Some(credentials) = &self.credentials {
            let text = BASE64_STANDARD.encode(credentials.to_string());
            secrets.insert("credentials".to_owned(), SecretString::from(text));
        }
        if let Some(password) = self.password {
            secrets.insert("password".to_owned(), SecretString::from(password));
        }
        let cloud = self.cloud.map(SecretString::from);
        let cloud = cloud.as_ref().map_or(CloudCredential::Denied, CloudCredential::Given);
        credentials("lb", &options, &secrets, cloud)
            .map_err(|findings| findings.into_iter().map(|finding| finding.text).collect())
    }
}

fn nothing() -> Given {
    Given { options: json!({}), credentials: None, password: None, cloud: None }
}

fn name(name: &str, domain: Domain) -> Named {
    Named::Name { name: name.to_owned(), domain }
}

#[test]
fn juju_trust_is_enough() {
    let credentials = Given { cloud: Some(CLOUD), ..nothing() }.read().unwrap();
    assert_eq!(
        (credentials.auth_url.as_str(), credentials.region.as_deref()),
        ("https://k:5000/v3", Some("R1"))
    );
    let Identity::Password { user, password, project } = credentials.identity else { panic!("no password") };
    assert_eq!(user, name("u", Domain::Name("d".to_owned())));
    assert_eq!(project, name("t", Domain::Name("d".to_owned())));
    assert_eq!(password.expose_secret(), "p");
}

#[test]
fn options_go_before_credentials_and_these_before_trust() {
    let credentials =
        json!({"username": "from-credentials", "password": "c", "region": "R2", "user-domain-id": "7"});
    let options = json!({"region": "R3", "project-id": "9"});
    let credentials =
        Given { options, credentials: Some(credentials), cloud: Some(CLOUD), password: Some("o") }
            .read()
            .unwrap();
    assert_eq!(credentials.region.as_deref(), Some("R3"));
    let Identity::Password { user, password, project } = credentials.identity else { panic!("no password") };
    assert_eq!(user, name("from-credentials", Domain::Id("7".to_owned())));
    assert_eq!(project, Named::Id("9".to_owned()));
    assert_eq!(password.expose_secret(), "o");
}

#[test]
fn a_later_source_overrides_an_earlier_one_also_by_another_form() {
    let trust = r#"{"endpoint": "http://k", "credential": {"attrs": {"username": "u", "password": "p", "tenant-id": "OLD"}}}"#;
    let options = json!({"project-name": "wanted"});
    let credentials = Given { options, cloud: Some(trust), ..nothing() }.read().unwrap();
    let Identity::Password { project, .. } = credentials.identity else { panic!("no password") };
    assert_eq!(project, name("wanted", Domain::Id("default".to_owned())));

    let older = json!({"auth-url": "http://k", "user-id": "OLD", "user-domain-id": "OLD", "password": "c", "project-id": "1"});
    let options = json!({"username": "wanted", "user-domain-name": "D"});
    let credentials = Given { options, credentials: Some(older), ..nothing() }.read().unwrap();
    let Identity::Password { user, .. } = credentials.identity else { panic!("no password") };
    assert_eq!(user, name("wanted", Domain::Name("D".to_owned())));

    let older = json!({"auth-url": "http://k", "application-credential-id": "1", "application-credential-secret": "s"});
    let options = json!({"username": "u", "project-name": "p"});
    let given = Given { options, credentials: Some(older), password: Some("o"), ..nothing() };
    assert!(matches!(given.read().unwrap().identity, Identity::Password { .. }));
}

#[test]
fn one_domain_for_both_goes_before_what_earlier_sources_say_of_either() {
    let by_name = |text: &str| Domain::Name(text.to_owned());
    let by_id = |text: &str| Domain::Id(text.to_owned());
    let table = [
        (json!({}), json!({"domain-name": "X"}), by_name("X"), by_name("X")),
        (json!({}), json!({"domain-id": "7", "domain-name": "X"}), by_id("7"), by_id("7")),
        (json!({"domain-id": "7"}), json!({}), by_id("7"), by_id("7")),
        (json!({"domain-id": "7"}), json!({"domain-name": "X"}), by_name("X"), by_name("X")),
        (json!({"domain-id": "7"}), json!({"user-domain-name": "X"}), by_name("X"), by_id("7")),
        (json!({}), json!({"domain-name": "X", "user-domain-id": "8"}), by_id("8"), by_name("X")),
        (json!({"domain_name": "X", "user_domain_name": "Y"}), json!({}), by_name("Y"), by_name("X")),
    ];
    for (credentials, options, of_user, of_project) in table {
        let said = format!("{credentials} {options}");
        // Juju's own credential names a domain for each of both.
        let given = Given { cloud: Some(CLOUD), credentials: Some(credentials), options, password: None };
        let Identity::Password { user, project, .. } = given.read().unwrap().identity else {
            panic!("no password")
        };
        assert_eq!((user, project), (name("u", of_user), name("t", of_project)), "{said}");
    }
}

#[test]
fn a_wrong_certificate_inside_credentials_is_named() {
    let credentials = json!({"auth-url": "http://k", "username": "u", "password": "p", "project-id": "1", "endpoint-tls-ca": "x"});
    let wrong = Given { credentials: Some(credentials), ..nothing() }.read().unwrap_err();
    assert!(wrong[0].starts_with("credentials: its certificates: expected certificates in PEM"), "{wrong:?}");
}

#[test]
fn an_application_credential_needs_no_project() {
    let by_id = json!({"auth_url": "http://k", "application_credential_id": "1", "application_credential_secret": "s"});
    let credentials = Given { credentials: Some(by_id), ..nothing() }.read().unwrap();
    let Identity::ApplicationCredential { credential: ApplicationCredential::Id(id), .. } =
        credentials.identity
    else {
        panic!("no application credential")
    };
    assert_eq!(id, "1");
    let by_name = json!({"auth-url": "http://k", "application-credential-name": "n", "username": "u",
                         "application-credential-secret": "s", "user-domain-name": "D"});
    let credentials = Given { credentials: Some(by_name), ..nothing() }.read().unwrap();
    let Identity::ApplicationCredential {
        credential: ApplicationCredential::Name { name: of, user }, ..
    } = credentials.identity
    else {
        panic!("no application credential")
    };
    assert_eq!((of.as_str(), user), ("n", name("u", Domain::Name("D".to_owned()))));
}

#[test]
fn what_is_missing_is_named_with_the_cure() {
    assert_eq!(
        nothing().read().unwrap_err(),
        [
            "no cloud credentials: run \"juju trust lb\", or set the option credentials (missing: auth-url, username, \
          password, project-name)"
        ]
    );
    let lacks = Given {
        cloud: Some(r#"{"endpoint": "http://k", "credential": {"attrs": {"username": "u"}}}"#),
        ..nothing()
    };
    assert_eq!(
        lacks.read().unwrap_err(),
        [
            "the cloud's credential in Juju lacks password, project-name; set these options, or the option credentials"
        ]
    );
}

#[test]
fn bad_credentials_are_named_and_never_shown() {
    for text in ["%%%", "aHVudGVyMg==", "WzFd"] {
        let secrets = BTreeMap::from([("credentials".to_owned(), SecretString::from(text))]);
        let wrong = credentials("lb", &BTreeMap::new(), &secrets, CloudCredential::NotAsked).unwrap_err();
        assert!(wrong[0].text.starts_with("credentials: expected base64 of a JSON object"));
        assert!(
            wrong.iter().all(|finding| !finding.text.contains(text) && !finding.text.contains("hunter2"))
        );
    }
}

#[test]
fn a_wrong_certificate_is_named() {
    let wrong =
        Given { options: json!({"endpoint-tls-ca": "hello"}), cloud: Some(CLOUD), ..nothing() }.read();
    assert!(wrong.unwrap_err()[0].starts_with("endpoint-tls-ca: expected certificates in PEM"));
}
