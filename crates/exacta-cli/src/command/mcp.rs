//! `exacta mcp`

use super::Context;
use crate::fail;
use crate::mcp::serve;
use exacta_app::{AgentName, Error};

/// The name of an agent that has none.
const UNNAMED: &str = "unnamed";

/// Serves the agent that started this process.
pub fn mcp(context: &Context) -> Result<u8, Error> {
    if context.output.is_json() {
        return Err(fail::not_json("mcp"));
    }
    let named = context.options.caller.agent().cloned();
    let agent = named.map_or_else(|| AgentName::parse(UNNAMED), Ok)?;
    serve(context.options.clone(), agent)?;
    Ok(0)
}
