//! What a route is: how it is asked for, by whom, and what answers.

use crate::answer::{Answer, Standing};
use crate::request::Request;
use exacta_app::Error;
use serde_json::Value;

/// How a route is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Changes nothing.
    Get,
    /// May change something.
    Post,
}

impl Method {
    /// As HTTP has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Who may ask at all. What they may do is decided by the application, for the caller that this makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody on this machine.
    Open,
    /// An approver's session; by POST with the session's own form token.
    Session,
    /// A program: an agent's token, or an approver's session; by POST with JSON.
    Api,
    /// An agent's token alone; by POST with JSON.
    Agent,
}

impl Access {
    /// Whether a program asks, with a credential of its own, and is answered in JSON.
    #[must_use]
    pub fn is_program(self) -> bool {
        matches!(self, Self::Api | Self::Agent)
    }
}

/// What a route is about: where its project is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The plan that its path names.
    Plan,
    /// The run that its path names.
    Run,
    /// The project that its query names, the only one there is, or all.
    Project,
}

/// What answers.
#[derive(Clone, Copy)]
pub enum Handler {
    /// A function on a worker's thread.
    Work(fn(&Request) -> Result<Answer, Error>),
    /// The same again and again, until it says that it is all or the time is over.
    Wait(fn(&Request) -> Result<Standing, Error>),
    /// The same again and again, what is new in it sent as it comes, until it says that it is all.
    Follow(fn(&Request) -> Result<Standing, Error>),
    /// The stream of events.
    Live,
    /// A message of an agent's program.
    Mcp,
    /// What there is, for programs.
    OpenApi,
    /// The same as a page.
    Reference,
}

/// One route.
pub struct Route {
    /// How.
    pub method: Method,
    /// Where: parts in braces are named.
    pub path: &'static str,
    /// Who.
    pub access: Access,
    /// By whom it is answered.
    pub handler: Handler,
    /// What programs are told of it.
    pub doc: Doc,
}

/// What programs are told of a route.
#[derive(Clone, Copy)]
pub struct Doc {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The schema of its body.
    pub body: Option<fn() -> Value>,
    /// What may follow the question mark.
    pub query: &'static [&'static str],
    /// How it is answered if all goes well.
    pub answers: &'static [&'static str],
    /// What the answer is.
    pub kind: &'static str,
    /// The schema of the answer.
    pub gives: Option<fn() -> Value>,
}

impl Doc {
    /// A page: programs are told nothing.
    pub const PAGE: Self =
        Self { name: "", what: "", body: None, query: &[], answers: &["200"], kind: "text/html", gives: None };

    /// A route for programs: its name, and what it does.
    pub const fn api(name: &'static str, what: &'static str) -> Self {
        Self { name, what, kind: "application/json", ..Self::PAGE }
    }

    /// With what may follow the question mark.
    pub const fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    /// With the schema of its body.
    pub const fn body(self, body: fn() -> Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// With how it is answered if all goes well.
    pub const fn answers(self, answers: &'static [&'static str]) -> Self {
        Self { answers, ..self }
    }

    /// With the schema of its answer.
    pub const fn gives(self, gives: fn() -> Value) -> Self {
        Self { gives: Some(gives), ..self }
    }

    /// With what its answer is, where that is not JSON.
    pub const fn text(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }
}

impl Route {
    /// What it is about.
    #[must_use]
    pub fn about(&self) -> About {
        match self.path {
            path if path.contains("/plans/{id}") => About::Plan,
            path if path.contains("/runs/{id}") => About::Run,
            _ => About::Project,
        }
    }

    /// The named parts of a path, if it is one of this route.
    #[must_use]
    pub fn matches(&self, path: &str) -> Option<Vec<String>> {
        let (mut own, mut given) = (self.path.split('/'), path.split('/'));
        let mut named = Vec::new();
        loop {
            match (own.next(), given.next()) {
                (None, None) => return Some(named),
                (Some(own), Some(given)) if own.starts_with('{') && !given.is_empty() => named.push(given.to_owned()),
                (Some(own), Some(given)) if own == given => {}
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_whole() {
        let work = Handler::Live;
        let route =
            Route { method: Method::Get, path: "/plans/{id}", access: Access::Session, handler: work, doc: Doc::PAGE };
        assert_eq!(route.matches("/plans/x"), Some(vec!["x".to_owned()]));
        for other in ["/plans", "/plans/", "/plans/x/", "/plans/x/y", "/Plans/x", "//plans/x"] {
            assert_eq!(route.matches(other), None, "{other}");
        }
    }
}
