//! What a monitor says to a member, and which answer it takes for health.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The kinds of probe, as the option `monitor-type` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A request over TLS; the certificate is not looked at.
    Https,
    /// A plain request.
    Http,
    /// A connection.
    Tcp,
    /// On current Octavia no more than a connection.
    TlsHello,
    /// An ICMP echo; a cloud may have switched it off.
    Ping,
    /// A datagram that nothing refuses.
    UdpConnect,
    /// An SCTP association.
    Sctp,
}

impl Kind {
    /// All of them, as the option `monitor-type` spells them.
    pub const ALL: [(&'static str, Self); 7] = [
        ("https", Self::Https),
        ("http", Self::Http),
        ("tcp", Self::Tcp),
        ("tls-hello", Self::TlsHello),
        ("ping", Self::Ping),
        ("udp-connect", Self::UdpConnect),
        ("sctp", Self::Sctp),
    ];
}

/// A probe with all that its kind needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// See [`Kind::Https`].
    Https(HttpProbe),
    /// See [`Kind::Http`].
    Http(HttpProbe),
    /// See [`Kind::Tcp`].
    Tcp,
    /// See [`Kind::TlsHello`].
    TlsHello,
    /// See [`Kind::Ping`].
    Ping,
    /// See [`Kind::UdpConnect`].
    UdpConnect,
    /// See [`Kind::Sctp`].
    Sctp,
}

impl Probe {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Https(_) => Kind::Https,
            Self::Http(_) => Kind::Http,
            Self::Tcp => Kind::Tcp,
            Self::TlsHello => Kind::TlsHello,
            Self::Ping => Kind::Ping,
            Self::UdpConnect => Kind::UdpConnect,
            Self::Sctp => Kind::Sctp,
        }
    }

    /// What is asked, if it is asked by HTTP.
    pub fn http(&self) -> Option<&HttpProbe> {
        match self {
            Self::Https(http) | Self::Http(http) => Some(http),
            Self::Tcp | Self::TlsHello | Self::Ping | Self::UdpConnect | Self::Sctp => None,
        }
    }
}

/// What an HTTP probe asks and expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpProbe {
    /// How it asks.
    pub method: HttpMethod,
    /// What it asks for.
    pub path: UrlPath,
    /// What it takes for health.
    pub expected_codes: ExpectedCodes,
}

/// The methods that Octavia knows (`octavia/common/constants.py`, `SUPPORTED_HEALTH_MONITOR_HTTP_METHODS`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// GET.
    Get,
    /// HEAD.
    Head,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// DELETE.
    Delete,
    /// TRACE.
    Trace,
    /// OPTIONS.
    Options,
    /// PATCH.
    Patch,
    /// CONNECT.
    Connect,
}

impl HttpMethod {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Delete,
        Self::Trace,
        Self::Options,
        Self::Patch,
        Self::Connect,
    ];

    /// As Octavia spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Trace => "TRACE",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Connect => "CONNECT",
        }
    }
}

/// A path that Octavia takes: it starts with `/`, holds no space, and ends at 255 characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UrlPath(String);

impl UrlPath {
    /// What Kubernetes answers when an API server can take traffic.
    pub fn readyz() -> Self {
        Self("/readyz".to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for UrlPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let good =
            text.starts_with('/') && text.len() <= 255 && text.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| Self(text.to_owned())).ok_or_else(|| {
            format!("expected a path such as /readyz (no spaces, at most 255 characters), got {text:?}")
        })
    }
}

/// `200`, a list `200,401,403`, or one range `200-204`; never both (`octavia/api/v2/types/health_monitor.py`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ExpectedCodes(String);

impl ExpectedCodes {
    /// 200 where anonymous users may ask, 401 or 403 where they may not: the API server is alive in each case.
    pub fn hardened_api_server() -> Self {
        Self("200,401,403".to_owned())
    }

    /// The text, without spaces.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ExpectedCodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let compact: String = text.split(',').map(str::trim).collect::<Vec<_>>().join(",");
        let list = compact.split(',').all(is_code);
        let range = compact
            .split_once('-')
            .is_some_and(|(first, last)| is_code(first) && is_code(last) && first <= last);
        (list || range).then_some(Self(compact)).ok_or_else(|| {
            format!("expected HTTP codes as a list such as 200,401,403 or as one range such as 200-204, got {text:?}")
        })
    }
}

fn is_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit()) && ("100".."600").contains(&text)
}

macro_rules! text_type {
    ($type:ident) => {
        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> Self {
                text.0
            }
        }
    };
}

text_type!(UrlPath);
text_type!(ExpectedCodes);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_codes_are_a_list_or_one_range() {
        for good in ["200", "200,401,403", "200, 401 ,403", "200-204", "200-200"] {
            assert!(good.parse::<ExpectedCodes>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "20",
            "2000",
            "200,",
            "200,401-403",
            "204-200",
            "600",
            "099",
            "200 401",
            "abc",
            "200-",
            "-200",
        ] {
            assert!(bad.parse::<ExpectedCodes>().unwrap_err().contains(&format!("{bad:?}")), "{bad}");
        }
        assert_eq!("200, 401".parse::<ExpectedCodes>().unwrap().as_str(), "200,401");
    }

    #[test]
    fn a_path_starts_with_a_slash_and_holds_no_space() {
        for good in ["/", "/readyz", "/livez?verbose"] {
            assert!(good.parse::<UrlPath>().is_ok(), "{good}");
        }
        for bad in ["", "readyz", "/a b", "/a\n", "/ü", &format!("/{}", "x".repeat(255))] {
            assert!(bad.parse::<UrlPath>().is_err(), "{bad}");
        }
    }
}
