//! Each command: arguments to a use case, its outcome to text or JSON and an exit code.

mod agent;
mod answer;
mod approver;
mod ask;
mod audit;
mod autopilot;
mod cancel;
mod connect;
mod decide;
#[expect(clippy::disallowed_methods, reason = "a throw-away folder of its own")]
mod demo;
mod doctor;
mod edit;
mod hook;
mod init;
pub mod key;
mod log;
mod mcp;
mod plan;
mod policy;
mod policy_change;
mod profile;
mod provider;
mod question;
mod reference;
mod resolve;
mod review;
mod run;
mod run_end;
mod serve;
mod site;
mod source;
mod status;
mod token;
mod undo;
mod waiting;
mod worktree;

use crate::args::{Cli, Command};
use crate::output::Output;
use exacta_app::{App, Error, Options};
use serde::Serialize;

/// Where a command works and where it prints.
#[derive(Debug, Clone)]
pub struct Context {
    /// The project.
    pub options: Options,
    /// The streams.
    pub output: Output,
}

/// A value with the name and version of its face.
#[derive(Debug, Serialize)]
struct Face<T> {
    schema: &'static str,
    #[serde(flatten)]
    body: T,
}

/// Runs the command and gives its exit code.
///
/// # Errors
/// [`Error`] says what happened and what helps.
pub fn dispatch(cli: Cli, context: &Context) -> Result<u8, Error> {
    // Where nothing is recorded, those who look and decide mean the desk, if there is one.
    let context = &match cli.command.as_ref().is_none_or(Command::may_mean_desk) {
        true => Context { options: context.options.or_desk()?, ..context.clone() },
        false => context.clone(),
    };
    exacta_app::safe_on_tampering(&context.options, || match cli.command {
        Some(command) => give(command, context),
        None => waiting::waiting(context),
    })
}

fn give(command: Command, context: &Context) -> Result<u8, Error> {
    match command {
        Command::Init(args) => init::init(&args, context),
        Command::Check(args) => plan::check(&args, context),
        Command::Submit(args) => plan::submit(&args, context),
        Command::List(args) => plan::list(&args, context),
        Command::Show(args) => plan::show(&args, context),
        Command::Diff(args) => log::diff(&args, context),
        Command::Log(args) => log::log(&args, context),
        Command::Review(args) => review::review(&args, context),
        Command::Approve(args) => decide::approve(&args, context),
        Command::Reject(args) => decide::reject(&args, context),
        Command::Revise(args) => decide::revise(&args, context),
        Command::Edit(args) => edit::edit(&args, context),
        Command::Withdraw(args) => answer::withdraw(&args, context),
        Command::Wait(args) => answer::wait(&args, context),
        Command::Resubmit(args) => plan::resubmit(&args, context),
        Command::Execute(args) => run::execute(&args, context),
        Command::Ask(args) => ask::ask(&args, context),
        Command::Run(args) => run::run(&args, context),
        Command::Cancel(args) => cancel::cancel(&args, context),
        Command::Undo(args) => undo::undo(&args, context),
        Command::Recover => status::recover(context),
        Command::Status(args) => status::status(&args, context),
        Command::Session { command } => status::session(&command, context),
        Command::Audit { command } => audit::audit(&command, context),
        Command::Profile { command } => profile::profile(&command, context),
        Command::Policy { command } => policy::policy(&command, context),
        Command::Approver { command } => approver::approver(&command, context),
        Command::Provider { command } => provider::provider(&command, context),
        Command::Token { command } => token::token(&command, context),
        Command::Site { command } => site::site(&command, context),
        Command::Skill { command } => site::skill(&command, context),
        Command::Serve(args) => serve::serve(&args, context),
        Command::Connect(args) => connect::connect(&args, context),
        Command::Hook(args) => hook::hook(&args, context),
        Command::Agent(args) => agent::agent(*args, context),
        Command::Mcp => mcp::mcp(context),
        Command::Autopilot { command } => autopilot::autopilot(&command, context),
        Command::Demo => demo::demo(context.output),
        Command::Doctor => doctor::doctor(context),
        Command::Schema { of, domain } => reference::schema(of, domain, &context.output),
        Command::Help { topic } => reference::help(&topic, &context.output),
        Command::Completions { shell } => reference::completions(shell, &context.output),
        Command::Man { dir } => reference::man(&dir, &context.output),
    }
}

impl Context {
    /// The project, for a command that decides or acts. What a crash left unfinished is recovered first, and told.
    fn open(&self) -> Result<App, Error> {
        App::open(&self.options).inspect(|app| self.tell_recovered(app))
    }

    /// The same, for a command that may make a project where there is none, and says so first.
    fn open_or_make(&self) -> Result<App, Error> {
        if let Some(folder) = App::would_make(&self.options)? {
            self.output.note(&format!("there is no project here yet: making one in `{}`", folder.display()));
        }
        self.open()
    }

    /// The same, for a command about something that is recorded already.
    fn resume(&self) -> Result<App, Error> {
        App::resume(&self.options).inspect(|app| self.tell_recovered(app))
    }

    fn tell_recovered(&self, app: &App) {
        for recovery in app.recovered() {
            self.output.note(&format!("run `{}` was left unfinished: {}", recovery.run_id, recovery.reason));
            for path in &recovery.kept {
                self.output.note(&format!("a change to `{path}` that was made meanwhile was kept"));
            }
        }
    }

    /// The project, for a command that only reads.
    fn look(&self) -> Result<App, Error> {
        App::look(&self.options)
    }

    /// Another project to look at, for its autopilots, sites or skills: told if its record was changed from outside.
    fn look_at(&self, options: &Options) -> Result<App, Error> {
        let app = App::look(options)?;
        let damage = app.damage()?.map_or_else(|| app.documents_damage(), |damage| Ok(Some(damage)))?;
        self.tell(damage);
        Ok(app)
    }

    /// Tells that a list is longer than what is shown of it.
    fn tell_more(&self, more: bool) {
        if more {
            self.output.note("there are older ones; `--limit N` shows more");
        }
    }

    /// Tells if the record was changed from outside, as far as a short look tells.
    fn tell_damage(&self, app: &App) -> Result<(), Error> {
        self.tell(app.damage()?);
        Ok(())
    }

    fn tell(&self, damage: Option<String>) {
        if let Some(damage) = damage {
            self.output.note(&format!("the record was changed from outside: {damage}"));
            self.output.note("`exacta audit verify` shows every place");
        }
    }
}

/// Cuts a list that has one more than its limit; says whether it had.
fn cut<T>(list: &mut Vec<T>, limit: u32) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = list.len() > limit;
    list.truncate(limit);
    more
}
