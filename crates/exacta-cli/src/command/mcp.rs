//! `exacta mcp`

use super::Context;
use crate::mcp::{Desk, serve};
use exacta_app::{AgentName, Error};

/// The name of an agent that has none.
const UNNAMED: &str = "unnamed";

/// Serves the agent that started this process.
pub fn mcp(context: &Context) -> Result<u8, Error> {
    let named = context.options.caller.agent().cloned();
    let agent = named.map_or_else(|| AgentName::parse(UNNAMED), Ok)?;
    serve(Desk::new(context.options.clone(), agent)?)?;
    Ok(0)
}
