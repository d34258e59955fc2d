//! How long a hook may go on.

use std::time::{Duration, Instant};

/// The moment at which all calls and waits end.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// This long from now.
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration)
    }

    /// What is left; nothing once it has passed.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether nothing is left.
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }

    /// This limit, or what is left if that is less.
    pub fn limit(self, limit: Duration) -> Duration {
        limit.min(self.remaining())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_may_take_its_own_limit_or_what_is_left() {
        let deadline = Deadline::after(Duration::from_secs(30));
        assert_eq!(deadline.limit(Duration::from_secs(10)), Duration::from_secs(10));
        assert!(deadline.limit(Duration::from_mins(1)) <= Duration::from_secs(30));
        assert!(Deadline::after(Duration::ZERO).limit(Duration::from_mins(1)).is_zero());
    }
}
