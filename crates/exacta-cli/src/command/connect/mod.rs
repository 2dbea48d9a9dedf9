//! `exacta connect`: an agent's program is told to go through plans, and proved to.

mod check;
mod list;
mod setup;
mod undo;

use super::key::Decider;
use super::{Context, Face};
use crate::args::{Connect, ConnectMode};
use crate::prompt::Person;
use crate::render::diff;
use check::{Report, Verdict};
use exacta_app::{Error, Exit};
use exacta_connect::{Change, Client, Connection, FileFault, Mode, PARAGRAPH, Places, Prepared, caveats};
use exacta_view::{Row, Tone};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Serialize)]
struct Connected {
    agent: &'static str,
    mode: Mode,
    files: Vec<FileView>,
    caveats: Vec<String>,
    paragraph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Report>,
}

/// A file that changes.
#[derive(Debug, Serialize)]
struct FileView {
    path: PathBuf,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
}

/// `exacta connect …`
pub fn connect(args: &Connect, context: &Context) -> Result<u8, Error> {
    let places = Places::find(|name| std::env::var_os(name)).ok_or_else(|| {
        Error::new(
            Exit::Usage,
            "no_home",
            "agents' programs keep their settings in your home folder, and `HOME` is not set",
        )
        .hint("set `HOME`")
    })?;
    let Some(client) = args.program.map(Client::from) else { return list::list(&places, context) };
    if args.undo {
        return undo::undo(client, args, context);
    }
    if args.check {
        return checked(client, args, &places, context);
    }
    let mode = mode(client, args, context)?;
    let setup = setup::of(args, context)?;
    let folder = setup::folder(context)?;
    let known = Connection::load(&folder, client).map_err(unusable)?;
    setup::one_project(known.as_ref(), &setup, client)?;
    let wanted = exacta_connect::wanted(client, mode, &setup, &places);
    if wanted.is_empty() {
        return Err(setup::not_that_way(client, mode));
    }
    setup::outside(&wanted, &setup, client)?;
    let known = known.as_ref().map(|known| (known, folder.as_path()));
    let prepared = exacta_connect::prepare(client, mode, &setup, &wanted, known).map_err(unusable)?;
    if args.print {
        print(client, mode, &prepared, context);
        return Ok(0);
    }
    setup::protected(args, context)?;
    agreed(client, mode, &prepared, args, context)?;
    let files = prepared.changes.iter().filter(|change| !change.is_empty()).map(view).collect();
    let connection = prepared.write(&folder).map_err(unusable)?;
    let report = places.program(client.name()).map(|_| check::check(client, &places, &[], context)).transpose()?;
    tell(client, mode, files, &connection.backups(&folder), report, context)
}

fn checked(client: Client, args: &Connect, places: &Places, context: &Context) -> Result<u8, Error> {
    let report = check::check(client, places, &args.flags, context)?;
    let code = report.exit();
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.connect-check/1", body: report });
    } else {
        context.output.rows(report.rows());
    }
    Ok(code)
}

/// As it was said, or as the person chooses.
fn mode(client: Client, args: &Connect, context: &Context) -> Result<Mode, Error> {
    let chosen = match args.mode {
        Some(mode) => mode,
        None if args.print => ConnectMode::Guard,
        None => choose(client, context)?,
    };
    match chosen {
        ConnectMode::Guard => Ok(Mode::Guard),
        ConnectMode::Record => Ok(Mode::Record),
        ConnectMode::Copy => Err(Error::new(Exit::Usage, "connect_copy", "for a copy nothing has to be connected")
            .hint(format!("run `exacta agent -- {}` in the project", client.name()))),
    }
}

fn choose(client: Client, context: &Context) -> Result<ConnectMode, Error> {
    let Ok(person) = Person::present() else {
        return Err(Error::new(Exit::Usage, "usage", "`--mode` is missing")
            .hint("`--mode guard` takes direct writing away; `exacta connect --help` has the others"));
    };
    let row = |name: &str, what: &str| Row::new().column(Tone::Strong, name, 8).hanging(8).plain(what);
    context.output.aside(vec![
        row(
            "copy",
            "the agent works in a copy, where it can build and test; the difference becomes a plan (`exacta agent`)",
        ),
        row("guard", "the agent's own ways to write are taken from it; it submits plans"),
        row("record", "the agent's edits become plans; nothing determined is stopped"),
    ]);
    loop {
        match person.ask(&format!("how shall {} be connected? ", client.title()))?.as_str() {
            "copy" => return Ok(ConnectMode::Copy),
            "guard" => return Ok(ConnectMode::Guard),
            "record" => return Ok(ConnectMode::Record),
            "" => return Err(super::key::declined()),
            _ => person.say("type copy, guard or record\n")?,
        }
    }
}

/// Shows the difference and asks.
fn agreed(client: Client, mode: Mode, prepared: &Prepared, args: &Connect, context: &Context) -> Result<(), Error> {
    let decider = Decider::new(&args.signer, &context.options)?;
    if prepared.is_empty() {
        context.output.note(&format!("{} is connected already: nothing changes", client.title()));
        return Ok(());
    }
    show(&prepared.changes, context);
    for caveat in caveats(client, mode) {
        context.output.note(caveat);
    }
    decider.agrees(&format!("write these settings of {}?", client.title()))
}

/// The differences, for a person who is asked.
fn show(changes: &[Change], context: &Context) {
    let mut text = String::new();
    for change in changes.iter().filter(|change| !change.is_empty()) {
        diff::write(&change.path.to_string_lossy(), &change.diff(), context.output.paint_aside(), &mut text);
    }
    context.output.aside_text(&text);
}

fn print(client: Client, mode: Mode, prepared: &Prepared, context: &Context) {
    let files: Vec<FileView> = prepared.changes.iter().filter(|change| !change.is_empty()).map(view).collect();
    let caveats: Vec<String> = caveats(client, mode).iter().map(|caveat| (*caveat).to_owned()).collect();
    if context.output.is_json() {
        let body = Connected { agent: client.name(), mode, files, caveats, paragraph: PARAGRAPH, check: None };
        context.output.json(&Face { schema: "exacta.connect/1", body });
        return;
    }
    let mut text = String::new();
    for file in &files {
        diff::write(&file.path.to_string_lossy(), &file.diff, context.output.paint(), &mut text);
    }
    context.output.text(&text);
    context.output.text(&format!("\nFor the project's AGENTS.md or CLAUDE.md:\n\n{PARAGRAPH}"));
    for caveat in caveats {
        context.output.note(&caveat);
    }
}

fn view(change: &Change) -> FileView {
    FileView { path: change.path.clone(), diff: change.diff(), backup: None }
}

fn tell(
    client: Client,
    mode: Mode,
    mut files: Vec<FileView>,
    backups: &[(PathBuf, PathBuf)],
    check: Option<Report>,
    context: &Context,
) -> Result<u8, Error> {
    for file in &mut files {
        file.backup = backups.iter().find(|(path, _)| *path == file.path).map(|(_, backup)| backup.clone());
    }
    let code = check.as_ref().map_or(0, Report::exit);
    let caveats: Vec<String> = caveats(client, mode).iter().map(|caveat| (*caveat).to_owned()).collect();
    if context.output.is_json() {
        let body = Connected { agent: client.name(), mode, files, caveats, paragraph: PARAGRAPH, check };
        context.output.json(&Face { schema: "exacta.connect/1", body });
        return Ok(code);
    }
    let output = &context.output;
    for file in &files {
        output.line(&format!("wrote {}", file.path.display()));
        if let Some(backup) = &file.backup {
            output.note(&format!("what was there is in `{}`", backup.display()));
        }
    }
    match &check {
        Some(report) => output.rows(report.rows()),
        None => output.note(&format!(
            "`{}` is not installed here, so nothing is proved: give `exacta connect {} --check` when it is",
            client.name(),
            client.name()
        )),
    }
    if mode == Mode::Guard {
        output.text(&format!("\nFor the project's AGENTS.md or CLAUDE.md:\n\n{PARAGRAPH}"));
    }
    if check.is_some_and(|report| report.verdict == Verdict::DoesNotWork) {
        output.note(&format!("`exacta connect {} --undo` puts everything back", client.name()));
    }
    Ok(code)
}

/// A file of another program that cannot be used.
pub fn unusable(fault: FileFault) -> Error {
    let hint = match &fault {
        FileFault::Broken { .. } | FileFault::NotText(_) | FileFault::NotAFile(_) => {
            "correct the file, then give the command again; nothing was written"
        }
        FileFault::Changed(_) => "give the command again",
        FileFault::Lost(_) => "nothing was written; put it back from a backup of your own",
        FileFault::Ledger { .. } => "nothing was written; correct or remove the file",
        FileFault::Io { .. } => "nothing else was changed",
    };
    let exit = if matches!(fault, FileFault::Io { .. }) { Exit::Fault } else { Exit::Usage };
    Error::new(exit, "settings_unusable", fault.to_string()).hint(hint)
}
