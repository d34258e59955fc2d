//! What a scenario can do with a model, and see of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::Value;

use super::charm::Charm;
use super::child::ChildSlot;
use super::context::ActionRun;
use super::fault::{Fault, FaultKind};
use super::remote;
use super::runner::{self, Stage};
use super::state::{Application, Bag, End, Hook, HookRecord, LogLine, Relation, State, Status, Unit};
use super::tools::TOOLS;
use super::uniter;

/// More hooks than any scenario needs: a model that never rests is a fault.
const MOST_HOOKS: usize = 2000;

/// One Juju model with our application and scripted others.
pub struct Model {
    state: Arc<Mutex<State>>,
    child: ChildSlot,
    folder: tempfile::TempDir,
    random: StdRng,
    /// Hooks may fail; otherwise a failing hook fails the scenario.
    failures_allowed: bool,
    environment: Vec<(String, String)>,
}

/// How our application is deployed.
#[derive(Debug, Clone)]
pub struct Deploy<'a> {
    /// The charm, with `dispatch` in it.
    pub charm_dir: &'a Path,
    /// How many units.
    pub units: u32,
    /// Whether it may see the cloud's credential.
    pub trust: bool,
    /// Options, as the command line gives them.
    pub config: &'a [(&'a str, &'a str)],
    /// What `credential-get` tells once it is trusted.
    pub credential: Value,
    /// The machines' addresses, in turn.
    pub addresses: &'a [&'a str],
}

/// What became of an action.
#[derive(Debug, Clone)]
pub struct ActionResult {
    /// `completed` or `failed`.
    pub status: String,
    /// Why it failed.
    pub message: String,
    /// What `action-set` said.
    pub results: BTreeMap<String, String>,
    /// What it printed.
    pub stdout: String,
    /// What it printed.
    pub stderr: String,
}

impl Model {
    /// An empty model; what is queued runs in an order that the seed tells.
    pub fn new(seed: u64) -> Self {
        let folder = tempfile::Builder::new().prefix("juju-").tempdir().unwrap();
        let tools = folder.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        for tool in TOOLS {
            std::os::unix::fs::symlink(std::env::current_exe().unwrap(), tools.join(tool)).unwrap();
        }
        let state = State {
            name: "k8s".to_owned(),
            uuid: format!("7a0e1e6c-2c36-4d3c-8a5e-{seed:012x}"),
            ..State::default()
        };
        Self {
            state: Arc::new(Mutex::new(state)),
            child: ChildSlot::default(),
            folder,
            random: StdRng::seed_from_u64(seed),
            failures_allowed: false,
            environment: Vec::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The running charm, for whoever must kill it.
    pub fn child(&self) -> ChildSlot {
        self.child.clone()
    }

    /// From now on hooks may fail.
    pub fn allow_failures(&mut self, allowed: bool) {
        self.failures_allowed = allowed;
    }

    /// One more variable in the charm's environment, or another value for one of Juju's.
    pub fn set_environment(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// `juju deploy`
    pub fn deploy(&mut self, name: &str, deploy: &Deploy<'_>) {
        let charm = Charm::read(deploy.charm_dir);
        let config =
            deploy.config.iter().map(|(name, text)| ((*name).to_owned(), charm.value(name, text))).collect();
        let application = Application {
            charm: Some(charm),
            config,
            trust: deploy.trust,
            credential: Some(deploy.credential.clone()),
            ..Application::default()
        };
        self.state().applications.insert(name.to_owned(), application);
        for number in 0..deploy.units {
            let index = usize::try_from(number).unwrap() % deploy.addresses.len();
            self.add_unit(name, deploy.addresses[index]);
        }
    }

    /// An application that the scenario plays.
    pub fn add_remote(&mut self, name: &str, units: &[(u32, &str)]) {
        self.state().applications.insert(name.to_owned(), Application::default());
        for (number, address) in units {
            self.add_remote_unit(name, *number, address);
        }
    }

    /// One more unit of an application that the scenario plays.
    pub fn add_remote_unit(&mut self, application: &str, number: u32, address: &str) {
        let mut state = self.state();
        let unit =
            Unit { application: application.to_owned(), address: address.to_owned(), ..Unit::default() };
        state.units.insert(format!("{application}/{number}"), unit);
        remote::enter(&mut state, application);
    }

    /// A unit of an application that the scenario plays is gone.
    pub fn remove_remote_unit(&mut self, unit: &str) {
        let mut state = self.state();
        for relation in state.relations.values_mut() {
            relation.scope.remove(unit);
        }
        state.units.remove(unit);
    }

    /// `juju add-unit`; the first unit leads.
    pub fn add_unit(&mut self, application: &str, address: &str) -> String {
        let mut state = self.state();
        let owner = state.applications.get_mut(application).unwrap();
        let name = format!("{application}/{}", owner.next_unit);
        owner.next_unit += 1;
        owner.leader.get_or_insert_with(|| name.clone());
        let unit =
            Unit { application: application.to_owned(), address: address.to_owned(), ..Unit::default() };
        state.units.insert(name.clone(), unit);
        name
    }

    /// `juju remove-unit`
    pub fn remove_unit(&mut self, unit: &str) {
        self.state().units.get_mut(unit).unwrap().dying = true;
    }

    /// Another unit leads from now on, or none.
    pub fn set_leader(&mut self, application: &str, unit: Option<&str>) {
        let mut state = self.state();
        let owner = state.applications.get_mut(application).unwrap();
        let before = owner.leader.take();
        owner.leader = unit.map(str::to_owned);
        if let Some(unit) =
            before.filter(|before| Some(before.as_str()) != unit).and_then(|unit| state.units.get_mut(&unit))
        {
            unit.agent.leader_elected = false;
        }
    }

    /// `juju integrate provider:endpoint consumer:endpoint`; the relation's number.
    pub fn integrate(&mut self, one: &str, other: &str) -> u32 {
        let end = |text: &str| {
            let (application, endpoint) = text.split_once(':').unwrap();
            End { application: application.to_owned(), endpoint: endpoint.to_owned() }
        };
        let mut state = self.state();
        let id = state.next_relation;
        state.next_relation += 1;
        let relation = Relation { ends: [end(one), end(other)], ..Relation::default() };
        let applications: Vec<String> = relation.ends.iter().map(|end| end.application.clone()).collect();
        state.relations.insert(id, relation);
        for application in applications {
            if state.applications[&application].charm.is_none() {
                remote::enter(&mut state, &application);
            } else {
                self::enter_all(&mut state, &application);
            }
        }
        id
    }

    /// `juju remove-relation`; remote units leave at once, ours by their hooks.
    pub fn remove_relation(&mut self, id: u32) {
        let mut state = self.state();
        let ours: Vec<String> = our_units(&state);
        let relation = state.relations.get_mut(&id).unwrap();
        relation.dying = true;
        relation.scope.retain(|unit| ours.contains(unit));
        if relation.scope.is_empty() {
            state.relations.remove(&id);
        }
    }

    /// `juju remove-application`
    pub fn remove_application(&mut self, application: &str) {
        let ids: Vec<u32> = {
            let state = self.state();
            let own = state.relations.iter().filter(|(_, relation)| relation.end_of(application).is_some());
            own.map(|(id, _)| *id).collect()
        };
        for id in ids {
            self.remove_relation(id);
        }
        let mut state = self.state();
        state.applications.get_mut(application).unwrap().dying = true;
        let prefix = format!("{application}/");
        for (_, unit) in state.units.iter_mut().filter(|(name, _)| name.starts_with(&prefix)) {
            unit.dying = true;
        }
    }

    /// `juju config name=value …`
    pub fn configure(&mut self, application: &str, options: &[(&str, &str)]) {
        let mut state = self.state();
        let owner = state.applications.get_mut(application).unwrap();
        for (name, text) in options {
            let value = owner.charm.as_ref().unwrap().value(name, text);
            owner.config.insert((*name).to_owned(), value);
        }
    }

    /// `juju config --reset name`
    pub fn reset(&mut self, application: &str, name: &str) {
        self.state().applications.get_mut(application).unwrap().config.remove(name);
    }

    /// `juju trust`
    pub fn trust(&mut self, application: &str, trusted: bool) {
        self.state().applications.get_mut(application).unwrap().trust = trusted;
    }

    /// What `credential-get` tells from now on.
    pub fn set_credential(&mut self, application: &str, credential: Value) {
        self.state().applications.get_mut(application).unwrap().credential = Some(credential);
    }

    /// What a remote application's leader writes; an empty value deletes.
    pub fn write_application_bag(&mut self, relation: u32, application: &str, changes: &Bag) {
        let mut state = self.state();
        let relation = state.relations.get_mut(&relation).unwrap();
        relation.application_bags.entry(application.to_owned()).or_default().merge(changes);
    }

    /// What a remote unit writes; an empty value deletes.
    pub fn write_unit_bag(&mut self, relation: u32, unit: &str, changes: &Bag) {
        let mut state = self.state();
        let relation = state.relations.get_mut(&relation).unwrap();
        relation.unit_bags.entry(unit.to_owned()).or_default().merge(changes);
    }

    /// A consumer of the interface `loadbalancer`: its version now, its requests once it sees ours.
    pub fn request(&mut self, relation: u32, consumer: &str, bag: &Bag) {
        let mut bag = bag.clone();
        let version = bag.remove("version").map(|version| ("version".to_owned(), version));
        self.write_application_bag(relation, consumer, &version.into_iter().collect());
        self.state().relations.get_mut(&relation).unwrap().pending_requests = bag;
    }

    /// Every read of a relation is refused although it is listed.
    pub fn make_unreadable(&mut self, relation: u32, unreadable: bool) {
        self.state().relations.get_mut(&relation).unwrap().unreadable = unreadable;
    }

    /// Plans a fault at the n-th call from now of a tool whose arguments hold some words.
    pub fn plan_fault(&mut self, tool: &str, arguments: &str, nth: u32, kind: FaultKind) {
        self.state().faults.push(Fault {
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            remaining: nth,
            kind,
            fired: false,
        });
    }

    /// Planned faults that did not strike: a scenario that has any proves nothing.
    pub fn unfired(&self) -> Vec<String> {
        let state = self.state();
        let unfired = state.faults.iter().filter(|fault| !fault.fired);
        unfired.map(|fault| format!("{:?} at {} {}", fault.kind, fault.tool, fault.arguments)).collect()
    }

    /// Runs hooks until nobody has anything to do; failing hooks are retried, as Juju does.
    pub fn settle(&mut self) {
        for _ in 0..MOST_HOOKS {
            if self.step().is_none() {
                let wrote = remote::play_consumers(&mut self.state());
                if !wrote {
                    return;
                }
            }
        }
        panic!("the model does not come to rest");
    }

    /// Runs one hook of one unit, whichever is due; none if nobody has anything to do.
    pub fn step(&mut self) -> Option<HookRecord> {
        let mut units: Vec<String> = our_units(&self.state());
        units.shuffle(&mut self.random);
        for unit in units {
            let due = {
                let mut state = self.state.lock().unwrap();
                uniter::enter_scopes(&mut state, &unit);
                uniter::next_hook(&state, &unit, &mut self.random)
            };
            if let Some(hook) = due {
                return Some(self.run_hook(&unit, &hook));
            }
        }
        None
    }

    /// One `update-status` of a unit.
    pub fn update_status(&mut self, unit: &str) -> HookRecord {
        self.run_hook(unit, &Hook { name: "update-status".to_owned(), ..Hook::default() })
    }

    /// Runs any hook by its name, as `juju exec` can.
    pub fn run_named_hook(&mut self, unit: &str, name: &str) -> HookRecord {
        self.run_hook(unit, &Hook { name: name.to_owned(), ..Hook::default() })
    }

    fn run_hook(&mut self, unit: &str, hook: &Hook) -> HookRecord {
        self.set_agents_own_status(unit, hook);
        uniter::before(&mut self.state(), unit, hook);
        let ran = runner::run(&self.stage(), unit, hook, &format!("hooks/{}", hook.name), None);
        let mut state = self.state();
        if ran.record.committed {
            state.units.get_mut(unit).unwrap().agent.failed = None;
            uniter::after(&mut state, unit, hook);
            forget_removed(&mut state, unit);
        } else {
            assert!(self.failures_allowed, "hook {} of {unit} failed: {}", hook.name, ran.stderr);
            state.units.get_mut(unit).unwrap().agent.failed = Some(hook.clone());
        }
        drop(state);
        ran.record
    }

    /// Before some hooks Juju itself sets the workload status.
    fn set_agents_own_status(&self, unit: &str, hook: &Hook) {
        let message = match hook.name.as_str() {
            "install" => "installing charm software",
            "stop" => "stopping charm software",
            "remove" => "cleaning up prior to charm deletion",
            _ => return,
        };
        let status = Status { level: "maintenance".to_owned(), message: message.to_owned() };
        self.state().units.get_mut(unit).unwrap().status = status;
    }

    /// `juju run`
    pub fn run_action(&mut self, unit: &str, name: &str, parameters: Value) -> ActionResult {
        let application = unit.split('/').next().unwrap_or_default();
        assert!(
            self.state().applications[application].charm.as_ref().unwrap().actions.contains_key(name),
            "action {name:?} is not defined"
        );
        let action = ActionRun { parameters: super::tools::parameters(parameters), ..ActionRun::default() };
        let ran =
            runner::run(&self.stage(), unit, &Hook::default(), &format!("actions/{name}"), Some(action));
        let action = ran.action.unwrap_or_default();
        let (status, message) = match (&action.failure, ran.record.exit) {
            (Some(failure), _) => ("failed", failure.clone()),
            (None, Some(0)) => ("completed", String::new()),
            (None, code) => ("failed", format!("exit status {}", code.unwrap_or(-1))),
        };
        ActionResult {
            status: status.to_owned(),
            message,
            results: action.results,
            stdout: ran.stdout,
            stderr: ran.stderr,
        }
    }

    fn stage(&self) -> Stage<'_> {
        Stage {
            state: &self.state,
            child: &self.child,
            folder: self.folder.path(),
            environment: &self.environment,
        }
    }

    /// Our application's or a remote one's databag.
    pub fn application_bag(&self, relation: u32, application: &str) -> Bag {
        let state = self.state();
        let bag = state.relations.get(&relation).and_then(|one| one.application_bags.get(application));
        bag.map(|bag| bag.content.clone()).unwrap_or_default()
    }

    /// A unit's workload status.
    pub fn status(&self, unit: &str) -> Status {
        self.state().units[unit].status.clone()
    }

    /// Every status that a unit set.
    pub fn status_history(&self, unit: &str) -> Vec<Status> {
        self.state().units[unit].history.clone()
    }

    /// The version that `juju status` shows.
    pub fn application_version(&self, application: &str) -> String {
        self.state().applications[application].version.clone()
    }

    /// Our units that are still there.
    pub fn units(&self) -> Vec<String> {
        our_units(&self.state())
    }

    /// `juju debug-log`
    pub fn log(&self) -> Vec<LogLine> {
        self.state().log.clone()
    }

    /// Every hook and action so far.
    pub fn hooks(&self) -> Vec<HookRecord> {
        self.state().hooks.clone()
    }

    /// The model's uuid.
    pub fn uuid(&self) -> String {
        self.state().uuid.clone()
    }

    /// Where the model keeps its files.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
}

fn our_units(state: &State) -> Vec<String> {
    let ours = state.units.iter().filter(|(_, unit)| state.applications[&unit.application].charm.is_some());
    ours.filter(|(_, unit)| !unit.agent.removed).map(|(name, _)| name.clone()).collect()
}

fn enter_all(state: &mut State, application: &str) {
    for unit in our_units(state).iter().filter(|unit| unit.starts_with(&format!("{application}/"))) {
        uniter::enter_scopes(state, unit);
    }
}

/// A removed unit loses the lead to one that stays.
fn forget_removed(state: &mut State, unit: &str) {
    if !state.units[unit].agent.removed {
        return;
    }
    let application = state.units[unit].application.clone();
    let others: Vec<String> =
        our_units(state).into_iter().filter(|name| name.starts_with(&format!("{application}/"))).collect();
    let owner = state.applications.get_mut(&application).unwrap();
    if owner.leader.as_deref() == Some(unit) {
        owner.leader = others.first().cloned();
    }
}
