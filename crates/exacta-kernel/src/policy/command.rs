//! The operator's own commands: build and checks, per project. Never from a plan, never from the project folder.

use super::error::PolicyError;
use super::file::Source;
use crate::id::ProjectId;
use crate::path::RelPath;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// Seconds a command may take unless it says otherwise.
pub const DEFAULT_TIMEOUT: u64 = 600;
/// The longest a command may take, in seconds.
pub const MAX_TIMEOUT: u64 = 86_400;

/// A command of the operator, as an argument list: no shell reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Command {
    /// What it is called in output; the program's name unless it says otherwise.
    pub name: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Seconds until it is ended.
    pub timeout_seconds: u64,
    /// Folders of the project it may write to, besides a scratch folder.
    pub writes: Vec<RelPath>,
    /// Files and folders outside the project that it may read, by absolute path, besides the system's and toolchains.
    pub reads: Vec<String>,
}

/// The commands of one project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Commands {
    /// What a `build` step runs.
    pub build: Option<Command>,
    /// What must succeed before a change is kept, in this order.
    pub checks: Vec<Command>,
}

/// The commands of one project as they stand in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandsFile {
    build: Option<CommandFile>,
    #[serde(default)]
    checks: Vec<CommandFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandFile {
    name: Option<Spanned<String>>,
    argv: Spanned<Vec<Spanned<String>>>,
    timeout_seconds: Option<Spanned<u64>>,
    #[serde(default)]
    writes: Vec<Spanned<String>>,
    #[serde(default)]
    reads: Vec<Spanned<String>>,
}

/// Reads the commands of all projects, each under its absolute path or id.
pub(super) fn projects(
    source: Source<'_>,
    file: BTreeMap<Spanned<String>, CommandsFile>,
) -> Result<BTreeMap<String, Commands>, PolicyError> {
    let mut projects = BTreeMap::new();
    for (key, commands) in file {
        let name = key.get_ref().as_str();
        if !is_root(name) && ProjectId::parse(name).is_err() {
            let message = format!("`{}` is neither an absolute path nor a project id", shown(name));
            return source.error(key.span(), &message, "the status of the project names both");
        }
        let build = commands.build.map(|build| command(source, build)).transpose()?;
        let checks: Result<_, _> = commands.checks.into_iter().map(|check| command(source, check)).collect();
        projects.insert(key.into_inner(), Commands { build, checks: checks? });
    }
    Ok(projects)
}

/// Reads the command that is told when a person is needed. Whoever submits a plan starts it, an agent too, so its own search path must not
/// choose the program.
pub(super) fn notify(source: Source<'_>, list: Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, PolicyError> {
    let Some(program) = list.get_ref().first() else { return Ok(Vec::new()) };
    if is_root(program.get_ref()) && program.get_ref() != "/" {
        return argv(source, list);
    }
    let hint = "name it by its whole path, such as [\"/usr/bin/notify-send\", \"Exacta\"]";
    source.error(list.span(), "`notify_command` does not name a program by its absolute path", hint)
}

fn command(source: Source<'_>, file: CommandFile) -> Result<Command, PolicyError> {
    let argv = argv(source, file.argv)?;
    let name = match file.name {
        Some(name) => source.text(name, "name")?,
        None => argv.first().map(|program| shown(program)).unwrap_or_default(),
    };
    let timeout_seconds = match file.timeout_seconds {
        Some(value) => source.number(&value, "timeout_seconds", 1..=MAX_TIMEOUT)?,
        None => DEFAULT_TIMEOUT,
    };
    let writes: Result<_, _> = file.writes.into_iter().map(|folder| folder_of(source, &folder)).collect();
    let reads: Result<_, _> = file.reads.into_iter().map(|place| place_of(source, &place)).collect();
    Ok(Command { name, argv, timeout_seconds, writes: writes?, reads: reads? })
}

fn argv(source: Source<'_>, argv: Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, PolicyError> {
    if argv.get_ref().first().is_none_or(|program| program.get_ref().trim().is_empty()) {
        let hint = "write the program and its arguments as a list, such as [\"cargo\", \"test\"]";
        return source.error(argv.span(), "`argv` names no program", hint);
    }
    if let Some(word) = argv.get_ref().iter().find(|word| word.get_ref().contains('\0')) {
        return source.error(word.span(), "an argument contains NUL", "remove it");
    }
    Ok(argv.into_inner().into_iter().map(Spanned::into_inner).collect())
}

fn folder_of(source: Source<'_>, folder: &Spanned<String>) -> Result<RelPath, PolicyError> {
    let text = folder.get_ref();
    let parsed = RelPath::parse(text.strip_suffix('/').unwrap_or(text));
    parsed
        .and_then(|path| path.check_protected().map(|()| path))
        .or_else(|error| source.error(folder.span(), &error.to_string(), "name a folder beneath the project root"))
}

fn place_of(source: Source<'_>, place: &Spanned<String>) -> Result<String, PolicyError> {
    let text = place.get_ref();
    let text = text.strip_suffix('/').unwrap_or(text);
    if is_root(text) && text != "/" {
        return Ok(text.to_owned());
    }
    let message = format!("`{}` is not the absolute path of something on the machine", shown(place.get_ref()));
    source.error(place.span(), &message, "name a file or folder by its whole path, without `.` and `..`")
}

/// An absolute path in its shortest form, so that it can be compared as text.
fn is_root(text: &str) -> bool {
    let parts = |rest: &str| rest.split('/').all(|part| !matches!(part, "" | "." | ".."));
    !text.chars().any(char::is_control) && (text == "/" || text.strip_prefix('/').is_some_and(parts))
}

fn shown(text: &str) -> String {
    crate::text::visible_line(text).chars().take(64).collect()
}
