//! A hook tool as a process: this very executable under the tool's name, which asks the model over a socket.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::tools::TOOLS;

/// What a tool's process asks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) context: String,
    pub(crate) tool: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) input: Option<String>,
}

/// What it prints.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Acts as a hook tool if this process was started under the name of one: first thing in a test's `main`.
pub fn act_as_tool() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    let name = std::path::Path::new(&name).file_name()?.to_str()?.to_owned();
    if !TOOLS.contains(&name.as_str()) {
        return None;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let reply =
        ask(name, arguments).unwrap_or_else(|text| Reply { code: 1, stdout: String::new(), stderr: text });
    let _ = std::io::stdout().write_all(reply.stdout.as_bytes());
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    Some(ExitCode::from(u8::try_from(reply.code).unwrap_or(1)))
}

fn ask(tool: String, arguments: Vec<String>) -> Result<Reply, String> {
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("ERROR {name} not set\n"));
    let context = variable("JUJU_CONTEXT_ID")?;
    let socket = variable("JUJU_AGENT_SOCKET_ADDRESS")?;
    // Standard input is read only if the tool asks for it.
    let asks = arguments.windows(2).any(|pair| pair[0] == "--file" && pair[1] == "-");
    let mut input = None;
    if asks {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| format!("ERROR {error}\n"))?;
        input = Some(text);
    }
    let question = Question { context, tool, arguments, input };
    let failed = |error: &dyn std::fmt::Display| format!("ERROR connection to the agent: {error}\n");
    let mut stream = UnixStream::connect(socket).map_err(|error| failed(&error))?;
    stream.write_all(&serde_json::to_vec(&question).unwrap()).map_err(|error| failed(&error))?;
    stream.shutdown(std::net::Shutdown::Write).map_err(|error| failed(&error))?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).map_err(|error| failed(&error))?;
    serde_json::from_slice(&reply).map_err(|error| failed(&error))
}
