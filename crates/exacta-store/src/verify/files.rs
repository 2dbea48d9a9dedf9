//! The files for people against what the database and the log say.

use super::Findings;
use crate::error::{Place, StoreError};
use crate::files::{entries_head, entries_text};
use crate::folder::{ENTRIES, Folder, PLANS};
use crate::sqlite::db::{Db, unsigned};
use crate::sqlite::ledger;
use crate::sqlite::plans::{Body, PlanRow};
use std::collections::BTreeSet;

/// Checks every plan's file and every operation's file. One that a crash of the machine left behind, or lost, is noted; one
/// that says anything else than the records is a forgery.
pub fn check(db: &Db<'_>, folder: &Folder, found: &mut Findings) -> Result<(), StoreError> {
    plans(db, &folder.inner(PLANS)?, found)?;
    operations(db, folder, &folder.inner(ENTRIES)?, found)
}

fn plans(db: &Db<'_>, folder: &Folder, found: &mut Findings) -> Result<(), StoreError> {
    let mut names: BTreeSet<String> = folder.names()?.into_iter().collect();
    PlanRow::each(db, |row| {
        let name = format!("{}.json", row.id);
        names.remove(&name);
        let content = folder.read(&name)?.filter(|content| !content.is_empty());
        let (Some(content), Some(body)) = (content, Body::load(db, &row.id)?) else {
            found.note(format!("the file `{PLANS}/{name}` is missing; the next change of the plan writes it"));
            return Ok(());
        };
        let place = || Place::File(folder.path().join(&name));
        if content == row.file(db, body.view())?.as_bytes() {
            found.report.files += 1;
        } else if as_of(&content).is_some_and(|seq| seq < unsigned(row.seq)) {
            found.note(format!("the file `{PLANS}/{name}` is out of date; the next change of the plan writes it"));
        } else {
            found.tampered(place(), "the file does not say what the records say");
        }
        Ok(())
    })?;
    for name in names {
        found.tampered(Place::File(folder.path().join(name)), "no such file was written for any plan");
    }
    Ok(())
}

/// The entry that a plan's file says it was written after.
fn as_of(content: &[u8]) -> Option<u64> {
    let line = content.split(|byte| *byte == b'\n').nth(2)?;
    let digits = line.strip_prefix(b"\"as_of\":")?.strip_suffix(b",")?;
    core::str::from_utf8(digits).ok()?.parse().ok()
}

fn operations(db: &Db<'_>, root: &Folder, folder: &Folder, found: &mut Findings) -> Result<(), StoreError> {
    let mut names: BTreeSet<String> = folder.names()?.into_iter().collect();
    let sql = "SELECT DISTINCT correlation_id FROM entry WHERE correlation_id IS NOT NULL ORDER BY correlation_id";
    for id in db.all(sql, [], |row| row.get::<_, String>(0))? {
        let name = format!("{id}.json");
        names.remove(&name);
        let Some(content) = folder.read(&name)?.filter(|content| !content.is_empty()) else {
            found.note(format!("the file `{ENTRIES}/{name}` is missing; the next entry of the operation writes it"));
            continue;
        };
        let lines = ledger::lines(db, root, Some(&id), None)?;
        if content == entries_text(&id, &lines) {
            found.report.files += 1;
        } else if is_older(&content, &id, &lines) {
            found
                .note(format!("the file `{ENTRIES}/{name}` is out of date; the next entry of the operation writes it"));
        } else {
            found.tampered(Place::File(folder.path().join(&name)), "the file does not say what the log says");
        }
    }
    for name in names {
        found.tampered(Place::File(folder.path().join(name)), "no such file was written for any operation");
    }
    Ok(())
}

/// Whether an operation's file is what it was before its last entries.
fn is_older(content: &[u8], id: &str, lines: &[Vec<u8>]) -> bool {
    content.starts_with(&entries_head(id))
        && (0..lines.len()).any(|count| lines.get(..count).is_some_and(|lines| content == entries_text(id, lines)))
}
