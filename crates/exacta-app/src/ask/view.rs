//! What every surface shows of an ask: `exacta.ask/1`, and the events on the way.

use crate::error::Error;
use exacta_kernel::assess::BasisPoints;
use exacta_view::{FindingView, PlanView};
use serde::{Deserialize, Serialize};

/// The version of the face of an ask.
pub const ASK_VIEW: &str = "exacta.ask/1";
/// The version of the face of its events.
pub const ASK_EVENT: &str = "exacta.ask-event/1";

/// Where an ask is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskStage {
    /// What is wanted.
    #[default]
    Intent,
    /// What must and must not be.
    Constraints,
    /// What the model sees.
    Context,
    /// The steps.
    Plan,
    /// Their changes.
    Diffs,
    /// A plan is there.
    Done,
}

impl AskStage {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::Constraints => "constraints",
            Self::Context => "context",
            Self::Plan => "plan",
            Self::Diffs => "diffs",
            Self::Done => "done",
        }
    }
}

/// An ask, however far it came. No words of a prompt or a file are in it.
#[derive(Debug, Clone, Serialize)]
pub struct AskView {
    /// Always [`ASK_VIEW`].
    pub schema: &'static str,
    /// What `--resume` takes.
    pub ask_id: String,
    /// How far it came.
    pub stage: AskStage,
    /// What was read out of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentView>,
    /// What a person has to say before it can go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Needs>,
    /// The limits that hold.
    pub constraints: Vec<LimitView>,
    /// What the model sees of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextView>,
    /// The steps as planned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepLine>,
    /// Answers that were not accepted, and why.
    pub attempts: Vec<Attempt>,
    /// What it cost so far.
    pub usage: UsageView,
    /// The model that writes plan and changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelView>,
    /// The plan, once it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Why it stopped. Each surface writes it beside the rest, with the hint in its own words.
    #[serde(skip)]
    pub error: Option<Error>,
}

impl AskView {
    /// At the beginning.
    pub(super) fn new(ask_id: String) -> Self {
        Self {
            schema: ASK_VIEW,
            ask_id,
            stage: AskStage::Intent,
            intent: None,
            needs: None,
            constraints: Vec::new(),
            context: None,
            steps: Vec::new(),
            attempts: Vec::new(),
            usage: UsageView::default(),
            model: None,
            plan_id: None,
            error: None,
        }
    }

    /// Where there is nobody to ask, with ways to add somebody.
    #[must_use]
    pub fn without_provider(error: Error, candidates: Vec<String>) -> Self {
        let needs =
            Needs { kind: "provider", field: "provider".to_owned(), question: error.message.clone(), candidates };
        Self { needs: Some(needs), error: Some(error), ..Self::new(String::new()) }
    }
}

/// What was read out of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentView {
    /// One of the four types.
    #[serde(rename = "type")]
    pub kind: String,
    /// How sure the reading is.
    pub confidence: BasisPoints,
    /// Why it is less sure than the model said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_capped: Option<String>,
    /// What it is about.
    pub target: TargetView,
    /// Other types that could be meant.
    pub alternatives: Vec<String>,
}

/// What a request is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetView {
    /// Files that the user named and that were found, or are to be made.
    pub files: Vec<String>,
    /// Names in code that the user named.
    pub symbols: Vec<String>,
}

/// What a person has to say before an ask can go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Needs {
    /// `confirm_reading`, `missing`, `choose` or `provider`.
    pub kind: &'static str,
    /// What `--answer FIELD=VALUE` takes.
    pub field: String,
    /// In words.
    pub question: String,
    /// Possible answers.
    pub candidates: Vec<String>,
}

/// A limit that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitView {
    /// Its id.
    pub id: String,
    /// `MUST`, `MUST_NOT` or `PREFER`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `request`, `project` or `safety_policy`.
    pub source: &'static str,
    /// In words.
    pub description: String,
    /// Whether it can be checked; what cannot be, a person judges.
    pub checked: bool,
}

/// What the model sees of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextView {
    /// Each file, in the order in which it is shown.
    pub files: Vec<ContextFile>,
    /// Files that the request names and the model does not get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// An estimate.
    pub tokens: u64,
    /// Of the text, as the plan is bound to it.
    pub sha256: String,
}

/// One file that the model sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextFile {
    /// Where it is.
    pub path: String,
    /// Of the whole file.
    pub sha256: String,
    /// How much of it is shown.
    pub bytes: u64,
    /// `named`, `words`, `linked` or `recent`.
    pub why: &'static str,
    /// `whole` or `outline`.
    pub form: &'static str,
}

/// A step as it was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepLine {
    /// Its id.
    pub id: String,
    /// Such as `file_modify`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file.
    pub target: String,
    /// The model's words for it.
    pub description: String,
}

/// An answer that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// The stage it was for.
    pub stage: AskStage,
    /// 1 for the first answer that was not accepted, over all stages.
    pub n: u32,
    /// Why.
    pub findings: Vec<FindingView>,
}

/// What an ask cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UsageView {
    /// Tokens sent.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// In US dollars; null where no price is known.
    #[serde(serialize_with = "dollars")]
    pub cost_usd: Option<u64>,
}

/// Millionths of a dollar, written as dollars.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn dollars<S: serde::Serializer>(micro: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(micro) = micro else { return serializer.serialize_none() };
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    let number: serde_json::Number = text.parse().map_err(serde::ser::Error::custom)?;
    number.serialize(serializer)
}

/// The model that writes plan and changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelView {
    /// What the user calls the provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where this is known from: `response`, `header` or `config`.
    pub from: String,
}

/// What happens on the way. Words of prompts and files are in none of them.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AskEvent {
    /// A stage begins.
    Stage {
        /// Which.
        stage: AskStage,
        /// What it does, in one line.
        doing: String,
    },
    /// The model is asked again after a pause.
    Retry {
        /// 1 for the first.
        number: u32,
        /// The pause, in milliseconds.
        after_ms: u64,
        /// Why.
        code: &'static str,
    },
    /// More of an answer arrived.
    Arriving {
        /// Bytes of it so far.
        bytes: u64,
    },
    /// An answer is complete.
    Usage(UsageView),
    /// The steps are planned.
    Steps {
        /// Each.
        steps: Vec<StepLine>,
    },
    /// A step's change was accepted.
    Step {
        /// Its place, from 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// The file.
        target: String,
    },
    /// A check of the operator's runs on the result.
    Check {
        /// What the operator calls it.
        name: String,
    },
    /// An answer was not accepted.
    Again(Attempt),
}

/// How an ask ended.
#[derive(Debug)]
pub struct AskEnd {
    /// However far it came.
    pub view: AskView,
    /// The stored plan, where there is one.
    pub plan: Option<PlanView>,
}
