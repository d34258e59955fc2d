//! The option `lb-name-template`: what load balancers are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a template may ask for.
pub const VARIABLES: [&str; 4] = ["app", "model", "consumer", "request"];

/// Text with `{{ name }}` of four variables, and nothing else of what templates can do: one that loops would loop as root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NameTemplate(String);

impl NameTemplate {
    /// The text, a valid template.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for NameTemplate {
    fn default() -> Self {
        Self("{{ app }}-{{ model }}-{{ consumer }}-{{ request }}".to_owned())
    }
}

impl FromStr for NameTemplate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "expected text with {{{{ {} }}}}, got {text:?}: {what}",
                VARIABLES.join(" }}, {{ ").replace(", {{ request", " or {{ request")
            )
        };
        let mut rest = text;
        while let Some(start) = rest.find(['{', '}']) {
            let Some(after) = rest[start..].strip_prefix("{{") else {
                return Err(wrong("braces stand only around these names"));
            };
            let (name, after) = after.split_once("}}").ok_or_else(|| wrong("a {{ has no }}"))?;
            // Tera knows no other white space.
            let name = name.trim_matches([' ', '\t', '\r', '\n']);
            if !VARIABLES.contains(&name) {
                return Err(wrong(&format!("{name:?} is none of them")));
            }
            rest = after;
        }
        if text.trim().is_empty() {
            return Err(wrong("it is empty"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for NameTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<NameTemplate> for String {
    fn from(template: NameTemplate) -> Self {
        template.0
    }
}

impl fmt::Display for NameTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_holds_four_names_and_nothing_else() {
        for good in
            ["{{ app }}-{{ model }}-{{ consumer }}-{{ request }}", "k8s", "a {{request}}", "{{ app }}%#|()"]
        {
            assert!(good.parse::<NameTemplate>().is_ok(), "{good}");
        }
        for (bad, why) in [
            ("", "it is empty"),
            ("{% for x in range(end=9) %}{% endfor %}", "braces stand only around these names"),
            ("{# x #}", "braces stand only around these names"),
            ("{{ app | upper }}", "\"app | upper\" is none of them"),
            ("{{ range(end=9) }}", "\"range(end=9)\" is none of them"),
            ("{{ unit }}", "\"unit\" is none of them"),
            ("{{\u{a0}app }}", "\"\\u{a0}app\" is none of them"),
            ("{{- app -}}", "\"- app -\" is none of them"),
            ("{{ app", "a {{ has no }}"),
            ("app }}", "braces stand only around these names"),
            ("{{ {{ app }} }}", "\"{{ app\" is none of them"),
            ("{{ app }}}", "braces stand only around these names"),
        ] {
            let error = bad.parse::<NameTemplate>().unwrap_err();
            assert!(error.contains(&format!("got {bad:?}: {why}")), "{error}");
        }
        let error = "".parse::<NameTemplate>().unwrap_err();
        assert!(
            error.starts_with(
                "expected text with {{ app }}, {{ model }}, {{ consumer }} or {{ request }}, got"
            ),
            "{error}"
        );
    }
}
