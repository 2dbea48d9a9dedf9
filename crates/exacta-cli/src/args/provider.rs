//! Arguments of the commands about AI providers.

use super::Signer;
use clap::{Args, Subcommand, ValueEnum};
use exacta_kernel::binding::ProviderClass;
use exacta_kernel::provider::{Api, ProviderKind};

const ADD_EXAMPLES: &str = "\
Examples:
  exacta provider add                    offers what it finds here
  exacta provider add local --kind ollama --model qwen3
  exacta provider add here --kind openai-compatible --model m \\
      --url http://127.0.0.1:8080
  exacta provider add work --kind anthropic --model claude-sonnet-4-5
  exacta provider add work --kind openai --model gpt-5 --key-keyring

A key is never kept in a file: --key-env names the variable that holds it,
--key-keyring asks for it once and puts it into the kernel's keyring until
the machine is switched off.";

/// `exacta provider …`
#[derive(Debug, Subcommand)]
pub enum ProviderCommand {
    /// Add a provider, or change the one of this name; an approver signs
    #[command(after_help = ADD_EXAMPLES)]
    Add(Box<ProviderAdd>),
    /// List providers, what they can do, and what answered last
    #[command(after_help = "Examples:\n  exacta provider list\n  exacta provider list --json")]
    List,
    /// Ask a provider what it can do; costs two short answers
    #[command(after_help = "Examples:\n  exacta provider test local")]
    Test(ProviderOne),
    /// Remove a provider
    #[command(after_help = "Examples:\n  exacta provider remove local")]
    Remove(ProviderOne),
    /// Choose the provider that `ask` asks
    #[command(
        after_help = "Examples:\n  exacta provider use work\n  exacta provider use work --intent local\n  exacta provider use --best"
    )]
    Use(ProviderUse),
}

/// `exacta provider add`
#[derive(Debug, Args)]
pub struct ProviderAdd {
    /// What you call it
    #[arg(requires_all = ["kind", "model"])]
    pub name: Option<String>,
    /// What it speaks
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// The model to ask for
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Where it is; without it, the usual place of its kind
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Which of OpenAI's interfaces; `responses` at OpenAI, `chat` elsewhere
    #[arg(long, value_enum)]
    pub api: Option<ApiName>,
    /// The environment variable with its key
    #[arg(long, value_name = "NAME", conflicts_with = "key_keyring")]
    pub key_env: Option<String>,
    /// Keep the key in the kernel's keyring
    #[arg(long)]
    pub key_keyring: bool,
    /// How far it is trusted; without it, by its address
    #[arg(long, value_enum)]
    pub class: Option<ClassName>,
    /// Tokens of request and answer together
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub context: Option<u64>,
    /// Tokens of a request
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub input: Option<u64>,
    /// Tokens of an answer
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub output: Option<u64>,
    /// The longest that one answer may take
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// US dollars for a million tokens sent
    #[arg(long, value_name = "DOLLARS", requires = "price_output")]
    pub price_input: Option<String>,
    /// US dollars for a million tokens received
    #[arg(long, value_name = "DOLLARS", requires = "price_input")]
    pub price_output: Option<String>,
    /// Who decides.
    #[command(flatten)]
    pub signer: Signer,
}

/// `exacta provider test`, `exacta provider remove`
#[derive(Debug, Args)]
pub struct ProviderOne {
    /// Its name
    pub name: String,
}

/// `exacta provider use`
#[derive(Debug, Args)]
pub struct ProviderUse {
    /// Its name
    #[arg(required_unless_present = "best")]
    pub name: Option<String>,
    /// Whichever fits each stage best, by what `provider test` found: the largest context for plans, the quickest for
    /// the intent
    #[arg(long, conflicts_with_all = ["name", "intent"])]
    pub best: bool,
    /// Another provider, a quick one, to be asked what you want
    #[arg(long, value_name = "NAME")]
    pub intent: Option<String>,
}

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// OpenAI itself.
    Openai,
    /// llama.cpp, vLLM, LM Studio, OpenRouter and others.
    OpenaiCompatible,
    /// Anthropic.
    Anthropic,
    /// Google Gemini.
    Gemini,
    /// Ollama.
    Ollama,
}

/// Which of OpenAI's interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApiName {
    /// `/responses`.
    Responses,
    /// `/chat/completions`.
    Chat,
}

/// How far a provider is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClassName {
    /// On this machine.
    LocalOnly,
    /// A service you trust.
    TrustedCloud,
    /// Any other service.
    UntrustedCloud,
}

impl From<Kind> for ProviderKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Openai => Self::Openai,
            Kind::OpenaiCompatible => Self::OpenaiCompatible,
            Kind::Anthropic => Self::Anthropic,
            Kind::Gemini => Self::Gemini,
            Kind::Ollama => Self::Ollama,
        }
    }
}

impl From<ApiName> for Api {
    fn from(api: ApiName) -> Self {
        match api {
            ApiName::Responses => Self::Responses,
            ApiName::Chat => Self::Chat,
        }
    }
}

impl From<ClassName> for ProviderClass {
    fn from(class: ClassName) -> Self {
        match class {
            ClassName::LocalOnly => Self::LocalOnly,
            ClassName::TrustedCloud => Self::TrustedCloud,
            ClassName::UntrustedCloud => Self::UntrustedCloud,
        }
    }
}
