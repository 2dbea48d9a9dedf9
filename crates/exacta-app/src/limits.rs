//! What limits every plan of a project, for whoever is to propose one: the same that the gates go by.

use crate::app::App;
use crate::caller::Act;
use crate::error::Error;
use exacta_kernel::capability::Capability;
use exacta_kernel::constraint::SourcedConstraint;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::rule::Rule;
use exacta_kernel::profile::Profile;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is in force in a project.
#[derive(Debug, Clone, Serialize)]
pub struct LimitsView {
    /// How much may happen without a person.
    pub profile: Profile,
    /// The most that the Safety Policy allows.
    pub ceiling: Profile,
    /// The Safety Policy's version.
    pub policy_version: String,
    /// The Safety Policy, by hash.
    pub policy_sha256: String,
    /// Numeric limits.
    pub caps: Caps,
    /// What no plan may give or use.
    pub forbid: BTreeSet<Capability>,
    /// Paths that no plan may touch, beside `.git` and `.exacta`.
    pub protected_paths: serde_json::Value,
    /// Every rule, whoever made it.
    pub rules: Vec<Rule>,
    /// Limits on every plan, in words.
    pub constraints: Vec<SourcedConstraint>,
}

impl App {
    /// What limits every plan here.
    ///
    /// # Errors
    /// If the policy or the project's configuration is broken.
    pub fn limits(&self) -> Result<LimitsView, Error> {
        self.authorize(Act::Read)?;
        let policy = self.in_force()?.policy;
        Ok(LimitsView {
            profile: policy.profile(),
            ceiling: policy.ceiling(),
            policy_version: policy.safety_version().to_owned(),
            policy_sha256: policy.safety_hash().to_string(),
            caps: *policy.caps(),
            forbid: Capability::ALL.into_iter().filter(|capability| policy.forbids(*capability)).collect(),
            protected_paths: serde_json::to_value(&policy.safety().protected_paths)?,
            rules: policy.rules().to_vec(),
            constraints: policy.constraints(),
        })
    }
}
