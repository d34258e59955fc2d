//! The running charm, within reach of whoever may want to kill it.

use std::fs;
use std::io;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Holds the charm's process while it runs. The gateway has one too, so that it can kill at a request.
#[derive(Debug, Default)]
pub struct ChildSlot(Mutex<Slot>);

#[derive(Debug, Default)]
struct Slot {
    child: Option<Child>,
    ended: Option<(ExitStatus, Option<Duration>)>,
    killed: bool,
}

impl ChildSlot {
    /// Kills the running charm and returns when it is dead. False if none was running.
    pub fn kill(&self) -> bool {
        let mut slot = self.lock();
        let Some(mut child) = slot.child.take() else { return false };
        // Both fail only for a process that has been waited for, and this one has not.
        let status = child.kill().and_then(|()| child.wait()).expect("the charm can be killed");
        slot.ended = Some((status, None));
        slot.killed = true;
        true
    }

    /// The process id of the running charm.
    pub fn pid(&self) -> Option<u32> {
        self.lock().child.as_ref().map(Child::id)
    }

    /// Starts a process; whoever wants to kill it meanwhile waits until it is there. Its output and error streams.
    pub(crate) fn start(&self, command: &mut Command) -> io::Result<(ChildStdout, ChildStderr)> {
        let mut slot = self.lock();
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let streams = child.stdout.take().zip(child.stderr.take()).expect("both streams are pipes");
        *slot = Slot { child: Some(child), ..Slot::default() };
        Ok(streams)
    }

    /// How the process ended, with its CPU time, once it has.
    pub(crate) fn poll(&self) -> Option<(ExitStatus, Option<Duration>)> {
        let mut slot = self.lock();
        if let Some(child) = slot.child.as_mut() {
            // A process that ended keeps its figures until it is waited for.
            let cpu = cpu_time(child.id());
            let status = child.try_wait().expect("the charm can be waited for")?;
            slot.child = None;
            slot.ended = Some((status, cpu));
        }
        slot.ended
    }

    /// Whether somebody killed the last process.
    pub(crate) fn was_killed(&self) -> bool {
        self.lock().killed
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cpu_time(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
