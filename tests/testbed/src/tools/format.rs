//! `--format` and `--output`, which all reading tools have (juju/cmd, `output.go`).

use std::fs;
use std::path::Path;

use super::answer::{Answer, Refusal, failure};
use super::flags::{Flag, Parsed, Takes};
use super::value::Value;
use super::yaml;

/// `--format`, smart by default.
pub(crate) const FORMAT: Flag = Flag { names: &["format"], takes: Takes::Format(&["json", "smart", "yaml"]) };
/// `--output FILE`.
pub(crate) const OUTPUT: Flag = Flag { names: &["output", "o"], takes: Takes::Text };

/// Prints the value in the format that was asked for, to the file if one was named.
pub(crate) fn print(
    parsed: &Parsed,
    default: &str,
    directory: &Path,
    value: &Value,
) -> Result<Answer, Refusal> {
    let text = match parsed.value("format").unwrap_or(default) {
        "json" => format!("{}\n", value.to_json()),
        "yaml" => yaml::write(value),
        _ => smart(value),
    };
    match parsed.value("output") {
        None | Some("") => Ok(Answer::printed(text)),
        Some(file) => match fs::write(directory.join(file), text) {
            Ok(()) => Ok(Answer::default()),
            Err(error) => failure(format!("open {file}: {error}")),
        },
    }
}

fn smart(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Text(text) if text.is_empty() => String::new(),
        Value::Text(text) => format!("{text}\n"),
        Value::Bool(true) => "True\n".to_owned(),
        Value::Bool(false) => "False\n".to_owned(),
        Value::List(items) if items.iter().all(|item| matches!(item, Value::Text(_))) => {
            items.iter().map(smart).collect()
        }
        other => yaml::write(other),
    }
}
