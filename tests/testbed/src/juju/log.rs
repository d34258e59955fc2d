//! `juju debug-log`.

/// One line of the model's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// The unit that it came from.
    pub unit: String,
    /// Name of the hook or action.
    pub hook: String,
    /// TRACE, DEBUG, INFO, WARNING, ERROR or CRITICAL.
    pub level: String,
    /// What was said.
    pub text: String,
    /// True if it was said by `juju-log`; false for a line of standard output (DEBUG) or standard error (WARNING).
    pub by_tool: bool,
}
