//! What decisions are taken under: policy, profile, approvers. Loaded again for every decision, so that none is taken under a
//! policy that is no longer in force.

use crate::error::{Error, Exit};
use crate::options::Options;
use crate::pipeline::Basis;
use exacta_exec::ProjectRoot;
use exacta_home::{FileError, Home, HomeError};
use exacta_kernel::approval::Approver;
use exacta_kernel::binding::{Authority, Proposer};
use exacta_kernel::facts::Target;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use exacta_kernel::id::ProjectId;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::policy::{Policy, PolicyError, profile::Profile};
use exacta_kernel::proposal::Constraint;
use std::path::{Path, PathBuf};

/// The project's own configuration; it can only tighten.
pub const CONFIG: &str = ".exacta/config.toml";
const CONFIG_CAP: u64 = 1 << 20;

/// What helps where a policy is not the user's to change.
const ADMINISTRATORS: &str = "the administrator of this machine can fix it; docs/policy.md lists every key";

/// What decisions are taken under.
#[derive(Debug)]
pub struct InForce {
    /// The Safety Policy, the project's tightening of it, and the profile, combined.
    pub policy: Policy,
    /// Whose signatures count.
    pub approvers: Vec<Approver>,
}

impl InForce {
    /// Loads what is in force for a project with this profile.
    ///
    /// # Errors
    /// A broken policy or configuration stops every command that decides.
    pub fn load(home: &Home, root: &ProjectRoot, profile: Profile) -> Result<Self, Error> {
        let safety = safety_policy(home)?;
        let config = project_config(root)?;
        let policy = Policy::combine(safety, config, profile).map_err(policy_error)?;
        Ok(Self { policy, approvers: home.approvers()? })
    }

    /// The part of it that plans are bound to.
    #[must_use]
    pub fn authority(&self) -> Authority {
        Authority {
            policy_version: self.policy.safety_version().to_owned(),
            policy_sha256: self.policy.safety_hash(),
            profile: self.policy.profile(),
            ceiling: self.policy.ceiling(),
        }
    }

    /// What a text is judged by under it.
    #[must_use]
    pub fn basis<'a>(
        &'a self,
        root: &'a ProjectRoot,
        project: Option<&ProjectId>,
        request: &'a [Constraint],
    ) -> Basis<'a> {
        let roots = names(&self.policy, root.path());
        let build = project.and_then(|project| self.policy.build(project, &roots));
        let checks_off = project.is_some_and(|project| self.policy.switches_checks_off(project, &roots));
        Basis {
            root,
            policy: &self.policy,
            request,
            selection: false,
            build,
            checks_off,
            made: None,
            connected: false,
            allowed: None,
            base: None,
        }
    }

    /// The project's own configuration, by hash.
    #[must_use]
    pub fn config_sha256(&self) -> Digest {
        self.policy.config_hash()
    }
}

/// A folder that texts are held against, with what is in force there. Nothing need be recorded in it.
pub(crate) struct Folder {
    root: ProjectRoot,
    in_force: InForce,
    project: Option<ProjectId>,
    /// Whether a connected agent asks.
    connected: bool,
}

impl Folder {
    /// Opens the folder, reading only.
    pub(crate) fn open(options: &Options) -> Result<Self, Error> {
        let path = options.root()?;
        let home = options.home()?;
        let root = crate::project::open(&path)?;
        let record = home.project(&path)?;
        let profile = record.as_ref().map_or(Profile::Safe, |record| record.profile);
        let in_force = InForce::load(&home, &root, profile)?;
        let connected = Proposer::is_connected(&options.caller.credential());
        Ok(Self { root, in_force, project: record.map(|record| record.id), connected })
    }

    /// What a text is judged by here.
    pub(crate) fn basis<'a>(&'a self, request: &'a [Constraint]) -> Basis<'a> {
        let basis = self.in_force.basis(&self.root, self.project.as_ref(), request);
        Basis { connected: self.connected, ..basis }
    }
}

/// The names that the Safety Policy has for a folder: every path that leads there.
pub(crate) fn names<'a>(policy: &'a Policy, root: &Path) -> Vec<&'a str> {
    let leads_there = |name: &&str| leads_to(name).as_deref() == Some(root);
    policy.safety().projects.keys().map(String::as_str).filter(leads_there).collect()
}

/// The projects that a Safety Policy names by a path at which there is no folder.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "where a name in the user's policy leads; nothing is read there")]
pub fn absent_projects(policy: &SafetyPolicy) -> Vec<&str> {
    let names = policy.projects.keys().map(String::as_str);
    names.filter(|name| Path::new(name).is_absolute() && leads_to(name).is_none_or(|path| !path.is_dir())).collect()
}

/// Where a name in the Safety Policy leads: only a whole path leads anywhere.
#[expect(clippy::disallowed_methods, reason = "where a name in the user's policy leads; nothing is read there")]
pub(crate) fn leads_to(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() { path.canonicalize().ok() } else { None }
}

/// The operator's Safety Policy, or the built-in one where there is none.
///
/// # Errors
/// If the file is broken, with its line.
pub fn safety_policy(home: &Home) -> Result<SafetyPolicy, Error> {
    match home.safety_policy_text() {
        Ok(None) => Ok(SafetyPolicy::default()),
        Ok(Some(source)) => {
            let parsed = SafetyPolicy::parse(&source.text, &source.file.display().to_string()).map_err(policy_error);
            parsed.map_err(|error| if source.system { error.hint(ADMINISTRATORS) } else { error.also(reset()) })
        }
        Err(HomeError::File(error @ FileError::Malformed { .. })) => {
            let hint = if home.has_system_policy() { ADMINISTRATORS.into() } else { reset() };
            Err(Error::new(Exit::Denied, "policy_broken", error.to_string()).hint(hint))
        }
        Err(error) => Err(error.into()),
    }
}

/// The project's configuration, or an empty one where there is none. Read by handle: a symbolic link is refused, and
/// so is a file with another name, since a message about what is in it would tell of another place.
///
/// # Errors
/// If the file is broken, with its line.
pub fn project_config(root: &ProjectRoot) -> Result<ProjectConfig, Error> {
    let path =
        RelPath::parse(CONFIG).map_err(|_| Error::fault("internal", "the configuration's path is not a path"))?;
    let unusable = |why: &str| {
        let message = format!("the project's configuration `{CONFIG}` {why}");
        Err(Error::new(Exit::Denied, "config_unusable", message)
            .hint("make it a readable regular file of its own, or remove it"))
    };
    match root.own_file(&path, CONFIG_CAP) {
        Target::Absent => Ok(ProjectConfig::default()),
        Target::File(file) => match std::str::from_utf8(file.bytes()) {
            Ok(text) => ProjectConfig::parse(text, CONFIG).map_err(policy_error),
            Err(_) => unusable("is not UTF-8"),
        },
        Target::Unreadable { reason } => unusable(&format!("cannot be read: {reason}")),
        Target::TooLarge { .. } => unusable("is larger than 1 MiB"),
        Target::Symlink | Target::Blocked { .. } => unusable("is reached through a symbolic link"),
        Target::Directory { .. } | Target::Special => unusable("is not a regular file"),
    }
}

fn reset() -> Hint {
    hint![Remedy::PolicyReset, " goes back to the built-in policy"]
}

/// A broken policy stops everything, with file, line and cause.
pub(crate) fn policy_error(error: PolicyError) -> Error {
    let hint = error.hint.clone();
    Error::new(Exit::Denied, "policy_broken", error.to_string()).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_broken_policy_is_mended_by_whoever_may() {
        let dir = tempfile::tempdir().unwrap();
        let (own, etc) = (dir.path().join("own"), dir.path().join("etc"));
        let hint = |text: &[u8], system: bool| {
            let home = Home::at(&own).unwrap().with_system(&etc);
            let folder = if system { etc.clone() } else { home.config().to_owned() };
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
            let file = folder.join("safety-policy.toml");
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            exacta_view::command::at_a_terminal(&safety_policy(&home).unwrap_err().hint.unwrap())
        };
        for text in [&b"ceilin = 1\n"[..], b"\xff"] {
            let _ = fs::remove_dir_all(&etc);
            assert!(hint(text, false).contains("policy reset"));
            // Only root's is believed to be the administrator's.
            if exacta_testkit::root() {
                let hint = hint(text, true);
                assert!(hint.contains("administrator") && !hint.contains("reset"), "{hint}");
            }
        }
    }
}
