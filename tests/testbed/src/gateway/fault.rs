//! Planned faults: which call, and what happens to it.

use std::fmt::{self, Display};
use std::time::Duration;

use super::name::fits;

/// What happens to a call instead of the usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Answered by the gateway; the cloud never hears of it.
    Answer {
        /// Status of the answer.
        status: u16,
        /// Headers of the answer.
        headers: Vec<(String, String)>,
        /// Body of the answer.
        body: String,
    },
    /// The connection closes; the cloud never hears of it.
    DropBefore,
    /// The cloud acts and answers; the connection closes before a byte of that is passed on.
    DropAfter,
    /// Passed on this much later, and otherwise as usual.
    Delay(Duration),
    /// The cloud acts and answers; the connection closes in the middle of the body, or at once if there is none.
    Truncate,
    /// The cloud acts and answers; the body never ends, or the connection closes if there is none.
    Endless,
    /// The charm is killed before the cloud hears of it.
    KillBefore,
    /// The cloud acts and answers; the charm is killed before a byte of that is passed on.
    KillAfter,
}

impl Effect {
    /// An answer that the cloud did not give.
    pub fn answer(status: u16, body: impl Display) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.to_string() }
    }

    /// An answer with a Retry-After header, in seconds.
    pub fn retry_after(status: u16, seconds: u32, body: impl Display) -> Self {
        let headers = vec![("Retry-After".to_owned(), seconds.to_string())];
        Self::Answer { status, headers, body: body.to_string() }
    }

    pub(super) fn kills(&self) -> bool {
        matches!(self, Self::KillBefore | Self::KillAfter)
    }
}

impl Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { .. } => f.write_str("answered by the gateway"),
            Self::DropBefore => f.write_str("dropped before it was forwarded"),
            Self::DropAfter => f.write_str("dropped after it was forwarded"),
            Self::Delay(by) => write!(f, "delayed by {by:?}"),
            Self::Truncate => f.write_str("truncated"),
            Self::Endless => f.write_str("endless"),
            Self::KillBefore => f.write_str("killed before it was forwarded"),
            Self::KillAfter => f.write_str("killed after it was forwarded"),
        }
    }
}

/// A point, named by method, path and count, and its effect. It fires once, at the first such call, unless told
/// otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    method: String,
    pattern: String,
    nth: usize,
    times: usize,
    effect: Effect,
}

impl Fault {
    /// At calls with this method and this path: `loadbalancers/{id}`, without service prefix and version.
    pub fn on(method: &str, pattern: &str, effect: Effect) -> Self {
        Self { method: method.to_owned(), pattern: pattern.to_owned(), nth: 1, times: 1, effect }
    }

    /// Not before the n-th such call from now, counted from 1.
    #[must_use]
    pub fn nth(mut self, nth: usize) -> Self {
        assert!(nth > 0, "the first call is number 1");
        self.nth = nth;
        self
    }

    /// At this many such calls, one after another.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        assert!(times > 0, "a fault that never fires is none");
        self.times = times;
        self
    }

    pub(super) fn effect(&self) -> &Effect {
        &self.effect
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, pattern, nth, times, effect } = self;
        write!(f, "{method} {pattern} number {nth}")?;
        if *times > 1 {
            write!(f, " to {}", nth + times - 1)?;
        }
        write!(f, ": {effect}")
    }
}

/// A fault that waits for its call.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) fault: Fault,
    /// Calls that fitted so far.
    fitted: usize,
    /// How often it has fired.
    fired: usize,
}

impl Planned {
    pub(super) fn new(fault: Fault) -> Self {
        Self { fault, fitted: 0, fired: 0 }
    }

    /// Counts a call; whether this fault is due at it.
    pub(super) fn is_due(&mut self, method: &str, name: &str) -> bool {
        let Fault { method: wanted, pattern, nth, times, effect: _ } = &self.fault;
        if method != wanted || !fits(name, pattern) {
            return false;
        }
        self.fitted += 1;
        self.fitted >= *nth && self.fired < *times
    }

    pub(super) fn fire(&mut self) -> Effect {
        self.fired += 1;
        self.fault.effect.clone()
    }

    pub(super) fn is_through(&self) -> bool {
        self.fired == self.fault.times
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Fault, Planned};

    #[test]
    fn a_fault_fires_when_it_is_due_and_not_again() {
        let get = ("GET", "loadbalancers/{id}");
        for (nth, times, calls, expected) in [
            (1, 1, vec![get, get], vec![true, false]),
            (2, 1, vec![get, ("PUT", "loadbalancers/{id}"), get, get], vec![false, false, true, false]),
            (2, 2, vec![get, get, ("GET", "loadbalancers"), get, get], vec![false, true, false, true, false]),
        ] {
            let fault =
                Fault::on("GET", "loadbalancers/{load balancer}", Effect::DropBefore).nth(nth).times(times);
            let mut planned = Planned::new(fault);
            let fired: Vec<bool> = calls
                .into_iter()
                .map(|(method, name)| {
                    let due = planned.is_due(method, name);
                    if due {
                        planned.fire();
                    }
                    due
                })
                .collect();
            assert_eq!(fired, expected);
            assert!(planned.is_through());
        }
    }

    #[test]
    fn faults_say_what_they_are() {
        let fault = Fault::on("POST", "loadbalancers", Effect::KillAfter);
        assert_eq!(fault.to_string(), "POST loadbalancers number 1: killed after it was forwarded");
        let fault = Fault::on("GET", "ports", Effect::answer(503, "")).nth(2).times(3);
        assert_eq!(fault.to_string(), "GET ports number 2 to 4: answered by the gateway");
    }
}
