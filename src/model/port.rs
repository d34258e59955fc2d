//! A TCP or UDP port.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A port from 1 to 65535.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Port(NonZeroU16);

impl Port {
    /// None for 0.
    pub const fn new(number: u16) -> Option<Self> {
        match NonZeroU16::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0.get()
    }
}

impl fmt::Display for Port {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl TryFrom<i64> for Port {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        let port = u16::try_from(number).ok().and_then(Self::new);
        port.ok_or_else(|| format!("expected a port from 1 to 65535, got {number}"))
    }
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.parse().ok().and_then(Self::new);
        port.ok_or_else(|| format!("expected a port from 1 to 65535, got {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_1_to_65535_is_a_port() {
        for (number, is_port) in
            [(0, false), (1, true), (65_535, true), (65_536, false), (70_000, false), (-1, false)]
        {
            assert_eq!(Port::try_from(number).is_ok(), is_port, "{number}");
            assert_eq!(number.to_string().parse::<Port>().is_ok(), is_port, "{number}");
        }
    }
}
