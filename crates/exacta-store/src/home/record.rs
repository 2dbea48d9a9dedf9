//! Records that the program keeps for itself: one JSON object with its format's name and version.

use super::error::FileError;
use super::file::{self, Lock, Trust};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use zeroize::Zeroizing;

/// A kind of record.
pub(super) trait Record: Serialize + DeserializeOwned {
    /// `exacta.KIND/VERSION`.
    const SCHEMA: &'static str;
    /// Whether others may read it.
    const TRUST: Trust = Trust::Own;
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet<T> {
    schema: String,
    record: T,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

/// The record in a file; `None` where there is no file.
pub(super) fn read<T: Record>(path: &Path) -> Result<Option<T>, FileError> {
    file::read(path, T::TRUST)?.map(|bytes| parse(path, &bytes)).transpose()
}

/// The same; `None` also where the file is empty.
pub(super) fn read_unless_empty<T: Record>(path: &Path) -> Result<Option<T>, FileError> {
    let bytes = file::read(path, T::TRUST)?.filter(|bytes| !bytes.is_empty());
    bytes.map(|bytes| parse(path, &bytes)).transpose()
}

/// Replaces the record in a file.
pub(super) fn write<T: Record>(lock: &Lock, path: &Path, record: &T) -> Result<(), FileError> {
    lock.write(path, &text(path, record)?)
}

/// Writes a record to a file that is to take another's place; see [`file::put`].
pub(super) fn stage<T: Record>(lock: &Lock, staged: &Path, record: &T, durable: bool) -> Result<(), FileError> {
    lock.stage(staged, &text(staged, record)?, durable)
}

fn text<T: Record>(path: &Path, record: &T) -> Result<Zeroizing<Vec<u8>>, FileError> {
    let sheet = Sheet { schema: T::SCHEMA.to_owned(), record };
    // Roomy, so that a secret is not copied about by a growing buffer.
    let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
    serde_json::to_writer_pretty(&mut *bytes, &sheet).map_err(|error| malformed(path, &error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn parse<T: Record>(path: &Path, bytes: &[u8]) -> Result<T, FileError> {
    // Only the place of a fault is told: the text of some of these files is secret.
    let head: Head = serde_json::from_slice(bytes).map_err(|error| malformed(path, &error))?;
    if head.schema != T::SCHEMA {
        return Err(FileError::Newer { path: path.to_owned(), schema: head.schema.chars().take(64).collect() });
    }
    let sheet: Sheet<T> = serde_json::from_slice(bytes).map_err(|error| malformed(path, &error))?;
    Ok(sheet.record)
}

fn malformed(path: &Path, error: &serde_json::Error) -> FileError {
    let why = format!("it is damaged at line {} column {}", error.line(), error.column());
    FileError::Malformed { path: path.to_owned(), why }
}
