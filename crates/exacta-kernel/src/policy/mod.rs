//! What the operator allows: the Safety Policy, a project's tightening of it, profiles, rules and caps.

pub mod caps;
pub mod command;
mod error;
mod file;
mod glob;
pub mod project;
pub mod rule;
pub mod safety;
pub mod scope;
mod write;

pub use error::PolicyError;
pub use file::Limit;
pub use glob::Globs;

use crate::binding::ProviderClass;
use crate::capability::Capability;
use crate::constraint::{Source, SourcedConstraint};
use crate::hash::{Digest, canonical_hash};
use crate::id::ProjectId;
use crate::prelude::*;
pub use crate::profile;
use caps::Caps;
use command::Command;
use profile::Profile;
use project::ProjectConfig;
use rule::{Rule, RuleSet, builtin};
use safety::SafetyPolicy;
use scope::NetworkScope;

/// Everything that holds for one project: the Safety Policy, tightened by the project, under the profile in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    safety: SafetyPolicy,
    project: ProjectConfig,
    chosen: Profile,
    caps: Caps,
    rules: Vec<Rule>,
    safety_hash: Digest,
    config_hash: Digest,
}

impl Policy {
    /// Puts the parts together. Each limit is the stricter of the two files'; rules and constraints of both count, in every profile (INV-PIPE-3).
    ///
    /// # Errors
    /// [`PolicyError`] where the project takes the name of a rule or constraint of the Safety Policy, so that a name in a record
    /// always means one thing.
    pub fn combine(safety: SafetyPolicy, project: ProjectConfig, profile: Profile) -> Result<Self, PolicyError> {
        distinct(&safety, &project)?;
        Ok(Self {
            caps: safety.caps.min(project.caps),
            rules: all_rules(&safety, &project),
            safety_hash: safety.hash(),
            config_hash: project.hash(),
            chosen: profile,
            safety,
            project,
        })
    }

    /// The limits in force.
    #[must_use]
    pub const fn caps(&self) -> &Caps {
        &self.caps
    }

    /// The profile in force: the chosen one, held down by the ceiling.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.chosen.min(self.ceiling())
    }

    /// The profile that a person chose.
    #[must_use]
    pub const fn chosen_profile(&self) -> Profile {
        self.chosen
    }

    /// The same policy under another profile.
    #[must_use]
    pub fn under(&self, profile: Profile) -> Self {
        Self { chosen: profile, ..self.clone() }
    }

    /// The highest profile there can be here.
    #[must_use]
    pub fn ceiling(&self) -> Profile {
        self.safety.ceiling.min(self.project.ceiling)
    }

    /// The Safety Policy by hash.
    #[must_use]
    pub const fn safety_hash(&self) -> Digest {
        self.safety_hash
    }

    /// The operator's name for the Safety Policy.
    #[must_use]
    pub fn safety_version(&self) -> &str {
        &self.safety.version
    }

    /// The project's configuration by hash.
    #[must_use]
    pub const fn config_hash(&self) -> Digest {
        self.config_hash
    }

    /// The Safety Policy itself.
    #[must_use]
    pub const fn safety(&self) -> &SafetyPolicy {
        &self.safety
    }

    /// What may be reached over the network.
    #[must_use]
    pub fn network_scope(&self) -> NetworkScope {
        self.safety.network_scope.min(self.project.network_scope)
    }

    /// Whether a plan may come from this class of provider.
    #[must_use]
    pub fn allows_provider(&self, class: ProviderClass) -> bool {
        self.safety.provider_classes.contains(&class)
    }

    /// Whether no plan may give or use this.
    #[must_use]
    pub fn forbids(&self, capability: Capability) -> bool {
        self.safety.forbid.contains(&capability)
    }

    /// How many runs may go on at the same time.
    #[must_use]
    pub fn concurrency(&self) -> u32 {
        self.profile().concurrency().min(self.caps.runs)
    }

    /// The operator's checks for a project, known by its id or the names of its root; none where the project switched them off.
    #[must_use]
    pub fn checks(&self, project: &ProjectId, roots: &[&str]) -> Vec<Command> {
        if !self.project.checks {
            return Vec::new();
        }
        self.commands(project, roots).into_iter().flat_map(|commands| commands.checks.iter().cloned()).collect()
    }

    /// Whether the project switches checks off that the operator set for it.
    #[must_use]
    pub fn switches_checks_off(&self, project: &ProjectId, roots: &[&str]) -> bool {
        !self.project.checks && self.commands(project, roots).into_iter().any(|commands| !commands.checks.is_empty())
    }

    /// The operator's build command for a project, known by its id or, failing that, a name of its root.
    #[must_use]
    pub fn build(&self, project: &ProjectId, roots: &[&str]) -> Option<&Command> {
        self.commands(project, roots).into_iter().find_map(|commands| commands.build.as_ref())
    }

    /// The constraints of both files, for every plan.
    #[must_use]
    pub fn constraints(&self) -> Vec<SourcedConstraint> {
        let sourced = |source: Source, limits: &[Limit]| {
            let limits = limits.iter().map(|limit| limit.constraint.clone());
            limits.map(|constraint| SourcedConstraint { source, constraint }).collect::<Vec<_>>()
        };
        let mut all = sourced(Source::SafetyPolicy, &self.safety.constraints);
        all.extend(sourced(Source::Project, &self.project.constraints));
        all
    }

    /// Every rule that counts, of all sets.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn commands(&self, project: &ProjectId, roots: &[&str]) -> Vec<&command::Commands> {
        let names = [project.as_str()].into_iter().chain(roots.iter().copied());
        names.filter_map(|name| self.safety.projects.get(name)).collect()
    }
}

/// One name, one meaning.
fn distinct(safety: &SafetyPolicy, project: &ProjectConfig) -> Result<(), PolicyError> {
    let rule = project.rules.iter().find(|rule| safety.rules.iter().any(|other| other.id == rule.id));
    let rule = rule.map(|rule| ("rule", &rule.id, rule.line));
    let limit = project
        .constraints
        .iter()
        .find(|limit| safety.constraints.iter().any(|other| other.constraint.id == limit.constraint.id));
    let limit = limit.map(|limit| ("constraint", &limit.constraint.id, limit.line));
    match rule.or(limit) {
        None => Ok(()),
        Some((what, id, line)) => Err(PolicyError {
            file: project.file.clone(),
            line: Some(line),
            column: None,
            message: format!("{what} `{id}` has the name of a {what} in the Safety Policy"),
            hint: "choose another id".to_owned(),
        }),
    }
}

/// The rules of all sets: written ones, and those that protected paths and network scope amount to.
fn all_rules(safety: &SafetyPolicy, project: &ProjectConfig) -> Vec<Rule> {
    let mut rules = builtin::built_in();
    let defaults = builtin::profile_defaults();
    rules.extend(defaults.into_iter().filter(|rule| !safety.disable_default_rules.contains(&rule.id)));
    rules.extend(safety.rules.iter().chain(&project.rules).cloned());
    for (set, paths, scope) in [
        (RuleSet::SafetyPolicy, &safety.protected_paths, safety.network_scope),
        (RuleSet::Project, &project.protected_paths, project.network_scope),
    ] {
        if !paths.is_empty() {
            rules.push(builtin::protected_paths(set, paths.clone()));
        }
        if scope < NetworkScope::Configured {
            rules.push(builtin::network_scope(set));
        }
    }
    rules
}

/// The hash of a parsed file. Its types are all text, whole numbers below 2^53 and lists of them, which JSON can always
/// express; were that ever untrue, the debug form still tells any two files apart.
fn hash_of(value: &(impl serde::Serialize + core::fmt::Debug)) -> Digest {
    canonical_hash(value).unwrap_or_else(|_| Digest::of(format!("{value:?}").as_bytes()))
}
