//! What goes wrong on purpose, and whether it did.

/// A planned fault at the n-th call of a hook tool.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) tool: String,
    /// Words that the arguments hold.
    pub(crate) arguments: String,
    /// 1 is the next call.
    pub(crate) remaining: u32,
    pub(crate) kind: FaultKind,
    pub(crate) fired: bool,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// SIGKILL before the tool does anything.
    KillBefore,
    /// SIGKILL after it took effect, before it answers.
    KillAfter,
    /// Exit code 1 with this text.
    Fail(String),
    /// Another unit leads from now on.
    LoseLeadership,
}
