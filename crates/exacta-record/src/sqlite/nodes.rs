//! The nodes of the tree of records in the database: bytes by name, whatever they mean.

use super::db::Db;
use crate::error::RecordError;
use rusqlite::params;

/// The node of this name, if there is one.
pub fn load(db: &Db<'_>, path: &str) -> Result<Option<Vec<u8>>, RecordError> {
    db.one("SELECT node FROM state WHERE path = ?1", [path], |row| row.get(0))
}

/// Puts a node in its place.
pub fn save(db: &Db<'_>, path: &str, node: &[u8]) -> Result<(), RecordError> {
    db.change("INSERT OR REPLACE INTO state(path, node) VALUES (?1, ?2)", params![path, node])
}

/// All nodes with their names.
pub fn all(db: &Db<'_>) -> Result<Vec<(String, Vec<u8>)>, RecordError> {
    db.all("SELECT path, node FROM state", [], |row| Ok((row.get(0)?, row.get(1)?)))
}
