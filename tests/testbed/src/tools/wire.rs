//! What tool and model say to each other over the agent's socket: length-prefixed frames.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

/// One call of a hook tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    /// `JUJU_CONTEXT_ID` of the caller.
    pub(crate) context: String,
    /// The name the tool was called by.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// The caller's working directory, against which the agent resolves file names.
    pub(crate) directory: String,
}

/// What the agent answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The tool wants its standard input; it follows as one frame.
    SendInput,
    /// The tool is done.
    Done {
        /// Exit code.
        code: u8,
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: String,
    },
}

/// Writes one frame.
pub(crate) fn send(stream: &mut impl Write, frame: &[u8]) -> io::Result<()> {
    let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(frame)?;
    stream.flush()
}

/// Reads one frame.
pub(crate) fn receive(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?];
    stream.read_exact(&mut frame)?;
    Ok(frame)
}
