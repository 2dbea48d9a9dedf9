//! What connecting would change, before anything is.

use crate::client::{Client, Mode};
use crate::connection::{Connection, Written};
use crate::edit::Inverse;
use crate::file::{self, Change, FileFault};
use crate::settings::{self, Content, Setup, Wanted};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A connection that is worked out and not yet made.
#[derive(Debug)]
pub struct Prepared {
    /// What changes, file by file.
    pub changes: Vec<Change>,
    connection: Connection,
    /// The files as they are without the connection, for the way back.
    bases: Vec<Option<Vec<u8>>>,
}

/// Works out what has to change. Where the program is connected already, what was written then is taken away first, so that the way back
/// still leads to the beginning.
///
/// # Errors
/// If a file cannot be read, or is broken: nothing is changed then.
pub fn prepare(
    client: Client,
    mode: Mode,
    setup: &Setup,
    wanted: &[Wanted],
    known: Option<(&Connection, &Path)>,
) -> Result<Prepared, FileFault> {
    let project = (!setup.everywhere).then(|| setup.project.clone());
    let mut prepared = Prepared {
        changes: Vec::new(),
        connection: Connection::new(client, mode, setup.exacta.clone(), project),
        bases: Vec::new(),
    };
    let mut all: VecDeque<Wanted> = wanted.iter().cloned().collect();
    while let Some(wanted) = all.pop_front() {
        let current = file::read(&wanted.path)?;
        let base = match known {
            Some((known, folder)) => known.without(folder, &wanted.path, current.clone())?,
            None => current.clone(),
        };
        let (after, inverses) = after(&wanted, base.as_deref())?;
        all.extend(settings::beside(client, mode, setup, &wanted.path, &after));
        prepared.connection.files.push(Written::new(&wanted, base.as_deref(), &after, inverses));
        prepared.changes.push(Change {
            path: wanted.path.clone(),
            before: current,
            after: Some(after),
            is_program: matches!(wanted.content, Content::Whole { is_program: true, .. }),
        });
        prepared.bases.push(base);
    }
    // Files of an earlier connection in another mode that this one has no need of.
    if let Some((known, folder)) = known {
        let done: Vec<PathBuf> = prepared.changes.iter().map(|change| change.path.clone()).collect();
        for path in known.paths().filter(|path| !done.contains(path)) {
            let before = file::read(&path)?;
            let after = known.without(folder, &path, before.clone())?;
            prepared.changes.push(Change { path, before, after, is_program: false });
        }
    }
    Ok(prepared)
}

/// The bytes of a file with what is wanted in it.
fn after(wanted: &Wanted, base: Option<&[u8]>) -> Result<(Vec<u8>, Vec<Inverse>), FileFault> {
    match &wanted.content {
        Content::Whole { text, .. } => Ok((text.clone().into_bytes(), Vec::new())),
        Content::Edits(format, edits) => {
            let broken = |error| FileFault::Broken { path: wanted.path.clone(), error };
            let mut text = file::text(&wanted.path, base)?;
            let mut inverses = Vec::new();
            for edit in edits {
                let (changed, inverse) = format.apply(&text, edit).map_err(broken)?;
                text = changed;
                inverses.push(inverse);
            }
            Ok((text.into_bytes(), inverses))
        }
    }
}

impl Prepared {
    /// Whether everything is as wanted already.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.iter().all(Change::is_empty)
    }

    /// Makes the connection: first what leads back is kept in `folder`, then the files are written. If one of them cannot be, those before it
    /// are put back.
    ///
    /// # Errors
    /// Why it could not be made.
    pub fn write(mut self, folder: &Path) -> Result<Connection, FileFault> {
        self.connection.save(folder, &self.bases)?;
        let mut done: Vec<&Change> = Vec::new();
        let mut made: Vec<PathBuf> = Vec::new();
        for change in self.changes.iter().filter(|change| !change.is_empty()) {
            match change.write() {
                Ok(folders) => made.extend(folders),
                Err(fault) => {
                    for change in done.into_iter().rev() {
                        // What cannot be put back is still known to the record, and `--undo` tries again.
                        drop(change.reversed().write());
                    }
                    return Err(fault);
                }
            }
            done.push(change);
        }
        self.connection.made = made;
        self.connection.save(folder, &self.bases)?;
        Ok(self.connection)
    }
}

impl Change {
    /// The way back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let Self { path, before, after, is_program } = self.clone();
        Self { path, before: after, after: before, is_program }
    }
}
