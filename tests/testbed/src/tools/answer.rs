//! What a tool prints and how it ends.

use std::fmt::Write;

/// Exit code and output of a tool that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why a tool did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Wrong flags or arguments: exit code 2.
    Usage(String),
    /// It failed while running: exit code 1.
    Run(String),
    /// `--help`: the text goes to standard output, exit code 0.
    Help(String),
    /// The tool must read its standard input first; it is asked again with it.
    NeedsInput,
}

/// A refusal of flags or arguments.
pub(crate) fn usage<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Usage(text.into()))
}

/// A failure while running.
pub(crate) fn failure<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Run(text.into()))
}

impl Answer {
    /// Success that prints this.
    pub(crate) fn printed(stdout: String) -> Self {
        Self { stdout, ..Self::default() }
    }

    /// An error as every hook tool prints it (juju/cmd, `cmd.go` `Main` and `WriteError`).
    pub(crate) fn error(code: u8, text: &str) -> Self {
        Self { code, stderr: format!("ERROR {text}\n"), ..Self::default() }
    }
}

/// A string as Go's `%q` prints it.
pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(result, "\\x{:02x}", u32::from(control));
            }
            other => result.push(other),
        }
    }
    result.push('"');
    result
}

/// `cmd.CheckEmpty` of juju/cmd: a tool refuses arguments that it has no use for.
pub(crate) fn check_empty(rest: &[String]) -> Result<(), Refusal> {
    if rest.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = rest.iter().map(|argument| quoted(argument)).collect();
    usage(format!("unrecognized args: [{}]", list.join(" ")))
}
