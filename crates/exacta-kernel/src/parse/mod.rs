//! Text → proposal: strict, and with every reason why not.
//!
//! Size and encoding first, then the one JSON object ([`fence`]), the strict reader ([`crate::json`]), the table of fields
//! ([`verify`]), the rules between fields ([`rules`]), and only then the types ([`decode`]).

mod decode;
mod fence;
mod nearest;
mod report;
mod rules;
mod verify;

use crate::finding::{Code, Finding};
use crate::hash::Digest;
use crate::json::{self, JsonError};
use crate::kept;
use crate::prelude::*;
use crate::proposal::Proposal;
use report::Report;
use serde_json::{Map, Value};

/// The largest text that is read, in bytes.
pub const MAX_PLAN: usize = 8 << 20;
/// The largest step, in bytes of compact JSON.
pub const MAX_STEP: usize = 1 << 20;

/// A text that is not a proposal. It is recorded too: its codes, and the hash of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Everything that is wrong; never empty.
    pub findings: Vec<Finding>,
    /// SHA-256 of the text as it came.
    pub text_sha256: Digest,
}

impl Refusal {
    /// A text that is too large to be looked into.
    #[must_use]
    pub fn too_large(size: u64, text_sha256: Digest) -> Self {
        Self { findings: vec![too_large(size)], text_sha256 }
    }
}

/// Reads a proposal from what an AI or agent sent.
///
/// # Errors
/// [`Refusal`] with every finding: if the text is not one JSON object, the one reason why; else all that is wrong in it.
pub fn parse(text: &[u8]) -> Result<Proposal, Refusal> {
    read(text).map_err(|findings| Refusal { findings, text_sha256: Digest::of(text) })
}

/// Reads a proposal from the record, which may keep a change in a form that nobody can send ([`crate::kept`]).
///
/// # Errors
/// As [`parse`].
pub fn parse_kept(text: &[u8]) -> Result<Proposal, Refusal> {
    read_kept(text).map_err(|findings| Refusal { findings, text_sha256: Digest::of(text) })
}

fn read_kept(text: &[u8]) -> Result<Proposal, Vec<Finding>> {
    let read_text = utf8(text).map_err(|finding| vec![finding])?;
    let document = object(read_text)?;
    let Some((plain, changes)) = kept::split(&document) else { return read(text) };
    let mut proposal = verified(plain, 0)?;
    kept::put_back(&mut proposal, changes);
    proposal.document = document;
    Ok(proposal)
}

fn read(text: &[u8]) -> Result<Proposal, Vec<Finding>> {
    let text = decoded(text).map_err(|finding| vec![finding])?;
    verified(object(text)?, text.len())
}

fn verified(document: Map<String, Value>, text_len: usize) -> Result<Proposal, Vec<Finding>> {
    let mut report = Report::default();
    verify::proposal(&document, &mut report);
    rules::check(&document, text_len, &mut report);
    report.into_result()?;
    decode::proposal(document).ok_or_else(|| {
        let message = "the proposal passed the table of fields but could not be decoded";
        vec![Finding::new(Code::SchemaInvalid, message, "report this proposal as a defect of exacta").at("")]
    })
}

fn decoded(text: &[u8]) -> Result<&str, Finding> {
    if text.len() > MAX_PLAN {
        return Err(too_large(text.len() as u64));
    }
    utf8(text)
}

fn utf8(text: &[u8]) -> Result<&str, Finding> {
    core::str::from_utf8(text).map_err(|error| {
        let message = format!("the text is not UTF-8: invalid byte at offset {}", error.valid_up_to());
        Finding::new(Code::NotUtf8, message, "send the proposal as UTF-8")
    })
}

fn too_large(size: u64) -> Finding {
    let message = format!("the text has {size} bytes; a plan has at most 8 MiB");
    Finding::new(Code::TooLarge, message, "split the work into several plans")
}

fn object(text: &str) -> Result<Map<String, Value>, Vec<Finding>> {
    let located = fence::locate(text).map_err(|finding| vec![finding])?;
    match json::read(located.object) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(vec![Finding::new(Code::ParseNonjson, "the JSON is not an object", "send one JSON object")]),
        Err(JsonError::Syntax { message, line, column }) => {
            let column = if line == 1 { column + located.columns } else { column };
            let message = format!("broken JSON: {message} at line {} column {column}", line + located.lines);
            let hint = "send one complete JSON object and nothing after it";
            Err(vec![Finding::new(Code::ParseNonjson, message, hint)])
        }
        Err(JsonError::Data(faults)) => Err(faults.into_iter().map(fault).collect()),
    }
}

fn fault(fault: json::Fault) -> Finding {
    Finding::new(Code::SchemaInvalid, fault.problem.message(), fault.problem.hint()).at(fault.pointer)
}
