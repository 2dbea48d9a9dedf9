//! The proposal format as one table: the decoder verifies against it and the JSON Schema is made from it, so the two
//! cannot disagree about a field.

use crate::action::primitive::PrimitiveId;
use crate::limit::{
    ASSUMPTIONS, BINARY, CLAUSE, CONSTRAINTS, DESCRIPTION, IDS, INPUTS, MAIL, NAME, NAMED, REQUEST, SOURCES, TARGET,
    URL,
};
use crate::prelude::*;
use crate::proposal::{Domain, SCHEMA};

/// What a field holds. The numbers are those of [`crate::limit`]: bytes of a text, and `most` items of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Exactly this string.
    Const(&'static str),
    /// A string with at least one character that is not white space.
    Text(usize),
    /// [`Kind::Text`] without a comma.
    Id,
    /// A string of at least one character.
    NonEmpty(usize),
    /// Any string; the size of its step is its only cap.
    Raw,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// Standard base64 of bytes that are no text, up to this many.
    Base64(usize),
    /// 64 lower-case hexadecimal digits.
    Digest,
    /// An integer from 0.
    Count,
    /// An integer from 1.
    Ordinal,
    /// An array of [`Kind::Text`].
    Texts { most: usize, bytes: usize },
    /// [`Kind::Text`], or an array of them.
    TextOrTexts { most: usize, bytes: usize },
    /// Any object, as compact JSON.
    Free(usize),
    /// An object of this shape.
    Object(&'static Shape),
    /// An array of at most this many objects of this shape.
    Objects(&'static Shape, usize),
    /// An array of at least one; the size of its step is its only cap.
    SomeObjects(&'static Shape),
    /// The name of an intent or skill.
    Intent,
    /// The name of a step type.
    StepType,
    /// The array of steps.
    Steps,
}

/// One field of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// What it is for; used in hints and in the schema.
    pub about: &'static str,
}

/// An object with a closed list of fields.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Its name among the schema's definitions.
    pub name: &'static str,
    pub fields: &'static [Field],
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: true, about }
}

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: false, about }
}

/// The whole proposal.
pub(crate) static PROPOSAL: Shape = Shape {
    name: "proposal",
    fields: &[
        required("schema", Kind::Const(SCHEMA), "the format of the proposal"),
        required("intent", Kind::Object(&INTENT), "the request that the proposal answers"),
        required("steps", Kind::Steps, "what is to be done"),
        optional("constraints", Kind::Objects(&CONSTRAINT, CONSTRAINTS), "limits that the proposer says it keeps"),
        optional("assumptions", Kind::Texts { most: ASSUMPTIONS, bytes: CLAUSE }, "what the proposer took for granted"),
        optional("inputs", Kind::Free(INPUTS), "data for site skills and recipes"),
        optional("autopilot", Kind::Object(&AUTOPILOT), "the recipe and its sources; only in autopilot plans"),
        optional("model", Kind::Object(&MODEL), "what the agent says it is"),
        optional("estimated_tokens", Kind::Count, "a hint that can only raise the estimate made here"),
        optional("estimated_duration_ms", Kind::Count, "a hint that can only raise the estimate made here"),
    ],
};

static INTENT: Shape = Shape {
    name: "intent",
    fields: &[
        required("type", Kind::Intent, "a name of the closed list, or a skill"),
        required("text", Kind::Text(REQUEST), "the request in words"),
        optional("id", Kind::Text(NAME), "the proposer's own name for the request"),
        optional("target", Kind::Object(&INTENT_TARGET), "what the request names"),
    ],
};

static INTENT_TARGET: Shape = Shape {
    name: "intent_target",
    fields: &[
        optional("files", Kind::Texts { most: NAMED, bytes: TARGET }, "files that the request names"),
        optional("symbols", Kind::Texts { most: NAMED, bytes: TARGET }, "symbols that the request names"),
    ],
};

static CONSTRAINT: Shape = Shape {
    name: "constraint",
    fields: &[
        required("id", Kind::Text(NAME), "unique in the proposal"),
        required("type", Kind::Choice(&["MUST", "MUST_NOT", "PREFER"]), "how binding it is"),
        required("scope", Kind::Choice(&["global", "file", "step"]), "what it covers"),
        optional(
            "target",
            Kind::Text(TARGET),
            "the file or step id it covers; required unless the scope is `global`, or `step` in a step's own constraint",
        ),
        required("description", Kind::Text(CLAUSE), "the limit in words"),
    ],
};

static AUTOPILOT: Shape = Shape {
    name: "autopilot",
    fields: &[
        required("recipe", Kind::Text(NAME), "the same word as the intent's type"),
        optional("web_source_url", Kind::Text(URL), "the page to watch"),
        optional("inbox_source_text", Kind::Text(MAIL), "the mail to sort"),
        optional("daily_sources", Kind::Texts { most: SOURCES, bytes: URL }, "the sources to summarise"),
    ],
};

static MODEL: Shape = Shape {
    name: "model",
    fields: &[
        required("provider", Kind::Text(NAME), "such as `anthropic`"),
        required("model", Kind::Text(NAME), "the model's name"),
        optional("version", Kind::Text(NAME), "the model's version"),
    ],
};

static EDIT: Shape = Shape {
    name: "edit",
    fields: &[
        required("find", Kind::NonEmpty(usize::MAX), "text that occurs exactly once in the file"),
        required("replace", Kind::Raw, "what takes its place"),
    ],
};

/// The fields that every step has, whatever its type.
pub(crate) static STEP: &[Field] = &[
    optional("id", Kind::Id, "unique in the proposal; `sN` by default, N being the step's place in the list"),
    optional(
        "order",
        Kind::Ordinal,
        "the step's place, from 1 without gaps; in all steps or in none, and then one is chosen that fits `dependencies`",
    ),
    required("type", Kind::StepType, "what the step does"),
    required("target", Kind::NonEmpty(TARGET), "the path, address or page it acts on"),
    required("description", Kind::Text(DESCRIPTION), "what it does and why"),
    optional(
        "dependencies",
        Kind::Texts { most: IDS, bytes: NAME },
        "ids of the steps that come before it, anywhere in the list; none by default",
    ),
    optional("constraints", Kind::Objects(&CONSTRAINT, CONSTRAINTS), "limits of this step alone"),
    optional("satisfies", Kind::Texts { most: IDS, bytes: NAME }, "ids of constraints that this step satisfies"),
];

/// The types that are not primitives.
static STEP_TYPES: &[StepType] = &[
    StepType {
        name: "file_create",
        domain: Domain::Files,
        payload: &[DIFF, CONTENT, CONTENT_BASE64, MODE, BASE],
        one_of: &["diff", "content", "content_base64"],
        not_both: Some(("diff", "mode")),
    },
    StepType {
        name: "file_modify",
        domain: Domain::Files,
        payload: &[DIFF, EDITS, CONTENT, MODE, BASE],
        one_of: &["diff", "edits", "content"],
        not_both: Some(("diff", "mode")),
    },
    StepType { name: "file_delete", domain: Domain::Files, payload: &[DIFF, BASE], one_of: &[], not_both: None },
    StepType { name: "build", domain: Domain::Files, payload: &[], one_of: &[], not_both: None },
    StepType {
        name: "tool_call",
        domain: Domain::Site,
        payload: &[
            required("tool", Kind::Text(NAME), "the tool's name"),
            required("arguments", Kind::Free(INPUTS), "the tool's arguments"),
        ],
        one_of: &[],
        not_both: None,
    },
];

const DIFF: Field = optional("diff", Kind::Raw, "a unified diff of exactly this file");
const CONTENT: Field = optional("content", Kind::Raw, "the whole new file");
const CONTENT_BASE64: Field = optional(
    "content_base64",
    Kind::Base64(BINARY),
    "the bytes of a new file that is no text, in base64; a person is always asked",
);
const MODE: Field =
    optional("mode", Kind::Choice(&["100644", "100755"]), "git's mode of the file afterwards; a diff says its own");
const EDITS: Field = optional("edits", Kind::SomeObjects(&EDIT), "replacements, each in exactly one place");
const BASE: Field = optional("base_sha256", Kind::Digest, "SHA-256 of the file as its author saw it");

/// A step type: its domain, and the fields it has besides [`STEP`].
#[derive(Debug)]
pub(crate) struct StepType {
    pub name: &'static str,
    pub domain: Domain,
    pub payload: &'static [Field],
    /// Exactly one of these fields must be there; empty where there is no such rule.
    pub one_of: &'static [&'static str],
    /// The first field says what the second one would, so that only one of them may be there.
    pub not_both: Option<(&'static str, &'static str)>,
}

/// The domain and the payload fields of a step type.
pub(crate) struct StepShape {
    pub name: &'static str,
    pub domain: Domain,
    pub payload: Vec<Field>,
    pub one_of: &'static [&'static str],
    pub not_both: Option<(&'static str, &'static str)>,
}

impl StepShape {
    /// The shape of a step type, if it is known.
    pub fn find(name: &str) -> Option<Self> {
        let own = STEP_TYPES.iter().find(|step| step.name == name).map(Self::of_type);
        own.or_else(|| PrimitiveId::parse(name).map(Self::of_primitive))
    }

    /// The names of all step types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STEP_TYPES.iter().map(|step| step.name).chain(PrimitiveId::ALL.iter().map(|id| id.name()))
    }

    /// Whether some type of step has this field in its payload.
    pub fn is_payload(name: &str) -> bool {
        Self::names().filter_map(Self::find).any(|shape| shape.payload.iter().any(|field| field.name == name))
    }

    fn of_type(step: &StepType) -> Self {
        let StepType { name, domain, payload, one_of, not_both } = *step;
        Self { name, domain, payload: payload.to_vec(), one_of, not_both }
    }

    fn of_primitive(id: PrimitiveId) -> Self {
        let payload =
            id.parameters().iter().map(|name| optional(name, parameter(name), "a parameter of this primitive"));
        Self { name: id.name(), domain: Domain::Autopilot, payload: payload.collect(), one_of: &[], not_both: None }
    }
}

/// What a primitive's parameter holds. The catalogue gives one meaning to each name.
fn parameter(name: &str) -> Kind {
    match name {
        "url" => Kind::Text(URL),
        "urls" => Kind::Texts { most: SOURCES, bytes: URL },
        "to" => Kind::TextOrTexts { most: SOURCES, bytes: TARGET },
        "sha256" => Kind::TextOrTexts { most: SOURCES, bytes: NAME },
        "max_bullets" => Kind::Ordinal,
        "bytes" => Kind::Count,
        "account" => Kind::Text(NAME),
        "text" | "body" => Kind::Raw,
        _ => Kind::Text(DESCRIPTION),
    }
}
