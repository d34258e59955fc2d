//! `credential-get` (`jujuc/credential-get.go`; the struct is `rpc/params/cloud.go` `CloudSpec` as JSON, and
//! `environs/cloudspec` without tags as YAML, hence the two spellings).

use serde_json::Value as Json;

use super::{Call, parsed};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, check_empty, failure};
use crate::tools::format::{FORMAT, OUTPUT, print};
use crate::tools::value::Value;

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let parsed = parsed(session, &[FORMAT, OUTPUT], call)?;
    check_empty(&parsed.arguments)?;
    let Some(cloud) = session.credential() else {
        return failure("cannot access cloud credentials: permission denied");
    };
    let value = if parsed.value("format") == Some("json") { as_json(cloud) } else { as_yaml(cloud) };
    print(&parsed, "smart", session.directory(), &value)
}

/// In the order of the struct's fields, without the empty ones.
fn as_json(cloud: &Json) -> Value {
    const FIELDS: [&str; 10] = [
        "type",
        "name",
        "region",
        "endpoint",
        "identity-endpoint",
        "storage-endpoint",
        "credential",
        "cacertificates",
        "skip-tls-verify",
        "is-controller-cloud",
    ];
    let members = FIELDS.into_iter().filter_map(|field| {
        let value = cloud.get(field).filter(|value| !matches!(value, Json::Null | Json::Bool(false)))?;
        let value = if field == "credential" { credential_as_json(value) } else { Value::from(value) };
        Some((field.to_owned(), value))
    });
    Value::Map(members.collect())
}

fn credential_as_json(credential: &Json) -> Value {
    let members = ["auth-type", "attrs"]
        .into_iter()
        .filter_map(|field| Some((field.to_owned(), Value::from(credential.get(field)?))));
    Value::Map(members.collect())
}

fn as_yaml(cloud: &Json) -> Value {
    let text = |field: &str| Value::from(cloud.get(field).and_then(Json::as_str).unwrap_or_default());
    let flag = |field: &str| Value::Bool(cloud.get(field).and_then(Json::as_bool).unwrap_or_default());
    let list = |value: Option<&Json>| value.map_or(Value::List(Vec::new()), Value::from);
    let credential = cloud.get("credential").map_or(Value::Null, |credential| {
        Value::map([
            ("authtype", Value::from(credential.get("auth-type").unwrap_or(&Json::Null))),
            ("attributes", Value::from(credential.get("attrs").unwrap_or(&Json::Null))),
            ("redacted", list(credential.get("redacted"))),
        ])
    });
    Value::map([
        ("type", text("type")),
        ("name", text("name")),
        ("region", text("region")),
        ("endpoint", text("endpoint")),
        ("identityendpoint", text("identity-endpoint")),
        ("storageendpoint", text("storage-endpoint")),
        ("credential", credential),
        ("cacertificates", list(cloud.get("cacertificates"))),
        ("skiptlsverify", flag("skip-tls-verify")),
        ("iscontrollercloud", flag("is-controller-cloud")),
    ])
}
