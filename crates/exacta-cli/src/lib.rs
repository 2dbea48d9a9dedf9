//! The `exacta` command: arguments in, the application's use cases, text or JSON out.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

pub mod args;
mod asked;
mod command;
mod fail;
mod fault;
mod interrupt;
mod output;
mod progress;
mod prompt;
pub mod render;
pub mod review;

use args::Cli;
use clap::Parser as _;
use clap::error::ErrorKind;
use command::Context;
use exacta_app::{AgentName, Error, Exit, Options};
use output::Output;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    fault::install();
    interrupt::outlive_limits();
    let code = std::panic::catch_unwind(|| run(&std::env::args_os().collect::<Vec<_>>()));
    ExitCode::from(output::exit(code.unwrap_or(fault::EXIT)))
}

fn run(line: &[OsString]) -> u8 {
    let cli = match Cli::try_parse_from(line) {
        Ok(cli) => cli,
        Err(error) => return unusable(line, &error),
    };
    let output = Output::new(&cli.global, cli.command.tells_events());
    let dispatched = enter(cli.global.project.as_deref()).and_then(|()| {
        let options = Options { agent: agent(cli.global.agent.as_deref())?, ..Options::default() };
        command::dispatch(cli, &Context { options, output })
    });
    match dispatched {
        Ok(code) => code,
        Err(error) => output.error(&error),
    }
}

/// Goes where `--project` says, so that every name on the command line is one beneath it, as after `git -C`.
fn enter(project: Option<&Path>) -> Result<(), Error> {
    let Some(dir) = project else { return Ok(()) };
    exacta_app::project::folder(dir)?;
    std::env::set_current_dir(dir).map_err(|error| {
        let message = format!("cannot use `{}` as the project: {error}", dir.display());
        Error::new(Exit::Usage, "project_unusable", message).hint("name an existing folder with `--project DIR`")
    })
}

/// The agent that gives the command: the one named on the line, else the one that the environment names.
fn agent(named: Option<&str>) -> Result<Option<AgentName>, Error> {
    let around = || std::env::var_os("EXACTA_AGENT").filter(|name| !name.is_empty());
    let name = named.map(ToOwned::to_owned).or_else(|| around().map(|name| name.to_string_lossy().into_owned()));
    name.as_deref().map(AgentName::parse).transpose()
}

/// Help and version are results; anything else is a usage error, as JSON if that was asked for.
fn unusable(line: &[OsString], error: &clap::Error) -> u8 {
    let json = line.iter().any(|word| word == "--json" || word == "--events");
    let bare = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json;
    if error.use_stderr() && !bare {
        return Output::unread(json).error(&fail::usage(line, error));
    }
    // A reader that went away is no reason to fail.
    drop(error.print());
    u8::try_from(error.exit_code()).unwrap_or(2)
}
