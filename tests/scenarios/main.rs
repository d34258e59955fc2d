//! Scenarios: what Juju and the cloud look like, what happens, and what must then be true.
//!
//! The real binary runs under the model of Juju, against the embedded cloud behind the gateway.
//! Hook tools are this very executable under other names.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a broken scenario stops the test at once")]

mod actions;
mod addresses;
mod attack;
mod bad_input;
mod consumers;
mod credentials;
mod endpoints;
mod interop;
mod kill;
mod lifecycle;
mod members;
mod monitors;
mod packed;
mod placement;
mod providers;
mod removal;
mod secrets;
mod trouble;
mod world;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    if let Some(code) = testbed::tools::act() {
        return code;
    }
    let trials = [
        actions::trials(),
        addresses::trials(),
        attack::trials(),
        bad_input::trials(),
        consumers::trials(),
        credentials::trials(),
        endpoints::trials(),
        interop::trials(),
        kill::trials(),
        lifecycle::trials(),
        members::trials(),
        monitors::trials(),
        packed::trials(),
        placement::trials(),
        providers::trials(),
        removal::trials(),
        secrets::trials(),
        trouble::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}

/// One trial a scenario, under the function's own name.
macro_rules! trials {
    ($($scenario:ident),* $(,)?) => {
        pub(crate) fn trials() -> Vec<Trial> {
            vec![$(Trial::test(
                concat!(module_path!(), "::", stringify!($scenario)).trim_start_matches("scenarios::"),
                || {
                    $scenario();
                    Ok(())
                },
            )),*]
        }
    };
}
pub(crate) use trials;
