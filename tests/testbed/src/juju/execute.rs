//! One run of the charm: a child process, its output, and the hook tools it calls.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::environment::{Places, variables};
use super::fault::Effect;
use super::log::LogLine;
use super::model::Model;
use super::record::{Exit, HookRecord, ToolCall};
use super::server::PendingCall;
use super::session::{Run, Session};
use crate::tools::answer::Answer;
use crate::tools::commands::{Call, answer};

/// What reaches the model while the charm runs.
#[derive(Debug)]
pub(crate) enum Event {
    /// A hook tool was called.
    Call(PendingCall),
    /// A line of output; `run` is the number of the run it belongs to.
    Line { run: u64, stream: Stream, text: String },
    /// An output stream ended.
    End { run: u64 },
}

/// Which output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// What the process printed, for actions.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// How long output may lag behind the end of the process; a grandchild could hold it open for ever.
const LAG: Duration = Duration::from_secs(1);

impl Model {
    /// Starts the charm as the unit agent does and sees it through.
    pub(crate) fn execute(&mut self, run: &mut Run) -> (HookRecord, Output) {
        self.runs += 1;
        let started = Instant::now();
        let logged = self.state.log.len();
        let mut record = HookRecord {
            unit: run.unit.clone(),
            path: run.path.clone(),
            hook: run.hook.clone(),
            exit: Exit::Signal,
            committed: false,
            meddled: false,
            calls: Vec::new(),
            log: Vec::new(),
            wall: Duration::ZERO,
            cpu: None,
        };
        self.spawn(run);
        let mut output = Output::default();
        let (mut open, mut ended) = (2, None);
        while ended.is_none_or(|at: Instant| open > 0 && at.elapsed() < LAG) {
            match self.receiver.recv_timeout(Duration::from_millis(1)) {
                Ok(Event::Call(call)) if ended.is_none() => self.serve(run, call, &mut record),
                Ok(Event::Line { run: number, stream, text }) if number == self.runs => {
                    self.take_line(run, stream, text, &mut output);
                }
                Ok(Event::End { run: number }) if number == self.runs => open -= 1,
                // What comes after the hook's end, or from an earlier one, has no context any more.
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("the model holds a sender itself"),
            }
            if ended.is_none()
                && let Some((status, cpu)) = self.child.poll()
            {
                record.exit = status.code().map_or(Exit::Signal, Exit::Code);
                record.cpu = cpu;
                record.wall = started.elapsed();
                ended = Some(Instant::now());
            }
        }
        record.meddled |= self.child.was_killed();
        record.log = self.state.log[logged..].to_vec();
        (record, output)
    }

    fn spawn(&mut self, run: &Run) {
        let charm = self.state.application(&self.state.unit(&run.unit).application).charm.clone();
        let charm = charm.expect("only applications with a charm run hooks");
        let places = Places {
            charm: &charm.directory,
            tools: &self.directory.path().join("tools"),
            socket: self.server.path(),
        };
        let mut command = Command::new(charm.directory.join("dispatch"));
        command
            .env_clear()
            .envs(variables(&self.options, &self.state, run, &places))
            .envs(self.options.machine_environment.iter().cloned())
            .current_dir(&charm.directory)
            .stdin(Stdio::null());
        let (stdout, stderr) = self.start(&mut command);
        let streams: [(Stream, Box<dyn Read + Send>); 2] =
            [(Stream::Out, Box::new(stdout)), (Stream::Err, Box::new(stderr))];
        for (stream, pipe) in streams {
            let (events, run) = (self.sender.clone(), self.runs);
            thread::spawn(move || forward(pipe, &events, run, stream));
        }
    }

    /// Another test's thread may have the file open for writing in the moment between its fork and its exec.
    fn start(&self, command: &mut Command) -> (ChildStdout, ChildStderr) {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            match self.child.start(command) {
                Ok(streams) => return streams,
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < deadline => {
                    thread::sleep(Duration::from_millis(5));
                }
                Err(error) => panic!("failed to start {}: {error}", command.get_program().display()),
            }
        }
    }

    fn take_line(&mut self, run: &Run, stream: Stream, text: String, output: &mut Output) {
        let (level, kept) = match stream {
            Stream::Out => ("DEBUG", &mut output.stdout),
            Stream::Err => ("WARNING", &mut output.stderr),
        };
        kept.push_str(&text);
        kept.push('\n');
        self.state.log.push(LogLine {
            unit: run.unit.clone(),
            hook: run.path.rsplit('/').next().unwrap_or_default().to_owned(),
            level: level.to_owned(),
            text,
            by_tool: false,
        });
    }

    fn serve(&mut self, run: &mut Run, mut pending: PendingCall, record: &mut HookRecord) {
        let request = pending.request.clone();
        if request.context != run.context {
            let text = format!("ERROR bad request: unknown context {:?}\n", request.context);
            return pending.reply(1, String::new(), text);
        }
        let mut call = ToolCall {
            tool: request.tool.clone(),
            arguments: request.arguments.clone(),
            input: None,
            code: None,
            meddled: false,
            stdout: String::new(),
            stderr: String::new(),
        };
        let effects: Vec<Effect> = self
            .faults
            .iter_mut()
            .filter_map(|fault| fault.strike(&request.tool, &request.arguments))
            .collect();
        call.meddled = !effects.is_empty();
        record.meddled |= call.meddled;
        if effects.iter().any(|effect| matches!(effect, Effect::KillBefore)) {
            self.child.kill();
            record.calls.push(call);
            return;
        }
        let failed = effects.iter().find_map(|effect| match effect {
            Effect::Fail(text) => Some(Answer::error(1, text)),
            _ => None,
        });
        let given = match failed {
            Some(answer) => answer,
            None => match self.answer(run, &mut pending, &mut call) {
                Some(answer) => answer,
                // It was killed while it was asked for its input.
                None => return record.calls.push(call),
            },
        };
        for effect in effects {
            match effect {
                Effect::KillAfter => {
                    self.child.kill();
                    record.calls.push(call);
                    return;
                }
                Effect::SetLeader(leader) => {
                    let application = self.state.unit(&run.unit).application.clone();
                    self.state.application_mut(&application).leader = leader;
                }
                Effect::KillBefore | Effect::Fail(_) => {}
            }
        }
        call.code = Some(given.code);
        call.stdout.clone_from(&given.stdout);
        call.stderr.clone_from(&given.stderr);
        record.calls.push(call);
        pending.reply(given.code, given.stdout, given.stderr);
    }

    fn answer(&mut self, run: &mut Run, pending: &mut PendingCall, call: &mut ToolCall) -> Option<Answer> {
        let directory = Path::new(&pending.request.directory).to_owned();
        let mut session = Session { state: &mut self.state, run, directory };
        let asked = Call { arguments: &call.arguments, input: None };
        if let Some(given) = answer(&mut session, &call.tool, &asked) {
            return Some(given);
        }
        let input = pending.input().ok()?;
        let given =
            answer(&mut session, &call.tool, &Call { arguments: &call.arguments, input: Some(&input) });
        call.input = Some(String::from_utf8_lossy(&input).into_owned());
        given
    }
}

fn forward(pipe: impl Read, events: &Sender<Event>, run: u64, stream: Stream) {
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned();
        if events.send(Event::Line { run, stream, text }).is_err() {
            return;
        }
        line.clear();
    }
    let _ = events.send(Event::End { run });
}
