//! Lists that an operator writes in one option.

/// What stands between commas and white space.
pub fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).collect()
}

/// All of them, to be named in a finding.
pub fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_commas_and_white_space() {
        assert_eq!(words(" a,b c,,\td\r\ne , "), ["a", "b", "c", "d", "e"]);
        assert_eq!(words(" , "), Vec::<&str>::new());
        assert_eq!(quoted(&["a", "\""]), r#""a", "\"""#);
    }
}
