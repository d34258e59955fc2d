//! What happened in one hook or action.

use std::time::Duration;

use super::hook::Hook;
use super::log::LogLine;

/// One run of the charm.
#[derive(Debug, Clone)]
pub struct HookRecord {
    /// The unit.
    pub unit: String,
    /// `JUJU_DISPATCH_PATH`, such as `hooks/install` or `actions/resync-monitors`.
    pub path: String,
    /// The hook; none for an action.
    pub hook: Option<Hook>,
    /// How the process ended.
    pub exit: Exit,
    /// Whether what was written in the hook took effect.
    pub committed: bool,
    /// Whether a planned fault or kill fired in it, so that its failure is meant.
    pub meddled: bool,
    /// Every call of a hook tool, in order.
    pub calls: Vec<ToolCall>,
    /// What it logged and printed.
    pub log: Vec<LogLine>,
    /// Wall-clock time from start to end.
    pub wall: Duration,
    /// CPU time of the charm's main thread, without its hook tools, where the kernel tells.
    pub cpu: Option<Duration>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// By a signal.
    Signal,
}

/// One call of a hook tool.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Standard input, if the tool asked for it.
    pub input: Option<String>,
    /// Its exit code; none if the charm was killed before the answer.
    pub code: Option<u8>,
    /// Whether a planned fault struck at it.
    pub meddled: bool,
    /// What it printed to standard output.
    pub stdout: String,
    /// What it printed to standard error.
    pub stderr: String,
}

impl HookRecord {
    /// The hook's or action's name.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// How often a tool was called.
    pub fn count(&self, tool: &str) -> usize {
        self.calls.iter().filter(|call| call.tool == tool).count()
    }
}
