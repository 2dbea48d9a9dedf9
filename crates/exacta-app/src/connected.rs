//! The agents that people connect: who they are to the application, and what they may ask for.

use crate::agent::AgentName;
use crate::app::Options;
use crate::caller::{Caller, Credential, Scope};
use crate::error::Error;
use crate::in_force::safety_policy;
use std::collections::BTreeSet;

/// What a connected agent may ask for in any case.
const SCOPES: [Scope; 3] = [Scope::Read, Scope::Propose, Scope::RunAllowed];

/// The agent of this name, connected over the Model Context Protocol on a pipe. What it may beside proposing is the Safety Policy's, read anew: where that is
/// broken it may start nothing that a person approved.
///
/// # Errors
/// If the name cannot be a credential's.
pub fn connected(options: &Options, agent: &AgentName) -> Result<Caller, Error> {
    let credential = Credential::parse(&format!("mcp:{}", agent.as_str()))?;
    let policy = options.home().and_then(|home| safety_policy(&home));
    let may_execute = policy.is_ok_and(|policy| policy.execute_agents.contains(agent.as_str()));
    let scopes: BTreeSet<Scope> = SCOPES.into_iter().chain(may_execute.then_some(Scope::Execute)).collect();
    Ok(Caller::Agent { credential, scopes })
}
