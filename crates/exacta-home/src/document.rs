//! Files that the program keeps for itself: one JSON object with its format's name and version.

use crate::file::{self, Lock, Trust};
use crate::file_error::FileError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use zeroize::Zeroizing;

/// What such a file holds.
pub(crate) trait Document: Serialize + DeserializeOwned {
    /// `exacta.KIND/VERSION`.
    const SCHEMA: &'static str;
    /// Whether others may read it.
    const TRUST: Trust = Trust::Own;
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<T> {
    schema: String,
    record: T,
}

#[derive(Deserialize)]
struct SchemaOnly {
    schema: String,
}

/// The record in a file; `None` where there is no file.
pub(crate) fn read<T: Document>(path: &Path) -> Result<Option<T>, FileError> {
    file::read(path, T::TRUST)?.map(|bytes| parse(path, &bytes)).transpose()
}

/// The record in a file; `None` where there is no file, and where it is empty.
pub(crate) fn read_unless_empty<T: Document>(path: &Path) -> Result<Option<T>, FileError> {
    let bytes = file::read(path, T::TRUST)?.filter(|bytes| !bytes.is_empty());
    bytes.map(|bytes| parse(path, &bytes)).transpose()
}

/// Replaces the record in a file.
pub(crate) fn write<T: Document>(lock: &Lock, path: &Path, record: &T) -> Result<(), FileError> {
    lock.write(path, &text(path, record)?)
}

/// Writes a record to a file that is to take another's place; see [`file::put`].
pub(crate) fn stage<T: Document>(lock: &Lock, staged: &Path, record: &T, durable: bool) -> Result<(), FileError> {
    lock.stage(staged, &text(staged, record)?, durable)
}

fn text<T: Document>(path: &Path, record: &T) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let envelope = Envelope { schema: T::SCHEMA.to_owned(), record };
    // Roomy, so that a secret is not copied about by a growing buffer.
    let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
    serde_json::to_writer_pretty(&mut *bytes, &envelope).map_err(|error| malformed(path, &error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn parse<T: Document>(path: &Path, bytes: &[u8]) -> Result<T, FileError> {
    // Only the place of a fault is told: the text of some of these files is secret.
    let found: SchemaOnly = serde_json::from_slice(bytes).map_err(|error| malformed(path, &error))?;
    if found.schema != T::SCHEMA {
        return Err(FileError::Newer { path: path.to_owned(), schema: found.schema.chars().take(64).collect() });
    }
    let envelope: Envelope<T> = serde_json::from_slice(bytes).map_err(|error| malformed(path, &error))?;
    Ok(envelope.record)
}

fn malformed(path: &Path, error: &serde_json::Error) -> FileError {
    let why = format!("it is damaged at line {} column {}", error.line(), error.column());
    FileError::Malformed { path: path.to_owned(), why }
}
