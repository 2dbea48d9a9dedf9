//! What a server offers: tools, resources, prompts. The protocol asks a [`Host`] for them, and decides nothing about them.

use serde_json::{Map, Value};
use std::time::Duration;

/// What the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// For programs.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What a model is told of how it is used.
    pub instructions: &'static str,
}

/// Who asks, as it says of itself. Nothing of it is proved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Client {
    /// Its name, if it gave one.
    pub name: Option<String>,
    /// Its version, if it gave one.
    pub version: Option<String>,
}

/// A tool, as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Lower-case letters and `_`: clients build names of their own from it.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For models: what it does, when to use it, and what comes of it.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub input: Value,
    /// The JSON Schema of its result.
    pub output: Value,
    /// Whether it changes nothing at all.
    pub reads_only: bool,
    /// Whether it can change what is there for good.
    pub destroys: bool,
    /// Whether a second call with the same arguments changes nothing more.
    pub is_idempotent: bool,
}

/// A call of a tool.
#[derive(Debug)]
pub struct Call<'a> {
    /// The tool.
    pub name: &'a str,
    /// As they were sent; only their names and types were read.
    pub arguments: &'a Map<String, Value>,
    /// Who asks.
    pub client: &'a Client,
    /// What else the client says of the call.
    pub meta: &'a Map<String, Value>,
    /// Whether the answer may come later.
    pub may_wait: bool,
}

/// What became of a call.
pub enum Called {
    /// It is over.
    Done(ToolResult),
    /// Its answer comes later; others are answered meanwhile.
    Later(Box<dyn Job>),
}

/// A call that waits for something.
pub trait Job: Send {
    /// Looks once, without waiting; gives the result if there is one.
    fn look(&mut self) -> Option<ToolResult>;

    /// What to tell meanwhile.
    fn words(&self) -> String;

    /// How long it waits at most.
    fn limit(&self) -> Duration;
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// As the tool's schema says; of a failure, what went wrong.
    pub value: Value,
    /// Whether the tool could not do what was asked.
    pub failed: bool,
}

/// Something that can be read, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// What it is read by.
    pub uri: String,
    /// For programs.
    pub name: String,
    /// For people.
    pub title: String,
    /// What is in it.
    pub description: String,
    /// Such as `application/json`.
    pub mime: &'static str,
}

/// Resources whose address has a part to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// RFC 6570.
    pub uri: &'static str,
    /// For programs.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What is in them.
    pub description: &'static str,
    /// Such as `application/json`.
    pub mime: &'static str,
}

/// Words that a person can have put to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// For programs.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What is filled in.
    pub arguments: &'static [PromptArgument],
}

/// What is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it has to be given.
    pub required: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There is no such thing, or what was given does not fit.
    Params(String),
    /// Something of ours failed.
    Internal(String),
}

/// What a server offers.
pub trait Host {
    /// What it is.
    fn about(&self) -> About;

    /// Its tools, always in the same order.
    fn tools(&self) -> Vec<Tool>;

    /// Calls one of them. What it tells on the way goes to the client, if that asked for it.
    ///
    /// # Errors
    /// If there is no such tool. What a tool could not do is a [`ToolResult`], for the model to read.
    fn call(&mut self, call: &Call<'_>, tell: &mut dyn FnMut(&str)) -> Result<Called, Failure>;

    /// What can be read now.
    ///
    /// # Errors
    /// If that cannot be found out.
    fn resources(&mut self) -> Result<Vec<Resource>, Failure>;

    /// Resources whose address has a part to fill in.
    fn templates(&self) -> Vec<Template>;

    /// Reads one: its type and its text.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    fn read(&mut self, uri: &str) -> Result<(&'static str, String), Failure>;

    /// Its prompts.
    fn prompts(&self) -> Vec<Prompt>;

    /// The words of one.
    ///
    /// # Errors
    /// If there is none, or an argument is missing.
    fn prompt(&mut self, name: &str, arguments: &Map<String, Value>) -> Result<String, Failure>;
}
