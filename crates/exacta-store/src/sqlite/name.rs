//! How people name plans: by the beginning of the short form, or of the id. Only plans that the log knows count, so that no row which
//! somebody put into the database takes a name, or makes one ambiguous.

use super::SqliteStore;
use super::db::Db;
use super::state::State;
use crate::error::StoreError;
use exacta_kernel::id::{FEWEST, PlanId};
use rusqlite::params;

/// How many plans are looked at: whoever gets so many answers needs more of the name anyway.
const MOST: usize = 20;

impl SqliteStore {
    /// The plans that the log knows whose short form begins so; if none does, those whose id does. At most 20.
    pub(super) fn named(&self, prefix: &str) -> Result<Vec<PlanId>, StoreError> {
        if prefix.len() < FEWEST {
            return Ok(Vec::new());
        }
        self.proven(|db, state| {
            let short = match PlanId::ends_of(prefix) {
                Some((first, last)) => {
                    let sql = "SELECT id FROM plan WHERE substr(id, 16) BETWEEN ?1 AND ?2 ORDER BY substr(id, 16)";
                    known(db, state, sql, &[&first, &last], MOST)?
                }
                None => Vec::new(),
            };
            if !short.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
                return Ok(short);
            }
            let sql = "SELECT id FROM plan WHERE id >= ?1 AND id < ?2 ORDER BY id";
            let prefix = prefix.to_ascii_lowercase();
            known(db, state, sql, &[&prefix, &format!("{prefix}g")], MOST)
        })
    }

    /// The short id of each plan: as much of its short form as no other plan that the log knows begins with.
    pub(super) fn short_names(&self, ids: &[PlanId]) -> Result<Vec<String>, StoreError> {
        self.proven(|db, state| {
            let before = "SELECT id FROM plan WHERE substr(id, 16) < ?1 AND id <> ?2 ORDER BY substr(id, 16) DESC";
            let after = "SELECT id FROM plan WHERE substr(id, 16) > ?1 AND id <> ?2 ORDER BY substr(id, 16)";
            let short = |id: &PlanId| {
                let mut beside = Vec::new();
                for sql in [before, after] {
                    beside.extend(known(db, state, sql, &[id.random_end(), id.as_str()], 1)?);
                }
                Ok(id.short_beside(&beside))
            };
            ids.iter().map(short).collect()
        })
    }

    /// Reads at one moment, with the tree of records that the log vouches for; without it where the store was opened only to look and
    /// nothing vouches for anything.
    fn proven<T>(
        &self,
        read: impl FnOnce(&Db<'_>, Option<&State<'_>>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let pin = self.signer.pinned()?;
        let tx = self.connection.unchecked_transaction().map_err(StoreError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        match self.head(&db, pin) {
            Ok(head) => read(&db, Some(&State::new(db, head.state))),
            Err(_) if self.trusting => read(&db, None),
            Err(error) => Err(error),
        }
    }
}

/// The first plans of those that a question finds which the log knows.
fn known(
    db: &Db<'_>,
    state: Option<&State<'_>>,
    sql: &str,
    values: &[&str; 2],
    most: usize,
) -> Result<Vec<PlanId>, StoreError> {
    let mut known = Vec::new();
    // In portions: nobody's rows make this read all of them at once.
    for portion in 0_u32.. {
        let sql = format!("{sql} LIMIT {MOST} OFFSET {}", u64::from(portion) * MOST as u64);
        let ids = db.all(&sql, params![values[0], values[1]], |row| row.get::<_, String>(0))?;
        let last = ids.len() < MOST;
        for id in ids.iter().filter_map(|id| PlanId::parse(id).ok()) {
            if state.map_or(Ok(true), |state| state.get(id.as_str()).map(|seal| seal.is_some()))? {
                known.push(id);
            }
            if known.len() == most {
                return Ok(known);
            }
        }
        if last {
            break;
        }
    }
    Ok(known)
}
