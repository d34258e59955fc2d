//! Flags as Juju's command line reads them (`juju/gnuflag`): anywhere, until `--`.

use super::format::Format;
use super::{No, bad};

#[derive(Debug, Default)]
pub(super) struct Parsed {
    values: Vec<(String, String)>,
    switches: Vec<String>,
    positional: Vec<String>,
}

impl Parsed {
    /// `valued` flags take a value, `switches` do not; everything else with a dash is unknown.
    pub(super) fn read(arguments: &[String], valued: &[&str], switches: &[&str]) -> Result<Self, No> {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--" {
                parsed.positional.extend(rest.cloned());
                break;
            }
            // A single dash is a word.
            if !argument.starts_with('-') || argument == "-" {
                parsed.positional.push(argument.clone());
                continue;
            }
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) => (flag.to_owned(), Some(value.to_owned())),
                None => (argument.clone(), None),
            };
            // Short flags stand together: -dash is -d -a -s -h, and the first unknown one is named.
            let flag = if flag.starts_with("--") { flag } else { flag.chars().take(2).collect() };
            if switches.contains(&flag.as_str()) {
                parsed.switches.push(flag);
            } else if valued.contains(&flag.as_str()) {
                let attached =
                    argument.strip_prefix(&flag).filter(|rest| !rest.is_empty() && !flag.starts_with("--"));
                let value = match (value, attached) {
                    (Some(value), _) => value,
                    (None, Some(attached)) => attached.to_owned(),
                    (None, None) => match rest.next() {
                        Some(value) => value.clone(),
                        None => return Err(bad(format!("option needs an argument: {flag}"))),
                    },
                };
                parsed.values.push((flag, value));
            } else {
                return Err(bad(format!("option provided but not defined: {flag}")));
            }
        }
        Ok(parsed)
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.switches.iter().any(|one| one == flag)
    }

    pub(super) fn value(&self, flags: &[&str]) -> Option<&str> {
        let mut found = self.values.iter().rev();
        found.find(|(flag, _)| flags.contains(&flag.as_str())).map(|(_, value)| value.as_str())
    }

    pub(super) fn positional(&self) -> &[String] {
        &self.positional
    }

    /// The positional arguments, if there are no more than this.
    pub(super) fn at_most(&self, count: usize) -> Result<&[String], No> {
        match self.positional.get(count..) {
            Some(rest) if !rest.is_empty() => Err(unrecognised(rest)),
            _ => Ok(&self.positional),
        }
    }

    pub(super) fn format(&self) -> Result<Format, No> {
        match self.value(&["--format"]) {
            None | Some("smart") => Ok(Format::Smart),
            Some("json") => Ok(Format::Json),
            Some("yaml") => Ok(Format::Yaml),
            Some(other) => {
                Err(bad(format!("invalid value {other:?} for option --format: unknown format {other:?}")))
            }
        }
    }
}

pub(super) fn unrecognised(rest: &[String]) -> No {
    let words: Vec<String> = rest.iter().map(|word| format!("{word:?}")).collect();
    bad(format!("unrecognized args: [{}]", words.join(" ")))
}
