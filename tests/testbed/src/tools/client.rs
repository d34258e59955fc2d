//! The tool's side: hand everything to the agent, print what it answers.

use std::env;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use super::commands::NAMES;
use super::wire::{Reply, Request, receive, send};

/// Acts as a hook tool if this process was called by the name of one; else does nothing.
///
/// Call it before anything else in the `main` of every test executable that uses the model of Juju.
pub fn act() -> Option<ExitCode> {
    let mut arguments = env::args_os();
    let name = arguments.next()?;
    let tool = Path::new(&name).file_name()?.to_str()?.to_owned();
    if !NAMES.contains(&tool.as_str()) {
        return None;
    }
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned()).collect();
    Some(run(tool, arguments).unwrap_or_else(|failure| {
        // Juju prints every failure in this form (juju/cmd, `cmd.go` `WriteError`).
        let _ = writeln!(io::stderr(), "ERROR {failure}");
        ExitCode::from(1)
    }))
}

fn run(tool: String, arguments: Vec<String>) -> io::Result<ExitCode> {
    let variable = |name: &str| env::var(name).map_err(|_| io::Error::other(format!("{name} not set")));
    let context = variable("JUJU_CONTEXT_ID")?;
    let socket = variable("JUJU_AGENT_SOCKET_ADDRESS")?;
    let directory = env::current_dir()?.to_string_lossy().into_owned();
    let mut stream = UnixStream::connect(socket)?;
    let request = Request { context, tool, arguments, directory };
    send(&mut stream, &serde_json::to_vec(&request)?)?;
    loop {
        match serde_json::from_slice(&receive(&mut stream)?)? {
            Reply::SendInput => {
                let mut input = Vec::new();
                io::stdin().read_to_end(&mut input)?;
                send(&mut stream, &input)?;
            }
            Reply::Done { code, stdout, stderr } => {
                io::stdout().write_all(stdout.as_bytes())?;
                io::stderr().write_all(stderr.as_bytes())?;
                return Ok(ExitCode::from(code));
            }
        }
    }
}
