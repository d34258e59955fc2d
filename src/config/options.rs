//! The mirror of `config.yaml`, and how values are read from it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::finding::Finding;
use crate::model::port::Port;

/// One option; a test holds this table against `config.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpecification {
    /// Its name.
    pub name: &'static str,
    /// Its type and default.
    pub default: Default,
    /// Its value must never be shown.
    pub secret: bool,
}

/// An option's type and default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// A string; empty means unset.
    Text(&'static str),
    /// An integer with a default.
    Number(i64),
    /// A string without a default.
    NoText,
    /// An integer without a default.
    NoNumber,
}

const fn text(name: &'static str) -> OptionSpecification {
    OptionSpecification { name, default: Default::Text(""), secret: false }
}

const fn secret(name: &'static str) -> OptionSpecification {
    OptionSpecification { secret: true, ..text(name) }
}

const fn option(name: &'static str, default: Default) -> OptionSpecification {
    OptionSpecification { default, ..text(name) }
}

/// Every option.
pub const OPTIONS: &[OptionSpecification] = &[
    secret("credentials"),
    text("auth-url"),
    text("username"),
    secret("password"),
    text("project-name"),
    text("project-id"),
    text("user-domain-name"),
    text("user-domain-id"),
    text("project-domain-name"),
    text("project-domain-id"),
    text("region"),
    text("endpoint-tls-ca"),
    text("domain-name"),
    text("domain-id"),
    text("lb-subnet"),
    text("lb-floating-network"),
    option("lb-port", Default::Number(443)),
    option("lb-provider", Default::NoText),
    option("lb-flavor", Default::NoText),
    option("lb-availability-zone", Default::NoText),
    option("lb-allowed-cidrs", Default::NoText),
    option("lb-name-template", Default::Text("{{ app }}-{{ model }}-{{ consumer }}-{{ request }}")),
    option("lb-vip-address", Default::NoText),
    option("website-source", Default::NoText),
    option("lb-method", Default::Text("ROUND_ROBIN")),
    option("lb-idle-timeout", Default::Number(3600)),
    option("lb-connect-timeout", Default::Number(5)),
    option("monitor-type", Default::Text("auto")),
    option("monitor-delay", Default::NoNumber),
    option("monitor-timeout", Default::NoNumber),
    option("monitor-max-retries", Default::NoNumber),
    option("monitor-max-retries-down", Default::NoNumber),
    option("monitor-url-path", Default::NoText),
    option("monitor-http-method", Default::NoText),
    option("monitor-expected-codes", Default::NoText),
    option("provisioning-timeout", Default::Number(120)),
];

/// The options whose values must never be shown.
pub fn secret_names() -> Vec<&'static str> {
    OPTIONS.iter().filter(|option| option.secret).map(|option| option.name).collect()
}

/// Reads options and collects all that is wrong with them.
pub(super) struct Reader<'a> {
    options: &'a BTreeMap<String, Value>,
    pub(super) wrong: Vec<Finding>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(options: &'a BTreeMap<String, Value>) -> Self {
        Self { options, wrong: Vec::new() }
    }

    /// A string that is set, without the spaces around it.
    pub(super) fn text(&mut self, name: &'static str) -> Option<&'a str> {
        match self.options.get(name) {
            None | Some(Value::Null) => default_text(name),
            Some(Value::String(text)) => Some(text.trim()).filter(|text| !text.is_empty()),
            Some(other) => {
                self.refuse(name, other, "expected text");
                None
            }
        }
    }

    /// A string that means something.
    pub(super) fn parsed<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.text(name)?;
        match parse(text) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.wrong.push(Finding::blocked(format!("{name}: {reason}")));
                None
            }
        }
    }

    /// One of several words.
    pub(super) fn choice<T: Copy>(&mut self, name: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.parsed(name, |text| {
            let found = choices.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
            found.ok_or_else(|| {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                format!("expected one of {}, got {text:?}", words.join(", "))
            })
        })
    }

    /// A whole number within bounds; none if it is unset and has no default.
    pub(super) fn number(&mut self, name: &'static str, least: u32, most: u32, unit: &str) -> Option<u32> {
        let value = match self.options.get(name) {
            None | Some(Value::Null) => default_number(name)?,
            Some(value) => value.as_i64().unwrap_or(i64::MIN),
        };
        let number = u32::try_from(value).ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let got = self.options.get(name).unwrap_or(&Value::Null).clone();
            self.refuse(name, &got, &format!("expected {unit} from {least} to {most}"));
        }
        number
    }

    /// A port; its default where it is wrong, since then the whole is refused anyway.
    pub(super) fn port(&mut self, name: &'static str) -> Port {
        const HTTPS: Port = Port::new(443).unwrap();
        let number = self.number(name, 1, u32::from(u16::MAX), "a port");
        number.and_then(|number| Port::new(u16::try_from(number).ok()?)).unwrap_or(HTTPS)
    }

    fn refuse(&mut self, name: &str, value: &Value, expected: &str) {
        self.wrong.push(Finding::blocked(format!("{name}: {expected}, got {value}")));
    }
}

fn default(name: &str) -> Option<Default> {
    OPTIONS.iter().find(|option| option.name == name).map(|option| option.default)
}

fn default_text(name: &str) -> Option<&'static str> {
    match default(name)? {
        Default::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Default::Number(_) | Default::NoText | Default::NoNumber => None,
    }
}

fn default_number(name: &str) -> Option<i64> {
    match default(name)? {
        Default::Number(number) => Some(number),
        Default::Text(_) | Default::NoText | Default::NoNumber => None,
    }
}
