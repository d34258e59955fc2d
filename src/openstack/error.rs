//! What can go wrong between us and a cloud.

use std::error::Error as _;

use reqwest::Method;
use serde::Deserialize;
use thiserror::Error;

/// A failed call, with its cause.
#[derive(Debug, Error)]
pub enum Error {
    /// The connection failed, or ended early.
    #[error("failed to call {method} {url}: {}", innermost(.source))]
    Transport {
        /// HTTP method.
        method: Method,
        /// Where to.
        url: String,
        /// Why.
        source: reqwest::Error,
    },
    /// The server's certificate is not trusted.
    #[error("failed to trust the certificate of {url}: {}", innermost(.source))]
    Untrusted {
        /// Where to.
        url: String,
        /// Why.
        source: reqwest::Error,
    },
    /// The HTTP client could not be built; on a machine without root certificates this says so.
    #[error("failed to set up TLS: {}", innermost(.0))]
    Client(reqwest::Error),
    /// A proxy's URL cannot be used.
    #[error("failed to use {variable} of the model's configuration: {}", innermost(.source))]
    Proxy {
        /// The option; its value may hold a password.
        variable: &'static str,
        /// Why.
        source: reqwest::Error,
    },
    /// Keystone does not let us in.
    #[error("Keystone at {url} refuses the credentials: {message}")]
    Unauthorised {
        /// Keystone's URL.
        url: String,
        /// Keystone's words.
        message: String,
    },
    /// The API answered with an error.
    #[error("{method} {path} gave {status}: {message}")]
    Api {
        /// HTTP method.
        method: Method,
        /// Path below the endpoint.
        path: String,
        /// HTTP status.
        status: u16,
        /// The API's words.
        message: String,
    },
    /// The API answered with something else than what it documents.
    #[error("failed to read the answer of {method} {path}: {source}")]
    Unreadable {
        /// HTTP method.
        method: Method,
        /// Path below the endpoint.
        path: String,
        /// Why.
        source: serde_json::Error,
    },
    /// The login is for no project, so nothing could be narrowed to ours.
    #[error("the login at {url} is for no project")]
    NoProject {
        /// Keystone's URL.
        url: String,
    },
    /// Keystone's answer to a login lacks its token header.
    #[error("failed to read the login of {url}: no X-Subject-Token")]
    NoToken {
        /// Keystone's URL.
        url: String,
    },
    /// The answer does not end.
    #[error("the answer of {method} {path} is longer than {limit} bytes")]
    TooLong {
        /// HTTP method.
        method: Method,
        /// Path below the endpoint.
        path: String,
        /// Bytes that we take.
        limit: usize,
    },
    /// Pages follow pages without end.
    #[error("the list {path} does not end after {pages} pages")]
    EndlessList {
        /// Path below the endpoint.
        path: String,
        /// Pages that we take.
        pages: usize,
    },
    /// A list says that more follows, but not after which row.
    #[error("the list {path} says that more follows, but not after what")]
    BrokenList {
        /// Path below the endpoint.
        path: String,
    },
    /// The catalogue lacks a service.
    #[error("the catalogue lists no public {service} service in region {region:?}")]
    MissingService {
        /// The service's type.
        service: &'static str,
        /// The region.
        region: String,
    },
    /// The catalogue lacks the region, or has several and none was chosen.
    #[error("region {region:?} is not one of the catalogue's: {}", if known.is_empty() { "it is empty" } else { known })]
    MissingRegion {
        /// The region that was asked for; empty if none was.
        region: String,
        /// The catalogue's regions.
        known: String,
    },
    /// The hook's time is over.
    #[error("no time left for {method} {path} in this hook")]
    DeadlinePassed {
        /// HTTP method.
        method: Method,
        /// Path below the endpoint.
        path: String,
    },
}

impl Error {
    /// A client error of reqwest, told apart.
    pub(super) fn transport(method: &Method, url: &str, source: reqwest::Error) -> Self {
        let url = shown(url);
        if mentions(&source, "certificate") {
            return Self::Untrusted { url, source };
        }
        Self::Transport { method: method.clone(), url, source }
    }

    /// Octavia is busy with the load balancer (409: "is immutable", "Invalid state PENDING_UPDATE", recorded).
    pub fn is_immutable(&self) -> bool {
        matches!(self, Self::Api { status: 409, message, .. }
            if message.contains("immutable") || message.contains("Invalid state PENDING"))
    }

    /// The provider cannot do it.
    pub fn is_not_implemented(&self) -> bool {
        matches!(self, Self::Api { status: 501, .. })
    }

    /// What was meant is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Api { status: 404, .. })
    }
}

/// A URL without its query and without a user's name and password.
pub(super) fn shown(url: &str) -> String {
    let url = url.split('?').next().unwrap_or(url);
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.find('/').map_or(rest, |end| &rest[..end]);
            let skip = host.rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[skip..])
        }
        None => url.to_owned(),
    }
}

/// The API's own words in an error's body: Octavia's `faultstring`, Neutron's `NeutronError.message`, Keystone's
/// `error.message`.
pub(super) fn message(body: &[u8]) -> String {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Body {
        faultstring: Option<String>,
        #[serde(rename = "NeutronError")]
        neutron: Option<Words>,
        error: Option<Words>,
    }
    #[derive(Deserialize)]
    struct Words {
        message: String,
    }
    let body: Body = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(_) => return "the answer is no error that OpenStack documents".to_owned(),
    };
    let words = body
        .faultstring
        .or(body.neutron.map(|words| words.message))
        .or(body.error.map(|words| words.message));
    let words = words.unwrap_or_else(|| "the API gives no reason".to_owned());
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// reqwest's own text repeats the URL and hides the cause; the innermost source says what happened.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    cause.to_string()
}

fn mentions(error: &reqwest::Error, word: &str) -> bool {
    let mut cause = error.source();
    while let Some(source) = cause {
        if source.to_string().contains(word) {
            return true;
        }
        cause = source.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_apis_own_words_are_found() {
        // Recorded from Octavia 19, Neutron 29 and Keystone 30.
        let table = [
            (
                r#"{"faultcode": "Client", "faultstring": "Quota has been met for resources: Member", "debuginfo": null}"#,
                "Quota has been met for resources: Member",
            ),
            (
                r#"{"NeutronError": {"type": "PortNotFound", "message": "Port x could not be found.", "detail": ""}}"#,
                "Port x could not be found.",
            ),
            (
                r#"{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}"#,
                "The request you have made requires authentication.",
            ),
            (r#"{"faultstring": "two\n  lines"}"#, "two lines"),
            ("{}", "the API gives no reason"),
            ("<html>", "the answer is no error that OpenStack documents"),
        ];
        for (body, words) in table {
            assert_eq!(message(body.as_bytes()), words);
        }
    }

    #[test]
    fn only_a_busy_load_balancer_is_immutable() {
        let api = |status, message: &str| Error::Api {
            method: Method::PUT,
            path: String::new(),
            status,
            message: message.to_owned(),
        };
        for (status, message, immutable) in [
            (409, "Load Balancer x is immutable and cannot be updated.", true),
            (409, "Invalid state PENDING_CREATE of loadbalancer resource x", true),
            (409, "Invalid state ERROR of loadbalancer resource x", false),
            (
                409,
                "Another Listener on this Load Balancer is already using protocol TCP and protocol_port 6443",
                false,
            ),
            (400, "immutable", false),
        ] {
            assert_eq!(api(status, message).is_immutable(), immutable, "{message}");
        }
    }
}
