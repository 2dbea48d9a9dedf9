//! The database's records, and each plan's file with it, against the hashes that the log's entries carry.

use super::Findings;
use super::files;
use crate::error::{Place, RecordError};
use crate::folder::{Folder, PLANS};
use crate::proof::hash::{OPEN_RUNS, open_runs};
use crate::proof::tree::build;
use crate::sqlite::db::Db;
use crate::sqlite::{documents, nodes, plans, runs};
use exacta_kernel::hash::Digest;
use std::collections::{BTreeSet, HashMap};

/// Checks every plan, its file, and every run. `known` is what the log says of each, `state` what its end says of all.
pub fn check(
    db: &Db<'_>,
    folder: &Folder,
    mut known: HashMap<String, String>,
    state: Digest,
    found: &mut Findings,
) -> Result<(), RecordError> {
    // A plan's file is compared with its records only where those hold.
    let mut doubtful = BTreeSet::new();
    runs::each(db, |row| {
        if compare(Place::Run(row.id.clone()), known.remove(&row.id), Some(row.hash()), found) {
            found.report.runs += 1;
        } else {
            doubtful.insert(row.plan_id.clone());
        }
        Ok(())
    })?;
    let mut in_files = Findings::default();
    let folder = files::inner(folder, PLANS, &mut in_files)?;
    let mut names: BTreeSet<String> =
        folder.iter().map(Folder::names).collect::<Result<Vec<_>, _>>()?.concat().into_iter().collect();
    let mut hashes = Vec::new();
    plans::each(db, |plan| {
        let id = plan.row.id.clone();
        let name = format!("{id}.json");
        let has_file = names.remove(&name);
        let hash = plan.hash();
        if compare(Place::Plan(id.clone()), known.remove(&id), hash, found) {
            found.report.plans += 1;
            if let Some(folder) = folder.as_ref().filter(|_| !doubtful.contains(&id)) {
                let (place, text) = (plan.row.place(), plan.file(db.path)?.concat());
                files::check_plan(folder, &name, has_file, place, &text, &mut in_files)?;
            }
        }
        hashes.extend(hash.map(|hash| (id, plan.hash_with_runs(hash))));
        Ok(())
    })?;
    documents::each(db, |row| {
        compare(Place::Record(row.key()), known.remove(&row.key()), Some(row.hash()), found);
        hashes.push((row.key(), row.hash()));
        Ok(())
    })?;
    for path in folder.iter().flat_map(|folder| names.iter().map(|name| folder.path().join(name))) {
        in_files.tampered(Place::File(path), "no such file was written for any plan");
    }
    let mut missing: Vec<String> = known.into_keys().collect();
    missing.sort_unstable();
    // Of which plan a missing run was, only its file would tell.
    let is_whole = missing.is_empty();
    for id in missing {
        found.tampered(Place::Record(id), "the log knows it, but it is missing from the database");
    }
    if found.tampered.is_empty() {
        check_tree(db, hashes, state, found)?;
    }
    if is_whole {
        found.absorb(in_files);
    }
    Ok(())
}

/// Checks the tree of records: that it is the one of these records, and that the log's last entry vouches for it.
fn check_tree(
    db: &Db<'_>,
    mut hashes: Vec<(String, Digest)>,
    state: Digest,
    found: &mut Findings,
) -> Result<(), RecordError> {
    let open = runs::open(db)?;
    if found.report.runs > 0 {
        hashes.push((OPEN_RUNS.to_owned(), open_runs(&open)));
    }
    let (root, mut nodes) = build(&hashes);
    if root != state {
        found.tampered(Place::Index, "the log's last entry does not vouch for its records");
        return Ok(());
    }
    let rows = nodes::all(db)?;
    if rows.iter().any(|(path, node)| nodes.remove(path).as_ref() != Some(node)) || !nodes.is_empty() {
        found.tampered(Place::Index, "its tree of records is not the one of its records");
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
