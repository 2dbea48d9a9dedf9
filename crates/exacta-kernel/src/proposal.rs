//! A proposal: the only thing that is ever read from an AI or an agent.
//!
//! Made by [`crate::parse`] alone. Nothing in it is trusted: ids, hashes, scores, status and approvals are computed here, and a
//! proposal that carries them is refused.

use crate::hash::Digest;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The only format there is so far.
pub const SCHEMA: &str = "exacta.plan/1";

/// What an AI or agent offers to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Why.
    pub intent: Intent,
    /// What, in the order the text lists it (not necessarily sorted by `order`).
    pub steps: Vec<Step>,
    /// Limits the proposer says it keeps.
    pub constraints: Vec<Constraint>,
    /// What the proposer took for granted.
    pub assumptions: Vec<String>,
    /// Free data for site skills and recipes.
    pub inputs: Map<String, Value>,
    /// Present for autopilot plans.
    pub autopilot: Option<Autopilot>,
    /// What the agent says it is.
    pub model: Option<ModelClaim>,
    /// A hint that can only raise our own estimate.
    pub estimated_tokens: Option<u64>,
    /// A hint that can only raise our own estimate.
    pub estimated_duration_ms: Option<u64>,
    /// The whole object as it was read, for hashing. Only the parser sets it.
    pub(crate) document: Map<String, Value>,
}

/// The request a proposal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What kind of request.
    pub kind: IntentKind,
    /// The request in words.
    pub text: String,
    /// The proposer's own name for it.
    pub id: Option<String>,
    /// Files the request names.
    pub files: Vec<String>,
    /// Symbols the request names.
    pub symbols: Vec<String>,
}

/// The closed list of intents, and the skills that site plans name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntentKind {
    /// Files: a new project.
    CreateProject,
    /// Files: new behaviour.
    AddFeature,
    /// Files: corrected behaviour.
    FixBug,
    /// Files: configuration and a build, no source change.
    BuildPackage,
    /// Autopilot: watch a page.
    WebsiteMonitor,
    /// Autopilot: sort incoming mail.
    InboxTriage,
    /// Autopilot: summarise sources.
    DailyBrief,
    /// Autopilot: steps made by a model.
    Custom,
    /// Site: the name of a skill, lower-case words joined by dots, such as `wp.content.audit`.
    Skill(String),
}

impl IntentKind {
    /// The closed list, without skills.
    pub const CLOSED: &[(&'static str, IntentKind)] = &[
        ("CreateProject", Self::CreateProject),
        ("AddFeature", Self::AddFeature),
        ("FixBug", Self::FixBug),
        ("BuildPackage", Self::BuildPackage),
        ("WebsiteMonitor", Self::WebsiteMonitor),
        ("InboxTriage", Self::InboxTriage),
        ("DailyBrief", Self::DailyBrief),
        ("Custom", Self::Custom),
    ];

    /// The name as it is written in a proposal.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Skill(name) => name,
            other => Self::CLOSED.iter().find(|(_, kind)| kind == other).map_or("", |(name, _)| name),
        }
    }

    /// The intent of this name: one of the closed list, or a skill.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let closed = Self::CLOSED.iter().find(|(known, _)| *known == name).map(|(_, kind)| kind.clone());
        closed.or_else(|| is_skill_name(name).then(|| Self::Skill(name.to_owned())))
    }

    /// The domain whose steps this intent may have.
    #[must_use]
    pub const fn domain(&self) -> Domain {
        match self {
            Self::CreateProject | Self::AddFeature | Self::FixBug | Self::BuildPackage => Domain::Files,
            Self::WebsiteMonitor | Self::InboxTriage | Self::DailyBrief | Self::Custom => Domain::Autopilot,
            Self::Skill(_) => Domain::Site,
        }
    }
}

/// Lower-case words joined by dots, at least two, such as `wp.content.audit`.
fn is_skill_name(name: &str) -> bool {
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
    };
    name.len() <= crate::limit::NAME && name.contains('.') && name.split('.').all(word)
}

/// The three domains of action. A plan stays in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// Files in a project.
    Files,
    /// Web, mail, schedule.
    Autopilot,
    /// Pages of a site.
    Site,
}

impl Domain {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Autopilot => "autopilot",
            Self::Site => "site",
        }
    }
}

/// One item of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Unique in the proposal.
    pub id: String,
    /// 1..n without gaps.
    pub order: u64,
    /// What it does.
    pub action: Action,
    /// A path for file steps, a URL, address or page for others; as written, not yet checked.
    pub target: String,
    /// What and why, in words.
    pub description: String,
    /// Ids of steps that must come before.
    pub dependencies: Vec<String>,
    /// Limits of this step alone.
    pub constraints: Vec<Constraint>,
    /// Ids of constraints this step satisfies.
    pub satisfies: Vec<String>,
    /// The state of the target that the author saw.
    pub base_sha256: Option<Digest>,
    /// Whether the file is to be executable, where the step says so beside its payload.
    pub executable: Option<bool>,
}

/// The typed body of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A new file.
    FileCreate(Payload),
    /// A change of an existing file.
    FileModify(Payload),
    /// The end of a file; a diff, where given, must be the whole file.
    FileDelete {
        /// The removal as a diff.
        diff: Option<String>,
    },
    /// The operator's configured build command; never one from the plan.
    Build,
    /// An autopilot primitive with its parameters.
    Primitive {
        /// Its name, such as `read_web`; known to the catalogue.
        id: crate::action::primitive::PrimitiveId,
        /// Its own parameters.
        parameters: Map<String, Value>,
    },
    /// A call of a site tool.
    ToolCall {
        /// The tool's name.
        tool: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
}

/// How a file change is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// A unified diff of exactly this file.
    Diff(String),
    /// Replacements, each of which must fit in exactly one place.
    Edits(Vec<Edit>),
    /// The whole new file.
    Content(String),
    /// A whole new file that is no text.
    Bytes(Vec<u8>),
    /// As the record keeps a change whose text would quote a secret of the file. Never read from outside.
    Kept(crate::places::Places),
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Text that occurs exactly once.
    pub find: String,
    /// What takes its place.
    pub replace: String,
}

impl Action {
    /// The domain the step belongs to.
    #[must_use]
    pub const fn domain(&self) -> Domain {
        match self {
            Self::FileCreate(_) | Self::FileModify(_) | Self::FileDelete { .. } | Self::Build => Domain::Files,
            Self::Primitive { .. } => Domain::Autopilot,
            Self::ToolCall { .. } => Domain::Site,
        }
    }

    /// The step type as it is written in a proposal.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FileCreate(_) => "file_create",
            Self::FileModify(_) => "file_modify",
            Self::FileDelete { .. } => "file_delete",
            Self::Build => "build",
            Self::Primitive { id, .. } => id.name(),
            Self::ToolCall { .. } => "tool_call",
        }
    }

    /// Whether the step's target is a file of the project.
    #[must_use]
    pub const fn is_file(&self) -> bool {
        matches!(self, Self::FileCreate(_) | Self::FileModify(_) | Self::FileDelete { .. })
    }
}

/// A limit on what a plan may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    /// Unique in the proposal.
    pub id: String,
    /// How binding it is.
    #[serde(rename = "type")]
    pub kind: ConstraintKind,
    /// What it covers.
    pub scope: Scope,
    /// The file (a path or glob) or step id it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The limit in words; compiled to a check where that is possible.
    pub description: String,
}

/// How binding a constraint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConstraintKind {
    /// Some step must satisfy it.
    Must,
    /// No step may violate it.
    MustNot,
    /// Advice.
    Prefer,
}

/// What a constraint covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole plan.
    Global,
    /// One file, or files of a pattern.
    File,
    /// One step.
    Step,
}

/// The autopilot part of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autopilot {
    /// The recipe; the same word as the intent's type.
    pub recipe: String,
    /// The page to watch.
    pub web_source_url: Option<String>,
    /// The mail to sort.
    pub inbox_source_text: Option<String>,
    /// The sources to summarise.
    pub daily_sources: Vec<String>,
}

/// What an agent says it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelClaim {
    /// Such as `anthropic`.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// Its version, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Proposal {
    /// The domain that the intent names.
    #[must_use]
    pub const fn domain(&self) -> Domain {
        self.intent.kind.domain()
    }

    /// Whether a model of ours made it, so that the caps of generated plans hold and no policy raises them.
    #[must_use]
    pub fn is_generated(&self) -> bool {
        self.intent.kind == IntentKind::Custom
    }

    /// The step with this id.
    #[must_use]
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The whole object as it was read.
    #[must_use]
    pub const fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}
