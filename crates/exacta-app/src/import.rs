//! Patches that people already have become proposals.

use crate::app::Options;
use crate::error::{Error, Exit};
use exacta_exec::ProjectRoot;
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::facts::Target;
use exacta_kernel::import::{self, Request};
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::IntentKind;

/// The forms that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `git diff` or `git format-patch`.
    Git,
    /// `*** Begin Patch`.
    Codex,
}

/// The text of a proposal that does what a patch does. It is untrusted like any other, and goes the same way.
///
/// `words` say what the patch is for; left out, its own subject does.
///
/// # Errors
/// If the text is no such patch, or does something that steps cannot express.
pub fn import(
    options: &Options,
    form: Form,
    patch: &[u8],
    intent: IntentKind,
    words: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let path = options.root()?;
    let root = ProjectRoot::open(&path).map_err(|error| Error::fault("project_unusable", error.to_string()))?;
    let mut lookup = |path: &RelPath| match root.fact(path, TARGET_CAP).target {
        Target::File(content) => Some(content),
        _ => None,
    };
    let request = Request { intent, text: words };
    let text = match form {
        Form::Git => import::git(patch, &request, &mut lookup),
        Form::Codex => import::codex(patch, &request, &mut lookup),
    };
    text.map(String::into_bytes).map_err(|error| {
        let finding = error.into_finding();
        Error::new(Exit::Denied, finding.code.as_str(), finding.message).hint(finding.hint)
    })
}
