//! The `expected_codes` of an HTTP or HTTPS health monitor.
//!
//! A list or one range, never both: `octavia/api/v2/types/health_monitor.py`.

/// Whether a status is among the expected ones.
pub(super) fn expects(codes: &str, status: u16) -> bool {
    match codes.split_once('-') {
        Some((first, last)) => (code(first)..=code(last)).contains(&status),
        None => codes.split(',').any(|one| code(one) == status),
    }
}

fn code(text: &str) -> u16 {
    text.trim().parse().unwrap_or_else(|_| panic!("Octavia would have refused the code {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::expects;

    #[test]
    fn codes_are_a_list_or_a_range() {
        for (codes, status, expected) in [
            ("200", 200, true),
            ("200", 401, false),
            ("200,401,403", 401, true),
            ("200, 401", 401, true),
            ("200,401,403", 402, false),
            ("200-204", 200, true),
            ("200-204", 204, true),
            ("200-204", 205, false),
        ] {
            assert_eq!(expects(codes, status), expected, "{codes} {status}");
        }
    }
}
