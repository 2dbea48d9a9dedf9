//! Compares a document with the table of fields: types, unknown and missing fields, empty strings, closed lists.

use super::nearest::{listed, nearest};
use super::payload;
use super::report::Report;
use super::rules::compact_len;
use super::slip::{self, Slip};
use crate::finding::Code;
use crate::hash::Digest;
use crate::limit::NAME;
use crate::prelude::*;
use crate::proposal::{Domain, IntentKind};
use crate::shape::{Field, Kind, PROPOSAL, STEP, Shape, StepShape};
use crate::text::excerpt;
use serde_json::{Map, Value};

/// The most that is quoted of a name or value.
const QUOTED: usize = 60;

/// Verifies a whole proposal.
pub(super) fn proposal(document: &Map<String, Value>, report: &mut Report) {
    let domain = document
        .get("intent")
        .and_then(|intent| intent.get("type"))
        .and_then(Value::as_str)
        .and_then(IntentKind::parse)
        .map(|kind| kind.domain());
    Walk { report, domain }.fields(document, PROPOSAL.fields.iter(), Others::Unknown);
}

/// Whether a step has all it needs, and nothing else.
pub(super) fn is_step(value: &Value) -> bool {
    let mut report = Report::default();
    let steps = PROPOSAL.fields.iter().find(|field| matches!(field.kind, Kind::Steps));
    steps.into_iter().for_each(|field| Walk { report: &mut report, domain: None }.step(value, field));
    report.into_result().is_ok()
}

/// What becomes of fields that are not in the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// Each is a finding.
    Unknown,
    /// Only those that were meant to be, or to hold, a field of the table.
    Unjudged,
}

struct Walk<'a> {
    report: &'a mut Report,
    /// Of the intent, where it is known.
    domain: Option<Domain>,
}

impl Walk<'_> {
    fn within(&mut self, token: &str, walk: impl FnOnce(&mut Walk<'_>)) {
        let domain = self.domain;
        self.report.within(token, |report| walk(&mut Walk { report, domain }));
    }

    /// A closed object: every field of the table, and no other. What was meant by another name is not missing. Gives back the
    /// fields that are there, or were meant.
    fn fields<'f>(
        &mut self,
        object: &Map<String, Value>,
        fields: impl Iterator<Item = &'f Field> + Clone,
        others: Others,
    ) -> BTreeSet<&'static str> {
        let known: Vec<&'static str> = fields.clone().map(|field| field.name).collect();
        let mut present: BTreeSet<&str> = known.iter().copied().filter(|name| object.contains_key(*name)).collect();
        let strange = object.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        let mut meant = Vec::new();
        for (name, value) in strange {
            let slip = slip::field(name, value, object, &known).filter(|slip| slip.is_new(&present));
            present.extend(slip.iter().flat_map(|slip| slip.names(value, &known)));
            meant.push((name, slip));
        }
        for field in fields {
            match object.get(field.name) {
                Some(value) => self.within(field.name, |walk| walk.value(value, field)),
                None if field.required && !present.contains(field.name) => self.missing(field),
                None => {}
            }
        }
        let told = |(name, slip): &(&String, Option<Slip>)| match others {
            Others::Unknown => true,
            Others::Unjudged => slip.is_some() && !StepShape::is_payload(name),
        };
        for (name, slip) in meant.into_iter().filter(told) {
            self.within(name, |walk| walk.unknown(name, slip, &known));
        }
        present
    }

    fn missing(&mut self, field: &Field) {
        self.within(field.name, |walk| {
            let message = format!("the field `{}` is missing", field.name);
            let hint = match field.kind {
                Kind::Const(text) => format!("add `\"{}\": \"{text}\"`", field.name),
                _ => format!("add `{}`: {}", field.name, field.about),
            };
            walk.report.schema(message, hint);
        });
    }

    fn unknown(&mut self, name: &str, slip: Option<Slip>, known: &[&'static str]) {
        let quoted = excerpt(name, QUOTED);
        let hint = match slip {
            Some(Slip::Renamed(meant)) => format!("rename `{quoted}` to `{meant}`"),
            Some(Slip::Wrapped) => format!("take what is in `{quoted}` out of it, and leave `{quoted}` out"),
            Some(Slip::LooseEdit) => {
                "put the pair into a list: `\"edits\": [{\"find\": \"…\", \"replace\": \"…\"}]`".to_owned()
            }
            None if slip::COMPUTED.contains(&name) => {
                format!("leave `{name}` out: it is computed here, never taken from a proposal")
            }
            None => format!("leave `{quoted}` out; known here: {}", listed(known.iter().copied())),
        };
        self.report.schema(format!("unknown field `{quoted}`"), hint);
    }

    fn value(&mut self, value: &Value, field: &Field) {
        match field.kind {
            Kind::Const(expected) => self.constant(value, expected),
            Kind::Text(most) => self.text(value, most, field),
            Kind::Id => self.text(value, NAME, field),
            Kind::Raw => self.string(value, usize::MAX, field),
            Kind::NonEmpty(most) => self.string(value, most, field),
            Kind::Choice(choices) => self.choice(value, choices, field),
            Kind::Base64(_) => self.base64(value, field),
            Kind::Digest => self.digest(value, field),
            Kind::Count => self.integer(value, 0, field),
            Kind::Ordinal => self.integer(value, 1, field),
            Kind::Texts { most, bytes } => self.texts(value, most, bytes, field),
            Kind::TextOrTexts { most, bytes } => self.text_or_texts(value, most, bytes, field),
            Kind::Free(most) => self.free(value, most, field),
            Kind::Object(shape) => self.shape(value, shape, field),
            Kind::Objects(shape, most) => {
                self.few(value, most, field);
                self.shapes(value, shape, field);
            }
            Kind::SomeObjects(shape) => {
                self.shapes(value, shape, field);
                self.not_empty(value, field);
            }
            Kind::Intent => self.intent(value, field),
            Kind::StepType => self.text(value, NAME, field),
            Kind::Steps => self.steps(value, field),
        }
    }

    fn wrong_type(&mut self, expected: &str, value: &Value, field: &Field) {
        let hint =
            slip::form(expected, value, field.name).unwrap_or_else(|| format!("`{}`: {}", field.name, field.about));
        let hint = match value {
            Value::Null if !field.required => format!("leave `{}` out if there is nothing to say", field.name),
            _ => hint,
        };
        self.report.schema(format!("expected {expected}, found {}", type_name(value)), hint);
    }

    fn string(&mut self, value: &Value, most: usize, field: &Field) {
        match value {
            Value::String(text) if text.is_empty() && matches!(field.kind, Kind::NonEmpty(_)) => self.empty(field),
            Value::String(text) => self.short(text.len(), most, field),
            other => self.wrong_type("a string", other, field),
        }
    }

    fn text(&mut self, value: &Value, most: usize, field: &Field) {
        match value {
            Value::String(text) if text.trim().is_empty() => self.empty(field),
            Value::String(text) => self.short(text.len(), most, field),
            other => self.wrong_type("a string", other, field),
        }
    }

    /// No longer than its cap.
    fn short(&mut self, bytes: usize, most: usize, field: &Field) {
        if bytes > most {
            let message = format!("`{}` has {bytes} bytes; at most {most} are allowed", field.name);
            self.report.schema(message, format!("shorten `{}`", field.name));
        }
    }

    /// No more items than its cap.
    fn few(&mut self, value: &Value, most: usize, field: &Field) {
        let items = value.as_array().map_or(0, Vec::len);
        if items > most {
            let message = format!("`{}` has {items} items; at most {most} are allowed", field.name);
            self.report.schema(message, "leave some out, or split the work into several plans");
        }
    }

    fn free(&mut self, value: &Value, most: usize, field: &Field) {
        if self.object(value, field).is_some() {
            self.short(compact_len(value), most, field);
        }
    }

    fn empty(&mut self, field: &Field) {
        let message = format!("`{}` is empty", field.name);
        self.report.schema(message, format!("`{}`: {}", field.name, field.about));
    }

    fn constant(&mut self, value: &Value, expected: &str) {
        if value.as_str() != Some(expected) {
            self.report
                .schema(format!("expected `{expected}`, found {}", shown(value)), format!("write \"{expected}\""));
        }
    }

    fn choice(&mut self, value: &Value, choices: &[&str], field: &Field) {
        match value.as_str() {
            Some(text) if choices.contains(&text) => {}
            Some(text) => {
                let message = format!("`{}` cannot be {}", field.name, shown(value));
                let similar = nearest(text, choices.iter().copied(), 1);
                let hint = match similar.first() {
                    Some(similar) => format!("write `{similar}`"),
                    None => format!("use one of {}", listed(choices.iter().copied())),
                };
                self.report.schema(message, hint);
            }
            None => self.wrong_type("a string", value, field),
        }
    }

    fn base64(&mut self, value: &Value, field: &Field) {
        let Some(encoded) = value.as_str() else { return self.wrong_type("a string", value, field) };
        if let Err(why) = payload::bytes(encoded) {
            self.report.add(Code::PayloadInvalid, format!("`{}` {why}", field.name), why.hint());
        }
    }

    fn digest(&mut self, value: &Value, field: &Field) {
        match value.as_str() {
            Some(text) if Digest::parse(text).is_ok() => {}
            Some(_) => self.report.schema("not a SHA-256 digest", "write 64 lower-case hexadecimal digits"),
            None => self.wrong_type("a string", value, field),
        }
    }

    fn integer(&mut self, value: &Value, least: u64, field: &Field) {
        match value.as_u64() {
            Some(number) if number >= least => {}
            _ if value.is_number() => {
                let message = format!("expected an integer from {least}, found {value}");
                self.report.schema(message, format!("`{}`: {}", field.name, field.about));
            }
            _ => self.wrong_type("an integer", value, field),
        }
    }

    fn items<'v>(&mut self, value: &'v Value, field: &Field) -> &'v [Value] {
        match value {
            Value::Array(items) => items,
            other => {
                self.wrong_type("an array", other, field);
                &[]
            }
        }
    }

    fn object<'v>(&mut self, value: &'v Value, field: &Field) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.wrong_type("an object", value, field);
        }
        value.as_object()
    }

    fn texts(&mut self, value: &Value, most: usize, bytes: usize, field: &Field) {
        self.few(value, most, field);
        for (index, item) in self.items(value, field).iter().enumerate() {
            self.within(&index.to_string(), |walk| walk.text(item, bytes, field));
        }
    }

    fn text_or_texts(&mut self, value: &Value, most: usize, bytes: usize, field: &Field) {
        if value.is_array() {
            self.texts(value, most, bytes, field);
        } else {
            self.text(value, bytes, field);
        }
    }

    fn not_empty(&mut self, value: &Value, field: &Field) {
        if value.as_array().is_some_and(Vec::is_empty) {
            self.empty(field);
        }
    }

    fn shape(&mut self, value: &Value, shape: &'static Shape, field: &Field) {
        if let Some(object) = self.object(value, field) {
            self.fields(object, shape.fields.iter(), Others::Unknown);
        }
    }

    fn shapes(&mut self, value: &Value, shape: &'static Shape, field: &Field) {
        for (index, item) in self.items(value, field).iter().enumerate() {
            self.within(&index.to_string(), |walk| walk.shape(item, shape, field));
        }
    }

    fn intent(&mut self, value: &Value, field: &Field) {
        let Some(name) = value.as_str() else { return self.wrong_type("a string", value, field) };
        if IntentKind::parse(name).is_some() {
            return;
        }
        let known = || IntentKind::CLOSED.iter().map(|(name, _)| *name);
        let similar = nearest(name, known(), 3);
        let names = if similar.is_empty() { known().collect() } else { similar };
        let hint = format!("nearest: {}; a site plan names its skill, such as `wp.content.audit`", listed(names));
        self.report.add(Code::IntentUnknown, format!("there is no intent {}", shown(value)), hint);
    }

    fn steps(&mut self, value: &Value, field: &Field) {
        for (index, item) in self.items(value, field).iter().enumerate() {
            let domain = self.domain;
            let id = item.get("id").and_then(Value::as_str);
            self.report.within(&index.to_string(), |report| {
                report.in_step(id, |report| Walk { report, domain }.step(item, field));
            });
        }
    }

    fn step(&mut self, value: &Value, field: &Field) {
        let Some(step) = self.object(value, field) else { return };
        let name = self.type_name(step);
        let known = name.and_then(StepShape::find);
        // Of a type by another name it is known which fields belong; the type itself is told all the same.
        let Some(shape) = known.or_else(|| name.and_then(slip::step_type).and_then(StepShape::find)) else {
            // Without a known type nobody can tell which other fields belong.
            self.fields(step, STEP.iter(), Others::Unjudged);
            name.into_iter().for_each(|name| self.unknown_type(name));
            return;
        };
        if name != Some(shape.name) {
            name.into_iter().for_each(|name| self.unknown_type(name));
        }
        let present = self.fields(step, STEP.iter().chain(&shape.payload), Others::Unknown);
        self.one_of(&present, &shape);
        self.not_both(&present, &shape);
        self.domain(&shape);
    }

    /// What a step says its type is, under whatever name.
    fn type_name<'s>(&self, step: &'s Map<String, Value>) -> Option<&'s str> {
        let meant = |(name, value): &(&String, &Value)| {
            slip::field(name, value, step, &["type"]) == Some(Slip::Renamed("type"))
        };
        let value = step.get("type").or_else(|| step.iter().find(meant).map(|(_, value)| value))?;
        value.as_str().filter(|name| !name.trim().is_empty())
    }

    fn unknown_type(&mut self, name: &str) {
        let hint = match (slip::step_type(name), slip::no_step(name)) {
            (Some(meant), _) => format!("write `{meant}`"),
            (None, Some(instead)) => instead.to_owned(),
            (None, None) => {
                let similar = nearest(name, StepShape::names(), 1);
                let guess = similar.first().map_or_else(String::new, |similar| format!("did you mean `{similar}`? "));
                let of_domain = |name: &&str| {
                    let shape = StepShape::find(name);
                    self.domain.is_none_or(|domain| shape.is_some_and(|shape| shape.domain == domain))
                };
                format!("{guess}known: {}", listed(StepShape::names().filter(of_domain)))
            }
        };
        self.within("type", |walk| {
            walk.report.schema(format!("there is no step type `{}`", excerpt(name, QUOTED)), hint);
        });
    }

    fn one_of(&mut self, present: &BTreeSet<&'static str>, shape: &StepShape) {
        let forms: Vec<&str> = shape.one_of.iter().copied().filter(|name| present.contains(name)).collect();
        if forms.len() == 1 || shape.one_of.is_empty() {
            return;
        }
        let names = listed(shape.one_of.iter().copied());
        let (found, hint) = match forms.first() {
            None => ("none".to_owned(), format!("add one of {names}")),
            Some(first) => (listed(forms.iter().copied()), format!("keep `{first}`, and leave the others out")),
        };
        let message = format!("a `{}` step has exactly one of {names}; this one has {found}", shape.name);
        self.report.schema(message, hint);
    }

    fn not_both(&mut self, present: &BTreeSet<&'static str>, shape: &StepShape) {
        let Some((first, second)) = shape.not_both.filter(|(a, b)| present.contains(a) && present.contains(b)) else {
            return;
        };
        let message = format!("a step with `{first}` has no `{second}`: the `{first}` says it");
        self.within(second, |walk| walk.report.schema(message, format!("leave `{second}` out")));
    }

    fn domain(&mut self, shape: &StepShape) {
        let Some(domain) = self.domain.filter(|domain| *domain != shape.domain) else { return };
        let message = format!("a `{}` step in a plan whose intent is for {}", shape.name, domain_name(domain));
        self.within("type", |walk| {
            walk.report.add(Code::DomainMixed, message, "split the work into one plan for each domain");
        });
    }
}

const fn domain_name(domain: Domain) -> &'static str {
    match domain {
        Domain::Files => "files",
        Domain::Autopilot => "autopilot primitives",
        Domain::Site => "site tools",
    }
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value as messages name it: strings quoted and cut, others by their type.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", excerpt(text, QUOTED)),
        other => type_name(other).to_owned(),
    }
}
