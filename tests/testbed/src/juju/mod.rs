//! A model of Juju: controller, unit agents and hook tools, around the real charm binary.

mod charm;
mod child;
mod context;
mod fault;
mod model;
mod remote;
mod runner;
mod server;
mod state;
mod tool_process;
mod tools;
mod uniter;

pub use child::ChildSlot;
pub use fault::FaultKind;
pub use model::{ActionResult, Deploy, Model};
pub use state::{Bag, HookRecord, LogLine, Status, ToolCall};
pub use tool_process::act_as_tool;
