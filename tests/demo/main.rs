//! `cargo demo`: the story of a control plane that gets a health-checked load balancer, loses a unit without losing a
//! request, and gets it back; on an embedded cloud and a model of Juju, with the real charm binary in between.
//!
//! Every sentence that can be checked is checked: the demo ends with 0 only if all of it came true.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a story that does not come true stops at once")]
#![expect(clippy::print_stdout, reason = "telling is what a demo is for")]

mod story;
mod table;
#[path = "../scenarios/world.rs"]
#[expect(dead_code, reason = "the scenarios use more of it than one story does")]
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = testbed::tools::act() {
        return code;
    }
    let started = std::time::Instant::now();
    story::tell();
    println!("\nAll of it came true, in {} s.", started.elapsed().as_secs());
    ExitCode::SUCCESS
}
