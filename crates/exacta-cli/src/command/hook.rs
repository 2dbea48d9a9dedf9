//! `exacta hook`: the edits of a turn are collected, and become one plan when it ends.
//!
//! Whatever goes wrong, the edit is not made: a reason on standard error and exit code 2 is the one answer that every program takes as a no.

use super::Context;
use crate::args::Hook;
use crate::interrupt::Orderly;
use exacta_app::{AgentName, App, Caller, Declared, Error, Execution, Exit, Options, Scope, Turn, TurnEdit};
use exacta_connect::hook::{Edit, Event, Question, Reply, question, renamed};
use exacta_connect::{Client, Connection};
use exacta_kernel::gate::Verdict;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::ModelClaim;
use exacta_view::PlanView;
use exacta_view::command::at_a_terminal;
use std::io::Read as _;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What says no to a program.
const NO: u8 = 2;

/// Programs give up on a hook after a while, and then write: so it answers before that.
const LONGEST: Duration = Duration::from_millis(4_500);

/// The end of a turn may take longer: the plan may run.
const ENDING: Duration = Duration::from_secs(50);

/// Longer questions are not read.
const LARGEST: u64 = 64 << 20;

/// What is said with every no.
const STAY: &str = "The edit was not made. Do not try another way: tell the person.";

/// What the one who works tells the one who watches the time.
enum Told {
    /// The turn ends: nothing can be written by being late, and a run may take a while.
    Ending,
    /// All there is to say.
    Answer(Result<Reply, Error>),
}

/// `exacta hook claude|codex`: one question on standard input, one answer on standard output.
pub fn hook(args: &Hook, context: &Context) -> Result<u8, Error> {
    if context.output.is_json() {
        return Err(crate::fail::not_json("hook"));
    }
    let (client, context, output) = (Client::from(args.program), context.clone(), context.output);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let ending = sender.clone();
        let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| answer(client, &context, &ending)));
        let answered = answered.unwrap_or_else(|_| Err(Error::fault("internal", "an internal fault")));
        // Nobody listens any more once the time is over.
        drop(sender.send(Told::Answer(answered)));
    });
    let late = || Err(Error::fault("hook_late", "it took too long"));
    let answered = match receiver.recv_timeout(LONGEST) {
        Ok(Told::Answer(answered)) => answered,
        Ok(Told::Ending) => match receiver.recv_timeout(ENDING) {
            Ok(Told::Answer(answered)) => answered,
            _ => late(),
        },
        Err(_) => late(),
    };
    match answered {
        Ok(reply) => {
            if let Some(answer) = reply.printed() {
                output.text(&format!("{answer}\n"));
            }
            Ok(Exit::Done.code())
        }
        Err(error) => {
            let hint = error.hint.as_ref().map(|hint| format!(" ({})", at_a_terminal(hint))).unwrap_or_default();
            output.aside_text(&format!("exacta: {}{hint}. {STAY}\n", error.message));
            Ok(NO)
        }
    }
}

fn answer(client: Client, context: &Context, told: &Sender<Told>) -> Result<Reply, Error> {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST).read_to_end(&mut text);
    read.map_err(|error| crate::fail::io(Exit::Usage, "read the question", &error))?;
    let asked = question(client, &text).map_err(|why| Error::new(Exit::Usage, "question_unread", why))?;
    let agent = AgentName::parse(client.name())?;
    let options = Options { caller: exacta_app::connected(&context.options, &agent)?, ..context.options.clone() };
    if matches!(asked.event, Event::End { .. }) {
        drop(told.send(Told::Ending));
    }
    match &asked.event {
        Event::Edit(edits) => edit(client, &asked, edits, &options),
        Event::Read { path, input } => {
            let turn = Turn::open(&options, client.name(), &asked.session)?;
            let root = options.root()?;
            let staged = within(&root, &asked.at(&root, path)).and_then(|path| turn.staged(&path));
            Ok(staged.map_or(Reply::Nothing, |staged| {
                let mut input = input.clone();
                input.insert("file_path".to_owned(), serde_json::json!(staged));
                Reply::Instead(input)
            }))
        }
        // Sent back once already: whatever is wrong now is for the person, or the turn never ends.
        Event::End { again: true } => {
            let ended = end(client, &asked, &options);
            Ok(ended
                .unwrap_or_else(|error| Reply::Tell(format!("exacta: the edits of this turn wait: {}", error.message))))
        }
        Event::End { again: false } => end(client, &asked, &options),
        Event::Other => Ok(Reply::Nothing),
    }
}

/// Collects edits. Other files outside the project are none of our business, but what Exacta stands on is.
fn edit(client: Client, asked: &Question, edits: &[Edit], options: &Options) -> Result<Reply, Error> {
    // Also says that there is a project, before anything is collected for it.
    App::look(options)?;
    let root = options.root()?;
    for path in edits.iter().flat_map(Edit::paths) {
        if let Some(why) = not_for_agents(options, &asked.at(&root, path))? {
            return Ok(Reply::Deny(format!("Exacta: {why}. {STAY}")));
        }
    }
    let Some(edits) = edits.iter().map(|edit| in_project(edit, asked, &root)).collect::<Option<Vec<TurnEdit>>>() else {
        return Ok(Reply::Nothing);
    };
    let names = Turn::open(options, client.name(), &asked.session)?.edit(&edits)?.join("`, `");
    Ok(Reply::Deny(format!(
        "Exacta collected this edit of `{names}`: it is not written yet. Go on as if it were; reading the file shows it. When you end your turn, all edits \
         become one plan, and a person or the policy decides about it. Do not make the edit again, and do not write the file in another way."
    )))
}

/// Why no agent edits this file, though it may be outside the project: it is part of what keeps agents to their plans.
fn not_for_agents(options: &Options, path: &Path) -> Result<Option<String>, Error> {
    if let Some(place) = exacta_app::off_limits(options, path)? {
        return Ok(Some(place.to_string()));
    }
    let kept = exacta_app::own_folders(options)?.state.join("connect");
    for client in Client::ALL {
        let connection = Connection::load(&kept, client).map_err(super::connect::unusable)?;
        for settings in connection.iter().flat_map(Connection::paths) {
            if exacta_app::leads_through(path, &settings)? {
                let words = format!("`{}` has the settings that connect {} to Exacta", path.display(), client.title());
                return Ok(Some(words));
            }
        }
    }
    Ok(None)
}

fn in_project(edit: &Edit, asked: &Question, root: &Path) -> Option<TurnEdit> {
    let within = |path: &str| within(root, &asked.at(root, path));
    Some(match edit {
        Edit::Whole { path, text } => TurnEdit::Whole { path: within(path)?, text: text.clone() },
        Edit::Replace { path, find, with, all } => {
            TurnEdit::Replace { path: within(path)?, find: find.clone(), with: with.clone(), all: *all }
        }
        // What is outside keeps its name, which a patch of this project cannot have.
        Edit::Patch(text) => TurnEdit::Patch(renamed(text, within)),
    })
}

/// The path of a file within the project, by whatever name its folder is known; nothing for one outside.
#[expect(clippy::disallowed_methods, reason = "names alone; the file itself is opened by handle")]
fn within(root: &Path, path: &Path) -> Option<String> {
    let real = path.ancestors().find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        Some(above.canonicalize().ok()?.join(rest))
    });
    let root = root.canonicalize().ok()?;
    [Some(path.to_owned()), real]
        .into_iter()
        .flatten()
        .find_map(|path| Some(path.strip_prefix(&root).ok()?.to_str()?.to_owned()))
}

/// Submits what was collected, and applies it if the policy alone allows that.
fn end(client: Client, asked: &Question, options: &Options) -> Result<Reply, Error> {
    let turn = Turn::open(options, client.name(), &asked.session)?;
    let model = asked.model.as_ref().filter(|_| client == Client::Codex);
    let model = model.map(|model| ModelClaim { provider: "openai".to_owned(), model: model.clone(), version: None });
    let declared = Declared { client: Some(client.title().to_owned()), model, ..Declared::default() };
    let mut app = App::resume(options)?;
    let Some(view) = turn.submit(&mut app, client.title(), declared)? else { return Ok(Reply::Nothing) };
    if view.decision == Verdict::Deny || view.plan_id.is_none() {
        return Ok(Reply::GoOn(denied(&view)));
    }
    let id = view.short_id.clone().or_else(|| view.plan_id.clone()).unwrap_or_default();
    if view.status == Some(Status::AutoApproved) && may_run(&options.caller) {
        return apply(&mut app, &view, &id);
    }
    Ok(Reply::Tell(format!("exacta: the edits of this turn are plan {id}, which waits for you: `exacta review {id}`")))
}

fn may_run(caller: &Caller) -> bool {
    caller.has(Scope::RunAllowed)
}

fn apply(app: &mut App, view: &PlanView, id: &str) -> Result<Reply, Error> {
    let plan = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok());
    let plan = plan.ok_or_else(|| Error::fault("internal", "a plan without an id"))?;
    let signals = Orderly::begin().map_err(|error| crate::fail::io(Exit::Fault, "watch for signals", &error))?;
    let execution = Execution {
        sync: true,
        wait: Duration::ZERO,
        cancel: signals.flag(),
        observer: &mut |_| {},
        check_observer: &mut |_| {},
    };
    app.execute(&plan, execution)?;
    Ok(Reply::Tell(format!("exacta: the edits of this turn were applied as plan {id}; `exacta undo {id}` undoes them")))
}

fn denied(view: &PlanView) -> String {
    let findings = view.findings.iter().map(|finding| finding.message.clone());
    let gates = view.gates.iter().filter(|gate| gate.verdict == Verdict::Deny).map(|gate| gate.reason.clone());
    let why: Vec<String> = findings.chain(gates).take(8).collect();
    format!(
        "The edits of this turn were denied, and nothing was written: {}. Make the edits again without that, or tell the person; do not write the files in another way.",
        why.join("; ")
    )
}
