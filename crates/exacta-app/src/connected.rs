//! The agents that people connect: who they are to the application, and what they may ask for.

use crate::agent::AgentName;
use crate::caller::{Caller, Credential, Scope};
use crate::error::Error;
use crate::in_force::safety_policy;
use crate::options::Options;
use exacta_home::KeyFile;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a connected agent may ask for in any case.
const SCOPES: [Scope; 3] = [Scope::Read, Scope::Propose, Scope::RunAllowed];

/// The agent of this name, connected over the Model Context Protocol on a pipe. What it may beside proposing is the Safety Policy's, read again: where
/// that is broken it may start nothing that a person approved.
///
/// # Errors
/// If the name cannot be a credential's.
pub fn connected(options: &Options, agent: &AgentName) -> Result<Caller, Error> {
    let policy = options.home().and_then(|home| safety_policy(&home));
    let may_execute = policy.is_ok_and(|policy| policy.execute_agents.contains(agent.as_str()));
    let scopes: BTreeSet<Scope> = SCOPES.into_iter().chain(may_execute.then_some(Scope::Execute)).collect();
    Ok(Caller::Agent { credential: credential("mcp", agent)?, scopes })
}

/// The agent of this name that works on a copy. It is not there when its difference is submitted, so it starts nothing that a person approved.
///
/// # Errors
/// If the name cannot be a credential's.
pub fn confined(agent: &AgentName) -> Result<Caller, Error> {
    Ok(Caller::Agent { credential: credential("agent", agent)?, scopes: SCOPES.into() })
}

fn credential(kind: &str, agent: &AgentName) -> Result<Credential, Error> {
    Credential::parse(&format!("{kind}:{}", agent.as_str()))
}

/// The user's own folders, which are nothing for an agent to read: what grants, and what is remembered.
#[derive(Debug, Clone)]
pub struct OwnFolders {
    /// Keys, policy, approvers, tokens.
    pub config: PathBuf,
    /// Records, before-images, sessions.
    pub state: PathBuf,
}

/// Where they are.
///
/// # Errors
/// If they cannot be found, or somebody else can write there.
pub fn own_folders(options: &Options) -> Result<OwnFolders, Error> {
    let home = options.home()?;
    Ok(OwnFolders { config: home.config().to_owned(), state: home.state().to_owned() })
}

/// The approvers whose keys are here without a passphrase: whatever can read them can approve.
///
/// # Errors
/// If the list or a key cannot be read.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
pub fn keys_without_passphrase(options: &Options) -> Result<Vec<String>, Error> {
    let home = options.home()?;
    let mut names = Vec::new();
    for approver in home.approvers()?.iter().filter(|approver| approver.removed_at.is_none()) {
        let path = home.key_path(&approver.name);
        if path.exists() && !KeyFile::load(&path)?.is_encrypted() {
            names.push(approver.name.to_string());
        }
    }
    Ok(names)
}
