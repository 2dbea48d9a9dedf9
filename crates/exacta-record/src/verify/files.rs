//! The files for people against what the database and the log say. One that a crash of the machine left behind, or lost, is
//! noted; one that says anything else than the records is a forgery.

use super::Findings;
use super::lines::Chain;
use crate::error::{Place, RecordError};
use crate::folder::{ENTRIES, Folder, PLANS};
use crate::log::LogFile;
use crate::operation_file::{entries_head, entries_text};
use crate::sqlite::db::Db;
use crate::sqlite::log;
use exacta_kernel::audit::merkle::leaf_hash;
use std::collections::HashMap;

/// Checks one plan's file: `text` is what it must say after the entry `as_of`.
pub fn check_plan(
    folder: &Folder,
    name: &str,
    exists: bool,
    as_of: u64,
    text: &str,
    found: &mut Findings,
) -> Result<(), RecordError> {
    let content = if exists { readable(folder.read(name), found)? } else { Some(Vec::new()) };
    let Some(content) = content else { return Ok(()) };
    let content = Some(content).filter(|content| !content.is_empty());
    match content {
        None => found.note(format!("the file `{PLANS}/{name}` is missing; the next change of the plan writes it")),
        Some(content) if content == text.as_bytes() => found.report.files += 1,
        Some(content) if written_after(&content).is_some_and(|seq| seq < as_of) => {
            found.note(format!("the file `{PLANS}/{name}` is out of date; the next change of the plan writes it"));
        }
        Some(_) => {
            found.tampered(Place::File(folder.path().join(name)), "the file does not say what the records say");
        }
    }
    Ok(())
}

/// A folder for people; `None`, and a finding, where it is missing or something else lies in its place.
pub fn inner(root: &Folder, name: &str, found: &mut Findings) -> Result<Option<Folder>, RecordError> {
    match root.inner(name) {
        Ok(folder) => Ok(Some(folder)),
        Err(RecordError::Io { path, cause, .. }) => {
            found.tampered(Place::File(path), format!("the folder cannot be opened: {cause}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What a file holds, nothing if it is gone; `None` where something else lies in its place, which is one finding among others.
fn readable(read: Result<Option<Vec<u8>>, RecordError>, found: &mut Findings) -> Result<Option<Vec<u8>>, RecordError> {
    match read {
        Ok(content) => Ok(Some(content.unwrap_or_default())),
        Err(RecordError::Tampered(tampered)) => {
            found.tampered(tampered.place, tampered.what);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The entry that a plan's file says it was written after.
fn written_after(content: &[u8]) -> Option<u64> {
    let line = content.split(|byte| *byte == b'\n').nth(2)?;
    let digits = line.strip_prefix(b"\"as_of\":")?.strip_suffix(b",")?;
    core::str::from_utf8(digits).ok()?.parse().ok()
}

/// Checks every operation's file.
pub fn check_operations(
    db: &Db<'_>,
    root: &Folder,
    mut operations: HashMap<[u8; 36], Chain>,
    found: &mut Findings,
) -> Result<(), RecordError> {
    let Some(folder) = inner(root, ENTRIES, found)? else { return Ok(()) };
    for name in folder.names()? {
        let id = name.strip_suffix(".json").and_then(|id| <[u8; 36]>::try_from(id.as_bytes()).ok());
        let place = || Place::File(folder.path().join(&name));
        let Some((id, chain)) = id.and_then(|id| operations.remove_entry(&id)) else {
            found.tampered(place(), "no such file was written for any operation");
            continue;
        };
        let id = String::from_utf8_lossy(&id);
        let Some(content) = readable(folder.read(&name), found)? else { continue };
        if content.is_empty() {
            note_missing(&id, found);
        } else if chain_of(&content, &id).is_some_and(|file| file.hash() == chain.hash()) {
            found.report.files += 1;
        } else if is_older(db, root, &content, &id)? {
            found
                .note(format!("the file `{ENTRIES}/{name}` is out of date; the next entry of the operation writes it"));
        } else {
            found.tampered(place(), "the file does not say what the log says");
        }
    }
    let mut missing: Vec<[u8; 36]> = operations.into_keys().collect();
    missing.sort_unstable();
    missing.iter().for_each(|id| note_missing(&String::from_utf8_lossy(id), found));
    Ok(())
}

fn note_missing(id: &str, found: &mut Findings) {
    found.note(format!("the file `{ENTRIES}/{id}.json` is missing; the next entry of the operation writes it"));
}

/// The lines that an operation's file holds; `None` if it is not of the form that such files have.
fn chain_of(content: &[u8], id: &str) -> Option<Chain> {
    let lines = content.strip_prefix(entries_head(id).as_slice())?.strip_suffix(b"\n]}\n")?;
    let mut chain = Chain::default();
    let mut rest = lines.strip_prefix(b"\n")?;
    loop {
        // No entry holds a newline: in canonical JSON it is escaped.
        let Some(end) = memchr::memchr(b'\n', rest) else {
            chain.add(&leaf_hash(rest));
            return Some(chain);
        };
        let (line, next) = rest.split_at_checked(end)?;
        chain.add(&leaf_hash(line.strip_suffix(b",")?));
        rest = next.strip_prefix(b"\n")?;
    }
}

/// Whether an operation's file is what it was before its last entries.
fn is_older(db: &Db<'_>, root: &Folder, content: &[u8], id: &str) -> Result<bool, RecordError> {
    let (log, pending) = (LogFile::read(root)?, log::outbox(db)?);
    let lines = log::lines(db, log.as_ref(), &pending, Some(id), None)?;
    let before = |count| lines.get(..count).is_some_and(|lines| content == entries_text(id, lines));
    Ok((0..lines.len()).any(before))
}
