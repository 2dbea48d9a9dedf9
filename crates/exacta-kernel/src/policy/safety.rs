//! The Safety Policy: the operator's ceiling. It lives outside every project, and nothing overrides it.

use super::caps::Caps;
use super::command::{Commands, CommandsFile, notify, projects};
use super::error::PolicyError;
use super::file::{CapsFile, ConstraintFile, Limit, Source, Words, listed};
use super::glob::Globs;
use super::profile::Profile;
use super::rule::{Rule, RuleFile, RuleSet, builtin, rules};
use super::scope::NetworkScope;
use crate::binding::ProviderClass;
use crate::capability::Capability;
use crate::hash::Digest;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// The longest before-images can be kept, in days.
pub const MAX_DAYS: u64 = 3650;
/// The most room before-images can be given, in MiB.
pub const MAX_MIB: u64 = 1 << 20;

/// Helps with nearly everything.
const HINT: &str = "docs/policy.md lists every key";

/// Every class of AI provider, strictest first.
const PROVIDER_CLASSES: [ProviderClass; 3] =
    [ProviderClass::LocalOnly, ProviderClass::TrustedCloud, ProviderClass::UntrustedCloud];

/// What the operator allows. Every field has its default filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SafetyPolicy {
    /// The operator's own name for this state of the policy; bound into every plan.
    pub version: String,
    /// The highest profile there can be.
    pub ceiling: Profile,
    /// Numeric limits.
    pub caps: Caps,
    /// What may be reached over the network.
    pub network_scope: NetworkScope,
    /// The classes of AI providers a plan may come from.
    pub provider_classes: BTreeSet<ProviderClass>,
    /// Whether a command without a terminal may start what a person approved.
    pub command_line_execute: bool,
    /// What no plan may give or use.
    pub forbid: BTreeSet<Capability>,
    /// Build and check commands, by absolute path or id of the project.
    pub projects: BTreeMap<String, Commands>,
    /// Paths in every project that no plan may touch.
    pub protected_paths: Globs,
    /// Constraints on every plan.
    pub constraints: Vec<Limit>,
    /// Rules for every plan.
    pub rules: Vec<Rule>,
    /// Profile default rules that are switched off.
    pub disable_default_rules: BTreeSet<String>,
    /// Whether a person is asked about a plan of a connected agent that did not declare its model.
    pub require_model: bool,
    /// Whether the provider of a plan that a model of ours made is asked who answers there before it runs. Left out of the hash where not.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub verify_model_at_execution: bool,
    /// The connected agents that may start what a person approved, by name.
    pub execute_agents: BTreeSet<String>,
    /// The program, and its arguments, that is told when a person is needed; none where it is empty. Left out of the hash where it is: it
    /// decides nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify_command: Vec<String>,
    /// How long before-images are kept.
    pub before_images: Retention,
}

/// How long before-images are kept, and how much room they may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Retention {
    /// Days since the run.
    pub days: u64,
    /// MiB in all; the oldest go first.
    pub max_mib: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SafetyFile {
    version: Option<Spanned<String>>,
    ceiling: Option<Profile>,
    #[serde(default)]
    caps: CapsFile,
    network_scope: Option<NetworkScope>,
    provider_classes: Option<BTreeSet<ProviderClass>>,
    command_line_execute: Option<bool>,
    #[serde(default)]
    forbid: BTreeSet<Capability>,
    #[serde(default)]
    projects: BTreeMap<Spanned<String>, CommandsFile>,
    #[serde(default)]
    protected_paths: Words,
    #[serde(default)]
    constraints: Vec<ConstraintFile>,
    #[serde(default)]
    rules: Vec<RuleFile>,
    #[serde(default)]
    disable_default_rules: Words,
    require_model: Option<bool>,
    #[serde(default)]
    verify_model_at_execution: bool,
    #[serde(default)]
    execute_agents: BTreeSet<String>,
    notify_command: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    before_images: RetentionFile,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RetentionFile {
    days: Option<Spanned<u64>>,
    max_mib: Option<Spanned<u64>>,
}

impl SafetyPolicy {
    /// Reads a policy; `file` is only named in errors.
    ///
    /// # Errors
    /// [`PolicyError`] for text that is not TOML, an unknown key, a limit above the built-in maximum, a bad pattern, a rule
    /// whose example does not come out as it says, and two entries of one name; with the line.
    pub fn parse(text: &str, file: &str) -> Result<Self, PolicyError> {
        let source = Source { text, file, hint: HINT };
        let file: SafetyFile = source.read()?;
        let default = Self::default();
        Ok(Self {
            version: file.version.map_or(Ok(default.version), |version| source.name(&version, "version"))?,
            ceiling: file.ceiling.unwrap_or(default.ceiling),
            caps: source.caps(file.caps)?,
            network_scope: file.network_scope.unwrap_or(default.network_scope),
            provider_classes: file.provider_classes.unwrap_or(default.provider_classes),
            command_line_execute: file.command_line_execute.unwrap_or(default.command_line_execute),
            forbid: file.forbid,
            projects: projects(source, file.projects)?,
            protected_paths: source.globs(file.protected_paths)?,
            constraints: source.constraints(file.constraints)?,
            rules: rules(source, file.rules, RuleSet::SafetyPolicy)?,
            disable_default_rules: switched_off(source, file.disable_default_rules)?,
            require_model: file.require_model.unwrap_or(default.require_model),
            verify_model_at_execution: file.verify_model_at_execution,
            execute_agents: file.execute_agents,
            notify_command: file.notify_command.map_or(Ok(Vec::new()), |argv| notify(source, argv))?,
            before_images: retention(source, file.before_images, default.before_images)?,
        })
    }

    /// SHA-256 of the policy in canonical form, with every default filled in: comments, the order of keys and examples do
    /// not change it.
    #[must_use]
    pub fn hash(&self) -> Digest {
        super::hash_of(self)
    }

    /// The policy as a commented file that reads back as the same policy.
    #[must_use]
    pub fn to_toml(&self) -> String {
        super::write::safety(self)
    }
}

impl Default for SafetyPolicy {
    fn default() -> Self {
        Self {
            version: "1".to_owned(),
            ceiling: Profile::Dev,
            caps: Caps::default(),
            network_scope: NetworkScope::Configured,
            provider_classes: PROVIDER_CLASSES.into_iter().collect(),
            command_line_execute: true,
            forbid: BTreeSet::new(),
            projects: BTreeMap::new(),
            protected_paths: Globs::default(),
            constraints: Vec::new(),
            rules: Vec::new(),
            disable_default_rules: BTreeSet::new(),
            require_model: true,
            verify_model_at_execution: false,
            execute_agents: BTreeSet::new(),
            notify_command: Vec::new(),
            before_images: Retention { days: 30, max_mib: 1024 },
        }
    }
}

/// Only the defaults of profiles can be switched off.
fn switched_off(source: Source<'_>, words: Words) -> Result<BTreeSet<String>, PolicyError> {
    let defaults = builtin::profile_defaults();
    let names: Vec<&str> = defaults.iter().map(|rule| rule.id.as_str()).collect();
    let mut off = BTreeSet::new();
    for word in words {
        if !names.contains(&word.get_ref().as_str()) {
            let message = format!("`{word}` is not a profile default rule, expected one of {}", listed(&names));
            return source.error(word.span(), &message, "no other rule can be switched off");
        }
        off.insert(word.into_inner());
    }
    Ok(off)
}

fn retention(source: Source<'_>, file: RetentionFile, default: Retention) -> Result<Retention, PolicyError> {
    let bounded = |value: Option<Spanned<u64>>, name: &str, most: u64, default: u64| {
        value.map_or(Ok(default), |value| source.number(&value, name, 1..=most))
    };
    Ok(Retention {
        days: bounded(file.days, "days", MAX_DAYS, default.days)?,
        max_mib: bounded(file.max_mib, "max_mib", MAX_MIB, default.max_mib)?,
    })
}
