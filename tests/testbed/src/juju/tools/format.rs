//! Output formats: smart, JSON and YAML as Go writes them.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Smart,
    Json,
    Yaml,
}

impl Format {
    /// A value, or nothing at all.
    pub(super) fn print(self, value: Option<&Value>) -> String {
        let value = value.unwrap_or(&Value::Null);
        match self {
            Self::Json => format!("{value}\n"),
            Self::Yaml => yaml(value, 0).trim_start_matches('\n').to_owned(),
            Self::Smart => smart(value),
        }
    }
}

/// Nothing for nothing, bare words, lists line by line, and YAML for the rest (`juju/cmd`, `output.go`).
fn smart(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.is_empty() => String::new(),
        Value::String(text) => format!("{text}\n"),
        Value::Bool(true) => "True\n".to_owned(),
        Value::Bool(false) => "False\n".to_owned(),
        Value::Array(list) => {
            list.iter().fold(String::new(), |all, item| all + item.as_str().unwrap_or_default() + "\n")
        }
        Value::Object(map) if map.is_empty() => "{}\n".to_owned(),
        other => yaml(other, 0).trim_start_matches(['\n', ' ']).to_owned(),
    }
}

fn yaml(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(map) if map.is_empty() => " {}\n".to_owned(),
        Value::Array(list) if list.is_empty() => " []\n".to_owned(),
        Value::Object(map) => {
            let line = |(key, value): (&String, &Value)| {
                let depth = if value.is_array() { depth } else { depth + 1 };
                format!("{indent}{}:{}", scalar(key, depth), yaml(value, depth))
            };
            format!("\n{}", map.iter().map(line).collect::<String>())
        }
        Value::Array(list) => {
            let item = |item: &Value| {
                let text = yaml(item, depth + 1);
                let text = text
                    .strip_prefix('\n')
                    .map_or_else(|| text.trim_start().to_owned(), |text| text.trim_start().to_owned());
                format!("{indent}- {text}")
            };
            format!("\n{}", list.iter().map(item).collect::<String>())
        }
        Value::String(text) => format!(" {}\n", scalar(text, depth)),
        other => format!(" {other}\n"),
    }
}

/// A string as Go's YAML library writes it: quoted where it would read as something else.
fn scalar(text: &str, depth: usize) -> String {
    const WORDS: [&str; 11] = ["", "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"];
    let is_number = text.parse::<f64>().is_ok();
    if is_number || WORDS.contains(&text.to_lowercase().as_str()) {
        return format!("\"{text}\"");
    }
    if text.contains('\n') {
        let indent = "  ".repeat(depth.max(1));
        let (body, mark) = text.strip_suffix('\n').map_or((text, "|-"), |body| (body, "|"));
        let lines: Vec<String> = body.lines().map(|line| format!("{indent}{line}")).collect();
        return format!("{mark}\n{}", lines.join("\n"));
    }
    let first = text.chars().next().unwrap_or_default();
    if "{[&*#?|-<>=!%@`,'\"".contains(first) || text.contains(": ") || text.contains(" #") {
        return format!("'{}'", text.replace('\'', "''"));
    }
    text.to_owned()
}
