//! The `exacta` command: arguments in, the application's use cases, text or JSON out.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

pub mod args;
mod asked;
mod clock;
mod command;
mod editor;
mod fail;
mod fault;
mod interrupt;
pub mod mcp;
mod output;
mod progress;
mod prompt;
pub mod render;
pub mod review;

use args::Cli;
use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches as _};
use command::Context;
use exacta_app::copies::inside;
use exacta_app::{AgentName, Caller, Error, Exit, Options};
use output::Output;
use prompt::Person;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    fault::install();
    interrupt::outlive_limits();
    if std::env::args_os().nth(1).is_some_and(|word| word == inside::WORD) {
        return inside::main(std::env::args_os().skip(2));
    }
    let code = std::panic::catch_unwind(|| run(&std::env::args_os().collect::<Vec<_>>()));
    ExitCode::from(output::exit(code.unwrap_or(fault::EXIT)))
}

fn run(line: &[OsString]) -> u8 {
    let (cli, names_key) = match read(line) {
        Ok(read) => read,
        Err(error) => return unusable(line, &error),
    };
    if cli.command.as_ref().is_some_and(args::Command::runs_standard_input) {
        prompt::free_standard_input();
    }
    let output = Output::new(&cli.global, cli.command.as_ref().is_some_and(args::Command::tells_events));
    let dispatched = enter(cli.global.project.as_deref()).and_then(|()| {
        let project = cli.global.project.is_some().then(|| ".".into());
        let options = Options { caller: caller(&cli, names_key)?, project, ..Options::default() };
        let options = if cli.global.desk { options.desk()? } else { options };
        command::dispatch(cli, &Context { options, output })
    });
    match dispatched {
        Ok(code) => code,
        Err(error) => output.error(&error),
    }
}

/// The command line, and whether it names an approver's key.
fn read(line: &[OsString]) -> Result<(Cli, bool), clap::Error> {
    let matches = args::command().try_get_matches_from(line)?;
    let names_key = names_key(&matches);
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut args::command()))?;
    Ok((cli, names_key))
}

/// Whether `--approver-key` was given, to whichever command.
fn names_key(matches: &ArgMatches) -> bool {
    matches!(matches.try_contains_id("approver_key"), Ok(true))
        || matches.subcommand().is_some_and(|(_, matches)| names_key(matches))
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

/// Who gives the command: whoever names an approver's key, the person at the terminal, or nobody that could be asked.
fn caller(cli: &Cli, names_key: bool) -> Result<Caller, Error> {
    let agent = agent(cli.global.agent.as_deref())?;
    let here = if Person::is_present() { Caller::Terminal { agent } } else { Caller::CommandLine { agent } };
    Ok(if names_key { here.with_key() } else { here })
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
