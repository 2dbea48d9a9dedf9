//! Where an effect of mail belongs, by its name.

use exacta_effect::{Fault, Trace};
use exacta_kernel::effect::{APPEND_DRAFT, ARCHIVE, SEND};
use exacta_kernel::facts::FileState;
use exacta_kernel::hash::Digest;

/// What an effect is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place<'t> {
    pub(super) account: &'t str,
    pub(super) what: What<'t>,
    /// Of the message.
    pub(super) sha256: Digest,
    pub(super) size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What<'t> {
    /// `mail/ACCOUNT/sent/RUN/STEP.eml`
    Send { run: &'t str, step: &'t str },
    /// `mail/ACCOUNT/drafts/RUN/STEP.eml`
    Draft { run: &'t str, step: &'t str },
    /// `mail/ACCOUNT/archive/UIDVALIDITY/UID.eml`
    Archive { validity: u32, uid: u32 },
}

impl<'t> Place<'t> {
    pub(super) fn of(trace: &'t Trace) -> Result<Self, Fault> {
        let bad = || Fault(format!("`{}` is no place of `{}`", trace.place, trace.act));
        let FileState::File { sha256, size, .. } = trace.after else { return Err(bad()) };
        let parts: Vec<&str> = trace.place.as_str().split('/').collect();
        let ["mail", account, kind, first, file] = parts.as_slice() else { return Err(bad()) };
        let (first, second) = (*first, file.strip_suffix(".eml").ok_or_else(bad)?);
        let what = match (trace.act.as_str(), *kind) {
            (SEND, "sent") if is_plain(first) && is_plain(second) => What::Send { run: first, step: second },
            (APPEND_DRAFT, "drafts") if is_plain(first) && is_plain(second) => What::Draft { run: first, step: second },
            (ARCHIVE, "archive") => {
                What::Archive { validity: number(first).ok_or_else(bad)?, uid: number(second).ok_or_else(bad)? }
            }
            _ => return Err(bad()),
        };
        Ok(Self { account, what, sha256, size })
    }
}

/// What the own Message-ID of a run's step begins with, after `<`.
pub(super) fn message_id(run: &str, step: &str) -> String {
    format!("{run}.{step}@")
}

/// Whether a name can be written between quotes in a command, and is not empty.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= 128 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A number that is not zero, written as numbers are.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| *number > 0 && number.to_string() == text)
}
