//! Flags as `juju/gnuflag` parses them for hook tools, where a flag is called an option.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Refusal, quoted, usage};

/// One flag of a tool.
pub(crate) struct Flag {
    /// All its names without dashes; the first one is the key to ask for.
    pub(crate) names: &'static [&'static str],
    /// Whether it takes a value.
    pub(crate) takes: Takes,
}

/// What a flag takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing, or `=true` and `=false`.
    Nothing,
    /// Any text.
    Text,
    /// The id of a relation, looked up the moment the flag is read.
    Relation,
    /// The name of an output format.
    Format(&'static [&'static str]),
}

/// What was on the command line.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    switches: BTreeSet<&'static str>,
    values: BTreeMap<&'static str, String>,
    /// What is not a flag, in order.
    pub(crate) arguments: Vec<String>,
}

impl Parsed {
    /// Whether a flag that takes nothing is on.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.switches.contains(name)
    }

    /// The value of a flag that takes one.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }
}

/// Checks the value of a relation flag: `Err` holds what Juju says is wrong with it.
pub(crate) type RelationLookup<'a> = &'a dyn Fn(&str) -> Result<(), String>;

/// Parses flags and arguments, which may be mixed; after `--` nothing is a flag.
pub(crate) fn parse(flags: &[Flag], line: &[String], lookup: RelationLookup<'_>) -> Result<Parsed, Refusal> {
    let mut parser = Parser { flags, lookup, parsed: Parsed::default() };
    let mut rest = line.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            parser.parsed.arguments.extend(rest.cloned());
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            parser.long(long, &mut rest)?;
        } else if let Some(short) = word.strip_prefix('-').filter(|short| !short.is_empty()) {
            parser.short(short, &mut rest)?;
        } else {
            parser.parsed.arguments.push(word.clone());
        }
    }
    Ok(parser.parsed)
}

struct Parser<'a> {
    flags: &'a [Flag],
    lookup: RelationLookup<'a>,
    parsed: Parsed,
}

impl Parser<'_> {
    fn long<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a String>) -> Result<(), Refusal> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        self.set(name, value, rest)
    }

    fn short<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a String>) -> Result<(), Refusal> {
        for (at, letter) in word.char_indices() {
            let name = letter.to_string();
            let after = &word[at + letter.len_utf8()..];
            let takes_value = self.find(&name).is_some_and(|flag| flag.takes != Takes::Nothing);
            let value = (takes_value && !after.is_empty()).then(|| after.to_owned());
            self.set(&name, value, rest)?;
            if takes_value {
                break;
            }
        }
        Ok(())
    }

    /// One or two dashes, gnuflag looks the name up in the same table.
    fn find(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.names.contains(&name))
    }

    fn set<'a>(
        &mut self,
        name: &str,
        value: Option<String>,
        rest: &mut impl Iterator<Item = &'a String>,
    ) -> Result<(), Refusal> {
        let shown = &format!("{}{name}", if name.chars().count() == 1 { "-" } else { "--" });
        let Some(flag) = self.find(name) else {
            return if name == "help" || name == "h" {
                Err(Refusal::Help(String::new()))
            } else {
                usage(format!("option provided but not defined: {shown}"))
            };
        };
        let (key, takes) = (flag.names[0], flag.takes);
        if takes == Takes::Nothing {
            return self.switch(key, shown, value.as_deref());
        }
        let Some(value) = value.or_else(|| rest.next().cloned()) else {
            return usage(format!("option needs an argument: {shown}"));
        };
        let invalid =
            |why: String| usage(format!("invalid value {} for option {shown}: {why}", quoted(&value)));
        match takes {
            Takes::Relation => {
                if let Err(why) = (self.lookup)(&value) {
                    return invalid(why);
                }
            }
            Takes::Format(known) if !known.contains(&value.as_str()) => {
                return invalid(format!("unknown format {}", quoted(&value)));
            }
            _ => {}
        }
        self.parsed.values.insert(key, value);
        Ok(())
    }

    fn switch(&mut self, key: &'static str, shown: &str, value: Option<&str>) -> Result<(), Refusal> {
        // The words that Go's strconv.ParseBool knows.
        match value.unwrap_or("true") {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => self.parsed.switches.insert(key),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => self.parsed.switches.remove(key),
            other => {
                let word = quoted(other);
                return usage(format!(
                    "invalid boolean value {word} for option {shown}: strconv.ParseBool: parsing {word}: invalid syntax"
                ));
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: [Flag; 3] = [
        Flag { names: &["r", "relation"], takes: Takes::Text },
        Flag { names: &["app"], takes: Takes::Nothing },
        Flag { names: &["format"], takes: Takes::Format(&["json", "smart"]) },
    ];

    fn read(line: &str) -> Result<Parsed, Refusal> {
        let line: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&FLAGS, &line, &|_| Ok(()))
    }

    #[test]
    fn a_value_may_stand_in_any_place() {
        for line in
            ["-r 7 x", "-r7 x", "--relation 7 x", "--relation=7 x", "--r 7 x", "x -r 7", "-r 9 x -r 7"]
        {
            let parsed = read(line).unwrap();
            assert_eq!(
                (parsed.value("r"), parsed.arguments.as_slice()),
                (Some("7"), ["x".to_owned()].as_slice())
            );
        }
    }

    #[test]
    fn switches_can_be_switched_off() {
        assert!(read("--app").unwrap().is_set("app"));
        assert!(read("--app=1").unwrap().is_set("app"));
        assert!(!read("--app --app=false").unwrap().is_set("app"));
    }

    #[test]
    fn nothing_is_a_flag_after_two_dashes_and_one_dash_never_is() {
        assert_eq!(read("- -- --app -x").unwrap().arguments, ["-", "--app", "-x"]);
    }

    #[test]
    fn wrong_flags_are_refused_in_the_words_of_gnuflag() {
        let wrong = [
            ("--bogus", "option provided but not defined: --bogus"),
            ("-abc", "option provided but not defined: -a"),
            ("--x", "option provided but not defined: -x"),
            ("-r", "option needs an argument: -r"),
            ("--format", "option needs an argument: --format"),
            ("--format=xml", "invalid value \"xml\" for option --format: unknown format \"xml\""),
        ];
        for (line, text) in wrong {
            assert_eq!(read(line).unwrap_err(), Refusal::Usage(text.to_owned()), "{line}");
        }
    }
}
