//! A project's own configuration. It lies in the project folder, which grants nothing, so it can only tighten.

use super::caps::Caps;
use super::error::PolicyError;
use super::file::{CapsFile, ConstraintFile, Limit, Source, Words};
use super::glob::Globs;
use super::profile::Profile;
use super::rule::{Rule, RuleFile, RuleSet, rules};
use super::scope::NetworkScope;
use crate::hash::Digest;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// Helps with nearly everything.
const HINT: &str = "docs/policy.md lists every key; without the file, the Safety Policy alone holds";

/// What a project forbids or asks for beyond the Safety Policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectConfig {
    /// The highest profile here.
    pub ceiling: Profile,
    /// Numeric limits; the lower of these and the Safety Policy's holds.
    pub caps: Caps,
    /// What may be reached over the network.
    pub network_scope: NetworkScope,
    /// Paths no plan may touch.
    pub protected_paths: Globs,
    /// Constraints on every plan.
    pub constraints: Vec<Limit>,
    /// Rules for every plan.
    pub rules: Vec<Rule>,
    /// Whether the operator's checks run here.
    pub checks: bool,
    /// The file it was read from, for messages.
    #[serde(skip)]
    pub file: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    ceiling: Option<Profile>,
    #[serde(default)]
    caps: CapsFile,
    network_scope: Option<NetworkScope>,
    #[serde(default)]
    protected_paths: Words,
    #[serde(default)]
    constraints: Vec<ConstraintFile>,
    #[serde(default)]
    rules: Vec<RuleFile>,
    checks: Option<bool>,
}

impl ProjectConfig {
    /// Reads a configuration; `file` is only named in errors.
    ///
    /// # Errors
    /// As [`SafetyPolicy::parse`](super::safety::SafetyPolicy::parse).
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyError> {
        let source = Source { text, file, hint: HINT };
        let read: ProjectFile = source.read()?;
        let default = Self::default();
        Ok(Self {
            ceiling: read.ceiling.unwrap_or(default.ceiling),
            caps: source.lower_caps(read.caps)?,
            network_scope: read.network_scope.unwrap_or(default.network_scope),
            protected_paths: source.globs(read.protected_paths)?,
            constraints: source.constraints(read.constraints)?,
            rules: rules(source, read.rules, RuleSet::Project)?,
            checks: read.checks.unwrap_or(default.checks),
            file: file.to_owned(),
        })
    }

    /// SHA-256 of the configuration in canonical form, with every default filled in.
    #[must_use]
    pub fn hash(&self) -> Digest {
        super::hash_of(self)
    }
}

impl Default for ProjectConfig {
    /// Adds nothing to the Safety Policy.
    fn default() -> Self {
        Self {
            ceiling: Profile::FullAuto,
            caps: Caps::MOST,
            network_scope: NetworkScope::Configured,
            protected_paths: Globs::default(),
            constraints: Vec::new(),
            rules: Vec::new(),
            checks: true,
            file: String::new(),
        }
    }
}
