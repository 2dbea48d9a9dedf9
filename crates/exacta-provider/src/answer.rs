//! What a model answered, and what is known of it.

use exacta_kernel::hash::Digest;
use std::fmt;
use std::time::Duration;

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What the model said.
    pub content: Content,
    /// What it cost, as the provider counts; zero where it does not say.
    pub usage: Usage,
    /// What answered.
    pub served: Served,
    /// Why it ended.
    pub finish: Finish,
    /// The body of the request as it was sent, by hash.
    pub request_sha256: Digest,
    /// How often the request was sent.
    pub tries: u32,
    /// Whether it arrived piece by piece.
    pub streamed: bool,
}

/// What a model said. Untrusted.
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// Text; where a schema was given, meant to be JSON of that shape.
    Text(String),
    /// The arguments of the requested tool: one JSON object, as the model wrote it.
    Call(String),
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Of the request, cached ones included.
    pub input: u64,
    /// Of the answer, hidden reasoning included.
    pub output: u64,
    /// Of the request, read from the provider's cache.
    pub cached: u64,
}

/// What answered, in the provider's own words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Served {
    /// The model's name; none if the answer does not say.
    pub model: Option<String>,
    /// Where the name is from.
    pub from: Source,
}

/// Where the name of a model is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// The body of an answer.
    Response,
    /// A header of an answer.
    Header,
    /// Nothing answered, or no answer said: the configuration.
    #[default]
    Config,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model had said everything.
    Complete,
    /// The limit of tokens was reached; what is there is only the beginning.
    Length,
}

/// What happens while an answer arrives. Pieces of an answer are not an answer: it can still become a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// The request is about to be sent again, after this pause. `code` says why.
    Retry {
        /// 1 for the first retry.
        number: u32,
        /// The pause before it.
        after: Duration,
        /// The code of the fault.
        code: &'static str,
    },
    /// The first byte of the answer arrived.
    Began,
    /// More text.
    Text(&'a str),
    /// More of the arguments of the tool.
    Arguments(&'a str),
}

impl Source {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Header => "header",
            Self::Config => "config",
        }
    }
}

impl Content {
    /// What the model wrote, whichever way.
    #[must_use]
    pub fn text(&self) -> &str {
        let (Self::Text(text) | Self::Call(text)) = self;
        text
    }
}

/// Sizes only: an answer may quote what it was asked about.
impl fmt::Debug for Content {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if matches!(self, Self::Call(_)) { "Call" } else { "Text" };
        write!(out, "{kind}({} bytes)", self.text().len())
    }
}

impl fmt::Debug for Delta<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { number, after, code } => write!(out, "Retry({number}, {after:?}, {code})"),
            Self::Began => out.write_str("Began"),
            Self::Text(text) => write!(out, "Text({} bytes)", text.len()),
            Self::Arguments(text) => write!(out, "Arguments({} bytes)", text.len()),
        }
    }
}
