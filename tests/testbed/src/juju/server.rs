//! The agent's side of the hook tools: one command at a time, as in Juju.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::child::ChildSlot;
use super::context::HookContext;
use super::fault::FaultKind;
use super::state::{State, ToolCall};
use super::tool_process::{Question, Reply};
use super::tools::{self, Answer};

/// Serves the hook tools of one run until it is told that the run is over.
pub(crate) struct Server {
    pub(crate) state: Arc<Mutex<State>>,
    pub(crate) context: Arc<Mutex<HookContext>>,
    pub(crate) context_id: String,
    pub(crate) child: ChildSlot,
    pub(crate) over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn listen(socket: &Path) -> UnixListener {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        listener
    }

    pub(crate) fn serve(&self, listener: &UnixListener) {
        while !self.over.load(Ordering::SeqCst) {
            match listener.accept() {
                Ok((stream, _)) => self.one(stream),
                Err(_) => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    fn one(&self, mut stream: UnixStream) {
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut question = Vec::new();
        if stream.read_to_end(&mut question).is_err() {
            return;
        }
        // A tool that is killed with its charm asks nothing.
        let Ok(question) = serde_json::from_slice::<Question>(&question) else { return };
        if let Some(reply) = self.reply(&question) {
            let _ = stream.write_all(&serde_json::to_vec(&reply).unwrap());
        }
    }

    fn reply(&self, question: &Question) -> Option<Reply> {
        let mut state = self.state.lock().unwrap();
        let mut context = self.context.lock().unwrap();
        let Question { context: id, tool, arguments, input } = question;
        if *id != self.context_id {
            return Some(Reply {
                code: 1,
                stdout: String::new(),
                stderr: "ERROR bad request: unknown context\n".into(),
            });
        }
        let fault = due(&mut state, tool, arguments);
        if fault == Some(FaultKind::KillBefore) {
            context.killed = true;
            drop((state, context));
            self.child.kill();
            return None;
        }
        if fault == Some(FaultKind::LoseLeadership) {
            let application = context.application().to_owned();
            let unit = context.unit.clone();
            let other = state
                .units
                .keys()
                .find(|name| name.starts_with(&format!("{application}/")) && **name != unit);
            let other = other.cloned();
            state.applications.get_mut(&application).unwrap().leader = other;
        }
        let answer = match &fault {
            Some(FaultKind::Fail(text)) => {
                Answer { code: 1, stdout: String::new(), stderr: format!("ERROR {text}\n") }
            }
            _ => tools::answer(&mut state, &mut context, tool, arguments, input.as_deref()),
        };
        context.calls.push(ToolCall {
            tool: tool.clone(),
            arguments: arguments.clone(),
            input: input.clone(),
            code: answer.code,
            output: answer.stdout.clone(),
        });
        if fault == Some(FaultKind::KillAfter) {
            context.killed = true;
            drop((state, context));
            self.child.kill();
            return None;
        }
        let Answer { code, stdout, stderr } = answer;
        Some(Reply { code, stdout, stderr })
    }
}

/// The fault that strikes at this call, if one does.
fn due(state: &mut State, tool: &str, arguments: &[String]) -> Option<FaultKind> {
    let line = arguments.join(" ");
    for fault in &mut state.faults {
        if !fault.fired && fault.tool == tool && line.contains(&fault.arguments) {
            fault.remaining -= 1;
            if fault.remaining == 0 {
                fault.fired = true;
                return Some(fault.kind.clone());
            }
        }
    }
    None
}
