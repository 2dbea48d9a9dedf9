//! Agents' tokens, `tokens.json`: each by its hash, with what it may ask for and until when. The tokens themselves are kept nowhere.

use crate::document::{self, Document};
use crate::file::{Lock, Trust};
use crate::{Home, HomeError, KeyError};
use exacta_kernel::approval::setting::{
    SettingDemand, SettingVerb, SignedSetting, VerifiedSetting, token_subject, verify,
};
use exacta_kernel::approval::{ApprovalError, Approver};
use exacta_kernel::hash::Digest;
use exacta_kernel::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A token: what an approver signs for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// The agent's name: its credential is `agent:NAME`.
    pub name: String,
    /// The token, by hash.
    pub sha256: Digest,
    /// What it may ask for.
    pub scopes: BTreeSet<String>,
    /// Since when.
    pub added_at: Timestamp,
    /// Until when.
    pub expires_at: Timestamp,
}

/// A token with its signature, as it is kept. It counts only where [`SignedToken::verify`] says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedToken {
    /// What was signed for.
    pub token: TokenRecord,
    /// By whom.
    pub signed: SignedSetting,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    tokens: Vec<SignedToken>,
}

impl Document for Tokens {
    const SCHEMA: &'static str = "exacta.tokens/2";
    const TRUST: Trust = Trust::Own;
}

/// 256 random bits as hexadecimal digits.
///
/// # Errors
/// Where the system gives no random numbers.
pub fn fresh_secret() -> Result<String, KeyError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| KeyError::NoRandomness)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl TokenRecord {
    /// What an approver signs for it.
    #[must_use]
    pub fn subject(&self) -> Digest {
        token_subject(&self.name, &self.sha256, &self.scopes, self.expires_at)
    }
}

impl SignedToken {
    /// That an approver who is still on the list signed for exactly this. It is asked at every use.
    ///
    /// # Errors
    /// What does not hold.
    pub fn verify(&self, approvers: &[Approver]) -> Result<(), ApprovalError> {
        let (subject, now) = (self.token.subject(), self.signed.statement.at);
        let demand = SettingDemand { verb: SettingVerb::TokenAdd, project: None, subject, now };
        verify(&self.signed, approvers, &demand).map(drop)
    }
}

impl Home {
    /// Every token, in the order they were added.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn tokens(&self) -> Result<Vec<SignedToken>, HomeError> {
        Ok(document::read::<Tokens>(&self.tokens_file())?.unwrap_or_default().tokens)
    }

    /// Adds a token, in place of the one of the same name.
    ///
    /// # Errors
    /// Where no listed approver signed for exactly this.
    pub fn add_token(&self, token: &TokenRecord, now: Timestamp, by: &VerifiedSetting) -> Result<(), HomeError> {
        let lock = Lock::on(&self.config)?;
        let demand = SettingDemand { verb: SettingVerb::TokenAdd, project: None, subject: token.subject(), now };
        verify(by.signed(), &self.approvers()?, &demand)?;
        let mut tokens = self.tokens()?;
        tokens.retain(|known| known.token.name != token.name);
        tokens.push(SignedToken { token: token.clone(), signed: by.signed().clone() });
        Ok(document::write(&lock, &self.tokens_file(), &Tokens { tokens })?)
    }

    /// Removes a token; nobody has to sign for that. Says whether there was one.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn revoke_token(&self, name: &str) -> Result<bool, HomeError> {
        let lock = Lock::on(&self.config)?;
        let mut tokens = self.tokens()?;
        let before = tokens.len();
        tokens.retain(|known| known.token.name != name);
        let found = tokens.len() < before;
        document::write(&lock, &self.tokens_file(), &Tokens { tokens })?;
        Ok(found)
    }

    pub(crate) fn tokens_file(&self) -> PathBuf {
        self.config.join("tokens.json")
    }
}
