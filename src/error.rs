//! What an error means to an operator: who or what heals it.

use crate::model::finding::{Disposition, Finding};
use crate::octavia::apply::{Failure, Reason};
use crate::openstack::Error;

/// An error of the cloud as a line for the status.
pub fn finding(error: &Error) -> Finding {
    let cure = cure(error).map(|cure| format!("; {cure}")).unwrap_or_default();
    Finding { disposition: disposition(error), text: format!("{error}{cure}") }
}

/// Failed changes as lines for the status; what a load balancer's own state says is not said twice.
pub fn findings(failures: &[Failure]) -> Vec<Finding> {
    let lines = failures.iter().map(|failure| match &failure.reason {
        Reason::Refused { source, .. } | Reason::Unseen(source) => {
            Finding { disposition: disposition(source), text: self::failure(failure) }
        }
        Reason::LeadershipLost => Finding::waiting("another unit leads now"),
        Reason::TimeIsOver | Reason::LoadBalancerFailed => Finding::waiting(self::failure(failure)),
    });
    lines.collect()
}

/// A failed change in one line.
pub fn failure(failure: &Failure) -> String {
    let Failure { mark: _, name, reason } = failure;
    match reason {
        Reason::Refused { change, source } => {
            let change = change.to_string();
            let what = change.split([';', ':']).next().unwrap_or_default();
            let cure = cure(source).map(|cure| format!("; {cure}")).unwrap_or_default();
            format!("{name}: failed to {what}: {source}{cure}")
        }
        Reason::Unseen(source) => format!("{name}: failed to wait for Octavia: {source}"),
        Reason::TimeIsOver => format!("{name}: Octavia is still at work"),
        Reason::LoadBalancerFailed => format!("{name}: Octavia gave up on a change"),
        Reason::LeadershipLost => format!("{name}: another unit leads now"),
    }
}

/// Who or what heals it.
fn disposition(error: &Error) -> Disposition {
    match error {
        Error::Untrusted { .. }
        | Error::Client(_)
        | Error::Proxy { .. }
        | Error::Unauthorised { .. }
        | Error::NoProject { .. }
        | Error::MissingService { .. }
        | Error::MissingRegion { .. } => Disposition::Blocked,
        Error::Api { status, .. } => match status {
            409 if error.is_immutable() => Disposition::Waiting,
            300..400 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 501 => Disposition::Blocked,
            _ => Disposition::Waiting,
        },
        Error::Transport { .. }
        | Error::Unreadable { .. }
        | Error::NoToken { .. }
        | Error::TooLong { .. }
        | Error::EndlessList { .. }
        | Error::BrokenList { .. }
        | Error::DeadlinePassed { .. } => Disposition::Waiting,
    }
}

/// What a human can do, where the error itself does not say it.
fn cure(error: &Error) -> Option<&'static str> {
    match error {
        Error::Untrusted { .. } => Some("set endpoint-tls-ca to the certificate of its authority"),
        Error::Client(_) => Some("install ca-certificates on this machine or set endpoint-tls-ca"),
        Error::Proxy { .. } => Some("correct it by \"juju model-config\""),
        Error::NoProject { .. } => Some("set project-name or project-id"),
        Error::Unauthorised { .. } => Some("correct the credentials"),
        Error::MissingRegion { .. } => Some("set region to one of them"),
        Error::Api { status: 300..400, .. } => {
            Some("the API redirects; correct auth-url, or the cloud's catalogue")
        }
        // Neutron's words, and Octavia's (recorded).
        Error::Api { status: 403, message, .. }
            if message.contains("disallowed by policy") || message.contains("Policy does not allow") =>
        {
            Some("give the user the roles member and load-balancer_member in its project")
        }
        // Neutron's IpAddressAlreadyAllocated.
        Error::Api { status: 409, message, .. } if message.contains("already allocated in subnet") => {
            Some("free that address; or remove the relation and relate again to get another")
        }
        Error::MissingService { .. } => Some("the cloud needs Octavia and Neutron there"),
        Error::Api { .. }
        | Error::Transport { .. }
        | Error::Unreadable { .. }
        | Error::NoToken { .. }
        | Error::TooLong { .. }
        | Error::EndlessList { .. }
        | Error::BrokenList { .. }
        | Error::DeadlinePassed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Disposition::{Blocked, Waiting};
    use super::*;

    #[test]
    fn each_answer_of_an_api_has_somebody_who_heals_it() {
        let api = |status, message: &str| Error::Api {
            method: reqwest::Method::POST,
            path: "/lbaas/loadbalancers".to_owned(),
            status,
            message: message.to_owned(),
        };
        let table = [
            (403, "Quota has been met for resources: Load Balancer", Blocked),
            (403, "Policy does not allow this request to be performed.", Blocked),
            (400, "Subnet x not found.", Blocked),
            (409, "The VIP IP address is already in use", Blocked),
            (409, "Load Balancer x is immutable and cannot be updated.", Waiting),
            (501, "Provider does not support a requested option", Blocked),
            (500, "", Waiting),
            (503, "", Waiting),
            (429, "", Waiting),
        ];
        for (status, message, expected) in table {
            let finding = finding(&api(status, message));
            assert_eq!(finding.disposition, expected, "{status} {message}");
            assert!(finding.text.contains(message));
        }
    }
}
