//! Request bodies, read as WSME reads them (`wsme/rest/json.py`, `wsme/types.py`): the same order, the same texts.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::super::answer::{Answer, Result, fault};
use super::super::python;
use super::super::server::Body;
use super::super::value;

/// An object as a request gives it: what is not given and has no default is absent.
pub(super) type Given = Map<String, Value>;

/// What a field may hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Is {
    /// Text of at most so many characters.
    Text(usize),
    Boolean,
    /// A whole number within bounds.
    Whole(i64, i64),
    Uuid,
    Address,
    OneOf(&'static [&'static str]),
    HttpVersion,
    UrlPath,
    Codes,
    Domain,
    Texts(usize),
    Uuids,
    Cidrs,
    /// Header names and texts.
    Texted,
    One(&'static [Field]),
    Many(&'static [Field]),
}

/// What stands for a field that is not given.
#[derive(Debug, Clone, Copy)]
pub(super) enum Default {
    Absent,
    Mandatory,
    Null,
    True,
    False,
    Number(i64),
    Word(&'static str),
    Empty,
}

/// One attribute of a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) is: Is,
    pub(super) default: Default,
}

/// A body: `{"pool": {…}}` for an argument that the controller calls `pool_`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) argument: &'static str,
    pub(super) name: &'static str,
    /// What the controller asks the object for first: it says so where there is no object.
    pub(super) first: &'static str,
    pub(super) fields: &'static [Field],
}

/// Why a value is refused.
enum Wrong {
    /// WSME names the whole argument.
    Conversion(String),
    Unknown(String, Vec<String>),
    Said(Answer),
}

/// The object in a request's body.
pub(super) fn read(root: &Root, body: &Body) -> Result<Given> {
    let whole = given(root.argument, body)?;
    let fields = [Field { name: root.name, is: Is::One(root.fields), default: Default::Absent }];
    let mut outer = object(&fields, whole).map_err(|wrong| wrong.answer(root.argument, whole))?;
    match outer.remove(root.name) {
        Some(Value::Object(given)) => Ok(given),
        missing => Err(no_object(missing.as_ref(), &format!("has no attribute '{}'", root.first))),
    }
}

/// The objects in the body of a batch.
pub(super) fn read_many(
    argument: &str,
    name: &'static str,
    fields: &'static [Field],
    body: &Body,
) -> Result<Vec<Given>> {
    let whole = given(argument, body)?;
    let root = [Field { name, is: Is::Many(fields), default: Default::Absent }];
    let mut outer = object(&root, whole).map_err(|wrong| wrong.answer(argument, whole))?;
    match outer.remove(name) {
        Some(Value::Array(many)) => {
            Ok(many.into_iter().map(|one| one.as_object().cloned().unwrap_or_default()).collect())
        }
        missing => Err(no_object(missing.as_ref(), "is not iterable")),
    }
}

fn given<'a>(argument: &str, body: &'a Body) -> Result<&'a Value> {
    match body {
        Body::Absent => Err(fault(400, format!("Missing argument: \"{argument}\""))),
        Body::Garbage => Err(fault(400, "Request is not in valid JSON format")),
        Body::Json(whole) => Ok(whole),
    }
}

/// Octavia's controllers take the object for granted (recorded).
fn no_object(what: Option<&Value>, why: &str) -> Answer {
    let what = if what.is_some() { "NoneType" } else { "UnsetType" };
    fault(500, format!("'{what}' object {why}"))
}

fn object(fields: &[Field], value: &Value) -> std::result::Result<Given, Wrong> {
    let Value::Object(value) = value else {
        let text = format!("'{}' object has no attribute 'keys'", python::type_name(value));
        return Err(Wrong::Said(fault(500, text)));
    };
    let unknown: Vec<String> =
        value.keys().filter(|key| fields.iter().all(|field| field.name != *key)).cloned().collect();
    if !unknown.is_empty() {
        return Err(Wrong::Unknown(String::new(), unknown));
    }
    let mut given = Given::new();
    for field in fields {
        match value.get(field.name) {
            Some(value) => {
                given.insert(field.name.to_owned(), field.read(value)?);
            }
            None => {
                if let Some(default) = field.missing()? {
                    given.insert(field.name.to_owned(), default);
                }
            }
        }
    }
    Ok(given)
}

impl Field {
    fn missing(&self) -> std::result::Result<Option<Value>, Wrong> {
        Ok(Some(match self.default {
            Default::Absent => return Ok(None),
            Default::Mandatory => {
                return Err(Wrong::Said(invalid(self.name, &Value::Null, "Mandatory field missing.")));
            }
            Default::Null => Value::Null,
            Default::True => true.into(),
            Default::False => false.into(),
            Default::Number(number) => number.into(),
            Default::Word(word) => word.into(),
            Default::Empty => Value::Array(Vec::new()),
        }))
    }

    fn read(&self, value: &Value) -> std::result::Result<Value, Wrong> {
        if value.is_null() {
            return Ok(Value::Null);
        }
        let nested = |fields: &[Field], value: &Value| {
            object(fields, value).map(Value::Object).map_err(|wrong| wrong.below(self.name))
        };
        let converted = match self.is {
            Is::One(fields) => return nested(fields, value),
            Is::Many(fields) => {
                return list(value)?.iter().map(|one| nested(fields, one)).collect();
            }
            Is::Texts(_) | Is::Uuids | Is::Cidrs => Value::from(list(value)?.clone()),
            Is::Boolean => value::boolean(value).map_err(Wrong::Conversion)?,
            Is::Whole(..) => value::whole(value).map_err(Wrong::Conversion)?,
            Is::HttpVersion => value::decimal(value).map_err(Wrong::Conversion)?,
            _ => value.clone(),
        };
        match self.is.check(&converted) {
            Ok(value) => Ok(value),
            Err(why) => Err(Wrong::Said(invalid(self.name, &converted, &why))),
        }
    }
}

fn list(value: &Value) -> std::result::Result<&Vec<Value>, Wrong> {
    value
        .as_array()
        .ok_or_else(|| Wrong::Conversion(format!("Value not a valid list: {}", python::text(value))))
}

impl Is {
    fn check(self, value: &Value) -> std::result::Result<Value, String> {
        let string = || value.as_str().ok_or_else(|| "Value should be string".to_owned());
        let each = |check: &dyn Fn(&Value) -> std::result::Result<Value, String>| {
            value
                .as_array()
                .into_iter()
                .flatten()
                .map(check)
                .collect::<std::result::Result<Vec<_>, _>>()
                .map(Value::from)
        };
        match self {
            Self::Text(most) => value::text(value, 0, most),
            Self::Whole(least, most) => value::within(value, least, most),
            Self::Uuid => value::uuid(value),
            Self::Address => match value.as_str().map(str::parse::<IpAddr>) {
                Some(Ok(_)) => Ok(value.clone()),
                _ => Err("Value should be IPv4 or IPv6 format".to_owned()),
            },
            Self::OneOf(words) => match value.as_str() {
                Some(word) if words.contains(&word) => Ok(value.clone()),
                _ => Err(format!("Value should be one of: {}", words.join(", "))),
            },
            Self::HttpVersion => match value.as_f64() {
                Some(1.0 | 1.1) => Ok(value.clone()),
                _ => Err("Value should be one of: 1.0, 1.1".to_owned()),
            },
            Self::UrlPath if !value::is_url_path(string()?) => {
                Err("Value must be a valid URL Path string".to_owned())
            }
            Self::Codes if !value::are_codes(string()?) => {
                Err(format!("Value should match the pattern {}", value::CODES))
            }
            Self::Domain => {
                let checked = value::text(value, 1, 255)?;
                if value::is_domain(string()?) {
                    return Ok(checked);
                }
                Err(format!("Value should match the pattern {}", value::DOMAIN))
            }
            Self::Texts(most) => each(&|one| value::text(one, 0, most)),
            Self::Uuids => each(&value::uuid),
            Self::Cidrs => each(&value::cidr),
            Self::Texted if !value.is_object() => {
                Err(format!("Value not a valid dict: {}", python::text(value)))
            }
            _ => Ok(value.clone()),
        }
    }
}

impl Wrong {
    fn below(self, name: &str) -> Self {
        match self {
            Self::Unknown(path, names) if path.is_empty() => Self::Unknown(name.to_owned(), names),
            Self::Unknown(path, names) => Self::Unknown(format!("{name}.{path}"), names),
            other => other,
        }
    }

    fn answer(self, argument: &str, whole: &Value) -> Answer {
        match self {
            Self::Conversion(why) => invalid(argument, whole, &why),
            Self::Unknown(path, names) => {
                let plural = if names.len() > 1 { "s" } else { "" };
                let path = if path.is_empty() { argument.to_owned() } else { format!("{argument}.{path}") };
                fault(400, format!("Unknown attribute{plural} for argument {path}: {}", names.join(", ")))
            }
            Self::Said(answer) => answer,
        }
    }
}

/// `wsme/exc.py`, `InvalidInput`.
fn invalid(field: &str, value: &Value, why: &str) -> Answer {
    fault(400, format!("Invalid input for field/attribute {field}. Value: '{}'. {why}", python::text(value)))
}
