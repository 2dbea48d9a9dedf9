//! How people name plans: by the beginning of the short form, or of the id. Only plans that the log knows count, so that no row which
//! somebody put into the database takes a name, or makes one ambiguous.

use super::Record;
use crate::error::RecordError;
use crate::proof::tree::RecordTree;
use crate::sqlite::db::Db;
use exacta_kernel::id::{FEWEST, PlanId};
use rusqlite::params;

/// How many plans are looked at: whoever gets that many answers needs more of the name anyway.
const MOST: usize = 20;

impl Record {
    /// The plans that the log knows whose short form begins with `prefix`, or if there is none whose id does; at most 20 of them, so
    /// that a person can type the beginning of one.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn find(&self, prefix: &str) -> Result<Vec<PlanId>, RecordError> {
        if prefix.len() < FEWEST {
            return Ok(Vec::new());
        }
        self.proven(|db, tree| {
            let short = match PlanId::ends_of(prefix) {
                Some((first, last)) => {
                    let sql = "SELECT id FROM plan WHERE substr(id, 16) BETWEEN ?1 AND ?2 ORDER BY substr(id, 16)";
                    known(db, tree, sql, &[&first, &last], MOST)?
                }
                None => Vec::new(),
            };
            if !short.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
                return Ok(short);
            }
            let sql = "SELECT id FROM plan WHERE id >= ?1 AND id < ?2 ORDER BY id";
            let prefix = prefix.to_ascii_lowercase();
            known(db, tree, sql, &[&prefix, &format!("{prefix}g")], MOST)
        })
    }

    /// The short id of each plan: the fewest characters, at least four, that tell it from all other plans that the log knows.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn short_ids(&self, ids: &[PlanId]) -> Result<Vec<String>, RecordError> {
        self.proven(|db, tree| {
            let before = "SELECT id FROM plan WHERE substr(id, 16) < ?1 AND id <> ?2 ORDER BY substr(id, 16) DESC";
            let after = "SELECT id FROM plan WHERE substr(id, 16) > ?1 AND id <> ?2 ORDER BY substr(id, 16)";
            let short = |id: &PlanId| {
                let mut beside = Vec::new();
                for sql in [before, after] {
                    beside.extend(known(db, tree, sql, &[id.random_end(), id.as_str()], 1)?);
                }
                Ok(id.short_beside(&beside))
            };
            ids.iter().map(short).collect()
        })
    }

    /// Reads at one moment, with the tree of records that the log vouches for; without it where the record was opened only to look and
    /// nothing vouches for anything.
    fn proven<T>(
        &self,
        read: impl FnOnce(&Db<'_>, Option<&RecordTree<Db<'_>>>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let pin = self.signer.pinned()?;
        let tx = self.connection.unchecked_transaction().map_err(RecordError::database(&self.path))?;
        let db = Db { connection: &tx, path: &self.path };
        match self.head(&db, pin) {
            Ok(head) => read(&db, Some(&RecordTree::new(db, head.records))),
            Err(_) if self.unverified => read(&db, None),
            Err(error) => Err(error),
        }
    }
}

/// The first plans of those that a question finds which the log knows.
fn known(
    db: &Db<'_>,
    tree: Option<&RecordTree<Db<'_>>>,
    sql: &str,
    values: &[&str; 2],
    most: usize,
) -> Result<Vec<PlanId>, RecordError> {
    let mut known = Vec::new();
    // In portions: nobody's rows make this read all of them at once.
    for portion in 0_u32.. {
        let sql = format!("{sql} LIMIT {MOST} OFFSET {}", u64::from(portion) * MOST as u64);
        let ids = db.all(&sql, params![values[0], values[1]], |row| row.get::<_, String>(0))?;
        let last = ids.len() < MOST;
        for id in ids.iter().filter_map(|id| PlanId::parse(id).ok()) {
            if tree.map_or(Ok(true), |tree| tree.get(id.as_str()).map(|hash| hash.is_some()))? {
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
