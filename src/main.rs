//! The binary: environment and arguments in, exit code out.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use octavia_integrator::cli::{Arguments, EXPLANATION};
use octavia_integrator::dispatch;
use octavia_integrator::juju::{Context, log};

fn main() -> ExitCode {
    if std::env::args_os().len() > 1 {
        let Arguments {} = Arguments::parse();
    }
    let context = Context::from_environment();
    let invocation =
        context.as_ref().ok().and_then(|context| context.as_ref()).map(|context| &context.invocation);
    let subscriber = log::subscriber(invocation.into());
    let ended = tracing::subscriber::with_default(subscriber, || match &context {
        Ok(Some(context)) => Some(dispatch::run(context)),
        Ok(None) => None,
        Err(error) => Some(Err(anyhow::anyhow!("{error}"))),
    });
    match ended {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
        None => {
            let _ = writeln!(std::io::stderr(), "{EXPLANATION}");
            ExitCode::from(2)
        }
    }
}
