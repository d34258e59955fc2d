//! YAML as Go's yaml.v2 and yaml.v3 print it for the values that hook tools have.

use super::value::Value;

/// The document, with its final newline.
pub(crate) fn write(value: &Value) -> String {
    let mut text = String::new();
    node(&mut text, value, 0);
    text
}

fn node(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Map(members) if !members.is_empty() => {
            for (at, (key, member)) in members.iter().enumerate() {
                if at > 0 {
                    pad(text, indent);
                }
                text.push_str(&scalar(key, indent));
                text.push(':');
                nested(text, member, indent);
            }
        }
        Value::List(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    pad(text, indent);
                }
                text.push_str("- ");
                node(text, item, indent + 2);
            }
        }
        flat => {
            text.push_str(&inline(flat, indent));
            text.push('\n');
        }
    }
}

/// A member's value: maps go one step in, lists stand right under their key.
fn nested(text: &mut String, value: &Value, indent: usize) {
    let step = match value {
        Value::Map(members) if !members.is_empty() => 2,
        Value::List(items) if !items.is_empty() => 0,
        flat => {
            text.push(' ');
            text.push_str(&inline(flat, indent + 2));
            text.push('\n');
            return;
        }
    };
    text.push('\n');
    pad(text, indent + step);
    node(text, value, indent + step);
}

fn pad(text: &mut String, indent: usize) {
    text.extend(std::iter::repeat_n(' ', indent));
}

fn inline(value: &Value, indent: usize) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.clone(),
        Value::Text(text) => scalar(text, indent),
        Value::List(_) => "[]".to_owned(),
        Value::Map(_) => "{}".to_owned(),
    }
}

fn scalar(text: &str, indent: usize) -> String {
    if text.contains('\n') && !text.contains(|c: char| c.is_control() && c != '\n') {
        return literal(text, indent);
    }
    if text.is_empty() || reads_as_another_type(text) || text.contains(char::is_control) {
        return super::answer::quoted(text);
    }
    if plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

fn literal(text: &str, indent: usize) -> String {
    let body = text.trim_end_matches('\n');
    let sign = match text.len() - body.len() {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let mut result = format!("|{sign}");
    for line in body.split('\n') {
        result.push('\n');
        if !line.is_empty() {
            pad(&mut result, indent);
            result.push_str(line);
        }
    }
    result
}

/// Whether the text without quotes would be read as a number, a boolean (with the words of YAML 1.1) or null.
fn reads_as_another_type(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".nan", ".inf"];
    let lower = text.to_ascii_lowercase();
    if WORDS.contains(&lower.as_str()) {
        return true;
    }
    let digits = lower.trim_start_matches(['+', '-']);
    let number = digits.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        number.strip_prefix(prefix).is_some_and(|rest| u64::from_str_radix(rest, radix).is_ok())
    };
    let starts_as_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    (starts_as_number && number.parse::<f64>().is_ok()) || radix("0x", 16) || radix("0b", 2) || radix("0o", 8)
}

fn plain(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let second_is_space = text.chars().nth(1).is_none_or(|c| c == ' ');
    let indicator = "{}[],#&*!|>'\"%@`".contains(first) || ("-?:".contains(first) && second_is_space);
    let padded = text.starts_with(' ') || text.ends_with(' ');
    !(indicator || padded || text.contains(": ") || text.contains(" #") || text.ends_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_only_where_they_would_be_read_as_something_else() {
        let texts = [
            ("plain text", "plain text"),
            ("10.0.0.5/32", "10.0.0.5/32"),
            ("https://k:5000/v3", "https://k:5000/v3"),
            ("", "\"\""),
            ("1", "\"1\""),
            ("1e3", "\"1e3\""),
            ("0x10", "\"0x10\""),
            ("yes", "\"yes\""),
            ("~", "\"~\""),
            ("{\"x\": 1}", "'{\"x\": 1}'"),
            ("it's: so", "'it''s: so'"),
            (" padded", "' padded'"),
            ("- item", "'- item'"),
            ("a\tb", "\"a\\tb\""),
        ];
        for (text, expected) in texts {
            assert_eq!(write(&Value::from(text)), format!("{expected}\n"));
        }
    }

    #[test]
    fn lists_stand_under_their_key_and_maps_one_step_in() {
        let value = Value::map([
            ("list", Value::texts(["a".to_owned(), "two\nlines\n".to_owned()])),
            ("map", Value::map([("empty", Value::Map(Vec::new())), ("none", Value::List(Vec::new()))])),
        ]);
        assert_eq!(write(&value), "list:\n- a\n- |\n  two\n  lines\nmap:\n  empty: {}\n  none: []\n");
    }
}
