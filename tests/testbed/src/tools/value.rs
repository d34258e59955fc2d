//! A value on its way out: keeps the order of members where Go's structs do, and prints JSON as Go does.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// What a tool prints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number in its own text.
    Number(String),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
    /// A map whose members keep this order.
    pub(crate) fn map<const N: usize>(members: [(&str, Value); N]) -> Self {
        Self::Map(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// A list of texts.
    pub(crate) fn texts(items: impl IntoIterator<Item = String>) -> Self {
        Self::List(items.into_iter().map(Self::Text).collect())
    }

    /// As Go's `json.Marshal` prints it: one line, and `<`, `>` and `&` escaped.
    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(text) => text.clone(),
            Self::Text(text) => go_string(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_json).collect();
                format!("[{}]", items.join(","))
            }
            Self::Map(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(key, value)| format!("{}:{}", go_string(key), value.to_json()))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }
}

fn go_string(text: &str) -> String {
    Json::from(text)
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&BTreeMap<String, String>> for Value {
    fn from(bag: &BTreeMap<String, String>) -> Self {
        Self::Map(bag.iter().map(|(key, value)| (key.clone(), Self::Text(value.clone()))).collect())
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            // Go prints a float without a fraction as a whole number.
            Json::Number(number) => {
                let text = number.to_string();
                Self::Number(text.strip_suffix(".0").unwrap_or(&text).to_owned())
            }
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(members) => {
                Self::Map(members.iter().map(|(key, value)| (key.clone(), Self::from(value))).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_what_go_makes_of_it() {
        let json = serde_json::json!({"b": "<a & b>", "a": [1, 2.0, 2.5, true, null, "\"\n\u{1f600}"]});
        let expected = "{\"a\":[1,2,2.5,true,null,\"\\\"\\n\u{1f600}\"],\"b\":\"\\u003ca \\u0026 b\\u003e\"}";
        assert_eq!(Value::from(&json).to_json(), expected);
    }
}
