//! Runs the charm as Juju does: a child process with exactly Juju's environment.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::child::ChildSlot;
use super::context::{ActionRun, HookContext};
use super::server::Server;
use super::state::{Hook, HookRecord, LogLine, State};

/// A hook that is longer than this is killed and counts as failed.
const LONGEST: Duration = Duration::from_mins(5);

/// Where a run takes place.
pub(crate) struct Stage<'a> {
    pub(crate) state: &'a Arc<Mutex<State>>,
    pub(crate) child: &'a ChildSlot,
    /// Holds the hook tools and the agent's socket.
    pub(crate) folder: &'a Path,
    /// More of the environment than Juju gives, such as `http_proxy`.
    pub(crate) environment: &'a [(String, String)],
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) record: HookRecord,
    pub(crate) action: Option<ActionRun>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs one hook or action of a unit; what it wrote is taken over only if it ended well.
pub(crate) fn run(stage: &Stage<'_>, unit: &str, hook: &Hook, path: &str, action: Option<ActionRun>) -> Ran {
    let is_action = action.is_some();
    let context = HookContext { unit: unit.to_owned(), hook: hook.clone(), action, ..HookContext::default() };
    let context = Arc::new(Mutex::new(context));
    let started = Instant::now();
    let (status, stdout, stderr) = process(stage, unit, hook, path, &context);
    let context = context.lock().unwrap();
    let ended_well = status.success() && !context.killed;
    let mut world = stage.state.lock().unwrap();
    let committed = ended_well && context.commit(&mut world).is_ok();
    let lines = |text: &str, level: &str| {
        text.lines()
            .map(|line| LogLine { unit: unit.to_owned(), level: level.to_owned(), text: line.to_owned() })
            .collect::<Vec<_>>()
    };
    let output: Vec<LogLine> = lines(&stdout, "DEBUG").into_iter().chain(lines(&stderr, "WARNING")).collect();
    if !is_action {
        world.log.extend(output.clone());
    }
    let record = HookRecord {
        unit: unit.to_owned(),
        path: path.to_owned(),
        exit: status.code(),
        committed,
        calls: context.calls.clone(),
        wall: started.elapsed(),
        output,
    };
    world.hooks.push(record.clone());
    Ran { record, action: context.action.clone(), stdout, stderr }
}

fn process(
    stage: &Stage<'_>,
    unit: &str,
    hook: &Hook,
    path: &str,
    context: &Arc<Mutex<HookContext>>,
) -> (std::process::ExitStatus, String, String) {
    static CONTEXTS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let context_id = format!("{unit}-{}-{}", hook.name, CONTEXTS.fetch_add(1, Ordering::Relaxed));
    let socket = stage.folder.join("agent.socket");
    let listener = Server::listen(&socket);
    let over = Arc::new(AtomicBool::new(false));
    let server = Server {
        state: Arc::clone(stage.state),
        context: Arc::clone(context),
        context_id: context_id.clone(),
        child: stage.child.clone(),
        over: Arc::clone(&over),
    };
    let serving = std::thread::spawn(move || server.serve(&listener));
    let application = unit.split('/').next().unwrap_or_default();
    let charm_dir = stage.state.lock().unwrap().charm_dir(application);
    let mut command = Command::new(charm_dir.join("dispatch"));
    command
        .current_dir(&charm_dir)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.envs(environment(stage, unit, hook, path, &context_id, &socket, &charm_dir));
    let mut child = command.spawn().unwrap_or_else(|error| panic!("failed to start dispatch: {error}"));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    stage.child.hold(child);
    let status = stage.child.wait(LONGEST);
    over.store(true, Ordering::SeqCst);
    serving.join().unwrap();
    (status, stdout.join().unwrap(), stderr.join().unwrap())
}

/// Exactly what Juju sets (`runner/context/context.go` `HookVars`, `env.go`): no HOME, no USER.
fn environment(
    stage: &Stage<'_>,
    unit: &str,
    hook: &Hook,
    path: &str,
    context_id: &str,
    socket: &Path,
    charm_dir: &Path,
) -> Vec<(String, String)> {
    let world = stage.state.lock().unwrap();
    let charm_dir = charm_dir.display().to_string();
    let is_action = path.starts_with("actions/");
    let tools = stage.folder.join("tools").display().to_string();
    let mut pairs: Vec<(&str, String)> = vec![
        ("CHARM_DIR", charm_dir.clone()),
        ("JUJU_CHARM_DIR", charm_dir),
        ("JUJU_CONTEXT_ID", context_id.to_owned()),
        ("JUJU_HOOK_NAME", if is_action { String::new() } else { hook.name.clone() }),
        ("JUJU_AGENT_SOCKET_ADDRESS", socket.display().to_string()),
        ("JUJU_AGENT_SOCKET_NETWORK", "unix".to_owned()),
        ("JUJU_UNIT_NAME", unit.to_owned()),
        ("JUJU_MODEL_UUID", world.uuid.clone()),
        ("JUJU_MODEL_NAME", world.name.clone()),
        ("JUJU_API_ADDRESSES", "127.0.0.1:17070".to_owned()),
        ("JUJU_SLA", String::new()),
        ("JUJU_MACHINE_ID", "0".to_owned()),
        ("JUJU_PRINCIPAL_UNIT", String::new()),
        ("JUJU_AVAILABILITY_ZONE", String::new()),
        ("JUJU_VERSION", "3.6.0".to_owned()),
        ("CLOUD_API_VERSION", String::new()),
        ("JUJU_CHARM_HTTP_PROXY", String::new()),
        ("JUJU_CHARM_HTTPS_PROXY", String::new()),
        ("JUJU_CHARM_FTP_PROXY", String::new()),
        ("JUJU_CHARM_NO_PROXY", String::new()),
        ("JUJU_METER_STATUS", "AMBER".to_owned()),
        ("JUJU_METER_INFO", "not set".to_owned()),
        ("JUJU_DISPATCH_PATH", path.to_owned()),
        ("PATH", format!("{tools}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")),
        ("LANG", "C.UTF-8".to_owned()),
        ("DEBIAN_FRONTEND", "noninteractive".to_owned()),
        ("APT_LISTCHANGES_FRONTEND", "none".to_owned()),
        ("TERM", "tmux-256color".to_owned()),
    ];
    if let Some(relation) = hook.relation {
        let application = unit.split('/').next().unwrap_or_default();
        let endpoint = hook.name.rsplit_once("-relation-").map_or("", |(endpoint, _)| endpoint);
        debug_assert!(world.relations[&relation].end_of(application).is_some());
        pairs.push(("JUJU_RELATION", endpoint.to_owned()));
        pairs.push(("JUJU_RELATION_ID", format!("{endpoint}:{relation}")));
        pairs.push(("JUJU_REMOTE_APP", hook.remote_application.clone().unwrap_or_default()));
        pairs.push(("JUJU_REMOTE_UNIT", hook.remote_unit.clone().unwrap_or_default()));
    }
    if let Some(departing) = &hook.departing {
        pairs.push(("JUJU_DEPARTING_UNIT", departing.clone()));
    }
    if is_action {
        pairs.push(("JUJU_ACTION_NAME", path.trim_start_matches("actions/").to_owned()));
        pairs.push(("JUJU_ACTION_UUID", context_id.to_owned()));
        pairs.push(("JUJU_ACTION_TAG", format!("action-{context_id}")));
    }
    let mut all: Vec<(String, String)> =
        pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    all.extend(stage.environment.iter().cloned());
    all
}

fn collect(pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            text.push_str(&String::from_utf8_lossy(&line));
            line.clear();
        }
        text
    })
}
