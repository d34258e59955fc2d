//! A model of Juju 3.6: one model's state, and the uniter's loop that runs a charm's hooks and actions.
//!
//! The charm under test is a child process, started exactly as the unit agent starts it; its hook tools are links
//! to the running test executable (see [`crate::tools`]). A scenario owns the [`Model`] and nothing runs by itself:
//! [`Model::settle`] lets all units do what is queued, in a random order that the seed decides.

mod action;
mod application;
mod charm;
mod child;
mod clock;
mod commit;
mod consumer;
mod environment;
mod execute;
mod fault;
mod goal_state;
mod hook;
mod life;
mod log;
mod model;
mod operator;
mod prepare;
mod record;
mod relation;
mod relation_hooks;
mod resolver;
mod schedule;
mod server;
mod session;
mod state;
mod unit;
mod view;

pub use action::{ActionResult, ActionStatus};
pub use child::ChildSlot;
pub use fault::{Fault, Fired, Point};
pub use hook::{Hook, RelationEvent, RelationHook};
pub use log::LogLine;
pub use model::{Deploy, Model, ModelOptions};
pub use record::{Exit, HookRecord, ToolCall};
pub use relation::Bag;
pub use schedule::Failure;
pub use unit::{Status, Unit};

pub(crate) use session::Session;
pub(crate) use unit::Network;
