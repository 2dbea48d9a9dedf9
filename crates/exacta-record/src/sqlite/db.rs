//! A connection, or a transaction on it, with errors that name the database.

use crate::error::{Place, RecordError, Tampered};
use rusqlite::{Connection, Params, Row};
use std::path::Path;

/// Borrowed access to the database.
#[derive(Clone, Copy)]
pub struct Db<'a> {
    pub connection: &'a Connection,
    pub path: &'a Path,
}

impl Db<'_> {
    /// All rows.
    pub fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, RecordError> {
        let mut rows = Vec::new();
        self.each(sql, params, |row| {
            rows.push(read(row).map_err(RecordError::database(self.path))?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Each row in turn.
    pub fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut visit: impl FnMut(&Row<'_>) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(RecordError::database(self.path))?;
        let mut rows = statement.query(params).map_err(RecordError::database(self.path))?;
        while let Some(row) = rows.next().map_err(RecordError::database(self.path))? {
            visit(row)?;
        }
        Ok(())
    }

    /// The first row, if there is one.
    pub fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, RecordError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(RecordError::database(self.path))?;
        let mut rows = statement.query(params).map_err(RecordError::database(self.path))?;
        match rows.next().map_err(RecordError::database(self.path))? {
            Some(row) => read(row).map(Some).map_err(RecordError::database(self.path)),
            None => Ok(None),
        }
    }

    /// Changes rows; how many.
    pub fn run(&self, sql: &str, params: impl Params) -> Result<usize, RecordError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(RecordError::database(self.path))?;
        statement.execute(params).map_err(RecordError::database(self.path))
    }

    /// Changes exactly one row. Where it is none, or more, the database is not the one that we made.
    pub fn change(&self, sql: &str, params: impl Params) -> Result<(), RecordError> {
        if self.run(sql, params)? == 1 {
            return Ok(());
        }
        Err(self.tampered("it does not keep what is written into it"))
    }

    /// The error for a database that somebody else made or changed.
    pub fn tampered(&self, what: &str) -> RecordError {
        Tampered { place: Place::File(self.path.to_owned()), what: what.to_owned() }.into()
    }

    /// The error for a value that none of our versions writes.
    pub fn corrupt(&self, what: impl Into<String>) -> RecordError {
        RecordError::Corrupt { path: self.path.to_owned(), what: what.into() }
    }
}
