//! Waiting is polling with a deadline, never a fixed sleep.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Polls until `holds` is true; panics with `what` when it is not within the time given.
pub fn eventually(what: &str, within: Duration, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {within:?}: {what}");
        sleep(Duration::from_millis(5));
    }
}
