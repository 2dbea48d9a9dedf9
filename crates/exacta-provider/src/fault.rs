//! What can go wrong with a provider. Each kind has a stable code, and says where it happened and what helps.

use crate::request::Stage;
use exacta_kernel::hint;
use exacta_kernel::hint::{Hint, Remedy};
use std::fmt;
use std::time::Duration;

/// A request that has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// What the user calls the provider.
    pub provider: String,
    /// Where it is: scheme, host and port.
    pub origin: String,
    /// What the request was for.
    pub stage: Stage,
    /// How often the request was sent.
    pub tries: u32,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// No connection, or it ended before an answer began.
    Unreachable,
    /// The connection cannot be trusted: the certificate does not hold.
    Untrusted,
    /// The key is missing.
    KeyMissing {
        /// Where it was looked for.
        place: String,
    },
    /// The key is not accepted, or not for this.
    Auth {
        /// The status of the answer.
        status: u16,
    },
    /// Nothing is left of what was paid for.
    Quota,
    /// Too many requests.
    RateLimited {
        /// How long the provider asks to wait, if it says.
        retry_after: Option<Duration>,
    },
    /// The provider has too much to do or fails.
    Overloaded {
        /// The status of the answer.
        status: u16,
    },
    /// It took too long.
    Timeout {
        /// What took too long.
        phase: Phase,
        /// The limit.
        limit: Duration,
    },
    /// The answer is larger than any answer may be.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer is not of a kind that a model server sends.
    ContentType,
    /// The answer ended before it was complete.
    CutStream,
    /// The answer is not in the provider's published format.
    BadAnswer,
    /// The model, or a filter before or behind it, refused.
    Refused {
        /// Who refused.
        by: Refusal,
    },
    /// The tool was called with something else than one JSON object, or another tool was, or several.
    BadToolCall,
    /// The limit of tokens was reached within a tool call.
    OutputLimit,
    /// The request is larger than the model's context.
    ContextExceeded,
    /// Another model answered than before.
    ModelChanged {
        /// What answered first.
        was: String,
        /// What answers now.
        is: String,
    },
    /// The provider does not know the model, or not at this address.
    ModelUnknown,
    /// The provider does not accept the request.
    BadRequest {
        /// The status of the answer.
        status: u16,
    },
    /// The provider points elsewhere, which is not followed.
    Redirected {
        /// The status of the answer.
        status: u16,
    },
    /// The configuration cannot be used.
    Setup {
        /// What is wrong with it.
        why: String,
    },
    /// The user stopped it.
    Cancelled,
}

/// What took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Connecting.
    Connect,
    /// The first byte of an answer.
    FirstByte,
    /// The next byte.
    Idle,
    /// An event that stays unfinished.
    Event,
    /// Everything together.
    Whole,
}

/// Who refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The model itself.
    Model,
    /// The provider's filter.
    Filter,
}

impl FaultKind {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable => "PROVIDER_UNREACHABLE",
            Self::Untrusted => "PROVIDER_UNTRUSTED",
            Self::KeyMissing { .. } => "PROVIDER_KEY_MISSING",
            Self::Auth { .. } => "PROVIDER_AUTH",
            Self::Quota => "PROVIDER_QUOTA",
            Self::RateLimited { .. } => "PROVIDER_RATE_LIMITED",
            Self::Overloaded { .. } => "PROVIDER_OVERLOADED",
            Self::Timeout { .. } => "PROVIDER_TIMEOUT",
            Self::TooLarge { .. } => "PROVIDER_TOO_LARGE",
            Self::ContentType => "PROVIDER_CONTENT_TYPE",
            Self::CutStream => "PROVIDER_CUT_STREAM",
            Self::BadAnswer => "PROVIDER_BAD_ANSWER",
            Self::Refused { .. } => "PROVIDER_REFUSED",
            Self::BadToolCall => "PROVIDER_BAD_TOOL_CALL",
            Self::OutputLimit => "PROVIDER_OUTPUT_LIMIT",
            Self::ContextExceeded => "PROVIDER_CONTEXT_EXCEEDED",
            Self::ModelChanged { .. } => "PROVIDER_MODEL_CHANGED",
            Self::ModelUnknown => "PROVIDER_MODEL_UNKNOWN",
            Self::BadRequest { .. } => "PROVIDER_BAD_REQUEST",
            Self::Redirected { .. } => "PROVIDER_REDIRECTED",
            Self::Setup { .. } => "PROVIDER_SETUP",
            Self::Cancelled => "PROVIDER_CANCELLED",
        }
    }

    /// Whether the same request may succeed in a moment.
    #[must_use]
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::Unreachable | Self::Overloaded { .. } => true,
            Self::Timeout { phase, .. } => matches!(phase, Phase::Connect | Phase::FirstByte),
            Self::RateLimited { retry_after } => retry_after.is_none_or(|pause| pause <= crate::limits::LONGEST_PAUSE),
            _ => false,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Unreachable => "cannot be reached".to_owned(),
            Self::Untrusted => "has a certificate that does not hold".to_owned(),
            Self::KeyMissing { place } => format!("needs a key, and {place} has none"),
            Self::Auth { status } => format!("does not accept the key (status {status})"),
            Self::Quota => "says that the account has no credit left".to_owned(),
            Self::RateLimited { retry_after: None } => "had too many requests".to_owned(),
            Self::RateLimited { retry_after: Some(pause) } => {
                format!("had too many requests and asks to wait {} s", pause.as_secs().max(1))
            }
            Self::Overloaded { status } => format!("is overloaded or out of order (status {status})"),
            Self::Timeout { phase, limit } => format!("took longer than {} {}", seconds(*limit), phase.of_what()),
            Self::TooLarge { limit } => format!("sent an answer larger than {} MiB", limit >> 20),
            Self::ContentType => "sent something that is no model's answer".to_owned(),
            Self::CutStream => "broke off in the middle of an answer".to_owned(),
            Self::BadAnswer => "sent an answer that is not in its published format".to_owned(),
            Self::Refused { by: Refusal::Model } => "answered that the model refuses the request".to_owned(),
            Self::Refused { by: Refusal::Filter } => "stopped the answer by its content filter".to_owned(),
            Self::BadToolCall => "sent a tool call that is not one JSON object for the tool it was given".to_owned(),
            Self::OutputLimit => "reached the limit of output tokens within a tool call".to_owned(),
            Self::ContextExceeded => "says that the request is larger than the model's context".to_owned(),
            Self::ModelChanged { was, is } => format!("changed the model on the way: it was `{was}`, now `{is}`"),
            Self::ModelUnknown => "does not know the model, or nothing is at this address".to_owned(),
            Self::BadRequest { status } => format!("does not accept the request (status {status})"),
            Self::Redirected { status } => {
                format!("points to another address (status {status}), which is not followed")
            }
            Self::Setup { why } => format!("is not set up right: {why}"),
            Self::Cancelled => "was asked, and you stopped it".to_owned(),
        }
    }
}

impl Fault {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// What helps.
    #[must_use]
    pub fn hint(&self) -> Hint {
        let name = &self.provider;
        let test = Remedy::ProviderTest(name.clone());
        match &self.kind {
            FaultKind::Unreachable => hint!["is it running, and is the address right? try ", test],
            FaultKind::Untrusted => hint!["check the address and this machine's certificates and clock"],
            FaultKind::KeyMissing { .. } | FaultKind::Auth { .. } => {
                hint!["set the key where ", Remedy::ProviderList, " says it is looked for, then ", test]
            }
            FaultKind::Quota => {
                hint!["see the account at the provider, or choose another one: ", Remedy::ProviderUse]
            }
            FaultKind::RateLimited { .. } | FaultKind::Overloaded { .. } => {
                hint!["give the command again later; no other model was asked"]
            }
            FaultKind::Timeout { .. } => {
                hint!["give the command again; for a slow model: ", Remedy::ProviderTimeout(name.clone())]
            }
            FaultKind::ContentType | FaultKind::BadAnswer | FaultKind::ModelUnknown | FaultKind::Redirected { .. } => {
                hint!["check `--kind`, `--url` and `--model`: ", Remedy::ProviderList, ", ", test]
            }
            FaultKind::TooLarge { .. } | FaultKind::CutStream => hint!["give the command again; if it stays: ", test],
            FaultKind::Refused { .. } => hint!["say what is to change in other words, or choose another provider"],
            FaultKind::BadToolCall => hint!["give the command again, or choose a model that can call tools"],
            FaultKind::OutputLimit => hint![format!("ask for less at a time, or set `--output` of `{name}` higher")],
            FaultKind::ContextExceeded => {
                hint![format!("send less, or set `--context` of `{name}` to what the model has")]
            }
            FaultKind::ModelChanged { .. } => {
                hint!["what the first model wrote was dropped; ask again to begin with the new one"]
            }
            FaultKind::BadRequest { .. } => hint!["the model may lack what was asked of it: ", test, " finds out"],
            FaultKind::Setup { .. } => hint!["set it up again: ", Remedy::ProviderSetUp(name.clone())],
            FaultKind::Cancelled => hint!["nothing was kept"],
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` at {} {}", self.provider, self.origin, self.kind.message())?;
        match self.tries {
            0 | 1 => Ok(()),
            tries => write!(out, ", {tries} times"),
        }
    }
}

impl std::error::Error for Fault {}

impl Phase {
    const fn of_what(self) -> &'static str {
        match self {
            Self::Connect => "to connect",
            Self::FirstByte => "to begin an answer",
            Self::Idle => "to go on with an answer",
            Self::Event => "to send one event of an answer",
            Self::Whole => "for the whole answer",
        }
    }
}

fn seconds(limit: Duration) -> String {
    if limit.subsec_millis() == 0 { format!("{} s", limit.as_secs()) } else { format!("{} ms", limit.as_millis()) }
}
