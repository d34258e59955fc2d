//! When a member is up: rise and fall, counted as haproxy counts them.
//!
//! `set_server_check_status` in haproxy's `src/check.c`.

/// The standing of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Health {
    /// From 0 to `rise + fall - 1`; up from `rise` on.
    points: u32,
    rise: u32,
    fall: u32,
}

impl Health {
    /// A new member is up, but its first failed check takes it down.
    pub(super) fn new(rise: u32, fall: u32) -> Self {
        Self { points: rise, rise, fall }
    }

    pub(super) fn is_up(self) -> bool {
        self.points >= self.rise
    }

    /// Counts one check.
    pub(super) fn record(&mut self, passed: bool) {
        if passed {
            self.points += 1;
            if self.is_up() {
                self.points = self.rise + self.fall - 1;
            }
        } else if self.points > self.rise {
            self.points -= 1;
        } else {
            self.points = 0;
        }
    }

    /// The same standing under other thresholds: up stays up, down stays down, the brink stays the brink.
    pub(super) fn under(self, rise: u32, fall: u32) -> Self {
        let points = if self.points > self.rise {
            rise + fall - 1
        } else if self.is_up() {
            rise
        } else {
            0
        };
        Self { points, rise, fall }
    }
}

#[cfg(test)]
mod tests {
    use super::Health;

    /// `+` passes, `-` fails; the answer is U or D after each.
    fn standing(rise: u32, fall: u32, checks: &str) -> String {
        let mut health = Health::new(rise, fall);
        let up = |health: Health| if health.is_up() { 'U' } else { 'D' };
        let mut seen = String::from(up(health));
        for check in checks.chars() {
            health.record(check == '+');
            seen.push(up(health));
        }
        seen
    }

    #[test]
    fn members_rise_and_fall_as_in_haproxy() {
        for (rise, fall, checks, expected) in [
            (2, 2, "", "U"),
            // The first failure of a new member takes it straight down …
            (2, 3, "-", "UD"),
            // … but once it has passed a check, it takes as many as `fall`.
            (2, 3, "+---", "UUUUD"),
            (2, 3, "+--+---", "UUUUUUUD"),
            (2, 2, "-++", "UDDU"),
            (2, 2, "-+-++", "UDDDDU"),
            (2, 2, "-++--", "UDDUUD"),
            (1, 1, "-+-+", "UDUDU"),
        ] {
            assert_eq!(standing(rise, fall, checks), expected, "{rise}/{fall} {checks}");
        }
    }

    #[test]
    fn other_thresholds_change_nobodys_standing() {
        let new = Health::new(2, 2);
        let mut down = new;
        down.record(false);
        let mut up = new;
        up.record(true);
        assert_eq!(new.under(4, 3), Health::new(4, 3));
        assert!(!down.under(1, 1).is_up());
        let mut up = up.under(4, 3);
        up.record(false);
        up.record(false);
        assert!(up.is_up(), "an established member takes the new number of failures");
        up.record(false);
        assert!(!up.is_up());
    }
}
