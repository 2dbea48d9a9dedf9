//! What is changed already in the work tree is adopted, or put back.

use super::run::{Manner, go_on};
use super::{Context, source};
use crate::args::Run;
use crate::fail;
use crate::prompt::Person;
use exacta_app::settings::own_key;
use exacta_app::{Adopting, App, Error, Exit, NotCarried, Way};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_view::{Outcome, PlanView, command};
use std::path::PathBuf;

/// `exacta run --from-worktree`
pub fn run(args: &Run, context: &Context) -> Result<u8, Error> {
    if !Person::is_present() {
        return Err(Error::new(Exit::Confirm, "person_needed", "what lies in the work tree is adopted by a person")
            .hint("give the command at a terminal; an agent submits a patch: `git diff HEAD | exacta run -`"));
    }
    let way = if args.put_back { Way::PutBack } else { Way::Adopt };
    let adopting = Adopting {
        way,
        paths: whole(&args.files)?,
        intent: source::intent(&args.with.patch),
        words: args.with.patch.text.clone(),
        constraints: source::constraints(&args.with)?,
    };
    if App::would_make(&context.options)?.is_some() {
        own_key(&context.options, None)?;
    }
    let mut app = context.open_or_make()?;
    if !args.detach {
        app.hold_session()?;
    }
    let (view, rest) = app.adopt(&adopting)?;
    not_carried(&rest, context);
    let manner = Manner { pace: &args.pace, apart: args.detach, answer: Some(args.answer) };
    let ended = go_on(&mut app, &view, &manner, context);
    match way {
        Way::Adopt => told(&app, ended, &view, context),
        Way::PutBack => ended,
    }
}

/// What became of the files is said, also where nothing did.
fn told(app: &App, ended: Result<u8, Error>, view: &PlanView, context: &Context) -> Result<u8, Error> {
    let id = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    let run = id.and_then(|id| app.show(&id).ok()?.run);
    let stay = hint!["the files stay as they are; ", Remedy::PutBack, " proposes to put back what is committed"];
    match (ended, run.map(|run| run.outcome)) {
        (Err(error), Some(Outcome::Completed)) => Err(error),
        (Err(error), _) => Err(error.also(stay)),
        (Ok(code), _) if context.output.is_json() => Ok(code),
        (Ok(code), Some(Outcome::Completed)) => {
            context.output.note(&format!("{} adopted: nothing was written", files(view)));
            Ok(code)
        }
        (Ok(code), Some(Outcome::Running)) => Ok(code),
        (Ok(code), _) => {
            context.output.note(&command::at_a_terminal(&stay));
            Ok(code)
        }
    }
}

fn files(view: &PlanView) -> String {
    match view.target_files.len() {
        1 => "1 file is".to_owned(),
        count => format!("{count} files are"),
    }
}

fn not_carried(rest: &[NotCarried], context: &Context) {
    for NotCarried { path, why } in rest {
        context.output.note(&format!("left as it is: `{path}` {why}"));
    }
}

/// Paths as the user means them: from where they are.
fn whole(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let here = std::env::current_dir().map_err(|error| fail::io(Exit::Fault, "find the current folder", &error))?;
    Ok(paths.iter().map(|path| here.join(path)).collect())
}
