//! Values as Python writes them: error texts quote them.

use serde_json::Value;

/// `str(value)`.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr(value)`.
pub(super) fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(repr).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), repr(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// Single quotes, unless only those are in the text.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if other == quote => {
                quoted.push('\\');
                quoted.push(other);
            }
            other => quoted.push(other),
        }
    }
    quoted.push(quote);
    quoted
}

/// What a value of this sort is called in Python.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{repr, text};

    #[test]
    fn values_are_written_as_python_writes_them() {
        for (value, expected) in [
            (json!(null), "None"),
            (json!(true), "True"),
            (json!(5), "5"),
            (json!(1.5), "1.5"),
            (json!("it's"), "\"it's\""),
            (json!("it's \"so\""), r#"'it\'s "so"'"#),
            (json!(["a", 5, null]), "['a', 5, None]"),
            (json!({"b": [false], "a": "x"}), "{'a': 'x', 'b': [False]}"),
        ] {
            assert_eq!(repr(&value), expected);
        }
        assert_eq!(text(&json!("bad")), "bad");
        assert_eq!(text(&json!(["x"])), "['x']");
    }
}
