//! What a plan was made against, and the hash an approver signs.

use crate::facts::FileState;
use crate::hash::{Digest, canonical_hash};
use crate::id::{CorrelationId, PlanId, SessionId};
use crate::path::RelPath;
use crate::prelude::*;
use crate::profile::Profile;
use crate::proposal::{Constraint, ModelClaim};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything about a plan that its content does not say. With the content it makes the plan hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The plan.
    pub plan_id: PlanId,
    /// The operation it belongs to.
    pub correlation_id: CorrelationId,
    /// 1, or one more than the plan it answers a request for changes to.
    pub version: u64,
    /// The plan whose selected steps it consists of.
    pub derived_from: Option<PlanId>,
    /// The steps that it has only in part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial_of: Vec<PartialOf>,
    /// The plan that a person edited to make it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_from: Option<PlanId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops being usable.
    pub expires_at: Timestamp,
    /// What it was made against.
    pub binding: Binding,
}

/// A step that was selected in part: nobody proposed just these hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialOf {
    /// The plan that has the whole step.
    pub plan: PlanId,
    /// The step.
    pub step: String,
    /// The hunks that were selected, counted from 1 as they were shown.
    pub hunks: BTreeSet<usize>,
}

/// What a plan was made against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// Who proposed it.
    pub proposer: Proposer,
    /// The request it answers, by hash.
    pub request_sha256: Digest,
    /// Constraints that came with the request, beside the proposal's own.
    pub constraints: Vec<Constraint>,
    /// The policy state it was decided under.
    pub authority: Authority,
    /// The project's own configuration, by hash.
    pub config_sha256: Digest,
    /// The session it was made in.
    pub session: SessionId,
    /// The state every target is expected in.
    pub targets: BTreeMap<RelPath, FileState>,
    /// How it was asked for, where a model of ours made it for a request (`exacta ask`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// The autopilot it was made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autopilot: Option<BoundAutopilot>,
    /// The site it is for, with the skill it was drafted by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<BoundSite>,
    /// That it adopts what lies in the work tree already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopts: Option<Adoption>,
}

/// That a plan adopts what lies in the work tree already, so that its run writes nothing: [`Binding::targets`] are as it leaves them. No
/// approval of such a plan is one to write, nor the other way round: this is a part of what is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adoption {
    /// The commit that was checked out; none where there was none yet.
    pub head: Option<String>,
    /// What that commit has of each target, with a mode as git knows it.
    pub base: BTreeMap<RelPath, FileState>,
}

/// The site that a plan is for and the skill it was drafted by, as they were then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundSite {
    /// Which site.
    pub name: String,
    /// Its address, user and where the password is, by hash.
    pub setup_sha256: Digest,
    /// What its user could do there, by hash.
    pub manifest_sha256: Digest,
    /// Which skill.
    pub skill_id: String,
    /// The skill with its commit, by hash.
    pub skill_sha256: Digest,
}

/// The autopilot that a plan was made for, and what its words and lists allowed then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundAutopilot {
    /// Which one.
    pub name: String,
    /// Its words, lists and switches, by hash.
    pub sha256: Digest,
    /// The occasion that the plan belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occasion: Option<String>,
    /// Hosts that could be read.
    pub hosts: BTreeSet<String>,
    /// Addresses, and `@domain`s, that could be written to.
    pub recipients: BTreeSet<String>,
    /// The primitives of the plan's own steps: no other is performed.
    pub primitives: BTreeSet<String>,
}

/// How a plan was asked for. Nothing of the request's or the files' words: hashes, names and numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What the user calls the provider.
    pub provider: String,
    /// What the model was shown of the project, by hash.
    pub context_sha256: Digest,
    /// The files that the user named, and folders, which end with `/`. Never what only a model named.
    pub named: BTreeSet<String>,
    /// The model that read the request, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ModelIdentity>,
    /// How sure the reading was in the end, in basis points.
    pub confidence: u32,
}

/// Who proposed a plan: the credential it came by, and what was said or known of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposer {
    /// The credential it was submitted with, such as `cli:1000`.
    pub credential: String,
    /// The model; none where none was declared, which is recorded as such.
    pub model: Option<ModelIdentity>,
    /// The program that a connected agent runs in, as it says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// The kinds of credentials that no connected agent has: the command line's, a person's on the page or in an editor, the timer's.
const UNCONNECTED: [&str; 4] = ["cli", "approver", "autopilot", "person"];

impl Proposer {
    /// Whether a credential is a connected agent's.
    #[must_use]
    pub fn is_connected(credential: &str) -> bool {
        let kind = credential.split(':').next().unwrap_or_default();
        !UNCONNECTED.contains(&kind)
    }
}

/// A model, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelIdentity {
    /// Such as `anthropic`.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Its version.
    pub version: Option<String>,
    /// The weights, by hash, where they are on this machine.
    pub local_sha256: Option<Digest>,
    /// What it can do, such as `json_mode`.
    pub capabilities: BTreeSet<String>,
    /// How much it can take and give, where that is known.
    #[serde(default, skip_serializing_if = "Limits::is_unknown")]
    pub limits: Limits,
    /// Where it runs and how far that is trusted.
    pub class: ProviderClass,
}

/// How much a model can take and give, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Request and answer together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

impl Limits {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a model runs. Ordered: strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProviderClass {
    /// On this machine.
    LocalOnly,
    /// A service the operator trusts.
    TrustedCloud,
    /// Any other service, and every agent that only says what it is.
    UntrustedCloud,
}

/// The policy state a decision was taken under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    /// The Safety Policy's version.
    pub policy_version: String,
    /// The Safety Policy, parsed and with defaults filled in, by hash.
    pub policy_sha256: Digest,
    /// The profile in force.
    pub profile: Profile,
    /// The most the Safety Policy allows.
    pub ceiling: Profile,
}

impl ProviderClass {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LocalOnly => "LOCAL_ONLY",
            Self::TrustedCloud => "TRUSTED_CLOUD",
            Self::UntrustedCloud => "UNTRUSTED_CLOUD",
        }
    }
}

impl ModelIdentity {
    /// An outside agent's word for itself, which is all that is known of it.
    #[must_use]
    pub fn claimed(claim: &ModelClaim) -> Self {
        Self {
            provider: claim.provider.clone(),
            model: claim.model.clone(),
            version: claim.version.clone(),
            local_sha256: None,
            capabilities: BTreeSet::new(),
            limits: Limits::default(),
            class: ProviderClass::UntrustedCloud,
        }
    }
}

impl Identity {
    /// The schema of what is hashed.
    pub const SCHEMA: &str = "exacta.identity/1";

    /// What an approver signs: the content, the ids, the binding and the expiry.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn plan_hash(&self, content_hash: Digest) -> Result<Digest, serde_json::Error> {
        #[derive(Serialize)]
        struct Hashed<'a> {
            schema: &'static str,
            content_hash: Digest,
            #[serde(flatten)]
            identity: &'a Identity,
        }
        canonical_hash(&Hashed { schema: Self::SCHEMA, content_hash, identity: self })
    }

    /// The same plan under another policy state and model version: what a fresh approval signs after such a drift.
    #[must_use]
    pub fn rebound(&self, authority: &Authority, model: Option<&ModelIdentity>) -> Self {
        let mut rebound = self.clone();
        rebound.binding.authority = authority.clone();
        if let (Some(was), Some(is)) = (&mut rebound.binding.proposer.model, model) {
            was.version.clone_from(&is.version);
        }
        rebound
    }
}
