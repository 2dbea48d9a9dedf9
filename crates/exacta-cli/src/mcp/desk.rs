//! What is offered to one agent.

use super::{act, prompt, resource, tool};
use exacta_app::{AgentName, Caller, Error, Options, Scope};
use exacta_mcp::{About, Call, Called, Failure, Host, Prompt, Resource, Template, Tool};
use exacta_view::Rights;
use serde_json::{Map, Value};

/// What a model is told before it uses the tools.
const INSTRUCTIONS: &str = "\
Exacta decides about changes of files in this project. Do not write files in any other way: submit every change with the `submit` tool of this server, \
everything that belongs together in one call (one patch of all files, tests included), with a `text` that a person can decide on. \
The answer's `next` says what to do. `not_decided_yet` means that a person is asked: it is no denial; call `wait`, or go on with other work. \
`denied` comes with findings: fix them and submit the whole change again. Never try another way around a decision; ask the person.";

/// What is offered to one agent.
#[derive(Debug, Clone)]
pub struct Desk {
    base: Options,
    agent: AgentName,
    /// How the agent is known before anything was granted to it.
    caller: Caller,
}

impl Desk {
    /// For the agent of this name.
    ///
    /// # Errors
    /// If the name cannot be a credential's.
    pub fn new(base: Options, agent: AgentName) -> Result<Self, Error> {
        let caller = exacta_app::connected(&base, &agent)?;
        Ok(Self { base, agent, caller })
    }

    /// The project, and the agent as its caller with the scopes that it has now.
    pub(super) fn options(&self) -> Options {
        let caller = exacta_app::connected(&self.base, &self.agent).unwrap_or_else(|_| self.caller.clone());
        Options { caller, ..self.base.clone() }
    }

    /// What the agent may do beside proposing.
    pub(super) fn rights(&self) -> Rights {
        let caller = self.options().caller;
        Rights { run_allowed: caller.has(Scope::RunAllowed), execute: caller.has(Scope::Execute) }
    }
}

impl Host for Desk {
    fn about(&self) -> About {
        About { name: "exacta", title: "Exacta", version: env!("CARGO_PKG_VERSION"), instructions: INSTRUCTIONS }
    }

    fn tools(&self) -> Vec<Tool> {
        tool::tools(self.rights().execute)
    }

    fn call(&mut self, call: &Call<'_>, tell: &mut dyn FnMut(&str)) -> Result<Called, Failure> {
        act::call(self, call, tell)
    }

    fn resources(&mut self) -> Result<Vec<Resource>, Failure> {
        resource::listed(&self.options())
    }

    fn templates(&self) -> Vec<Template> {
        resource::templates()
    }

    fn read(&mut self, uri: &str) -> Result<(&'static str, String), Failure> {
        resource::read(&self.options(), uri)
    }

    fn prompts(&self) -> Vec<Prompt> {
        prompt::listed()
    }

    fn prompt(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<String, Failure> {
        prompt::words(&self.options(), name, arguments)
    }
}
