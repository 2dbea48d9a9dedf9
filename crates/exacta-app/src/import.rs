//! Patches that people already have become proposals.

use exacta_exec::ProjectRoot;
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::facts::Target;
use exacta_kernel::hash::Digest;
use exacta_kernel::import;
use exacta_kernel::parse::Refusal;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::IntentKind;
use std::borrow::Cow;

/// The forms that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `git diff` or `git format-patch`.
    Git,
    /// `*** Begin Patch`.
    Codex,
}

/// That a text is a patch, and what it is for.
#[derive(Debug, Clone)]
pub struct Patch {
    /// How it is written.
    pub form: Form,
    /// What kind of change it is.
    pub intent: IntentKind,
    /// What it is for; left out, its own subject says it.
    pub words: Option<String>,
}

/// The text of a proposal; of a patch, the one that does what the patch does. It is untrusted like any other, and goes the same
/// way.
///
/// # Errors
/// If the text is no such patch, or does something that steps cannot express.
pub(crate) fn proposal<'t>(
    text: &'t [u8],
    patch: Option<&Patch>,
    root: &ProjectRoot,
) -> Result<Cow<'t, [u8]>, Refusal> {
    let Some(patch) = patch else { return Ok(Cow::Borrowed(text)) };
    let mut lookup = |path: &RelPath| match root.fact(path, TARGET_CAP).target {
        Target::File(content) => Some(content),
        _ => None,
    };
    let request = import::Request { intent: patch.intent.clone(), text: patch.words.as_deref() };
    let made = match patch.form {
        Form::Git => import::git(text, &request, &mut lookup),
        Form::Codex => import::codex(text, &request, &mut lookup),
    };
    let refusal = |finding| Refusal { findings: vec![finding], text_sha256: Digest::of(text) };
    made.map(|made| Cow::Owned(made.into_bytes())).map_err(|error| refusal(error.into_finding()))
}
