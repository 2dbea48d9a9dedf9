//! The database's records, and each plan's file with it, against the hashes that the log's entries carry.

use super::Findings;
use super::files;
use crate::error::{Place, StoreError};
use crate::folder::{Folder, PLANS};
use crate::sqlite::db::Db;
use crate::sqlite::plans::PlanRow;
use crate::sqlite::runs::RunRow;
use exacta_kernel::hash::Digest;
use std::collections::{BTreeSet, HashMap};

/// Checks every plan, its file, and every run. `known` is what the log says.
pub fn check(
    db: &Db<'_>,
    folder: &Folder,
    mut known: HashMap<String, String>,
    found: &mut Findings,
) -> Result<(), StoreError> {
    RunRow::each(db, |row| {
        if compare(Place::Run(row.id.clone()), known.remove(&row.id), Some(row.hash()), found) {
            found.report.runs += 1;
        }
        Ok(())
    })?;
    // A plan's file is blamed only where all records hold.
    let mut in_files = Findings::default();
    let folder = folder.inner(PLANS)?;
    let mut names: BTreeSet<String> = folder.names()?.into_iter().collect();
    PlanRow::each(db, |row, body, said, runs| {
        let name = format!("{}.json", row.id);
        let has_file = names.remove(&name);
        let known = known.remove(&row.id);
        let hash = body.as_ref().map(|body| row.full_hash(body, &said));
        if let (true, Some(body)) = (compare(Place::Plan(row.id.clone()), known, hash, found), body) {
            found.report.plans += 1;
            let text = row.file(&body, &said, &runs)?;
            files::check_plan(&folder, &name, has_file, row.place(), &text, &mut in_files)?;
        }
        Ok(())
    })?;
    for name in names {
        in_files.tampered(Place::File(folder.path().join(name)), "no such file was written for any plan");
    }
    let mut missing: Vec<String> = known.into_keys().collect();
    missing.sort_unstable();
    for id in missing {
        found.tampered(Place::Record(id), "the log knows it, but it is missing from the database");
    }
    if found.tampered.is_empty() {
        found.absorb(in_files);
    }
    Ok(())
}

fn compare(place: Place, known: Option<String>, hash: Option<Digest>, found: &mut Findings) -> bool {
    let what = match (known, hash) {
        (Some(known), Some(hash)) if known == hash.to_string() => return true,
        (None, _) => "the database has it, but no entry of the log is about it",
        (Some(_), None) => "a part of its record is missing from the database",
        (Some(_), Some(_)) => "its record in the database is not the one the log was written with",
    };
    found.tampered(place, what);
    false
}
