//! Single values: how WSME converts them and what Octavia's types accept (`wsme/types.py`, `wsme/rest/json.py`,
//! `octavia/api/common/types.py`).

use std::net::IpAddr;

use serde_json::Value;

use super::python;

/// `octavia/api/v2/types/health_monitor.py`: a list or one range, never both.
pub(super) const CODES: &str = r"^(\d{3}(\s*,\s*\d{3})*)$|^(\d{3}-\d{3})$";

/// `octavia/common/constants.py`, `DOMAIN_NAME_REGEX`.
pub(super) const DOMAIN: &str = r"^(?=.{1,253}\.?$)(?:(?!-|[^.]+_)[A-Za-z0-9-_]{1,63}(?<!-)(?:\.|$))+$";

type Checked = Result<Value, String>;

pub(super) fn boolean(value: &Value) -> Checked {
    let text = python::text(value);
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::Number(number) if !number.is_f64() => Ok((number.as_i64() != Some(0)).into()),
        Value::String(_) if ["true", "t", "yes", "y", "on", "1"].contains(&text.as_str()) => Ok(true.into()),
        Value::String(_) if ["false", "f", "no", "n", "off", "0"].contains(&text.as_str()) => {
            Ok(false.into())
        }
        _ => Err(format!("Value not an unambiguous boolean: {text}")),
    }
}

/// `int(value)`.
pub(super) fn whole(value: &Value) -> Checked {
    match value {
        Value::Number(number) if number.is_f64() => {
            #[expect(clippy::cast_possible_truncation, reason = "int() cuts the fraction off")]
            let whole = number.as_f64().unwrap_or_default().trunc() as i64;
            Ok(whole.into())
        }
        Value::Number(_) => Ok(value.clone()),
        Value::Bool(flag) => Ok(i64::from(*flag).into()),
        Value::String(text) => match text.trim().parse::<i64>() {
            Ok(number) => Ok(number.into()),
            Err(_) => Err(format!("invalid literal for int() with base 10: {}", python::repr(value))),
        },
        other => Err(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            python::type_name(other)
        )),
    }
}

/// `float(value)`.
pub(super) fn decimal(value: &Value) -> Checked {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number {
        Some(number) => Ok(number.into()),
        None => Err(format!("could not convert string to float: {}", python::repr(value))),
    }
}

pub(super) fn within(value: &Value, least: i64, most: i64) -> Checked {
    match value.as_i64().unwrap_or(i64::MAX) {
        number if number < least => Err(format!("Value should be greater or equal to {least}")),
        number if number > most => Err(format!("Value should be lower or equal to {most}")),
        _ => Ok(value.clone()),
    }
}

pub(super) fn text(value: &Value, least: usize, most: usize) -> Checked {
    let Some(text) = value.as_str() else { return Err("Value should be string".to_owned()) };
    match text.chars().count() {
        length if length < least => {
            Err(format!("Value should have a minimum character requirement of {least}"))
        }
        length if length > most => {
            Err(format!("Value should have a maximum character requirement of {most}"))
        }
        _ => Ok(value.clone()),
    }
}

/// Python's `uuid.UUID` takes them with and without hyphens, and writes them with.
pub(super) fn uuid(value: &Value) -> Checked {
    let digits: String = value.as_str().unwrap_or_default().chars().filter(|one| *one != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("Value should be UUID format".to_owned());
    }
    let digits = digits.to_ascii_lowercase();
    let part = |from: usize, to: usize| &digits[from..to];
    let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
    Ok(parts.join("-").into())
}

/// A network, or an address in it, with its length of prefix.
pub(super) fn cidr(value: &Value) -> Checked {
    let text = value.as_str().unwrap_or_default();
    let (address, length) = text.split_once('/').unwrap_or((text, ""));
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return Err("Value should be IPv4 or IPv6 CIDR format".to_owned()),
    };
    let length = if text.contains('/') { length.parse::<u8>().ok() } else { Some(most) };
    match length.filter(|length| *length <= most) {
        Some(length) => Ok(format!("{address}/{length}").into()),
        None => Err("Value should be IPv4 or IPv6 CIDR format".to_owned()),
    }
}

/// `octavia/common/validate.py`, `url_path`.
pub(super) fn is_url_path(text: &str) -> bool {
    text.starts_with('/') && !text.starts_with("//") && !text.contains(char::is_whitespace)
}

pub(super) fn are_codes(text: &str) -> bool {
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_no_edge = text.trim() == text;
    has_no_edge && text.split(',').all(|code| is_code(code.trim()))
        || text.split_once('-').is_some_and(|(first, last)| is_code(first) && is_code(last))
}

pub(super) fn is_domain(text: &str) -> bool {
    let name = text.strip_suffix('.').unwrap_or(text);
    (1..=253).contains(&name.len())
        && name.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && !label.get(1..).is_some_and(|rest| rest.contains('_'))
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        })
}
