//! The model of Juju as a scenario owns it.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::child::ChildSlot;
use super::consumer::Consumer;
use super::execute::Event;
use super::fault::Fault;
use super::record::HookRecord;
use super::server::Server;
use super::state::State;
use crate::tools::NAMES;

/// One model, its controller and all unit agents in it.
#[derive(Debug)]
pub struct Model {
    pub(crate) options: ModelOptions,
    pub(crate) state: State,
    pub(crate) random: StdRng,
    pub(crate) records: Vec<HookRecord>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) consumers: Vec<Consumer>,
    pub(crate) child: Arc<ChildSlot>,
    pub(crate) sender: Sender<Event>,
    pub(crate) receiver: Receiver<Event>,
    pub(crate) server: Server,
    /// Holds the tools and the socket.
    pub(crate) directory: TempDir,
    pub(crate) runs: u64,
    pub(crate) next_context: u64,
    pub(crate) next_action: u32,
}

/// What differs between models.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Decides every random order.
    pub seed: u64,
    /// Name of the model.
    pub name: String,
    /// Its UUID.
    pub uuid: String,
    /// What `credential-get --format=json` gives to an application with trust.
    pub credential: Option<Json>,
    /// Variables that the machine adds to Juju's own, such as where its root certificates are.
    pub machine_environment: Vec<(String, String)>,
    /// Model config `automatically-retry-hooks`.
    pub retry_hooks: bool,
    /// Model config `update-status-hook-interval`.
    pub update_status_interval: Duration,
}

/// How an application is deployed.
#[derive(Debug, Clone, Copy)]
pub struct Deploy<'a> {
    /// A folder with metadata.yaml, config.yaml, actions.yaml and dispatch.
    pub charm_dir: &'a Path,
    /// Number of units.
    pub units: u32,
    /// `--trust`.
    pub trust: bool,
    /// `--config name=value`.
    pub config: &'a [(&'a str, &'a str)],
    /// Addresses of the units; those without get one from 10.0.0.0/24.
    pub addresses: &'a [&'a str],
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            name: "k8s".to_owned(),
            uuid: "7b0f6d1c-3a55-4f0e-8d7c-6a3f2f0c9e11".to_owned(),
            credential: None,
            machine_environment: Vec::new(),
            retry_hooks: true,
            update_status_interval: Duration::from_mins(5),
        }
    }
}

impl Default for Deploy<'_> {
    fn default() -> Self {
        Self { charm_dir: Path::new("."), units: 1, trust: false, config: &[], addresses: &[] }
    }
}

impl Model {
    /// An empty model.
    pub fn new(mut options: ModelOptions) -> Self {
        let directory =
            tempfile::Builder::new().prefix("juju").tempdir().expect("a temporary folder can be made");
        let tools = directory.path().join("tools");
        fs::create_dir(&tools).expect("a folder for the tools can be made");
        let executable = env::current_exe().expect("the running executable has a path");
        for name in NAMES {
            symlink(&executable, tools.join(name)).expect("a link can be made");
        }
        let (sender, receiver) = channel();
        let server = Server::start(&directory.path().join("agent.socket"), sender.clone());
        let mut state = State::default();
        state.credential = options.credential.take();
        Self {
            random: StdRng::seed_from_u64(options.seed),
            options,
            state,
            records: Vec::new(),
            faults: Vec::new(),
            consumers: Vec::new(),
            child: Arc::default(),
            sender,
            receiver,
            server: server.expect("the agent's socket can be bound"),
            directory,
            runs: 0,
            next_context: 0,
            next_action: 0,
        }
    }

    /// The charm's process while it runs, so that others can kill it.
    pub fn child(&self) -> Arc<ChildSlot> {
        Arc::clone(&self.child)
    }
}
