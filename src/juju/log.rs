//! Where log lines go: `juju-log` in Juju, stderr outside.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use super::context::Invocation;
use super::tools;

/// Where lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// Lines of INFO and above to `juju-log`, one process each; DEBUG to stdout, which Juju logs at that level itself.
    Hook,
    /// As in a hook, but stdout is the user's: DEBUG goes nowhere.
    Action,
    /// All to stderr.
    Terminal,
}

impl From<Option<&Invocation>> for Destination {
    fn from(invocation: Option<&Invocation>) -> Self {
        match invocation {
            Some(Invocation::Hook(_)) => Self::Hook,
            Some(Invocation::Action(_)) => Self::Action,
            None => Self::Terminal,
        }
    }
}

/// A subscriber for this process.
pub fn subscriber(destination: Destination) -> impl Subscriber + Send + Sync {
    tracing_subscriber::registry().with(JujuLog { destination })
}

struct JujuLog {
    destination: Destination,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for JujuLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        // Libraries log at their own will, and some log headers.
        if !metadata.target().starts_with("octavia_integrator") {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        let text = line.0.replace(['\n', '\r', '\0'], " ");
        let level = *metadata.level();
        match self.destination {
            Destination::Hook | Destination::Action if level <= Level::INFO => {
                for part in split(&text, tools::LONGEST_ARGUMENT) {
                    // A line that cannot be logged must not stop a hook.
                    let _ = tools::juju_log(name(level), part);
                }
            }
            Destination::Hook => {
                let _ = writeln!(std::io::stdout(), "{text}");
            }
            Destination::Action => {}
            Destination::Terminal => {
                let _ = writeln!(std::io::stderr(), "{level} {text}");
            }
        }
    }
}

fn name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARNING",
        Level::INFO => "INFO",
        Level::DEBUG => "DEBUG",
        Level::TRACE => "TRACE",
    }
}

/// Pieces of at most `longest` bytes, cut between characters.
fn split(text: &str, longest: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > longest {
        let (part, after) = rest.split_at(rest.floor_char_boundary(longest));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// The message, then other fields as `name=value`.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(split("", 4), [""]);
        assert_eq!(split("abcd", 4), ["abcd"]);
        assert_eq!(split("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(split("üüü", 3), ["ü", "ü", "ü"]);
    }
}
