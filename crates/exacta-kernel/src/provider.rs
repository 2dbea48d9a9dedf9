//! How an AI provider of the user is set up: what an approver signs when one is added or changed.

use crate::binding::{Limits, ProviderClass};
use crate::hash::{Digest, canonical_hash};
use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// One provider with one model, as the user configured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSetup {
    /// What the user calls it.
    pub name: ProviderName,
    /// What it speaks.
    pub kind: ProviderKind,
    /// Which of a kind's interfaces; none for the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// The model to ask for.
    pub model: String,
    /// Where it is.
    pub url: String,
    /// Where its key is; never the key itself.
    pub key: KeySource,
    /// How far it is trusted.
    pub class: ProviderClass,
    /// How much the model can take and give, as far as the user said.
    #[serde(default, skip_serializing_if = "Limits::is_unknown")]
    pub limits: Limits,
    /// What the model can do, if the user said; else it is probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<BTreeSet<Capability>>,
    /// The longest that one answer may take; none for the usual limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    /// What tokens cost, if the user said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// What a million tokens cost, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Sent.
    pub input: u64,
    /// Received.
    pub output: u64,
}

impl Price {
    /// What a number of tokens costs, in millionths of a dollar, rounded up.
    #[must_use]
    pub const fn of(self, input: u64, output: u64) -> u64 {
        let cost = input.saturating_mul(self.input).saturating_add(output.saturating_mul(self.output));
        cost.div_ceil(1_000_000)
    }

    /// How many tokens of an answer this much buys; none where they cost nothing.
    #[must_use]
    pub const fn answer_for(self, micro_usd: u64) -> Option<u64> {
        micro_usd.saturating_mul(1_000_000).checked_div(self.output)
    }
}

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// OpenAI itself.
    Openai,
    /// Whatever else speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, OpenRouter.
    OpenaiCompatible,
    /// Anthropic's messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
    /// Ollama's own interface.
    Ollama,
}

/// Which of OpenAI's two interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// `/responses`.
    Responses,
    /// `/chat/completions`.
    Chat,
}

/// What a model can do that a stage needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// The answer arrives piece by piece.
    Streaming,
    /// The answer follows a JSON Schema.
    JsonMode,
    /// It calls a tool with arguments.
    Tools,
}

/// What was found out about a model by asking it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probed {
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
    /// How much it can take and give.
    #[serde(default, skip_serializing_if = "Limits::is_unknown")]
    pub limits: Limits,
    /// Its weights, by hash, where the server tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_sha256: Option<Digest>,
    /// How long the quicker of two short answers took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

/// The file of a model's weights on this machine, as it was when it was hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightsFile {
    /// What changes when the file does: device, inode, size, times.
    pub stamp: String,
    /// Its bytes.
    pub sha256: Digest,
}

/// Where a key is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KeySource {
    /// None is needed.
    None,
    /// In this environment variable.
    Environment(String),
    /// In the user's keyring, under the provider's name.
    Keyring,
}

/// The name of a provider: up to 32 lower-case letters, digits, `-` and `_`, beginning with a letter or digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProviderName(String);

/// Text that names no provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a provider's name: up to 32 lower-case letters, digits, `-` and `_`, beginning with a letter or digit")]
pub struct BadProviderName;

impl ProviderSetup {
    /// What a decision about a provider is about: everything that the setup says.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the types rule out.
    pub fn subject(&self) -> Result<Digest, serde_json::Error> {
        #[derive(Serialize)]
        struct Subject<'a> {
            provider: &'a ProviderSetup,
        }
        canonical_hash(&Subject { provider: self })
    }
}

impl ProviderKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Openai, Self::OpenaiCompatible, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiCompatible => "openai-compatible",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where it usually is; none where there is no such place.
    #[must_use]
    pub const fn usual_url(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("https://api.openai.com/v1"),
            Self::OpenaiCompatible => None,
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }

    /// The environment variable that its key is usually in.
    #[must_use]
    pub const fn usual_key(self) -> Option<&'static str> {
        match self {
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::OpenaiCompatible | Self::Ollama => None,
        }
    }
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 3] = [Self::Streaming, Self::JsonMode, Self::Tools];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::JsonMode => "json_mode",
            Self::Tools => "tools",
        }
    }
}

impl ProviderName {
    /// Reads a name.
    ///
    /// # Errors
    /// [`BadProviderName`].
    pub fn parse(text: &str) -> Result<Self, BadProviderName> {
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        if begins && text.len() <= 32 && text.bytes().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadProviderName)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl TryFrom<String> for ProviderName {
    type Error = BadProviderName;

    fn try_from(text: String) -> Result<Self, BadProviderName> {
        Self::parse(&text)
    }
}

impl From<ProviderName> for String {
    fn from(name: ProviderName) -> Self {
        name.0
    }
}
