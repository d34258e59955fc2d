//! The charm's process, where others can reach it.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Holds the running charm, if one runs; whoever has a clone can kill it.
#[derive(Debug, Clone, Default)]
pub struct ChildSlot(Arc<Mutex<Option<Child>>>);

impl ChildSlot {
    pub(crate) fn hold(&self, child: Child) {
        *self.0.lock().unwrap() = Some(child);
    }

    /// SIGKILLs the charm and waits until it is dead; false if none runs.
    pub fn kill(&self) -> bool {
        let mut slot = self.0.lock().unwrap();
        let Some(child) = slot.as_mut() else { return false };
        child.kill().unwrap();
        child.wait().unwrap();
        true
    }

    /// Waits for the charm's end.
    pub(crate) fn wait(&self, longest: Duration) -> ExitStatus {
        let started = std::time::Instant::now();
        loop {
            let mut slot = self.0.lock().unwrap();
            let child = slot.as_mut().expect("a child is held");
            if let Some(status) = child.try_wait().unwrap() {
                *slot = None;
                return status;
            }
            if started.elapsed() > longest {
                child.kill().unwrap();
                let status = child.wait().unwrap();
                *slot = None;
                return status;
            }
            drop(slot);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
