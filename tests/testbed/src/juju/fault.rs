//! Faults at hook tool calls, planned by a scenario.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// When a fault strikes.
#[derive(Debug, Clone)]
pub struct Point {
    tool: Option<String>,
    words: String,
    nth: usize,
}

impl Point {
    /// The n-th call of this tool from now on, counted from 1 over all hooks.
    pub fn of(tool: &str, nth: usize) -> Self {
        Self { tool: Some(tool.to_owned()), words: String::new(), nth }
    }

    /// Only calls whose arguments hold these words count.
    #[must_use]
    pub fn with(self, words: &str) -> Self {
        Self { words: words.to_owned(), ..self }
    }

    /// The n-th call of any tool from now on, counted from 1 over all hooks.
    pub fn call(nth: usize) -> Self {
        Self { tool: None, words: String::new(), nth }
    }
}

/// What goes wrong at a hook tool call. It strikes once.
#[derive(Debug)]
pub struct Fault {
    point: Point,
    effect: Effect,
    fired: Fired,
}

#[derive(Debug, Clone)]
pub(crate) enum Effect {
    KillBefore,
    KillAfter,
    Fail(String),
    SetLeader(Option<String>),
}

/// Tells whether a planned fault has struck.
#[derive(Debug, Clone, Default)]
pub struct Fired(Arc<AtomicBool>);

impl Fired {
    /// Whether it has.
    pub fn fired(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Fault {
    /// SIGKILL to the charm before the call does anything.
    pub fn kill_before(point: Point) -> Self {
        Self::new(point, Effect::KillBefore)
    }

    /// SIGKILL to the charm after the call took effect, before its answer is passed on.
    pub fn kill_after(point: Point) -> Self {
        Self::new(point, Effect::KillAfter)
    }

    /// The call does nothing and fails with exit code 1 and `ERROR text`.
    pub fn fail(point: Point, text: &str) -> Self {
        Self::new(point, Effect::Fail(text.to_owned()))
    }

    /// Right after the call was answered another unit leads, or none.
    pub fn set_leader(point: Point, leader: Option<&str>) -> Self {
        Self::new(point, Effect::SetLeader(leader.map(str::to_owned)))
    }

    fn new(point: Point, effect: Effect) -> Self {
        Self { point, effect, fired: Fired::default() }
    }

    pub(crate) fn handle(&self) -> Fired {
        self.fired.clone()
    }

    /// Counts a call; the effect if this is the one.
    pub(crate) fn strike(&mut self, tool: &str, arguments: &[String]) -> Option<Effect> {
        let is_other = self.point.tool.as_deref().is_some_and(|wanted| wanted != tool);
        if self.fired.fired() || is_other || !arguments.join(" ").contains(&self.point.words) {
            return None;
        }
        self.point.nth = self.point.nth.saturating_sub(1);
        if self.point.nth > 0 {
            return None;
        }
        self.fired.0.store(true, Ordering::SeqCst);
        Some(self.effect.clone())
    }
}
