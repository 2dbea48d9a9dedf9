//! Whether everything that Exacta needs is here, and what to do where it is not.

use crate::app::App;
use crate::error::ErrorCode;
use crate::in_force::InForce;
use crate::options::Options;
use exacta_exec::ProjectRoot;
use exacta_exec::sandbox::{self, Ended, SandboxError};
use exacta_home::Home;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::policy::command::Command;
use exacta_kernel::policy::profile::Profile;
use exacta_record::RECORDS;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use serde::Serialize;
use std::path::Path;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What.
    pub name: &'static str,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub found: String,
    /// What would help, where something is wrong.
    pub hint: Option<Hint>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// Works, with less than everything.
    Limited,
    /// Something does not work.
    Broken,
}

/// Looks at everything, and tries the sandbox; leaves nothing behind.
#[must_use]
pub fn doctor(options: &Options) -> Vec<Check> {
    let mut checks = Vec::new();
    let home = match options.home() {
        Ok(home) => {
            let folders = [home.config(), home.state()];
            checks.push(
                unwritable("home", &folders).unwrap_or_else(|| good("home", home.config().display().to_string())),
            );
            home
        }
        Err(error) => {
            checks.push(broken("home", error.message, error.hint));
            return checks;
        }
    };
    checks.push(approvers(&home));
    let root = options.root().and_then(|path| crate::project::open(&path));
    match root {
        Ok(root) => {
            checks.push(policy(&home, &root));
            let folders = [root.path(), &root.path().join(RECORDS)];
            checks.push(unwritable("project", &folders).unwrap_or_else(|| project(options)));
            checks.push(sandbox(options, &home, &root));
        }
        Err(error) => checks.push(broken("project", error.message, error.hint)),
    }
    checks
}

/// What is wrong with folders that cannot be written; of one that is not there yet, the folder that it would be made in.
#[expect(clippy::disallowed_methods, reason = "only looks, and says what it found")]
fn unwritable(name: &'static str, folders: &[&Path]) -> Option<Check> {
    let existing = |folder: &&Path| folder.ancestors().find(|path| path.exists()).map(Path::to_owned);
    folders.iter().filter_map(existing).find_map(|folder| {
        let error = accessat(CWD, &folder, Access::WRITE_OK, AtFlags::EACCESS).err()?;
        let found = format!("`{}` cannot be written: {}", folder.display(), std::io::Error::from(error));
        Some(broken(name, found, hint!["nothing can be recorded or changed here; make it writable for you"]))
    })
}

fn approvers(home: &Home) -> Check {
    match home.approvers() {
        Ok(all) => match all.iter().filter(|approver| approver.removed_at.is_none()).count() {
            0 => limited("approvers", "nobody can approve".to_owned(), hint![Remedy::Init, " makes your first key"]),
            n => good("approvers", format!("{n} listed")),
        },
        Err(error) => broken("approvers", error.to_string(), error.hint()),
    }
}

fn policy(home: &Home, root: &ProjectRoot) -> Check {
    match InForce::load(home, root, Profile::Safe) {
        Ok(in_force) => good(
            "policy",
            format!("version {}, ceiling {}", in_force.policy.safety_version(), in_force.policy.ceiling().name()),
        ),
        Err(error) => broken("policy", error.message, error.hint),
    }
}

fn project(options: &Options) -> Check {
    match App::look(options) {
        Ok(app) => match app.status() {
            Ok(status) if !status.damage.is_empty() => broken(
                "project",
                format!("the record was changed from outside: {}", status.damage.join("; ")),
                hint![Remedy::AuditVerify, " shows every place"],
            ),
            Ok(status) if status.unfinished.iter().any(|run| run.outcome.waits_for_a_person()) => broken(
                "project",
                "the journal of a run cannot be used, and every command that decides or acts stops there".to_owned(),
                hint![Remedy::Status, " says why"],
            ),
            Ok(status) if status.unfinished.is_empty() => {
                let profile = status.profile.unwrap_or("no profile");
                good("project", format!("{profile}, {} entries in the log", status.log_size))
            }
            Ok(status) => limited(
                "project",
                format!("{} runs were interrupted", status.unfinished.len()),
                hint![Remedy::Recover, " settles them, and so does the next command that decides or acts"],
            ),
            Err(error) => broken("project", error.message, error.hint),
        },
        Err(error) if error.code == ErrorCode::PROJECT_UNKNOWN => {
            limited("project", error.message, hint![Remedy::Init, " begins its record"])
        }
        Err(error) => broken("project", error.message, error.hint),
    }
}

/// Tries the sandbox for each of the operator's commands, or for one that needs nothing where there are none.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
fn sandbox(options: &Options, home: &Home, root: &ProjectRoot) -> Check {
    let known = home.state().exists();
    let (scratch, hidden) = (home.scratch(), home.folders());
    let found = commands(options, home, root).iter().find_map(|command| {
        match sandbox::try_out(command, root, &scratch, &hidden) {
            Ok(report) if report.ended == Ended::Passed => None,
            Ok(report) => Some(limited(
                "sandbox",
                format!("`{}` would not see the change in it: {}", report.name, report.output.trim()),
                "the operator's checks cannot be relied on here",
            )),
            Err(error @ SandboxError::Mounted { .. }) => Some(limited("sandbox", error.to_string(), error.hint())),
            Err(error) => Some(limited("sandbox", format!("the operator's checks cannot run: {error}"), error.hint())),
        }
    });
    if !known {
        // Looking is not the beginning of a state.
        let _not_empty = std::fs::remove_dir(&scratch).and_then(|()| std::fs::remove_dir(home.state()));
    }
    found.unwrap_or_else(|| good("sandbox", "a command runs confined".to_owned()))
}

fn commands(options: &Options, home: &Home, root: &ProjectRoot) -> Vec<Command> {
    let set = App::look(options).ok().zip(InForce::load(home, root, Profile::Safe).ok());
    let set = set.map(|(app, in_force)| app.checks(&in_force.policy, true).commands).unwrap_or_default();
    let plain = || Command {
        name: "true".to_owned(),
        argv: vec!["true".to_owned()],
        timeout_seconds: 60,
        writes: Vec::new(),
        reads: Vec::new(),
    };
    if set.is_empty() { vec![plain()] } else { set }
}

const fn good(name: &'static str, found: String) -> Check {
    Check { name, health: Health::Good, found, hint: None }
}

fn limited(name: &'static str, found: String, hint: impl Into<Hint>) -> Check {
    Check { name, health: Health::Limited, found, hint: Some(hint.into()) }
}

fn broken(name: &'static str, found: String, hint: impl Into<Option<Hint>>) -> Check {
    Check { name, health: Health::Broken, found, hint: hint.into() }
}
