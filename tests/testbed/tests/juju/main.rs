//! Tests of the model of Juju. This executable is also every hook tool.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod actions;
mod charm;
mod faults;
mod hooks;
mod recorded;
mod relations;
mod removal;
mod world;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial, run};

fn main() -> ExitCode {
    if let Some(code) = testbed::tools::act() {
        return code;
    }
    let tests = [actions::TESTS, faults::TESTS, hooks::TESTS, relations::TESTS, removal::TESTS, world::TESTS];
    let mut trials: Vec<Trial> = tests
        .concat()
        .into_iter()
        .map(|(name, test)| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        })
        .collect();
    trials.extend(recorded::trials());
    run(&Arguments::from_args(), trials).exit_code()
}

/// A test's name and what it does.
type Test = (&'static str, fn());
