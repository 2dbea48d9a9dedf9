//! Files before and after: what an agent did to a copy.

use super::{Draft, Drafted, ImportError, Request, description};
use crate::diff::Kind;
use crate::path::RelPath;
use crate::plan::Content;
use crate::prelude::*;
use crate::text;
use serde_json::{Map, Value};

/// One file as it is, and as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is.
    pub path: RelPath,
    /// None for a new one.
    pub before: Option<Content>,
    /// None for one that goes.
    pub after: Option<Content>,
}

impl FileChange {
    /// Whether it makes a file that is no text, so that its bytes travel in base64.
    #[must_use]
    pub fn carries_bytes(&self) -> bool {
        self.before.is_none() && self.after.as_ref().is_some_and(|after| !text::is_text(after.bytes()))
    }
}

/// Makes the text of a proposal: a step for each file, each for the file as it was seen.
///
/// # Errors
/// [`ImportError`] if there is no change, or one that no step can express.
pub fn tree(changes: &[FileChange], request: &Request<'_>) -> Result<String, ImportError> {
    let mut nothing = |_: &RelPath| None;
    let mut draft = Draft::new(&mut nothing);
    for change in changes {
        step(&mut draft, change)?;
    }
    if draft.steps.is_empty() {
        return Err(ImportError::Nothing("change"));
    }
    Ok(draft.finish(request, None))
}

/// The size of the step that a change takes, in bytes.
///
/// # Errors
/// As [`tree`].
pub fn size(change: &FileChange) -> Result<usize, ImportError> {
    let mut nothing = |_: &RelPath| None;
    let mut draft = Draft::new(&mut nothing);
    step(&mut draft, change)?;
    Ok(draft.finish(&Request { intent: crate::proposal::IntentKind::AddFeature, text: None }, None).len())
}

/// The fields of the step that makes a change, beside those that every step has.
///
/// # Errors
/// As [`tree`].
pub fn fields(change: &FileChange) -> Result<Map<String, Value>, ImportError> {
    let mut nothing = |_: &RelPath| None;
    let mut draft = Draft::new(&mut nothing);
    step(&mut draft, change)?;
    let fields = draft.steps.iter().flat_map(Drafted::fields);
    Ok(fields.map(|(name, value)| (name.to_owned(), value)).collect())
}

fn step(draft: &mut Draft<'_>, change: &FileChange) -> Result<(), ImportError> {
    let path = &change.path;
    let words = |kind| description(kind, path.as_str()).replace(" as the patch says", "");
    match (&change.before, &change.after) {
        (None, None) => return Ok(()),
        (None, Some(after)) => draft.add_new(path, after, 1, words(Kind::Create))?,
        (Some(_), None) => draft.add(Kind::Delete, path.as_str(), None, words(Kind::Delete)),
        (Some(before), Some(after)) => draft.add_change(path, before, after, 1, words(Kind::Modify))?,
    }
    if let (Some(before), Some(step)) = (&change.before, draft.steps.last_mut()) {
        step.base = Some(before.sha256());
    }
    Ok(())
}
