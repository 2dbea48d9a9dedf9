//! What a model is asked.

use serde_json::Value;
use std::fmt;

/// One question to a model, with everything it is to see.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// What the answer is for.
    pub stage: Stage,
    /// What holds for the whole conversation.
    pub system: String,
    /// The conversation, oldest first; the last message is the user's.
    pub messages: Vec<Message>,
    /// The one tool that the model has to call. A model that cannot may answer with text all the same.
    pub tool: Option<Shape>,
    /// The shape that the text of the answer must have. Not together with `tool`.
    pub schema: Option<Shape>,
    /// The most tokens that the answer may take.
    pub max_output_tokens: u64,
}

/// One message of a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub text: String,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Exacta, in the user's name.
    User,
    /// The model, earlier.
    Model,
}

/// A name with a JSON Schema: a tool's arguments, or the answer itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The schema of an object.
    pub schema: Value,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// What the user wants.
    Intent,
    /// What must and must not be.
    Constraints,
    /// The steps.
    Plan,
    /// The change of one step.
    Diffs,
    /// Whether the provider works, and what it can do.
    Test,
}

impl Stage {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::Constraints => "constraints",
            Self::Plan => "plan",
            Self::Diffs => "diffs",
            Self::Test => "test",
        }
    }
}

impl Message {
    /// What the user says.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, text: text.into() }
    }

    /// What the model said earlier.
    #[must_use]
    pub fn model(text: impl Into<String>) -> Self {
        Self { role: Role::Model, text: text.into() }
    }
}

/// Sizes only: a prompt is nobody's business.
impl fmt::Debug for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Request")
            .field("stage", &self.stage)
            .field("system_bytes", &self.system.len())
            .field("messages", &self.messages)
            .field("tool", &self.tool.as_ref().map(|tool| &tool.name))
            .field("schema", &self.schema.as_ref().map(|schema| &schema.name))
            .field("max_output_tokens", &self.max_output_tokens)
            .finish()
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}({} bytes)", self.role, self.text.len())
    }
}
