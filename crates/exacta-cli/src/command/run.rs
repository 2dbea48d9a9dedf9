//! Plans are run.

use super::decide::{Decided, decide_shown, named};
use super::key::Decider;
use super::question::Yes;
use super::run_end::{self as end, End};
use super::{Context, answer, plan as plans, source, worktree};
use crate::args::{AwaitAnswer, Execute, Pace, Run, Signer};
use crate::fail;
use crate::prompt::Person;
use crate::render::run as run_text;
use exacta_app::settings::own_key;
use exacta_app::{AgentName, App, Error, Execution, Exit};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_view::rows::plan;
use exacta_view::{Answer, Outcome, PlanView};
use serde_json::Value;
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often a background run is looked for, and how many times.
const LOOKS: (Duration, u32) = (Duration::from_millis(50), 100);

/// `exacta execute`
pub fn execute(args: &Execute, context: &Context) -> Result<u8, Error> {
    let mut app = context.resume()?;
    let id = app.resolve(&args.id)?;
    if args.detach { detach(&app, &id, &args.pace, context) } else { carry_out(&mut app, &id, &args.pace, context) }
}

/// `exacta run`
pub fn run(args: &Run, context: &Context) -> Result<u8, Error> {
    if args.from_worktree {
        return worktree::run(args, context);
    }
    let [file] = args.files.as_slice() else {
        return Err(Error::new(Exit::Usage, "one_file", "one proposal or patch is run at a time")
            .hint("name one file; several files and folders are for `--from-worktree`"));
    };
    let (text, request) = source::read_with(file, &args.with)?;
    // A new project asks about every change: somebody who has no key to answer with is told before anything is made.
    if Person::is_present() && App::would_make(&context.options)?.is_some() {
        own_key(&context.options, None)?;
    }
    let mut app = context.open_or_make()?;
    // A run that goes on without this process must not end with its session.
    if Person::is_present() && !args.detach {
        app.hold_session()?;
    }
    let view = app.submit(&text, &request)?;
    go_on(&mut app, &view, &Manner { pace: &args.pace, apart: args.detach, answer: Some(args.answer) }, context)
}

/// How a plan that was just stored goes on.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// How it runs.
    pub pace: &'a Pace,
    /// Whether that is in a process of its own.
    pub apart: bool,
    /// Whether an answer that is given elsewhere is waited for.
    pub answer: Option<AwaitAnswer>,
}

/// Goes on with a plan that was just stored: asks if a person is needed, and executes.
pub fn go_on(app: &mut App, view: &PlanView, manner: &Manner<'_>, context: &Context) -> Result<u8, Error> {
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    let (Some(mut id), Some(Status::Pending | Status::AutoApproved)) = (id, view.status) else {
        return stopped(view, app, &denied(), context);
    };
    if view.status == Some(Status::Pending) {
        match Decider::new(&Signer { approver_key: None }, &context.options) {
            Ok(decider) => {
                match decide_shown(app, view, decider, Yes::Applies, context) {
                    // Of some steps alone another plan was made.
                    Ok(Decided::Approved { plan, .. }) => id = named(&plan)?.0,
                    Ok(Decided::Ended(code)) => return Ok(code),
                    Err(error) => return Err(ended(app, &id, error)),
                }
            }
            Err(error) if error.exit.is_for_a_person() => match manner.answer.filter(|answer| answer.wait) {
                Some(patience) => {
                    let answer = answer::awaited(app, &id, patience, context)?;
                    if answer.answer != Answer::Approved {
                        let now = app.show(&id)?.plan;
                        return stopped(&now, app, &answer::refusal(&id, &answer), context);
                    }
                }
                None => return stopped(view, app, &exacta_app::waits(&id), context),
            },
            Err(error) => return Err(ended(app, &id, error)),
        }
    } else {
        context.output.aside(plan::head(view));
        if view.notice {
            context.output.note("this runs without a person; `exacta undo` undoes it");
        }
    }
    if manner.answer.is_some_and(|answer| answer.wait) && !manner.apart {
        return carry_out_or_follow(app, &id, manner.pace, context);
    }
    if manner.apart { detach(app, &id, manner.pace, context) } else { carry_out(app, &id, manner.pace, context) }
}

/// The same error; where the plan ends with this command since it was made in its session, the record and the hint say so.
fn ended(app: &mut App, id: &PlanId, error: Error) -> Error {
    match app.end_held_session() {
        // What went wrong is what counts, also where that its plan is over could not be recorded.
        Ok(0) | Err(_) => error,
        Ok(_) => {
            let again = Remedy::Resubmit(Some(id.clone()));
            let again = hint!["the plan expired with this command; ", again, " makes a new one of it"];
            let obsolete = error.exit.is_undecided();
            if obsolete { error.hint(again) } else { error.also(again) }
        }
    }
}

/// Tells about a plan that is not run now.
fn stopped(view: &PlanView, app: &App, error: &Error, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    if output.is_json() {
        output.json(&end::refused(view, error, output)?);
    } else {
        plans::print(view, output);
        plans::next(view, app, output);
    }
    Ok(error.exit.code())
}

fn denied() -> Error {
    Error::new(Exit::Denied, "plan_denied", "the proposal is denied: its findings and gates say why")
        .hint("submit a plan that fixes them")
}

/// Runs a plan that was just approved.
///
/// # Errors
/// As `exacta execute`.
pub fn execute_now(app: &mut App, id: &PlanId, context: &Context) -> Result<u8, Error> {
    carry_out(app, id, &Pace { no_sync: false, queue: false, events: false }, context)
}

/// Runs a plan in this process.
fn carry_out(app: &mut App, id: &PlanId, pace: &Pace, context: &Context) -> Result<u8, Error> {
    attempt(app, id, pace, context)?.report(context)
}

/// The same for a plan that whoever approved it may have started in the same act: then that run is followed to its end.
fn carry_out_or_follow(app: &mut App, id: &PlanId, pace: &Pace, context: &Context) -> Result<u8, Error> {
    if app.show(id)?.run.is_none() {
        // A run of theirs that has only just taken its locks is waited for, and then seen.
        let end = attempt(app, id, &Pace { queue: true, ..*pace }, context)?;
        if end.is_run() || app.show(id)?.run.is_none() {
            return end.report(context);
        }
    }
    answer::followed(app, id, context)
}

fn attempt(app: &mut App, id: &PlanId, pace: &Pace, context: &Context) -> Result<End, Error> {
    let execute =
        |app: &mut App, execution: Execution<'_>| app.execute(id, execution).map_err(|error| ended(app, id, error));
    end::act(app, id, pace, context, execute)
}

/// Carries a plan out in a process of its own, and waits only until the run is in the record.
fn detach(app: &App, id: &PlanId, pace: &Pace, context: &Context) -> Result<u8, Error> {
    if let Some(run) = app.show(id)?.run {
        return Err(exacta_app::already_run(id, &run.run_id));
    }
    let agent = context.options.caller.agent();
    let mut child = spawn(app, id, pace, agent).map_err(|error| fail::io(Exit::Fault, "start a process", &error))?;
    for _ in 0..LOOKS.1 {
        if let Ok(Some(status)) = child.try_wait() {
            return relay(app, id, &mut child, status.code(), context);
        }
        let detail = app.show(id)?;
        if let Some(run) = &detail.run {
            if !context.output.is_json() && run.outcome == Outcome::Running {
                context.output.note("the run goes on in the background; `exacta status --watch` follows it");
            }
            let end = End::going_on(id, detail.plan.status, Some(run.clone()));
            return end.report(context);
        }
        std::thread::sleep(LOOKS.0);
    }
    if pace.queue {
        if !context.output.is_json() {
            context.output.note("the run waits for others in the background; `exacta status` shows when it begins");
        }
        return End::going_on(id, app.show(id)?.plan.status, None).report(context);
    }
    Err(Error::fault("not_started", "the run has not started yet").hint("`exacta status` shows whether it does"))
}

/// In a process group of its own, so that the terminal's signals do not reach it.
fn spawn(app: &App, id: &PlanId, pace: &Pace, agent: Option<&AgentName>) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--json").arg("--project").arg(app.path()).args(["execute", id.as_str()]);
    if let Some(agent) = agent {
        command.args(["--agent", agent.as_str()]);
    }
    if pace.no_sync {
        command.arg("--no-sync");
    }
    if pace.queue {
        command.arg("--queue");
    }
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// Passes on what a background process said that ended at once.
fn relay(app: &App, id: &PlanId, child: &mut Child, code: Option<i32>, context: &Context) -> Result<u8, Error> {
    let mut text = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut text).map_err(|error| fail::io(Exit::Fault, "read what the run said", &error))?;
    }
    let (Some(code), Ok(said)) = (code.and_then(|code| u8::try_from(code).ok()), serde_json::from_str::<Value>(&text))
    else {
        return Err(Error::fault("run_lost", "the background process ended without a word")
            .hint("`exacta status` shows what became of the run; `exacta recover` settles it"));
    };
    if context.output.is_json() {
        context.output.json(&said);
    } else if let Some(message) = said.pointer("/error/message").and_then(Value::as_str) {
        context.output.complain(message, &[], said.pointer("/error/hint").and_then(Value::as_str));
    } else if let Some(run) = app.show(id)?.run {
        context.output.rows(run_text::ended(&run));
    }
    Ok(code)
}
