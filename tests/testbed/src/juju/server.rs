//! The agent's socket.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::execute::Event;
use crate::tools::wire::{Reply, Request, receive, send};

/// Listens for hook tools and hands their calls over; they are answered one at a time, as Juju does.
#[derive(Debug)]
pub(crate) struct Server {
    path: PathBuf,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A call that waits for its answer.
#[derive(Debug)]
pub(crate) struct PendingCall {
    pub(crate) request: Request,
    stream: UnixStream,
}

impl Server {
    pub(crate) fn start(path: &Path, events: Sender<Event>) -> io::Result<Self> {
        let listener = UnixListener::bind(path)?;
        let closing = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&closing);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                if let Ok(call) = stream.and_then(PendingCall::read)
                    && events.send(Event::Call(call)).is_err()
                {
                    break;
                }
            }
        });
        Ok(Self { path: path.to_owned(), closing, thread: Some(thread) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // Wakes the thread, which sits in accept.
        if UnixStream::connect(&self.path).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

impl PendingCall {
    fn read(mut stream: UnixStream) -> io::Result<Self> {
        // A tool whose charm was killed may never finish its sentence.
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let request = serde_json::from_slice(&receive(&mut stream)?)?;
        Ok(Self { request, stream })
    }

    /// Asks for the tool's standard input.
    pub(crate) fn input(&mut self) -> io::Result<Vec<u8>> {
        send(&mut self.stream, &serde_json::to_vec(&Reply::SendInput)?)?;
        receive(&mut self.stream)
    }

    /// Answers; a caller that is gone does not mind.
    pub(crate) fn reply(mut self, code: u8, stdout: String, stderr: String) {
        let reply = Reply::Done { code, stdout, stderr };
        if let Ok(frame) = serde_json::to_vec(&reply) {
            let _ = send(&mut self.stream, &frame);
        }
    }
}
