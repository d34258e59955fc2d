//! The model's clock as Juju writes times.

use std::time::Duration;

/// The clock starts at the beginning of this day: 2026-01-01.
const EPOCH_DAYS: u64 = 20_454;

/// `2006-01-02 15:04:05Z`, as `common.FormatTime` prints a time in UTC.
pub(crate) fn format(since: Duration) -> String {
    let seconds = since.as_secs();
    let (year, month, day) = date(EPOCH_DAYS + seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970-01-01.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_from_the_first_of_january_2026() {
        assert_eq!(format(Duration::ZERO), "2026-01-01 00:00:00Z");
        assert_eq!(format(Duration::from_secs(59 * 86_400 + 3661)), "2026-03-01 01:01:01Z");
    }
}
