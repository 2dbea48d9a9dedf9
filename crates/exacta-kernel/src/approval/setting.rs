//! A person's decision about what is allowed: policy, profile, approvers, providers, autopilots.

use super::{ApprovalError, Approver, ApproverName, PublicKey, Signature, in_time, prefixed, verify_signature};
use crate::hash::Digest;
use crate::id::ProjectId;
use crate::prelude::*;
use crate::profile::Profile;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The schema of such a decision. Also, with a NUL, the prefix of what is signed.
pub const SCHEMA: &str = "exacta.setting/1";
crate::schema_name::schema_name!(SCHEMA);

/// What is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingVerb {
    /// The Safety Policy is replaced; the subject is its new text.
    PolicySet,
    /// The Safety Policy goes back to the built-in one; the subject is that text.
    PolicyReset,
    /// A project's profile changes; the subject is [`profile_subject`].
    ProfileSet,
    /// Somebody becomes an approver; the subject is [`approver_subject`].
    ApproverAdd,
    /// Somebody is no longer an approver; the subject is [`approver_subject`].
    ApproverRemove,
    /// An AI provider is added or changed; the subject is [`ProviderSetup::subject`](crate::provider::ProviderSetup::subject).
    ProviderSet,
    /// An autopilot is added, or allowed more; the subject is [`Definition::subject`](crate::autopilot::Definition::subject).
    AutopilotSet,
    /// A mail account is added; the subject is its setup, by hash.
    MailSet,
    /// An agent gets a token; the subject is [`token_subject`].
    TokenAdd,
    /// A site is added or changed; the subject is [`SiteSetup::subject`](crate::site::SiteSetup::subject).
    SiteSet,
    /// Skills of a repository are taken over; the subject is [`SkillSet::subject`](crate::skill::SkillSet::subject).
    SkillsSync,
}

/// A decision about what is allowed, as it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingStatement {
    schema: Schema,
    /// What is set.
    pub verb: SettingVerb,
    /// The project it is set for; none where it holds for all.
    pub project: Option<ProjectId>,
    /// What it is set to, by hash.
    pub subject: Digest,
    /// Who decided.
    pub approver: ApproverName,
    /// When.
    pub at: Timestamp,
    /// Until when it may be set.
    pub expires_at: Timestamp,
}

/// Such a statement with its signature. It proves nothing until [`verify`] has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedSetting {
    /// What was decided.
    pub statement: SettingStatement,
    /// The approver's signature over [`SettingStatement::signing_bytes`].
    pub signature: Signature,
}

/// What such a statement must say to count here and now.
#[derive(Debug, Clone, Copy)]
pub struct SettingDemand<'a> {
    /// What is about to be set.
    pub verb: SettingVerb,
    /// For which project.
    pub project: Option<&'a ProjectId>,
    /// To what, by hash.
    pub subject: Digest,
    /// The present.
    pub now: Timestamp,
}

/// Proof that a listed approver wants exactly this setting. Made by [`verify`] and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSetting {
    signed: SignedSetting,
    key: PublicKey,
}

impl SettingStatement {
    /// A decision taken `at` some time. It is acted upon at once, so it should expire soon.
    #[must_use]
    pub const fn new(
        verb: SettingVerb,
        project: Option<ProjectId>,
        subject: Digest,
        approver: ApproverName,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> Self {
        Self { schema: Schema, verb, project, subject, approver, at, expires_at }
    }

    /// The exact bytes to sign: the schema, a NUL, and the statement in canonical JSON.
    ///
    /// # Errors
    /// [`ApprovalError::NotCanonical`], which the types rule out.
    pub fn signing_bytes(&self) -> Result<Vec<u8>, ApprovalError> {
        prefixed(SCHEMA, self)
    }

    /// This statement with a signature made elsewhere.
    #[must_use]
    pub const fn with_signature(self, signature: Signature) -> SignedSetting {
        SignedSetting { statement: self, signature }
    }
}

impl VerifiedSetting {
    /// What was signed.
    #[must_use]
    pub const fn statement(&self) -> &SettingStatement {
        &self.signed.statement
    }

    /// What was signed, with the signature, to be stored.
    #[must_use]
    pub const fn signed(&self) -> &SignedSetting {
        &self.signed
    }

    /// The key that signed it.
    #[must_use]
    pub const fn key(&self) -> PublicKey {
        self.key
    }

    /// Whether it is about setting this, for this project, to this.
    #[must_use]
    pub fn is_for(&self, verb: SettingVerb, project: Option<&ProjectId>, subject: Digest) -> bool {
        let statement = self.statement();
        statement.verb == verb && statement.project.as_ref() == project && statement.subject == subject
    }
}

/// Checks that a listed approver wants exactly this setting and that the decision still counts.
///
/// # Errors
/// [`ApprovalError`] says what does not hold.
pub fn verify(
    signed: &SignedSetting,
    approvers: &[Approver],
    demand: &SettingDemand<'_>,
) -> Result<VerifiedSetting, ApprovalError> {
    let statement = &signed.statement;
    let key = verify_signature(approvers, &statement.approver, &statement.signing_bytes()?, &signed.signature)?;
    if statement.verb != demand.verb {
        return Err(ApprovalError::WrongVerb);
    }
    if statement.project.as_ref() != demand.project {
        return Err(ApprovalError::WrongProject);
    }
    if statement.subject != demand.subject {
        return Err(ApprovalError::WrongSubject);
    }
    in_time(statement.at, statement.expires_at, demand.now)?;
    Ok(VerifiedSetting { signed: signed.clone(), key })
}

/// What a decision about a profile is about.
#[must_use]
pub fn profile_subject(profile: Profile) -> Digest {
    Digest::of(format!("profile\0{}", profile.name()).as_bytes())
}

/// What a decision about an agent's token is about.
#[must_use]
pub fn token_subject(name: &str, token: &Digest, scopes: &BTreeSet<String>, expires_at: Timestamp) -> Digest {
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    Digest::of(format!("token\0{name}\0{token}\0{}\0{expires_at}", scopes.join(",")).as_bytes())
}

/// What a decision about an approver is about.
#[must_use]
pub fn approver_subject(name: &ApproverName, key: &PublicKey) -> Digest {
    Digest::of(format!("approver\0{name}\0{key}").as_bytes())
}
