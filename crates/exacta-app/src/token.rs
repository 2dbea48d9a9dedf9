//! Agents' tokens: given by an approver, kept by hash, revoked by anybody at the terminal.

use crate::agent::AgentName;
use crate::caller::{Act, Caller, Credential, Scope};
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::options::Options;
use crate::settings::{Settings, SigningKey, entry, signed_setting};
use exacta_home::{SignedToken, TokenRecord, fresh_secret};
use exacta_kernel::approval::Approver;
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

/// What a token begins with, so that whoever finds one knows what it is.
const PREFIX: &str = "exacta_";

/// What a token may ask for where nobody says otherwise.
const DEFAULT: [Scope; 3] = [Scope::Read, Scope::Propose, Scope::RunAllowed];

/// A token in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenView {
    /// The agent's name.
    pub name: String,
    /// The credential that its plans are bound to.
    pub credential: String,
    /// What it may ask for.
    pub scopes: Vec<String>,
    /// Since when.
    pub added_at: String,
    /// Until when.
    pub expires_at: String,
    /// Who signed for it.
    pub by: String,
    /// Whether its time is over.
    pub expired: bool,
    /// Why its signature does not count, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Settings {
    /// Gives an agent a token, for which an approver signs. The token is told once, and kept nowhere.
    ///
    /// # Errors
    /// If the name or a scope is none, or the key is not an approver's.
    pub fn add_token(
        &mut self,
        name: &str,
        scopes: &[String],
        days: u64,
        key: &SigningKey,
    ) -> Result<(TokenView, String), Error> {
        self.authorize(Act::Configure)?;
        let name = AgentName::parse(name)?;
        let scopes =
            if scopes.is_empty() { DEFAULT.map(|scope| scope.name().to_owned()).into() } else { known(scopes)? };
        let secret = fresh_secret()?;
        let token = format!("{PREFIX}{secret}");
        let added_at = now();
        let record = TokenRecord {
            name: name.as_str().to_owned(),
            sha256: Digest::of(token.as_bytes()),
            scopes,
            added_at,
            expires_at: added_at.plus_seconds(days.saturating_mul(86_400)),
        };
        let by = signed_setting(&self.home, SettingVerb::TokenAdd, None, record.subject(), key)?;
        let at = by.statement().at;
        let words = format!("token of `agent:{}` added", record.name);
        let change = data(json!({ "name": record.name, "scopes": record.scopes, "expires_at": record.expires_at }));
        self.enter(entry(Event::TokenChanged, &by, words, change), |home| home.add_token(&record, at, &by))?;
        let added = SignedToken { token: record, signed: by.signed().clone() };
        Ok((view(added, &self.home.approvers()?), token))
    }

    /// Every token.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn tokens(&self) -> Result<Vec<TokenView>, Error> {
        self.authorize(Act::ReadAll)?;
        let approvers = self.home.approvers()?;
        Ok(self.home.tokens()?.into_iter().map(|known| view(known, &approvers)).collect())
    }

    /// Revokes a token: narrowing needs no signature.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn revoke_token(&mut self, name: &str) -> Result<(), Error> {
        self.authorize(Act::Adjust)?;
        if self.home.tokens()?.iter().all(|known| known.token.name != name) {
            return Err(Error::new(Exit::Usage, "token_unknown", format!("no token of `{name}`"))
                .hint(hint!["see ", Remedy::TokenList]));
        }
        let entry = EntryDraft::new(Event::TokenChanged, self.actor(), format!("token of `agent:{name}` revoked"));
        self.enter(entry, |home| home.revoke_token(name).map(drop))
    }
}

/// Who a token makes of whoever shows it; nobody if it is unknown, its time is over, or whoever signed for it is no approver any more.
///
/// # Errors
/// If the list cannot be read.
pub fn caller_of(options: &Options, token: &str) -> Result<Option<Caller>, Error> {
    let (sha256, now) = (Digest::of(token.as_bytes()), now());
    let home = options.home()?;
    let tokens = home.tokens()?;
    let Some(known) = tokens.iter().find(|known| known.token.sha256 == sha256 && known.token.expires_at > now) else {
        return Ok(None);
    };
    if known.verify(&home.approvers()?).is_err() {
        return Ok(None);
    }
    let found = &known.token;
    let credential = Credential::parse(&format!("agent:{}", found.name))?;
    let scopes = found.scopes.iter().filter_map(|scope| Scope::parse(scope)).collect();
    Ok(Some(Caller::Agent { credential, scopes }))
}

fn known(scopes: &[String]) -> Result<BTreeSet<String>, Error> {
    let all: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    if let Some(unknown) = scopes.iter().find(|scope| Scope::parse(scope).is_none()) {
        return Err(Error::new(Exit::Usage, "scope_unknown", format!("there is no scope `{unknown}`"))
            .hint(format!("scopes: {}", all.join(", "))));
    }
    Ok(scopes.iter().cloned().collect())
}

fn view(known: SignedToken, approvers: &[Approver]) -> TokenView {
    let refused = known.verify(approvers).err().map(|error| error.to_string());
    let SignedToken { token, signed } = known;
    TokenView {
        credential: format!("agent:{}", token.name),
        name: token.name,
        scopes: token.scopes.into_iter().collect(),
        added_at: token.added_at.to_string(),
        expires_at: token.expires_at.to_string(),
        by: signed.statement.approver.to_string(),
        expired: token.expires_at <= now(),
        refused,
    }
}
