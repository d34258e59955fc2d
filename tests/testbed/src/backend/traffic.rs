//! A client that keeps asking through a VIP, and counts who answers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::fetch::fetch_https;

/// What the traffic has seen so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many requests each back end answered, by the name it gave.
    pub answered: BTreeMap<String, usize>,
    /// What went wrong, in the order it did.
    pub failures: Vec<String>,
}

impl Tally {
    /// How many requests were answered.
    pub fn successes(&self) -> usize {
        self.answered.values().sum()
    }
}

/// HTTPS requests at a steady rate, each on a connection of its own, until stopped or dropped.
#[derive(Debug)]
pub struct Traffic {
    tally: Arc<Mutex<Tally>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Traffic {
    /// Asks for the path this many times a second; an answer counts if it is a 200.
    pub fn start(at: SocketAddr, path: &str, per_second: u32) -> Self {
        let tally = Arc::new(Mutex::new(Tally::default()));
        let (stop, stopped) = mpsc::channel();
        let (path, seen) = (path.to_owned(), tally.clone());
        let interval = Duration::from_secs(1) / per_second;
        let thread = std::thread::spawn(move || {
            let begin = Instant::now();
            loop {
                let next = Instant::now() + interval;
                let answer = fetch_https(at.ip(), at.port(), &path);
                let mut seen = seen.lock().unwrap();
                match answer {
                    Ok((200, name)) => *seen.answered.entry(name).or_default() += 1,
                    Ok((status, _)) => seen.failures.push(format!("{:?}: status {status}", begin.elapsed())),
                    Err(error) => seen.failures.push(format!("{:?}: {error}", begin.elapsed())),
                }
                drop(seen);
                let pause = next.saturating_duration_since(Instant::now());
                if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self { tally, stop: Some(stop), thread: Some(thread) }
    }

    /// What has been seen so far.
    pub fn tally(&self) -> Tally {
        self.tally.lock().unwrap().clone()
    }

    /// Forgets what was seen, so that the next tally is of what comes now.
    pub fn reset(&self) {
        *self.tally.lock().unwrap() = Tally::default();
    }

    /// Ends the traffic after the request that is under way.
    pub fn stop(mut self) -> Tally {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the traffic ran to its end");
        }
        self.tally()
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        // Dropping the sender ends the thread; nobody waits for it.
        drop(self.stop.take());
    }
}
