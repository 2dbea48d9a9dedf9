//! `git diff` and `git format-patch`, one file or many, one mail or a series.

use super::mail::Words;
use super::{Draft, ImportError, Lookup, Request, description, misfit, rel_path, text_of};
use crate::diff::header::{self, Header, ModeChange};
use crate::diff::parse::{self, Patch, Reader};
use crate::diff::{self, DiffError, Form, Kind, binary, name};
use crate::facts::FileContent;
use crate::path::RelPath;
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
            words.seen_file();
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
    Ok(draft.finish(request, words.subject().as_deref()))
}

/// Whether a file's diff begins here: with git's line, or without it, but then with both names.
fn begins_file(line: &[u8], rest: &[u8]) -> bool {
    let after = || rest.get(line.len() + 1..).unwrap_or_default();
    line.starts_with(b"diff --git ") || (line.starts_with(b"--- ") && after().starts_with(b"+++ "))
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
    let (line, start) = (reader.number, reader.clone());
    if let Some(header) = binary_deletion(reader) {
        let (kind, target) = target(&header).ok_or(UNCLEAR(line))?;
        let target = text_of(&target, line)?;
        draft.add(kind, target, None, description(kind, target));
        return Ok(());
    }
    if let Some((header, content)) = binary_creation(reader).map_err(|error| malformed(&start, error))? {
        let (kind, target) = target(&header).ok_or(UNCLEAR(line))?;
        let path = rel_path(&target, line)?;
        return draft.add_new(&path, &content, line, description(kind, path.as_str()));
    }
    let patch = parse::one_file(reader).map_err(|error| malformed(&start, error))?;
    if patch.header.moved.is_some() {
        return moved(&patch, draft, mail, line);
    }
    let (kind, target) = target(&patch.header).ok_or(UNCLEAR(line))?;
    let target = text_of(&target, line)?;
    let diff = start.rest.get(..start.rest.len() - reader.rest.len()).unwrap_or_default();
    let words = description(kind, target);
    match (kind, core::str::from_utf8(diff)) {
        (_, Ok(diff)) => draft.add(kind, target, Some(Payload::Diff(renamed(diff, &patch, kind, target, line))), words),
        // A new file in another charset, which git writes line by line: its bytes travel in base64.
        (Kind::Create, Err(_)) => {
            let path = rel_path(target.as_bytes(), line)?;
            let content = diff::new_content(&patch).map_err(|error| misfit(&path, error))?;
            return draft.add_new(&path, &content, line, words);
        }
        (Kind::Modify | Kind::Delete, Err(_)) => {
            let path = rel_path(target.as_bytes(), line)?;
            let before = draft.content(&path, draft.steps.len())?;
            let after = diff::apply_to_copy(&patch, &before).map_err(|error| misfit(&path, error))?;
            match kind {
                Kind::Delete if after.size() > 0 => return Err(misfit(&path, DiffError::NotWhole)),
                Kind::Delete => draft.add(kind, target, None, words),
                _ => draft.add_change(&path, &before, &after, line, words)?,
            }
        }
    }
    Ok(())
}

const UNCLEAR: fn(usize) -> ImportError = |line| ImportError::Line { line, problem: "which file is not clear" };

/// What is wrong with a file's diff, with the file's name where it is known.
fn malformed(start: &Reader<'_>, error: DiffError) -> ImportError {
    let names = start.peek_header().and_then(|line| line.strip_prefix(b"diff --git "));
    match names.and_then(name::of_git_line) {
        Some(path) => ImportError::Misfit { path: text::excerpt(&String::from_utf8_lossy(&path), 120), error },
        None => ImportError::Malformed(error),
    }
}

/// Reads past the deletion of a binary file, if that is what comes next. It needs no content.
fn binary_deletion<'a>(reader: &mut Reader<'a>) -> Option<Header<'a>> {
    let mut ahead = reader.clone();
    let header = header::read(&mut ahead).ok()?;
    let deletes = matches!(header.mode, ModeChange::Delete(_)) && header.names.is_none() && header.moved.is_none();
    let mark = ahead.peek_header().filter(|mark| deletes && parse::is_binary_mark(mark))?;
    ahead.next();
    if mark.starts_with(b"GIT binary patch") {
        binary::skip(&mut ahead);
    }
    *reader = ahead;
    Some(header)
}

/// Reads a new file that is no text, if that is what comes next and its bytes are there.
fn binary_creation<'a>(reader: &mut Reader<'a>) -> Result<Option<(Header<'a>, FileContent)>, DiffError> {
    let mut ahead = reader.clone();
    let Ok(header) = header::read(&mut ahead) else { return Ok(None) };
    let ModeChange::Create(mode) = header.mode else { return Ok(None) };
    let is_mark = ahead.peek_header().is_some_and(|mark| mark == b"GIT binary patch");
    if !is_mark || header.names.is_some() || header.moved.is_some() {
        return Ok(None);
    }
    let head = reader.rest.get(..reader.rest.len() - ahead.rest.len()).unwrap_or_default();
    ahead.next();
    let bytes = binary::read(&mut ahead, named(head))?;
    *reader = ahead;
    Ok(Some((header, FileContent::new(bytes, mode.value.bits()))))
}

/// What the `index` line of a header calls the new content.
fn named(head: &[u8]) -> Option<&[u8]> {
    let line = head.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"index "))?;
    let name = line.split(|byte| *byte == b' ').next()?;
    let at = memchr::memmem::find(name, b"..")?;
    Some(name.get(at + 2..)?.trim_ascii())
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
    let git = header.git.and_then(|git| name::of_git_line(git.value));
    let Some((old, new)) = &header.names else {
        let kind = match header.mode {
            ModeChange::Create(_) => Kind::Create,
            ModeChange::Delete(_) => Kind::Delete,
            _ => Kind::Modify,
        };
        return Some((kind, git?));
    };
    // Of a file that comes or goes only one name is said here; git's own line tells what is prefix in it.
    let one = |name: &[u8], prefix: &[u8]| match git {
        Some(git) if name == git || name::after_slash(name) == Some(&git) => git,
        _ => name.strip_prefix(prefix).unwrap_or(name).to_vec(),
    };
    match (&*old.value, &*new.value) {
        (b"/dev/null", b"/dev/null") => None,
        (b"/dev/null", new) => Some((Kind::Create, one(new, b"b/"))),
        (old, b"/dev/null") => Some((Kind::Delete, one(old, b"a/"))),
        (old, new) => Some((Kind::Modify, name::agreed(old, new)?.to_vec())),
    }
}

/// The same diff with git's usual prefixes, where it has others and all of its names agree.
fn renamed(diff: &str, patch: &Patch<'_>, kind: Kind, target: &str, line: usize) -> String {
    let agrees = |git: &[u8]| name::of_git_line(git).as_deref() == Some(target.as_bytes());
    let usual = RelPath::parse(target).is_ok_and(|path| patch.header.check(kind, &path).is_ok());
    if usual || !patch.header.git.is_none_or(|git| agrees(git.value)) {
        return diff.to_owned();
    }
    let header_lines = patch.hunks.first().map_or(usize::MAX, |hunk| hunk.line - line);
    let (old, new) = (format!("a/{target}"), format!("b/{target}"));
    let mut out = String::with_capacity(diff.len() + 16);
    for (index, written) in diff.split_inclusive('\n').enumerate() {
        let side = |name: &str, rest: &str| {
            let tab = if name.contains(' ') { "\t" } else { "" };
            if rest.starts_with("/dev/null") { "/dev/null".to_owned() } else { format!("{}{tab}", name::quoted(name)) }
        };
        if index >= header_lines {
            out.push_str(written);
        } else if written.starts_with("diff --git ") {
            out.push_str(&format!("diff --git {} {}\n", name::quoted(&old), name::quoted(&new)));
        } else if let Some(rest) = written.strip_prefix("--- ") {
            out.push_str(&format!("--- {}\n", side(&old, rest)));
        } else if let Some(rest) = written.strip_prefix("+++ ") {
            out.push_str(&format!("+++ {}\n", side(&new, rest)));
        } else {
            out.push_str(written);
        }
    }
    out
}
