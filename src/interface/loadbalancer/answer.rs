//! Answers: exactly five keys, since the library refuses any other, and its users with it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::Bag;
use crate::model::answer::Answer;

/// `response_<name>`, sorted as the library writes it.
#[derive(Debug, Serialize, Deserialize)]
struct Response {
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    error_fields: BTreeMap<String, String>,
    #[serde(default)]
    error_message: Option<String>,
    #[serde(default)]
    received_hash: Option<String>,
}

/// What was answered before, by request name; what cannot be read is left out.
pub fn read_answers(own_bag: &Bag) -> BTreeMap<String, Answer> {
    let answers =
        own_bag.iter().filter_map(|(key, text)| Some((key.strip_prefix("response_")?, read(text)?)));
    answers.map(|(name, answer)| (name.to_owned(), answer)).collect()
}

/// Our application's databag.
pub fn write_answers(answers: &BTreeMap<String, Answer>) -> Bag {
    let mut bag = Bag::from([("version".to_owned(), "1".to_owned())]);
    bag.extend(
        answers.iter().filter_map(|(name, answer)| Some((format!("response_{name}"), write(answer)?))),
    );
    bag
}

fn read(text: &str) -> Option<Answer> {
    let Response { address, error, error_fields, error_message: _, received_hash } =
        serde_json::from_str(text).ok()?;
    if error.is_some() {
        return Some(Answer::Unsupported { fields: error_fields, received_hash });
    }
    let address: IpAddr = address?.parse().ok()?;
    Some(Answer::Address { address, received_hash })
}

fn write(answer: &Answer) -> Option<String> {
    let response = match answer.clone() {
        Answer::Address { address, received_hash } => Response {
            address: Some(address.to_string()),
            error: None,
            error_fields: BTreeMap::new(),
            error_message: None,
            received_hash,
        },
        Answer::Unsupported { fields, received_hash } => Response {
            address: None,
            error: Some("unsupported".to_owned()),
            error_fields: fields,
            error_message: None,
            received_hash,
        },
    };
    serde_json::to_string(&response).ok()
}
