//! Text → proposal: strict, and with every reason why not.
//!
//! Size and encoding first, then the one JSON object ([`fence`]), the strict reader ([`crate::json`]), the table of fields
//! ([`verify`]), the rules between fields ([`rules`]), and only then the types ([`decode`]). What may be left out is filled in on
//! the way ([`fill`]).

mod broken;
mod decode;
mod fence;
mod fill;
mod nearest;
mod payload;
mod report;
mod rules;
mod slip;
mod verify;

use crate::finding::{Code, Finding};
use crate::hash::Digest;
use crate::json::{self, JsonError};
use crate::kept;
use crate::limit;
use crate::policy::caps::{self, Caps};
use crate::prelude::*;
use crate::proposal::{IntentKind, Payload, Proposal, Step};
use report::Report;
use serde_json::{Map, Value};

/// How large a proposal may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the whole text.
    pub plan: u64,
    /// Bytes of one step, as compact JSON.
    pub step: u64,
}

impl Size {
    /// Where no policy says otherwise, and for what a model of ours made.
    pub const DEFAULT: Self = Self { plan: 8 << 20, step: 1 << 20 };
    /// The most that any policy allows.
    pub const MOST: Self = Self { plan: 64 << 20, step: 64 << 20 };

    /// What a policy allows for plans that are submitted from outside.
    #[must_use]
    pub const fn of(caps: &Caps) -> Self {
        Self { plan: caps.submitted_bytes, step: caps.submitted_step_bytes }
    }

    /// What one step may have. One that carries a file as bytes may have more, as far as an operator did not lower the limit.
    #[must_use]
    pub fn of_step(self, carries_bytes: bool) -> u64 {
        let raised = carries_bytes && self.step >= Self::DEFAULT.step;
        if raised { self.step.max(limit::BINARY_STEP) } else { self.step }
    }

    /// The same for a proposal that may come from a model of ours, whose size no policy raises.
    fn for_intent(self, document: &Map<String, Value>) -> Self {
        let intent = document.get("intent").and_then(|intent| intent.get("type")).and_then(Value::as_str);
        if intent != Some(IntentKind::Custom.name()) {
            return self;
        }
        Self { plan: self.plan.min(Self::DEFAULT.plan), step: self.step.min(Self::DEFAULT.step) }
    }
}

/// A text that is not a proposal. It is recorded too: its codes, and the hash of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Everything that is wrong; never empty.
    pub findings: Vec<Finding>,
    /// SHA-256 of the text as it came.
    pub text_sha256: Digest,
}

impl Refusal {
    /// A text that is larger than this, if it is; for one that is not read as a proposal right away.
    #[must_use]
    pub fn of_size(text: &[u8], size: Size) -> Option<Self> {
        let over = text.len() as u64 > size.plan;
        let findings = || vec![too_large(text.len() as u64, size.plan)];
        over.then(|| Self { findings: findings(), text_sha256: Digest::of(text) })
    }

    /// A text that is larger than any policy allows, so that nobody looked into it.
    #[must_use]
    pub fn too_large(size: u64, text_sha256: Digest) -> Self {
        Self { findings: vec![too_large(size, Size::MOST.plan)], text_sha256 }
    }
}

/// Reads a proposal from what an AI or agent sent, of the size that holds where no policy says otherwise.
///
/// # Errors
/// [`Refusal`] with every finding: if the text is not one JSON object, the one reason why; else all that is wrong in it.
pub fn parse(text: &[u8]) -> Result<Proposal, Refusal> {
    parse_within(text, Size::DEFAULT)
}

/// The one JSON object that a text is, raw or in one fenced `json` block, as every proposal is read; not yet held against any format.
///
/// # Errors
/// Every reason why it is none.
pub fn parse_object(text: &str) -> Result<Map<String, Value>, Vec<Finding>> {
    object(text)
}

/// Reads a proposal from the record, which may keep a change in a form that nobody can send ([`crate::kept`]). What was read once
/// is read again, whatever size a policy allows now.
///
/// # Errors
/// As [`parse`].
pub fn parse_kept(text: &[u8]) -> Result<Proposal, Refusal> {
    read_kept(text).map_err(|findings| Refusal { findings, text_sha256: Digest::of(text) })
}

fn read_kept(text: &[u8]) -> Result<Proposal, Vec<Finding>> {
    let read_text = utf8(text).map_err(|finding| vec![finding])?;
    let document = object(read_text)?;
    let Some((plain, changes)) = kept::split(&document) else { return read(text, Size::MOST) };
    let mut proposal = verified(plain, None)?;
    kept::put_back(&mut proposal, changes);
    proposal.document = document;
    Ok(proposal)
}

/// Reads a proposal of at most this size.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(text: &[u8], size: Size) -> Result<Proposal, Refusal> {
    read(text, size).map_err(|findings| Refusal { findings, text_sha256: Digest::of(text) })
}

/// The steps of a refused text that are well formed by themselves, with their places in the list: so that what is wrong with their
/// targets can be told together with what is wrong elsewhere. A file that several steps name is left out, since nobody can tell in
/// which state a later one finds it. Nothing is ever done with these steps but that.
#[must_use]
pub fn readable(text: &[u8]) -> Vec<(usize, Step)> {
    let document = utf8(text).ok().and_then(|text| object(text).ok());
    let Some(mut document) = document else { return Vec::new() };
    fill::names(&mut document);
    let steps = document.get("steps").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let target = |step: &Value| step.get("target").and_then(Value::as_str).map(ToOwned::to_owned);
    let mut named: BTreeMap<Option<String>, usize> = BTreeMap::new();
    steps.iter().for_each(|step| *named.entry(target(step)).or_default() += 1);
    let alone = |step: &&Value| named.get(&target(step)) == Some(&1);
    let whole = steps.iter().enumerate().filter(|(_, step)| alone(step));
    whole
        .filter_map(|(index, step)| Some((index, verify::is_step(step).then(|| decode::lone_step(step)).flatten()?)))
        .collect()
}

/// What a step says becomes of its file, for steps that were written here.
#[must_use]
pub fn payload(step: &Value) -> Option<Payload> {
    decode::change(step.as_object()?)
}

/// What of a proposal is too large; empty if nothing is. For one that was read when the policy allowed more.
#[must_use]
pub fn oversize(proposal: &Proposal, text: &[u8], size: Size) -> Vec<Finding> {
    let mut report = Report::default();
    rules::sizes(&proposal.document, text.len(), size.for_intent(&proposal.document), &mut report);
    report.into_result().err().unwrap_or_default()
}

fn read(text: &[u8], size: Size) -> Result<Proposal, Vec<Finding>> {
    let text = decoded(text, size).map_err(|finding| vec![finding])?;
    verified(object(text)?, Some((text.len(), size)))
}

/// The proposal that a document is, with the length of its text and the size it may have, where that counts.
fn verified(mut document: Map<String, Value>, bound: Option<(usize, Size)>) -> Result<Proposal, Vec<Finding>> {
    let mut report = Report::default();
    fill::names(&mut document);
    verify::proposal(&document, &mut report);
    rules::check(&document, &mut report);
    if let Some((length, size)) = bound {
        rules::sizes(&document, length, size.for_intent(&document), &mut report);
    }
    report.into_result()?;
    fill::order(&mut document);
    decode::proposal(document).ok_or_else(|| {
        let message = "the proposal passed the table of fields but could not be decoded";
        vec![Finding::new(Code::SchemaInvalid, message, "report this proposal as a defect of exacta").at("")]
    })
}

fn decoded(text: &[u8], size: Size) -> Result<&str, Finding> {
    if text.len() as u64 > size.plan {
        return Err(too_large(text.len() as u64, size.plan));
    }
    utf8(text)
}

fn utf8(text: &[u8]) -> Result<&str, Finding> {
    core::str::from_utf8(text).map_err(|error| {
        let message = format!("the text is not UTF-8: invalid byte at offset {}", error.valid_up_to());
        Finding::new(Code::NotUtf8, message, "send the proposal as UTF-8")
    })
}

fn too_large(size: u64, most: u64) -> Finding {
    let message = format!("the text has {size} bytes; a plan has at most {most}");
    let hint = format!("split the work into several plans; {}", caps::way("submitted_bytes", most));
    Finding::new(Code::TooLarge, message, hint)
}

fn object(text: &str) -> Result<Map<String, Value>, Vec<Finding>> {
    let located = fence::locate(text).map_err(|finding| vec![finding])?;
    match json::read(located.object) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(vec![Finding::new(Code::ParseNonjson, "the JSON is not an object", "send one JSON object")]),
        Err(JsonError::Syntax { message, line, column }) => {
            let hint = broken::hint(&message, located.object, line, column);
            let column = if line == 1 { column + located.columns } else { column };
            let message = format!("broken JSON: {message} at line {} column {column}", line + located.lines);
            Err(vec![Finding::new(Code::ParseNonjson, message, hint)])
        }
        Err(JsonError::Data(faults)) => Err(faults.into_iter().map(fault).collect()),
    }
}

fn fault(fault: json::Fault) -> Finding {
    Finding::new(Code::SchemaInvalid, fault.problem.message(), fault.problem.hint()).at(fault.pointer)
}
