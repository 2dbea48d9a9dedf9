//! What a program is told: our own place, the project, the folders that are not for it.

use super::Context;
use crate::args::Connect;
use exacta_app::{Error, Exit, keys_without_passphrase, own_folders};
use exacta_connect::{Client, Connection, Mode, Setup, Wanted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables that say where our own files are, and that some programs do not pass on.
const PASSED: [&str; 4] = ["EXACTA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

/// What builds and tests write to, by the file that says that they do.
const BUILDS: [(&str, &[&str]); 8] = [
    ("Cargo.toml", &["target"]),
    ("package.json", &["node_modules/.cache", ".next/cache"]),
    ("pyproject.toml", &[".pytest_cache", ".mypy_cache", ".ruff_cache"]),
    ("setup.py", &[".pytest_cache", ".mypy_cache"]),
    ("pom.xml", &["target"]),
    ("build.gradle", &["build", ".gradle"]),
    ("build.gradle.kts", &["build", ".gradle"]),
    ("Package.swift", &[".build"]),
];

/// Everything that the settings are made of.
///
/// # Errors
/// If the project or our own folders cannot be found.
pub fn of(args: &Connect, context: &Context) -> Result<Setup, Error> {
    let project = real(&context.options.root()?)?;
    let own = own_folders(&context.options)?;
    let own = [real(&own.config)?, real(&own.state)?];
    let mut secret: Vec<PathBuf> = own.to_vec();
    // A folder within another is covered by it.
    secret.retain(|folder| !own.iter().any(|other| other != folder && folder.starts_with(other)));
    let holds = |folder: &Path| std::iter::once(&project).chain(&secret).any(|kept| kept.starts_with(folder));
    let temporary = [PathBuf::from("/tmp"), std::env::temp_dir()].into_iter().filter_map(|folder| real(&folder).ok());
    let mut temporary: Vec<PathBuf> = temporary.filter(|folder| !holds(folder)).collect();
    temporary.dedup();
    Ok(Setup {
        exacta: own_program()?,
        env: passed(),
        builds: builds(&project),
        everywhere: args.all_projects,
        project,
        secret,
        temporary,
    })
}

/// Where what was written is remembered.
///
/// # Errors
/// If our own folders cannot be found.
pub fn folder(context: &Context) -> Result<PathBuf, Error> {
    Ok(own_folders(&context.options)?.state.join("connect"))
}

/// Whoever can read a key without a passphrase can approve: an agent, too.
///
/// # Errors
/// If there is such a key, and nobody insists.
pub fn protected(args: &Connect, context: &Context) -> Result<(), Error> {
    let open = keys_without_passphrase(&context.options)?;
    if open.is_empty() || args.key_without_passphrase {
        return Ok(());
    }
    let message =
        format!("the key of approver `{}` has no passphrase: an agent that reads it can approve", open.join("`, `"));
    Err(Error::new(Exit::Usage, "key_without_passphrase", message).hint(
        "add an approver with a passphrase (`exacta approver add NAME`) and remove this one, or insist with `--key-without-passphrase`",
    ))
}

/// Settings that the agent can write say nothing about what it may write.
///
/// # Errors
/// If the way to one of them leads through the project.
pub fn outside(wanted: &[Wanted], setup: &Setup, client: Client) -> Result<(), Error> {
    for Wanted { path, .. } in wanted {
        let path = std::path::absolute(path).map_err(|error| crate::fail::io(Exit::Usage, "find a folder", &error))?;
        if exacta_app::leads_through(&path, &setup.project)? {
            let message = format!(
                "`{}` is reached through the project, where the agent writes: settings of {} there guard nothing",
                path.display(),
                client.title()
            );
            return Err(Error::new(Exit::Denied, "settings_in_project", message)
                .hint("keep the program's settings outside the project: its folder is named by `HOME`, `CODEX_HOME`, `CLAUDE_CONFIG_DIR`, `COPILOT_HOME` or `XDG_CONFIG_HOME`"));
        }
    }
    Ok(())
}

/// A program has one server of our name, which is for one project, or for all.
///
/// # Errors
/// If it is connected for another project.
pub fn one_project(known: Option<&Connection>, setup: &Setup, client: Client) -> Result<(), Error> {
    match known.and_then(|known| known.project.as_ref()) {
        Some(other) if !setup.everywhere && *other != setup.project => {
            let message = format!("{} is connected for `{}`", client.title(), other.display());
            Err(Error::new(Exit::Usage, "connected_elsewhere", message).hint(format!(
                "`exacta connect {} --all-projects` serves each project that it is started in; `--undo` ends the other connection",
                client.name()
            )))
        }
        _ => Ok(()),
    }
}

/// This program cannot be connected that way.
pub fn not_that_way(client: Client, mode: Mode) -> Error {
    let message = format!("{} cannot be connected in mode `{}`", client.title(), mode.name());
    let hint = if client.can_guard() {
        format!("`exacta connect {} --mode guard`", client.name())
    } else {
        format!("let it work in a copy: `exacta agent -- {}`", client.name())
    };
    Error::new(Exit::Usage, "mode_unknown", message).hint(hint)
}

#[expect(clippy::disallowed_methods, reason = "our own program, wherever it was started from")]
fn own_program() -> Result<PathBuf, Error> {
    let found = std::env::current_exe().and_then(|path| path.canonicalize());
    found.map_err(|error| Error::fault("program_unknown", format!("cannot tell where this program is: {error}")))
}

fn passed() -> BTreeMap<String, String> {
    let set = |name: &&str| {
        std::env::var(name).ok().filter(|value| !value.is_empty()).map(|value| ((*name).to_owned(), value))
    };
    let mut passed: BTreeMap<String, String> = PASSED.iter().filter_map(set).collect();
    // The program may start the server elsewhere.
    if let Some(home) = passed.get_mut("EXACTA_HOME")
        && let Ok(whole) = std::path::absolute(&*home)
    {
        *home = whole.display().to_string();
    }
    passed
}

/// The folders that there are: those that are links are left out, since they lead elsewhere.
#[expect(clippy::disallowed_methods, reason = "names for a setting; nothing is written there")]
fn builds(project: &Path) -> Vec<PathBuf> {
    let known = BUILDS.iter().filter(|(sign, _)| project.join(sign).is_file());
    let mut folders: Vec<PathBuf> =
        known.flat_map(|(_, folders)| folders.iter().map(|folder| project.join(folder))).collect();
    folders.retain(|folder| folder.canonicalize().is_ok_and(|real| real == *folder && real.is_dir()));
    folders.dedup();
    folders
}

#[expect(clippy::disallowed_methods, reason = "the same folder by the name that sandboxes know it by")]
fn real(folder: &Path) -> Result<PathBuf, Error> {
    match folder.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::path::absolute(folder).map_err(|error| crate::fail::io(Exit::Usage, "find a folder", &error))
        }
        Err(error) => Err(crate::fail::io(Exit::Usage, &format!("find `{}`", folder.display()), &error)),
    }
}
