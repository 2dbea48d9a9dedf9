//! What is offered to one agent.

use crate::place::Place;
use crate::{act, prompt, resource, tool};
use exacta_app::Options;
use exacta_mcp::{About, Call, Called, Failure, Host, Prompt, Resource, Template, Tool};
use serde_json::{Map, Value};

/// What a model is told before it uses the tools.
const INSTRUCTIONS: &str = "\
Exacta decides about changes of files in this project. Do not write files in any other way: submit every change with the `submit` tool of this server, \
everything that belongs together in one call (one patch of all files, tests included), with a `text` that a person can decide on. \
The answer's `next` says what to do. `not_decided_yet` means that a person is asked: it is no denial; call `wait`, or go on with other work. \
`denied` comes with findings: fix them and submit the whole change again. Never try another way around a decision; ask the person.";

/// What is offered to one agent.
#[derive(Debug, Clone)]
pub struct Desk<P> {
    place: P,
}

impl<P: Place> Desk<P> {
    /// For the agent that is served from there.
    pub const fn new(place: P) -> Self {
        Self { place }
    }

    fn options(&self) -> Options {
        self.place.options()
    }
}

impl<P: Place> Host for Desk<P> {
    fn about(&self) -> About {
        About { name: "exacta", title: "Exacta", version: env!("CARGO_PKG_VERSION"), instructions: INSTRUCTIONS }
    }

    fn tools(&self) -> Vec<Tool> {
        tool::tools(resource::rights(&self.options()).execute)
    }

    fn call(&mut self, call: &Call<'_>, tell: &mut dyn FnMut(&str)) -> Result<Called, Failure> {
        act::call(&self.place, call, tell)
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
