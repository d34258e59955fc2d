//! Who acts next: everybody at once in a real model, here one after the other in an order that the seed decides.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

use super::hook::Hook;
use super::model::Model;
use super::record::{Exit, HookRecord};
use super::resolver::Operation;

/// A hook that failed without being meant to.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What happened in it.
    pub record: Box<HookRecord>,
}

/// More hooks than this without rest, and the charm keeps itself busy.
const LIMIT: usize = 5000;

enum Actor {
    /// One of our units.
    Agent(String),
    /// A remote unit that must leave.
    Leaver(String),
    /// An application without a leader.
    Election(String),
    /// A consumer of load balancers.
    Consumer(usize),
}

impl Model {
    /// Runs everything that is queued, retries included, and nothing by the clock.
    ///
    /// Panics if a hook fails without being meant to: no planned fault struck and nobody killed it.
    pub fn settle(&mut self) {
        if let Err(failure) = self.try_settle() {
            panic!("{failure}");
        }
    }

    /// The same, but stops and tells at the first hook that fails without being meant to.
    pub fn try_settle(&mut self) -> Result<(), Failure> {
        for _ in 0..LIMIT {
            if self.step()? {
                continue;
            }
            match self.next_retry() {
                Some(due) => self.state.now = self.state.now.max(due),
                None => return Ok(()),
            }
        }
        panic!("the model does not come to rest within {LIMIT} steps");
    }

    /// Runs `update-status` on a unit, after all that is queued.
    pub fn update_status(&mut self, unit: &str) {
        self.settle();
        if let Err(failure) = self.run_hook(unit, &Hook::UpdateStatus) {
            panic!("{failure}");
        }
        self.settle();
    }

    /// Runs a hook of any name on a unit, after all that is queued.
    pub fn run_named_hook(&mut self, unit: &str, name: &str) {
        self.settle();
        if let Err(failure) = self.run_hook(unit, &Hook::Other(name.to_owned())) {
            panic!("{failure}");
        }
    }

    /// Runs the next hook that is queued anywhere; none once everything is at rest.
    pub fn next_hook(&mut self) -> Option<&HookRecord> {
        let before = self.records.len();
        while self.records.len() == before {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(failure) => panic!("{failure}"),
            }
        }
        self.records.last()
    }

    /// Lets time pass: every unit's `update-status` runs when it is due, give or take a fifth of the interval.
    pub fn advance(&mut self, time: Duration) {
        self.settle();
        let end = self.state.now + time;
        for name in self.agents() {
            self.set_update_status_timer(&name);
        }
        loop {
            let due = self
                .agents()
                .into_iter()
                .filter_map(|name| Some((self.state.unit(&name).agent.update_status_due?, name)));
            let Some((due, name)) = due.min().filter(|(due, _)| *due <= end) else { break };
            self.state.now = self.state.now.max(due);
            self.state.unit_mut(&name).agent.update_status_due = None;
            self.update_status(&name);
            if self.state.units.contains_key(&name) {
                self.set_update_status_timer(&name);
            }
        }
        self.state.now = self.state.now.max(end);
    }

    /// `juju resolve unit`: the failed hook runs again now.
    pub fn resolve(&mut self, unit: &str) {
        let now = self.state.now;
        if let Some(failed) = &mut self.state.unit_mut(unit).agent.failed {
            failed.due = now;
        }
    }

    /// `juju resolve --no-retry unit`: the failed hook counts as done, though it is not.
    pub fn resolve_without_retry(&mut self, unit: &str) {
        let saw = self.state.surroundings(unit);
        if let Some(failed) = self.state.unit_mut(unit).agent.failed.take() {
            self.state.commit(unit, &failed.hook, saw);
        }
    }

    fn set_update_status_timer(&mut self, name: &str) {
        let interval = self.options.update_status_interval;
        let (now, part) = (self.state.now, self.random.random_range(0.8..1.2));
        let agent = &mut self.state.unit_mut(name).agent;
        agent.update_status_due.get_or_insert(now + interval.mul_f64(part));
    }

    fn agents(&self) -> Vec<String> {
        let ours = |application: &str| self.state.application(application).charm.is_some();
        self.state
            .units
            .iter()
            .filter(|(_, unit)| ours(&unit.application))
            .map(|(name, _)| name.clone())
            .collect()
    }

    fn next_retry(&self) -> Option<Duration> {
        let failed = self.state.units.values().filter_map(|unit| unit.agent.failed.as_ref());
        failed.filter(|_| self.options.retry_hooks).map(|failed| failed.due).min()
    }

    /// Lets one actor do one thing; false if nobody has anything to do.
    fn step(&mut self) -> Result<bool, Failure> {
        let mut actors: Vec<Actor> = self.agents().into_iter().map(Actor::Agent).collect();
        actors.extend(self.leavers().into_iter().map(Actor::Leaver));
        actors.extend(self.leaderless().into_iter().map(Actor::Election));
        actors.extend((0..self.consumers.len()).map(Actor::Consumer));
        actors.shuffle(&mut self.random);
        for actor in actors {
            let acted = match actor {
                Actor::Agent(name) => self.step_agent(&name)?,
                Actor::Leaver(name) => self.leave(&name),
                Actor::Election(application) => self.elect(&application),
                Actor::Consumer(at) => self.consume(at),
            };
            if acted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step_agent(&mut self, name: &str) -> Result<bool, Failure> {
        match self.state.next_operation(name, &mut self.random) {
            None => Ok(false),
            Some(Operation::Run(hook)) => self.run_hook(name, &hook).map(|()| true),
            Some(Operation::Die) => {
                self.state.bury_unit(name);
                Ok(true)
            }
        }
    }

    /// Runs one hook and lets it take effect, or not.
    fn run_hook(&mut self, name: &str, hook: &Hook) -> Result<(), Failure> {
        self.state.prepare(name, Some(hook));
        let saw = self.state.surroundings(name);
        let mut run = self.new_run(name, format!("hooks/{}", hook.name()), Some(hook.clone()), None);
        let (mut record, _) = self.execute(&mut run);
        let flushed = match record.exit {
            Exit::Code(0) => self.state.flush(&run),
            Exit::Code(code) => Err(format!("exit status {code}")),
            Exit::Signal => Err("signal: killed".to_owned()),
        };
        record.committed = flushed.is_ok();
        let meant = record.meddled;
        self.records.push(record.clone());
        let Err(why) = flushed else {
            self.state.commit(name, hook, saw);
            return Ok(());
        };
        self.state.fail(name, hook);
        self.state.log.push(super::log::LogLine {
            unit: name.to_owned(),
            hook: hook.name(),
            level: "ERROR".to_owned(),
            text: format!("hook {:?} failed: {why}", hook.name()),
            by_tool: false,
        });
        if meant { Ok(()) } else { Err(Failure { record: Box::new(record) }) }
    }

    /// Remote units that are going, or whose relation is.
    fn leavers(&self) -> Vec<String> {
        let in_dying_relation = |name: &String| {
            self.state.relations.values().any(|relation| relation.dying && relation.scope.contains_key(name))
        };
        self.state
            .units
            .iter()
            .filter(|(_, unit)| self.state.application(&unit.application).charm.is_none())
            .filter(|(name, unit)| unit.dying || in_dying_relation(name))
            .map(|(name, _)| name.clone())
            .collect()
    }

    fn leave(&mut self, name: &str) -> bool {
        if self.state.unit(name).dying {
            self.state.bury_unit(name);
            return true;
        }
        let relation = self
            .state
            .relations
            .iter()
            .find(|(_, relation)| relation.dying && relation.scope.contains_key(name))
            .map(|(id, _)| *id);
        relation.inspect(|id| self.state.leave_scope(*id, name)).is_some()
    }

    fn leaderless(&self) -> Vec<String> {
        let applications = self.state.applications.iter();
        let vacant = applications
            .filter(|(_, application)| application.charm.is_some() && application.leader.is_none());
        vacant.map(|(name, _)| name.clone()).collect()
    }

    fn elect(&mut self, application: &str) -> bool {
        let mut candidates = self.state.units_of(application);
        candidates.retain(|name| !self.state.unit(name).dying);
        let Some(elected) = candidates.choose(&mut self.random).cloned() else { return false };
        self.state.application_mut(application).leader = Some(elected);
        true
    }
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let HookRecord { unit, path, exit, calls, log, .. } = &*self.record;
        writeln!(formatter, "{path} failed on {unit}: {exit:?}")?;
        for call in calls {
            let code = call.code.map_or_else(|| "killed".to_owned(), |code| code.to_string());
            writeln!(formatter, "  {} {:?} -> {code} {}", call.tool, call.arguments, call.stderr.trim_end())?;
        }
        for line in log {
            writeln!(formatter, "  {} {}", line.level, line.text)?;
        }
        Ok(())
    }
}
