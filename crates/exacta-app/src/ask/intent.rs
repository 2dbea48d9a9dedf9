//! What is wanted: one of four kinds, how sure that is, and what it is about. The model's word counts only as far as the user's own words
//! and the project bear it out.

use super::prompt::INTENT;
use super::session::{Said, Session, Who, objection};
use super::view::{AskStage, IntentView, TargetView};
use super::{template, words};
use crate::error::{Error, Exit};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::parse;
use exacta_kernel::proposal::IntentKind;
use exacta_provider::{Message, Request, Shape, Stage};
use exacta_view::FindingView;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// From here on it goes on by itself.
const SURE: BasisPoints = BasisPoints(8500);
/// Below it is refused.
const POSSIBLE: BasisPoints = BasisPoints(6000);
/// The most that a reading is worth whose target is not there.
const UNRESOLVED: BasisPoints = BasisPoints(8499);

/// The four types.
pub const TYPES: [&str; 4] = ["CreateProject", "AddFeature", "FixBug", "BuildPackage"];
const COMPOSITE: &str = "Composite";
const OUT_OF_SCOPE: &str = "OutOfScope";
/// What the model may say besides type and confidence.
const DETAILS: [&str; 5] = ["kind", "name", "path", "location", "configuration"];

/// What was read out of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// What is wanted.
    pub kind: IntentKind,
    /// How sure that is.
    pub confidence: BasisPoints,
    /// Other types that could be meant.
    pub alternatives: Vec<String>,
    /// What the model read besides: untrusted, and never more than a suggestion.
    pub details: BTreeMap<String, String>,
}

/// A model's word.
enum Word {
    Reading(Reading),
    Composite(Vec<String>),
    OutOfScope(Vec<String>),
}

impl Session<'_> {
    /// What is wanted. Asks a model unless the user said it.
    pub fn read_intent(&mut self) -> Result<Reading, Error> {
        if let Some(name) = self.wish.answer("intent").map(ToOwned::to_owned).or_else(|| self.wish.intent.clone()) {
            let kind = known(&name).ok_or_else(|| unknown_type(&name))?;
            self.enter(AskStage::Intent, format!("you say that it is {name}"))?;
            // What the words say besides; only they do, no model was asked.
            let read = template::read(&self.wish.text).filter(|(read, _)| *read == kind);
            let (alternatives, details) = (Vec::new(), read.map(|(_, details)| details).unwrap_or_default());
            return Ok(Reading { kind, confidence: BasisPoints::ONE, alternatives, details });
        }
        if !self.has_model() {
            self.enter(AskStage::Intent, "reading what is wanted, without a model")?;
            let (kind, details) = template::read(&self.wish.text).ok_or_else(super::models::no_provider)?;
            return Ok(Reading { kind, confidence: BasisPoints::ONE, alternatives: Vec::new(), details });
        }
        self.enter(AskStage::Intent, "reading what is wanted")?;
        let mut first = self.intent_request();
        let mut request = first.clone();
        loop {
            let (said, findings) = match self.say(Who::Reader, &request)? {
                Said::Whole(answer) => match word(answer.content.text()) {
                    Ok(word) => return self.accept(word),
                    Err(findings) => (answer.content.text().to_owned(), findings),
                },
                Said::Unfit(finding) => (String::new(), vec![finding]),
            };
            self.again(AskStage::Intent, findings.clone())?;
            // A model that does not call the tool may still keep to a schema.
            if let Some(tool) = first.tool.take().filter(|_| self.keeps_to_schemas(Who::Reader)) {
                first.schema = Some(tool);
            }
            request = Self::repaired(&first, &said, &findings);
        }
    }

    fn intent_request(&self) -> Request {
        let text = self.fence.quote("The request", &self.wish.text);
        let (tool, schema) = if self.calls_tools(Who::Reader) || !self.keeps_to_schemas(Who::Reader) {
            (Some(shape()), None)
        } else {
            (None, Some(shape()))
        };
        Request {
            stage: Stage::Intent,
            system: INTENT.to_owned(),
            messages: vec![Message::user(text)],
            tool,
            schema,
            max_output_tokens: 600,
        }
    }

    fn accept(&mut self, word: Word) -> Result<Reading, Error> {
        match word {
            Word::Reading(reading) => Ok(reading),
            Word::Composite(parts) => {
                let parts = if parts.is_empty() { TYPES.map(str::to_owned).to_vec() } else { parts };
                let message = format!("the request is several at once: {}", parts.join(", "));
                Err(Error::new(Exit::Denied, "ASK_COMPOSITE", message).hint("ask for one of them at a time"))
            }
            Word::OutOfScope(nearest) => {
                let nearest = if nearest.is_empty() { TYPES.map(str::to_owned).to_vec() } else { nearest };
                let message = "the request is none that a plan of files can answer".to_owned();
                let hint =
                    format!("the nearest types are {}; say what is to change in the project", nearest.join(", "));
                Err(Error::new(Exit::Denied, "ASK_OUT_OF_SCOPE", message).hint(hint))
            }
        }
    }

    /// Holds the reading against the user's words and the project, and asks where it is not sure or something is missing.
    pub fn settle_intent(&mut self, mut reading: Reading, target: &Target) -> Result<Reading, Error> {
        let mut capped = None;
        if !target.unresolved.is_empty() && reading.kind == IntentKind::FixBug {
            let names: Vec<String> = target.unresolved.iter().map(|name| format!("`{name}`")).collect();
            capped = Some(format!("the project has no {}", names.join(", ")));
            reading.confidence = reading.confidence.min(UNRESOLVED);
        }
        self.view.intent = Some(IntentView {
            kind: reading.kind.name().to_owned(),
            confidence: reading.confidence,
            confidence_capped: capped.clone(),
            target: TargetView { files: target.files.clone(), symbols: target.symbols.clone() },
            alternatives: reading.alternatives.clone(),
        });
        if let Some((name, candidates)) = target.ambiguous.first() {
            let question = format!("which file is `{}`?", exacta_kernel::text::excerpt(name, 80));
            return Err(self.need("choose", "file", question, candidates.clone()));
        }
        self.check_confidence(&reading, capped.as_deref())?;
        self.check_complete(&mut reading, target)?;
        Ok(reading)
    }

    fn check_confidence(&mut self, reading: &Reading, capped: Option<&str>) -> Result<(), Error> {
        let name = reading.kind.name();
        if reading.confidence < POSSIBLE {
            let message = format!("it is not clear what is wanted: {name} with a confidence of {}", reading.confidence);
            let others = reading.alternatives.iter().map(String::as_str);
            let nearest: Vec<&str> = std::iter::once(name).chain(others).collect();
            let hint =
                format!("say it in other words, or with `--intent TYPE`; the nearest types are {}", nearest.join(", "));
            return Err(Error::new(Exit::Denied, "ASK_LOW_CONFIDENCE", message).hint(hint));
        }
        let answer = self.wish.answer("reading").map(str::to_ascii_lowercase);
        let confirmed = self.wish.confirmed || matches!(answer.as_deref(), Some("y" | "yes"));
        if matches!(answer.as_deref(), Some("n" | "no")) {
            return Err(Error::new(Exit::Denied, "ASK_READING_REJECTED", format!("you said that it is not {name}"))
                .hint("say it in other words, or with `--intent TYPE`"));
        }
        if reading.confidence >= SURE || confirmed {
            return Ok(());
        }
        let why = capped.map_or_else(String::new, |why| format!(", although {why}"));
        let about = self.view.intent.as_ref().map(|intent| intent.target.files.join(", ")).unwrap_or_default();
        let about = if about.is_empty() { String::new() } else { format!(" in {about}") };
        let question = format!("is this {name}{about}{why}?");
        Err(self.need("confirm_reading", "reading", question, vec!["yes".to_owned(), "no".to_owned()]))
    }

    /// What each kind cannot do without.
    fn check_complete(&mut self, reading: &mut Reading, target: &Target) -> Result<(), Error> {
        for field in ["kind", "name", "path", "location", "configuration"] {
            if let Some(answer) = self.wish.answer(field) {
                reading.details.insert(field.to_owned(), answer.to_owned());
            }
        }
        let described = self.wish.answer("description").is_some() || is_described(&self.wish.text);
        let missing = match reading.kind {
            IntentKind::CreateProject => {
                let lacks = |field: &&&str| reading.details.get(**field).is_none_or(String::is_empty);
                ["kind", "name", "path"].iter().find(lacks).copied()
            }
            IntentKind::AddFeature | IntentKind::FixBug if !described => Some("description"),
            IntentKind::FixBug if !target.is_located && !reading.details.contains_key("location") => Some("location"),
            IntentKind::BuildPackage if configuration(&self.wish.text, &reading.details).is_none() => {
                Some("configuration")
            }
            _ => None,
        };
        let Some(field) = missing else { return Ok(()) };
        let (question, candidates): (&str, &[&str]) = match field {
            "kind" => ("what kind of project is it?", &template::KINDS),
            "name" => ("what is the project called?", &[]),
            "path" => ("in which folder is it to be made?", &["."]),
            "description" => ("what exactly is to change?", &[]),
            "location" => ("where does it go wrong: which file, function or command?", &[]),
            _ => ("which build is it?", &["release", "debug"]),
        };
        let candidates = candidates.iter().map(|it| (*it).to_owned()).collect();
        Err(self.need("missing", field, question.to_owned(), candidates))
    }
}

/// What the user named, held against the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Target {
    /// Files and folders that are there, or that the user wants made; folders end with `/`.
    pub files: Vec<String>,
    /// Names in code.
    pub symbols: Vec<String>,
    /// Names that nothing in the project has.
    pub unresolved: Vec<String>,
    /// Names that several files have.
    pub ambiguous: Vec<(String, Vec<String>)>,
    /// Whether anything in the project answers the words of the request.
    pub is_located: bool,
}

/// `debug` or `release`, where somebody said it.
pub(super) fn configuration(text: &str, details: &BTreeMap<String, String>) -> Option<&'static str> {
    let said = details.get("configuration").map(|it| it.to_lowercase()).unwrap_or_default();
    let in_words =
        |name: &str| said == name || text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    match (in_words("debug"), in_words("release")) {
        (true, false) => Some("debug"),
        (false, true) => Some("release"),
        _ => None,
    }
}

fn known(name: &str) -> Option<IntentKind> {
    TYPES.contains(&name).then(|| IntentKind::parse(name)).flatten()
}

fn unknown_type(name: &str) -> Error {
    let message = format!("there is no type `{}`", exacta_kernel::text::excerpt(name, 40));
    Error::new(Exit::Usage, "ASK_TYPE_UNKNOWN", message).hint(format!("the types are {}", TYPES.join(", ")))
}

/// Whether the request says anything that a change could be held against.
fn is_described(text: &str) -> bool {
    let named = words::named(text);
    let telling = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2).count();
    telling > 1 + usize::from(named.paths.is_empty() && named.symbols.is_empty())
}

fn word(text: &str) -> Result<Word, Vec<FindingView>> {
    let object =
        parse::parse_object(text).map_err(|findings| findings.iter().map(FindingView::from).collect::<Vec<_>>())?;
    let list = |field: &str| -> Vec<String> {
        let items = object.get(field).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).filter(|it| TYPES.contains(it)).map(ToOwned::to_owned).collect()
    };
    let place = |pointer: &str, message: &str, hint: &str| {
        vec![FindingView { pointer: Some(pointer.to_owned()), ..objection("ASK_READING_INVALID", message, hint) }]
    };
    let hint = "use one of CreateProject, AddFeature, FixBug, BuildPackage, Composite, OutOfScope";
    let name = object.get("type").and_then(Value::as_str).unwrap_or_default();
    match name {
        COMPOSITE => return Ok(Word::Composite(list("parts"))),
        OUT_OF_SCOPE => return Ok(Word::OutOfScope(list("alternatives"))),
        _ => {}
    }
    let kind = known(name).ok_or_else(|| place("/type", "`type` is none of the kinds", hint))?;
    let confidence = object.get("confidence").and_then(confidence).ok_or_else(|| {
        place("/confidence", "`confidence` is missing or out of range", "give a whole number from 0 to 100")
    })?;
    let mut alternatives = list("alternatives");
    alternatives.retain(|other| other != name);
    alternatives.dedup();
    Ok(Word::Reading(Reading { kind, confidence, alternatives, details: details(&object) }))
}

fn details(object: &Map<String, Value>) -> BTreeMap<String, String> {
    let text = |name: &str| {
        object.get(name).and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty() && it.len() <= 200)
    };
    DETAILS.iter().filter_map(|name| Some(((*name).to_owned(), text(name)?.to_owned()))).collect()
}

/// A whole number is in percent, a fraction is of one. No rounding upward.
fn confidence(value: &Value) -> Option<BasisPoints> {
    let Value::Number(number) = value else { return None };
    if let Some(percent) = number.as_u64() {
        return u32::try_from(percent).ok().filter(|it| *it <= 100).map(|it| BasisPoints(it * 100));
    }
    let text = number.to_string();
    let (whole, part) = text.split_once('.')?;
    let part: String = part.chars().take(4).collect();
    match BasisPoints::parse(&format!("{whole}.{part}")) {
        Some(points) => Some(points),
        // 92.5 is a percentage, too.
        None => whole.parse::<u32>().ok().filter(|it| *it < 100).map(|it| BasisPoints(it * 100)),
    }
}

/// Bounded: a small model that begins a list does not end it by itself.
fn shape() -> Shape {
    let text = |about: &str| json!({ "type": "string", "description": about, "maxLength": 80 });
    let types = json!({ "type": "array", "maxItems": 4, "items": { "type": "string", "enum": TYPES } });
    let words = json!({ "type": "array", "maxItems": 4, "items": { "type": "string", "maxLength": 100 } });
    let mut all = TYPES.to_vec();
    all.extend([COMPOSITE, OUT_OF_SCOPE]);
    let fields = [
        ("type", json!({ "type": "string", "enum": all })),
        ("confidence", json!({ "type": "integer", "minimum": 0, "maximum": 100 })),
        ("files", words.clone()),
        ("symbols", words),
        ("alternatives", types.clone()),
        ("parts", types),
        ("kind", text("of a new project; else empty")),
        ("name", text("of a new project; else empty")),
        ("path", text("of a new project; else empty")),
        ("location", text("where a fault is, as the request says; else empty")),
        ("configuration", json!({ "type": "string", "enum": ["", "debug", "release"] })),
    ];
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    Shape {
        name: "read_request".to_owned(),
        description: "Says what kind of request it is.".to_owned(),
        schema: json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_never_rounded_up() {
        let cases = [
            ("92", Some(9200)),
            ("0.92", Some(9200)),
            ("0.84999", Some(8499)),
            ("1.0", Some(10_000)),
            ("100", Some(10_000)),
            ("101", None),
            ("-1", None),
            ("0", Some(0)),
            ("1", Some(100)),
            ("92.9", Some(9200)),
            ("1.2", Some(100)),
            ("\"90\"", None),
        ];
        for (text, expected) in cases {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(confidence(&value).map(|it| it.0), expected, "{text}");
        }
    }

    #[test]
    fn a_configuration_is_one_or_none() {
        let none = BTreeMap::new();
        assert_eq!(configuration("make a release build", &none), Some("release"));
        assert_eq!(configuration("build it in Debug mode", &none), Some("debug"));
        assert_eq!(configuration("build debug and release", &none), None);
        assert_eq!(configuration("package it", &none), None);
    }
}
