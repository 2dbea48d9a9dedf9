//! A sentence becomes a plan, with a model of the user's own.

use super::{Context, plan as plans, run, source};
use crate::args::Ask;
use crate::asked;
use crate::fail;
use crate::interrupt::Orderly;
use crate::prompt::Person;

use exacta_app::ask::{
    AskEnd, AskEvent, AskView, Asking, Budget, KeptAsk, Models, Needs, Nobody, Revision, Until, VersionChange, Wish,
};
use exacta_app::{App, Error, ErrorCode, Exit};
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_provider::Cancel;
use exacta_view::command::command;
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// `exacta ask`
pub fn ask(args: &Ask, context: &Context) -> Result<u8, Error> {
    let text = args.text.as_deref().map(words).transpose()?;
    let mut app = context.open_or_make()?;
    let kept = args.resume.as_deref().map(|id| Ok::<_, Error>((id.to_owned(), app.kept_ask(id)?))).transpose()?;
    let wish = wish(args, text, kept.as_ref().map(|(_, kept)| kept))?;
    let mut transcript = args.transcript.as_deref().map(|path| open_transcript(path, app.path())).transpose()?;
    if args.run && Person::is_present() {
        app.hold_session()?;
    }
    let end = match converse(args, wish, kept, &mut app, transcript.as_mut(), context) {
        Err(error) if error.code == ErrorCode::ASK_NO_PROVIDER => return Ok(without_provider(error, context)),
        end => end?,
    };
    report(args, end, &mut app, context)
}

/// Asks, and asks the person what is needed to go on, if there is one.
fn converse(
    args: &Ask,
    mut wish: Wish,
    mut resume: Option<(String, KeptAsk)>,
    app: &mut App,
    mut transcript: Option<&mut File>,
    context: &Context,
) -> Result<AskEnd, Error> {
    loop {
        let provider = args.provider.as_deref().or_else(|| resume.as_ref().map(|(_, kept)| kept.provider.as_str()));
        let mut models = match app.models_for(provider, &wish) {
            // What would be shown can be listed without anybody to show it to.
            Err(error) if error.code == ErrorCode::ASK_NO_PROVIDER && args.show_context => {
                Models { maker: Box::new(Nobody), reader: None, price: None }
            }
            models => models?,
        };
        let signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
        let cancel = Cancel::from(signals.shared_flag());
        let mut progress = asked::Progress::new(args.pace.events, context.output);
        let mut observer = |event: &AskEvent| progress.tell(event);
        let asking = Asking {
            wish: wish.clone(),
            until: until(args),
            resume: resume.take(),
            revision: None,
            price: models.price,
            maker: &mut *models.maker,
            reader: models.reader.as_deref_mut().map(|reader| reader as &mut dyn exacta_provider::Model),
            cancel: &cancel,
            observer: &mut observer,
            transcript: transcript.as_deref_mut().map(|file| file as &mut dyn std::io::Write),
        };
        let end = app.ask(asking);
        drop(signals);
        let (Some(needs), Ok(person), false) = (&end.view.needs, Person::present(), context.output.is_json()) else {
            return Ok(end);
        };
        let answer = put(needs, &person)?;
        wish.answers.insert(needs.field.clone(), answer);
        resume = Some((end.view.ask_id.clone(), app.kept_ask(&end.view.ask_id)?));
    }
}

/// The next version of a plan that a model of the user's made: its words go back to that model.
pub fn again(revision: Revision, app: &mut App, context: &Context) -> Result<u8, Error> {
    let older = revision.plan.clone();
    let mut models = app.models(Some(&revision.provider))?;
    let signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
    let cancel = Cancel::from(signals.shared_flag());
    let mut progress = asked::Progress::new(false, context.output);
    let mut observer = |event: &AskEvent| progress.tell(event);
    let end = app.ask(Asking {
        wish: Wish::default(),
        until: Until::Done,
        resume: None,
        revision: Some(revision),
        price: models.price,
        maker: &mut *models.maker,
        reader: None,
        cancel: &cancel,
        observer: &mut observer,
        transcript: None,
    });
    drop(signals);
    let newer = end.plan.as_ref().and_then(|plan| PlanId::parse(plan.plan_id.as_deref()?).ok());
    let between = newer.map(|newer| app.between(&older, &newer)).transpose()?.unwrap_or_default();
    if context.output.is_json() {
        let exit = exit(&end.view, end.plan.as_ref().map(plans::exit));
        context.output.json(&Revised { view: Told::of(&end.view), revises: older.as_str(), between: &between });
        return Ok(exit.code());
    }
    if let Some(error) = &end.view.error {
        return Err(error.clone());
    }
    let Some(plan) = &end.plan else { return Ok(Exit::Done.code()) };
    asked::between(&between).iter().for_each(|line| context.output.line(line));
    plans::print(plan, &context.output);
    plans::next(plan, app, &context.output);
    Ok(plans::exit(plan).code())
}

/// An ask that made a new version of a plan.
#[derive(Debug, Serialize)]
struct Revised<'v> {
    #[serde(flatten)]
    view: Told<'v>,
    revises: &'v str,
    between: &'v [VersionChange],
}

/// An ask as JSON: why it stopped has its hint in the words of the command line.
#[derive(Debug, Serialize)]
struct Told<'v> {
    #[serde(flatten)]
    view: &'v AskView,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<fail::Body>,
}

impl<'v> Told<'v> {
    fn of(view: &'v AskView) -> Self {
        Self { view, error: view.error.as_ref().map(fail::body) }
    }
}

/// One clear question, with what could be answered.
fn put(needs: &Needs, person: &Person) -> Result<String, Error> {
    for (number, candidate) in needs.candidates.iter().enumerate() {
        person.say(&format!("  {}  {candidate}\n", number + 1))?;
    }
    let answer = person.ask(&format!("{} ", needs.question))?;
    let chosen = answer.parse::<usize>().ok().and_then(|number| needs.candidates.get(number.checked_sub(1)?));
    match (chosen, answer.is_empty()) {
        (Some(candidate), _) => Ok(candidate.clone()),
        (None, false) => Ok(answer),
        (None, true) => Err(Error::new(Exit::Confirm, "declined", "nothing was answered: nothing was stored")
            .hint("give the command again")),
    }
}

/// Says in three lines how to add a provider.
fn without_provider(error: Error, context: &Context) -> u8 {
    let exit = error.exit;
    let how = [("on this machine:", Remedy::ProviderLocal), ("in the cloud:", Remedy::ProviderCloud)];
    let how = how.map(|(place, remedy)| format!("{place:<17} {}", command(&remedy)));
    if context.output.is_json() {
        context.output.json(&Told::of(&AskView::without_provider(error, how.to_vec())));
    } else {
        context.output.aside_text(&format!("{}\n{}\n", error.message, how.join("\n")));
    }
    exit.code()
}

/// Tells how it ended; goes on with the plan where that was asked for.
fn report(args: &Ask, end: AskEnd, app: &mut App, context: &Context) -> Result<u8, Error> {
    let output = &context.output;
    let AskEnd { view, plan } = end;
    if let (Some(plan), true, None) = (&plan, args.run, &view.error) {
        tell_summary(&view, context);
        let manner = run::Manner { pace: &args.pace, apart: false, answer: None };
        return run::go_on(app, plan, &manner, context);
    }
    let exit = exit(&view, plan.as_ref().map(plans::exit));
    if output.is_json() {
        output.json(&Told::of(&view));
        return Ok(exit.code());
    }
    match (&plan, &view.error) {
        (Some(plan), _) => {
            tell_summary(&view, context);
            plans::print(plan, output);
            plans::next(plan, app, output);
        }
        (None, Some(error)) => return Err(error.clone()),
        (None, None) => asked::lines(&view).iter().for_each(|line| output.line(line)),
    }
    Ok(exit.code())
}

fn tell_summary(view: &AskView, context: &Context) {
    if !context.output.is_json() {
        context.output.note(&asked::summary(view));
    }
}

fn exit(view: &AskView, decided: Option<Exit>) -> Exit {
    view.error.as_ref().map(|error| error.exit).or(decided).unwrap_or(Exit::Done)
}

const fn until(args: &Ask) -> Until {
    match (args.show_context, args.plan_only) {
        (true, _) => Until::Context,
        (false, true) => Until::Plan,
        (false, false) => Until::Done,
    }
}

/// The request's words: as given, or from standard input.
fn words(text: &str) -> Result<String, Error> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let (bytes, _) = source::read_named(Path::new("-"))?;
    String::from_utf8(bytes)
        .map(|text| text.trim().to_owned())
        .map_err(|_| Error::new(Exit::Usage, "ASK_TEXT", "the request is not UTF-8").hint("send it as UTF-8 text"))
}

/// What the user wants: from the arguments, or what was kept with what the arguments add.
fn wish(args: &Ask, text: Option<String>, kept: Option<&KeptAsk>) -> Result<Wish, Error> {
    let mut wish = kept.map_or_else(
        || Wish {
            text: text.unwrap_or_default(),
            intent: args.intent.clone(),
            must: args.must.clone(),
            must_not: args.must_not.clone(),
            only: args.only.clone(),
            not: args.not.clone(),
            files: args.file.clone(),
            symbols: args.symbol.clone(),
            ..Wish::default()
        },
        |kept| kept.wish.clone(),
    );
    wish.confirmed |= args.confirm_reading;
    let micro_usd = args.budget_usd.as_deref().map(dollars).transpose()?;
    wish.budget =
        Budget { tokens: args.budget_tokens.or(wish.budget.tokens), micro_usd: micro_usd.or(wish.budget.micro_usd) };
    for answer in &args.answer {
        let (field, value) = answer.split_once('=').ok_or_else(|| {
            let message = format!("`{}` is no answer", exacta_kernel::text::excerpt(answer, 60));
            Error::new(Exit::Usage, "answer_invalid", message)
                .hint("write it as FIELD=VALUE, such as `--answer location=src/config.py`")
        })?;
        wish.answers.insert(field.trim().to_owned(), value.trim().to_owned());
    }
    Ok(wish)
}

/// Dollars in millionths, without a float.
pub fn dollars(text: &str) -> Result<u64, Error> {
    let wrong = || {
        let message = format!("`{}` is no amount of dollars", exacta_kernel::text::excerpt(text, 40));
        Error::new(Exit::Usage, "budget_invalid", message).hint("write it as 0.25")
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 6 || !part.bytes().chain(whole.bytes()).all(|byte| byte.is_ascii_digit()) || whole.is_empty() {
        return Err(wrong());
    }
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or_else(wrong)
}

/// A new file of the user's alone. Never in the project: whatever a model says would lie where agents look.
#[expect(clippy::disallowed_methods, reason = "a file that the user named, outside the project")]
fn open_transcript(path: &Path, project: &Path) -> Result<File, Error> {
    let refuse = |message: String| {
        Error::new(Exit::Usage, "transcript", message)
            .hint("name a new file outside the project with `--transcript FILE`")
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let real =
        folder.canonicalize().map_err(|error| refuse(format!("`{}` cannot be used: {error}", folder.display())))?;
    if real.starts_with(project) {
        return Err(refuse(format!("`{}` lies in the project", path.display())));
    }
    let name = path.file_name().ok_or_else(|| refuse(format!("`{}` names no file", path.display())))?;
    let mut options = File::options();
    options
        .write(true)
        .create_new(true)
        .mode(Mode::from_raw_mode(0o600).bits())
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options.open(real.join(name)).map_err(|error| refuse(format!("`{}` cannot be made: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_exact() {
        for (text, expected) in [("0.25", 250_000), ("1", 1_000_000), ("0.000001", 1), ("12.5", 12_500_000)] {
            assert_eq!(dollars(text).unwrap(), expected, "{text}");
        }
        for text in ["", "-1", "1.2345678", "a", ".5", "1e3"] {
            assert!(dollars(text).is_err(), "{text}");
        }
    }
}
