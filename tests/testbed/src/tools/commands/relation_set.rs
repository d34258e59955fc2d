//! `relation-set` (`jujuc/relation-set.go`).

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::{APP, Call, RELATION, parsed, relation};
use crate::juju::Session;
use crate::tools::answer::{Answer, Refusal, failure, quoted, usage};
use crate::tools::flags::{Flag, Takes};

pub(super) fn run(session: &mut Session<'_>, call: &Call<'_>) -> Result<Answer, Refusal> {
    let flags = [
        RELATION,
        APP,
        Flag { names: &["file"], takes: Takes::Text },
        Flag { names: &["format"], takes: Takes::Text },
    ];
    let parsed = parsed(session, &flags, call)?;
    let Some(id) = relation(session, &parsed) else {
        return usage("no relation id specified");
    };
    let pairs = key_values(&parsed.arguments)?;
    let mut changes = match parsed.value("file") {
        None | Some("") => BTreeMap::new(),
        Some("-") => from_yaml(call.input.ok_or(Refusal::NeedsInput)?)?,
        Some(file) => match std::fs::read(session.directory().join(file)) {
            Ok(text) => from_yaml(&text)?,
            Err(_) => return failure(format!("open {file}: no such file or directory")),
        },
    };
    changes.extend(pairs);
    if parsed.is_set("app") {
        if !session.is_leader() {
            return failure("cannot write relation settings");
        }
        session.write_application_bag(id, changes).map_err(Refusal::Run)?;
    } else {
        session.write_unit_bag(id, changes).map_err(Refusal::Run)?;
    }
    let mut answer = Answer::default();
    if parsed.value("format").is_some() {
        "--format flag deprecated for command \"relation-set\"".clone_into(&mut answer.stderr);
    }
    Ok(answer)
}

/// `keyvalues.Parse` of juju/utils: keys and values lose the space around them.
fn key_values(arguments: &[String]) -> Result<BTreeMap<String, String>, Refusal> {
    let mut pairs = BTreeMap::new();
    for argument in arguments {
        let expected = || usage(format!("expected \"key=value\", got {}", quoted(argument)));
        let Some((key, value)) = argument.split_once('=') else { return expected() };
        let key = key.trim();
        if key.is_empty() {
            return expected();
        }
        if pairs.insert(key.to_owned(), value.trim().to_owned()).is_some() {
            return usage(format!("key {} specified more than once", quoted(key)));
        }
    }
    Ok(pairs)
}

/// A map of scalars; each keeps the text it was written in, and null is empty.
fn from_yaml(text: &[u8]) -> Result<BTreeMap<String, String>, Refusal> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(BTreeMap::new());
    }
    match serde_yaml::from_slice::<BTreeMap<String, Scalar>>(text) {
        Ok(map) => Ok(map.into_iter().map(|(key, scalar)| (key, scalar.0)).collect()),
        Err(error) => {
            let line = error.location().map_or(1, |location| location.line());
            let text = error.to_string();
            let kind = [("invalid type: sequence", "!!seq"), ("invalid type: map", "!!map")]
                .into_iter()
                .find(|(said, _)| text.contains(said));
            match kind {
                Some((_, kind)) => failure(format!(
                    "yaml: unmarshal errors:\n  line {line}: cannot unmarshal {kind} into string"
                )),
                None => failure(format!("yaml: line {line}: {text}")),
            }
        }
    }
}

/// A scalar as it was written: `1.50` is not 1.5, and null is nothing.
struct Scalar(String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Text>::deserialize(deserializer)
            .map(|text| Self(text.map_or_else(String::new, |text| text.0)))
    }
}

struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl Visitor<'_> for TextVisitor {
            type Value = Text;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a scalar")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}
