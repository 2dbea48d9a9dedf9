//! `git diff` and `git format-patch`, one file or many, one mail or a series.

use super::{Draft, ImportError, Lookup, Request, misfit, rel_path, text_of, utf8};
use crate::diff::header::Header;
use crate::diff::parse::{self, Patch, Reader};
use crate::diff::{self, Form, Kind, name};
use crate::prelude::*;
use crate::proposal::Payload;
use crate::text;

/// Makes the text of a proposal from a git patch: a step for each file, two for a renamed one.
///
/// # Errors
/// [`ImportError`] if the text is not a patch, or does something that steps cannot express.
pub fn git<'l>(patch: &[u8], request: &Request<'_>, lookup: &'l mut Lookup<'l>) -> Result<String, ImportError> {
    let mut draft = Draft::new(lookup);
    let mut reader = Reader::new(patch);
    let mut words = Words::default();
    // A rename or copy is of the file as it was before the mail, whatever else the mail does to it.
    let mut mail = 0;
    while let Some(line) = reader.peek() {
        if begins_file(line, reader.rest) {
            words.seen_file = true;
            one_file(&mut reader, &mut draft, mail)?;
            check_end(&reader)?;
        } else {
            words.read(line, &reader)?;
            if line.starts_with(b"From ") {
                mail = draft.steps.len();
            }
            reader.next();
        }
    }
    if draft.steps.is_empty() {
        return Err(ImportError::Nothing("git patch"));
    }
    Ok(draft.finish(request, words.subject.as_deref()))
}

/// Whether a file's diff begins here: with git's line, or without it, but then with both names.
fn begins_file(line: &[u8], rest: &[u8]) -> bool {
    let after = || rest.get(line.len() + 1..).unwrap_or_default();
    line.starts_with(b"diff --git ") || (line.starts_with(b"--- ") && after().starts_with(b"+++ "))
}

/// What stands around the diffs: mail headers, messages, statistics, signatures.
#[derive(Default)]
struct Words {
    subject: Option<String>,
    in_subject: bool,
    seen_file: bool,
}

impl Words {
    /// Takes note of a line that is no part of a diff; refuses what would be one in a form that is not read.
    fn read(&mut self, line: &[u8], reader: &Reader<'_>) -> Result<(), ImportError> {
        let lost = [&b"diff --cc "[..], b"diff --combined ", b"GIT binary patch", b"@@ -", b"@@@ -"];
        if lost.iter().any(|start| line.starts_with(start)) {
            let problem = "a change without the header of its file, or in a form that cannot be read";
            return Err(ImportError::Line { line: reader.number, problem });
        }
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        match (line.strip_prefix("Subject: "), &mut self.subject) {
            (Some(subject), None) if !self.seen_file => {
                self.subject = Some(without_tag(subject).to_owned());
                self.in_subject = true;
            }
            (None, Some(subject)) if self.in_subject && line.starts_with(' ') => subject.push_str(line),
            _ => self.in_subject = false,
        }
        Ok(())
    }
}

/// A mail's subject without `[PATCH 1/2]`.
fn without_tag(subject: &str) -> &str {
    let rest = subject.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    rest.map_or(subject, |(_, rest)| rest)
}

/// After a file's hunks comes another file, the next mail, a signature or nothing: anything else would be lost.
fn check_end(reader: &Reader<'_>) -> Result<(), ImportError> {
    let line = reader.peek().unwrap_or_default();
    let known = line.is_empty() || line == b"-- " || line.starts_with(b"From ") || begins_file(line, reader.rest);
    if known || line.starts_with(b"diff ") {
        return Ok(());
    }
    let problem = "the hunk is longer than its header says, or this is no part of a patch";
    Err(ImportError::Line { line: reader.number, problem })
}

fn one_file(reader: &mut Reader<'_>, draft: &mut Draft<'_>, mail: usize) -> Result<(), ImportError> {
    let (line, start) = (reader.number, reader.rest);
    let patch = parse::one_file(reader).map_err(ImportError::Malformed)?;
    let diff = start.get(..start.len() - reader.rest.len()).unwrap_or_default();
    if patch.header.moved.is_some() {
        return moved(&patch, draft, mail, line);
    }
    let (kind, target) = target(&patch.header).ok_or(ImportError::Line { line, problem: "which file is not clear" })?;
    let target = text_of(&target, line)?;
    let verb = match kind {
        Kind::Create => "create",
        Kind::Modify => "change",
        Kind::Delete => "delete",
    };
    let description = format!("{verb} `{}` as the patch says", text::excerpt(target, 200));
    draft.add(kind, target, Some(Payload::Diff(utf8::text(diff, line)?)), description);
    Ok(())
}

fn moved(patch: &Patch<'_>, draft: &mut Draft<'_>, mail: usize, line: usize) -> Result<(), ImportError> {
    let names = patch.header.moved.as_ref().and_then(|moved| Some((moved, moved.from.as_ref()?, moved.to.as_ref()?)));
    let Some((moved, from, to)) = names else {
        return Err(ImportError::Line { line, problem: "a rename or copy names two files" });
    };
    let (from, to) = (rel_path(from, line)?, rel_path(to, line)?);
    let before = draft.content(&from, mail)?;
    let after = diff::apply_to_copy(patch, &before).map_err(|error| misfit(&from, error))?;
    match moved.form {
        Form::Rename => draft.add_move(&from, &to, &after, line),
        _ => draft.add_new(&to, &after, line, format!("create `{to}` as a copy of `{from}`")),
    }
}

/// What the diff does, and to which file.
fn target(header: &Header<'_>) -> Option<(Kind, Vec<u8>)> {
    let Some((old, new)) = &header.names else {
        let kind = match header.mode {
            diff::header::ModeChange::Create(_) => Kind::Create,
            diff::header::ModeChange::Delete(_) => Kind::Delete,
            _ => Kind::Modify,
        };
        return Some((kind, name::of_git_line(header.git?.value)?));
    };
    let plain = |name: &[u8], prefix: &[u8]| name.strip_prefix(prefix).unwrap_or(name).to_vec();
    match (&*old.value, &*new.value) {
        (b"/dev/null", b"/dev/null") => None,
        (b"/dev/null", new) => Some((Kind::Create, plain(new, b"b/"))),
        (old, b"/dev/null") => Some((Kind::Delete, plain(old, b"a/"))),
        (old, new) if old == new => Some((Kind::Modify, old.to_vec())),
        (old, new) => Some((Kind::Modify, plain(old, b"a/"))).filter(|(_, old)| *old == plain(new, b"b/")),
    }
}
