//! The difference between what a plan was made against and what there is now.

use crate::approval::CLOCK_SKEW_SECONDS;
use crate::binding::{Adoption, Authority, Binding, BoundSite, Identity, ModelIdentity};
use crate::facts::{Facts, FileState, Obstacle, Target};
use crate::hash::Digest;
use crate::path::RelPath;
use crate::prelude::*;
use crate::time::Timestamp;
use serde::Serialize;

/// The state of things now, as far as plans are bound to it.
#[derive(Debug, Clone)]
pub struct Present<'a> {
    /// The policy state.
    pub authority: &'a Authority,
    /// The project's own configuration, by hash.
    pub config_sha256: Digest,
    /// Whether the plan's session still lives.
    pub session_alive: bool,
    /// The model that the plan's credential declared last.
    pub model: Option<&'a ModelIdentity>,
    /// The words, lists and switches of the autopilot that the plan was made for, by hash; none where it is gone, or nobody's signature
    /// stands behind it.
    pub autopilot: Option<Digest>,
    /// The site and the skill of a plan for a site, as they are; none where either is gone, or the skill is deprecated.
    pub site: Option<&'a BoundSite>,
    /// What the targets are.
    pub facts: &'a Facts,
    /// The time.
    pub now: Timestamp,
}

/// One thing that changed since a plan was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// What kind of thing.
    pub kind: DriftKind,
    /// What it means for the plan.
    pub answer: Answer,
    /// What was and what is, in words.
    pub message: String,
    /// The file, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the specification's table")]
pub enum DriftKind {
    Target,
    Configuration,
    Session,
    Age,
    Clock,
    Model,
    ModelVersion,
    ProviderClass,
    Policy,
    Profile,
    Ceiling,
    Autopilot,
    Site,
    Skill,
}

impl DriftKind {
    /// Whether it counts only until a run begins: what a plan expires by, its targets apart.
    #[must_use]
    pub const fn ends_at_the_start(self) -> bool {
        matches!(self, Self::Age | Self::Clock | Self::Session | Self::Configuration)
    }
}

/// What drift means for a plan. Ordered: the strictest answer to several wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Recorded; the plan can still be used.
    Allowed,
    /// All gates run again and a person approves again; never automatic.
    Reapprove,
    /// Blocked; a new plan has to be made.
    Regenerate,
    /// Over.
    Expired,
}

/// Everything that changed since a plan was made.
#[must_use]
pub fn drift(identity: &Identity, present: &Present<'_>) -> Vec<Drift> {
    let binding = &identity.binding;
    let mut drifts = Vec::new();
    drifts.extend(age(identity, present.now));
    if !present.session_alive {
        drifts.push(Drift::new(DriftKind::Session, Answer::Expired, "the session it was made in has ended"));
    }
    if binding.config_sha256 != present.config_sha256 {
        drifts.push(Drift::new(DriftKind::Configuration, Answer::Expired, "the project's configuration changed"));
    }
    drifts.extend(targets(binding, present.facts));
    drifts.extend(binding.adopts.iter().flat_map(|adoption| base(adoption, present.facts)));
    drifts.extend(of_model(identity, present.model));
    drifts.extend(authority(&binding.authority, present.authority));
    if let Some(bound) = binding.autopilot.as_ref().filter(|bound| Some(bound.sha256) != present.autopilot) {
        let message = match present.autopilot {
            Some(_) => format!("autopilot `{}` changed since", bound.name),
            None => format!("autopilot `{}` is gone, or no approver's signature stands behind it", bound.name),
        };
        drifts.push(Drift::new(DriftKind::Autopilot, Answer::Regenerate, message));
    }
    drifts.extend(binding.site.iter().flat_map(|bound| site(bound, present.site)));
    drifts
}

/// How a plan's site and skill differ from what they were.
fn site(was: &BoundSite, now: Option<&BoundSite>) -> Vec<Drift> {
    let Some(now) = now else {
        let message = format!("the site `{}` or the skill `{}` is gone or deprecated", was.name, was.skill_id);
        return vec![Drift::new(DriftKind::Site, Answer::Regenerate, message)];
    };
    let mut drifts = Vec::new();
    if (was.setup_sha256, was.manifest_sha256) != (now.setup_sha256, now.manifest_sha256) {
        let message = format!("the site `{}`, or what its user can do there, changed since", was.name);
        drifts.push(Drift::new(DriftKind::Site, Answer::Regenerate, message));
    }
    if was.skill_sha256 != now.skill_sha256 {
        let message = format!("the skill `{}` changed since", was.skill_id);
        drifts.push(Drift::new(DriftKind::Skill, Answer::Regenerate, message));
    }
    drifts
}

/// How the model that made a plan differs from the one that its credential declared last.
#[must_use]
pub fn of_model(identity: &Identity, declared: Option<&ModelIdentity>) -> Option<Drift> {
    model(identity.binding.proposer.model.as_ref(), declared)
}

/// The strictest answer to some drift; `None` without drift.
#[must_use]
pub fn answer(drifts: &[Drift]) -> Option<Answer> {
    drifts.iter().map(|drift| drift.answer).max()
}

impl Drift {
    fn new(kind: DriftKind, answer: Answer, message: impl Into<String>) -> Self {
        Self { kind, answer, message: message.into(), path: None }
    }
}

fn age(identity: &Identity, now: Timestamp) -> Option<Drift> {
    if identity.created_at > now.plus_seconds(CLOCK_SKEW_SECONDS) {
        let message = format!("it was made at {}, which is in the future: the clock was set back", identity.created_at);
        return Some(Drift::new(DriftKind::Clock, Answer::Expired, message));
    }
    (identity.expires_at <= now)
        .then(|| Drift::new(DriftKind::Age, Answer::Expired, format!("it expired at {}", identity.expires_at)))
}

fn targets<'a>(binding: &'a Binding, facts: &'a Facts) -> impl Iterator<Item = Drift> + 'a {
    binding.targets.iter().filter_map(|(path, expected)| {
        let message = target(path, expected, binding, facts)?;
        let drift = Drift::new(DriftKind::Target, Answer::Expired, message);
        Some(Drift { path: Some(path.to_string()), ..drift })
    })
}

/// How what the commit has that is checked out differs from what it had.
fn base<'a>(adoption: &'a Adoption, facts: &'a Facts) -> impl Iterator<Item = Drift> + 'a {
    adoption.base.iter().filter_map(|(path, was)| {
        let now = facts.base().and_then(|base| base.get(path));
        if now.map(|content| FileState::of(content.as_deref())).as_ref() == Some(was) {
            return None;
        }
        let message = format!("another `{path}` is committed now");
        Some(Drift { path: Some(path.to_string()), ..Drift::new(DriftKind::Target, Answer::Expired, message) })
    })
}

/// How a target differs from what was expected; `None` if it does not.
fn target(path: &RelPath, expected: &FileState, binding: &Binding, facts: &Facts) -> Option<String> {
    // A folder whose files are targets too was there when the plan was made, and so was a file in the place of a folder.
    let is_file = |path: &RelPath| matches!(binding.targets.get(path), Some(FileState::File { .. }));
    let now = match facts.get(path).map(|fact| &fact.target) {
        Some(Target::Absent) => FileState::Absent,
        Some(Target::Directory { files: Some(files) }) if !files.is_empty() && files.iter().all(is_file) => {
            FileState::Absent
        }
        Some(Target::Blocked { at, by: Obstacle::NotAFolder }) if RelPath::parse(at).is_ok_and(|at| is_file(&at)) => {
            FileState::Absent
        }
        Some(Target::File(content)) => FileState::of(Some(content)),
        Some(other) => return Some(no_file(path, other)),
        None => return Some(format!("`{path}` was not looked at")),
    };
    match (expected, &now) {
        _ if *expected == now => None,
        (FileState::Absent, _) => Some(format!("`{path}` exists now")),
        (_, FileState::Absent) => Some(format!("`{path}` is gone")),
        (FileState::File { sha256: was, .. }, FileState::File { sha256: is, .. }) if was != is => {
            Some(format!("the content of `{path}` changed"))
        }
        (FileState::File { mode: was, .. }, FileState::File { mode: is, .. }) => {
            Some(format!("the mode of `{path}` changed from {was:o} to {is:o}"))
        }
    }
}

/// What a target is that can neither be read nor be made.
fn no_file(path: &RelPath, target: &Target) -> String {
    let what = match target {
        Target::Absent | Target::File(_) => "changed",
        Target::TooLarge { .. } => "is larger now than may be read",
        Target::Symlink => "is a symbolic link now",
        Target::Directory { .. } => "is a folder now",
        Target::Special => "is a device, socket or pipe now",
        Target::Unreadable { reason } => return format!("`{path}` cannot be read: {reason}"),
        Target::Blocked { at, by: Obstacle::Mount } => return format!("another file system is mounted on `{at}`"),
        Target::Blocked { at, by: Obstacle::Symlink } => {
            return format!("`{at}` on the way to `{path}` is a symbolic link now");
        }
        Target::Blocked { at, by: Obstacle::NotAFolder } => {
            return format!("`{at}` on the way to `{path}` is no longer a folder");
        }
    };
    format!("`{path}` {what}")
}

fn model(was: Option<&ModelIdentity>, is: Option<&ModelIdentity>) -> Option<Drift> {
    let (was, is) = match (was, is) {
        // None was declared, which the binding records; there is nothing to compare.
        (None, _) => return None,
        (Some(was), Some(is)) => (was, is),
        (Some(was), None) => return Some(other_model(&name(was), "none is declared")),
    };
    if (&was.provider, &was.model) != (&is.provider, &is.model) {
        return Some(other_model(&versioned(was), &versioned(is)));
    }
    if was.local_sha256 != is.local_sha256 {
        return Some(other_model(&format!("{} with its weights", name(was)), "other weights"));
    }
    if was.capabilities != is.capabilities {
        return Some(other_model(&format!("{} with its capabilities", name(was)), "other capabilities"));
    }
    if was.limits != is.limits {
        return Some(other_model(&format!("{} with its limits", name(was)), "other limits"));
    }
    if is.class > was.class {
        let message = format!("{} is now served by a less trusted kind of provider", name(was));
        return Some(Drift::new(DriftKind::ProviderClass, Answer::Regenerate, message));
    }
    if was.version != is.version {
        let version = |model: &ModelIdentity| model.version.clone().unwrap_or_else(|| "unknown".to_owned());
        let message = format!("{}: version {} is now {}", name(was), version(was), version(is));
        return Some(Drift::new(DriftKind::ModelVersion, Answer::Reapprove, message));
    }
    (is.class < was.class).then(|| {
        let message = format!("{} is now served by a stricter kind of provider", name(was));
        Drift::new(DriftKind::ProviderClass, Answer::Allowed, message)
    })
}

fn name(model: &ModelIdentity) -> String {
    format!("`{}/{}`", crate::text::visible_line(&model.provider), crate::text::visible_line(&model.model))
}

/// The name with its version, where one is known.
fn versioned(model: &ModelIdentity) -> String {
    let version = model.version.as_deref().map(crate::text::visible_line);
    version.map_or_else(|| name(model), |version| format!("{} ({version})", name(model)))
}

fn other_model(was: &str, is: &str) -> Drift {
    Drift::new(DriftKind::Model, Answer::Regenerate, format!("the model changed: it was {was}, now {is}"))
}

fn authority(was: &Authority, is: &Authority) -> Vec<Drift> {
    let mut drifts = Vec::new();
    if was.policy_sha256 != is.policy_sha256 {
        let message = if was.policy_version == is.policy_version {
            let (before, now) = (short(&was.policy_sha256), short(&is.policy_sha256));
            format!("the safety policy changed (version {}, sha256 {before}… → {now}…)", is.policy_version)
        } else {
            format!("the safety policy changed from {} to {}", was.policy_version, is.policy_version)
        };
        drifts.push(Drift::new(DriftKind::Policy, Answer::Reapprove, message));
    }
    if was.profile != is.profile {
        let message = format!("the profile changed from {} to {}", was.profile.name(), is.profile.name());
        drifts.push(Drift::new(DriftKind::Profile, Answer::Reapprove, message));
    }
    if was.ceiling != is.ceiling {
        let message = format!("the ceiling changed from {} to {}", was.ceiling.name(), is.ceiling.name());
        drifts.push(Drift::new(DriftKind::Ceiling, Answer::Reapprove, message));
    }
    drifts
}

/// The beginning of a hash, for people.
fn short(hash: &Digest) -> String {
    hash.to_string().chars().take(8).collect()
}
