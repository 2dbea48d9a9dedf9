//! The database's records against the hashes that the log's entries carry.

use super::Findings;
use super::lines::Known;
use crate::error::{Place, StoreError};
use crate::sqlite::db::Db;
use crate::sqlite::plans::{Body, PlanRow};
use crate::sqlite::runs::RunRow;
use exacta_kernel::hash::Digest;

/// Checks every plan and every run.
pub fn check(db: &Db<'_>, mut known: Known, found: &mut Findings) -> Result<(), StoreError> {
    PlanRow::each(db, |row| {
        let hash = match Body::load(db, &row.id)? {
            Some(body) => Some(row.full_hash(db, &body)?),
            None => None,
        };
        if compare(Place::Plan(row.id.clone()), known.remove(&row.id), hash, found) {
            found.report.plans += 1;
        }
        Ok(())
    })?;
    RunRow::each(db, |row| {
        if compare(Place::Run(row.id.clone()), known.remove(&row.id), Some(row.hash()?), found) {
            found.report.runs += 1;
        }
        Ok(())
    })?;
    let mut missing: Vec<String> = known.into_keys().collect();
    missing.sort_unstable();
    for id in missing {
        found.tampered(Place::Record(id), "the log knows it, but it is missing from the database");
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
