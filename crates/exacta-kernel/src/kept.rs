//! How a proposal is kept: as it came, unless a change in it quotes a secret of the file that it changes.
//!
//! A diff quotes the lines it removes and those around them, an edit the text it looks for, a whole new content every line that
//! stays. Where the file holds a secret, such a change is kept by places instead: which bytes of the file stay, and what comes
//! between them. The plan that is derived from it is the same, byte for byte and hash for hash, as long as the file is.

use crate::diff::{Piece, heads};
use crate::hash::canonical_json;
use crate::places::{Part, Places};
use crate::plan::{Effect, Plan};
use crate::prelude::*;
use crate::proposal::{Action, Payload, Proposal, Step};
use crate::secret;
use alloc::borrow::Cow;
use core::ops::Range;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The field of a step that holds its change by places. No proposal from outside may have it.
pub(crate) const FIELD: &str = "kept";

/// The text of a proposal as it may be kept; `None` where nothing of it may be. What is not valid is never derived again, so of a
/// step that could not be turned into bytes nothing is kept if it holds a secret.
///
/// # Errors
/// Only where canonical JSON cannot be written, which the strict reader rules out.
pub fn text<'t>(plan: &Plan, text: &'t [u8]) -> Result<Option<Cow<'t, [u8]>>, serde_json::Error> {
    let proposal = plan.proposal();
    let mut steps = BTreeMap::new();
    for (index, step) in proposal.steps.iter().enumerate().filter(|(_, step)| step.action.is_file()) {
        match plan.effects().iter().find(|effect| effect.step == index) {
            Some(effect) if quotes_secret(step, effect) => drop(steps.insert(index, places(effect))),
            None if texts(step).iter().any(|text| !secret::find(text).is_empty()) => {
                return Ok(None);
            }
            _ => {}
        }
    }
    if steps.is_empty() {
        return Ok(Some(Cow::Borrowed(text)));
    }
    let mut document = proposal.document.clone();
    for (index, change) in steps {
        let step = document.get_mut("steps").and_then(|steps| steps.get_mut(index)).and_then(Value::as_object_mut);
        let Some(step) = step else { return Ok(None) };
        step.retain(|name, _| !matches!(name.as_str(), "diff" | "edits" | "content" | "mode"));
        if let Some(change) = change {
            step.insert(FIELD.to_owned(), serde_json::to_value(change)?);
        }
    }
    canonical_json(&document).map(|text| Some(Cow::Owned(text)))
}

/// A document without its changes by places, as the table of fields knows it, and those changes; `None` where there are none.
pub(crate) fn split(document: &Map<String, Value>) -> Option<(Map<String, Value>, BTreeMap<usize, Places>)> {
    let mut plain = document.clone();
    let mut changes = BTreeMap::new();
    for (index, step) in plain.get_mut("steps")?.as_array_mut()?.iter_mut().enumerate() {
        let Some(step) = step.as_object_mut() else { continue };
        let Some(change) = step.get(FIELD).and_then(|change| Places::deserialize(change).ok()) else { continue };
        step.remove(FIELD);
        step.insert("content".to_owned(), Value::String(String::new()));
        changes.insert(index, change);
    }
    (!changes.is_empty()).then_some((plain, changes))
}

/// Gives the steps of a proposal the changes that [`split`] took out.
pub(crate) fn put_back(proposal: &mut Proposal, changes: BTreeMap<usize, Places>) {
    for (index, change) in changes {
        if let Some(step) = proposal.steps.get_mut(index)
            && matches!(step.action, Action::FileModify(_))
        {
            step.action = Action::FileModify(Payload::Kept(change));
        }
    }
}

/// The places of a step that changes a file. One that deletes it needs none.
fn places(effect: &Effect) -> Option<Places> {
    let (before, after) = (effect.before.as_deref()?, effect.after.as_deref()?);
    let come = |place: Range<usize>| {
        let bytes = after.bytes().get(place).unwrap_or_default();
        core::str::from_utf8(bytes).map_or_else(|_| Part::Bytes(bytes.to_vec()), |text| Part::Comes(text.to_owned()))
    };
    let parts = effect.pieces().into_iter().map(|piece| match piece {
        Piece::Kept(place) => Part::Stays(place.start, place.end),
        Piece::New(place) => come(place),
    });
    Some(Places::new(before.sha256(), after.is_executable(), parts.collect()))
}

/// Whether a change quotes a secret of its file, or could quote a part of one.
fn quotes_secret(step: &Step, effect: &Effect) -> bool {
    let Some(before) = effect.before.as_deref() else { return false };
    let quoted = match &step.action {
        Action::FileModify(Payload::Edits(edits)) => {
            edits.iter().map(|edit| Cow::Borrowed(edit.find.as_str())).collect()
        }
        Action::FileModify(Payload::Diff(diff)) | Action::FileDelete { diff: Some(diff) } => {
            vec![old_lines(diff), Cow::Owned(heads(diff).collect::<Vec<_>>().join("\n"))]
        }
        Action::FileModify(Payload::Content(_)) => Vec::new(),
        _ => return false,
    };
    !secret::find(before.bytes()).is_empty() || quoted.iter().any(|text| !secret::find(text.as_bytes()).is_empty())
}

/// The lines of a diff that are not new.
fn old_lines(diff: &str) -> Cow<'_, str> {
    let old = diff.lines().filter(|line| !line.starts_with('+')).map(|line| line.get(1..).unwrap_or_default());
    Cow::Owned(old.collect::<Vec<_>>().join("\n"))
}

/// Every text of a change, as it came.
fn texts(step: &Step) -> Vec<&[u8]> {
    match &step.action {
        Action::FileCreate(payload) | Action::FileModify(payload) => match payload {
            Payload::Diff(text) | Payload::Content(text) => vec![text.as_bytes()],
            Payload::Bytes(bytes) => vec![bytes],
            Payload::Edits(edits) => {
                edits.iter().flat_map(|edit| [edit.find.as_bytes(), edit.replace.as_bytes()]).collect()
            }
            Payload::Kept(_) => Vec::new(),
        },
        Action::FileDelete { diff } => diff.iter().map(String::as_bytes).collect(),
        _ => Vec::new(),
    }
}
