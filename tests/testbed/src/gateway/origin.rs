//! Where a service is: scheme, host and port of a URL.

use std::fmt::{self, Display};

use hyper::Uri;

/// The part of an `http` URL that says where to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    authority: String,
}

impl Origin {
    /// Splits a URL into its origin and the rest; none if it is not an absolute `http` URL.
    pub(super) fn split(url: &str) -> Option<(Self, &str)> {
        let uri: Uri = url.parse().ok()?;
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http"))?.as_str();
        let rest = url.get("http://".len() + authority.len()..)?;
        Some((Self { authority: authority.to_ascii_lowercase() }, rest))
    }

    /// Host and port, as the Host header has them.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// Host and port to connect to.
    pub(super) fn host_and_port(&self) -> String {
        let has_port = self.authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if has_port { self.authority.clone() } else { format!("{}:80", self.authority) }
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn urls_are_split_into_origin_and_rest() {
        for (url, expected) in [
            ("http://127.0.0.1:5000/v3", Some(("127.0.0.1:5000", "127.0.0.1:5000", "/v3"))),
            ("http://127.0.0.1:5000", Some(("127.0.0.1:5000", "127.0.0.1:5000", ""))),
            (
                "http://Cloud.example/identity/v3?a=b",
                Some(("cloud.example", "cloud.example:80", "/identity/v3?a=b")),
            ),
            ("http://[::1]/v3", Some(("[::1]", "[::1]:80", "/v3"))),
            ("https://cloud.example/v3", None),
            ("/v3", None),
            ("no url", None),
        ] {
            let split = Origin::split(url);
            let split =
                split.as_ref().map(|(origin, rest)| (origin.authority(), origin.host_and_port(), *rest));
            let expected =
                expected.map(|(authority, host_and_port, rest)| (authority, host_and_port.to_owned(), rest));
            assert_eq!(split, expected, "{url}");
        }
    }
}
