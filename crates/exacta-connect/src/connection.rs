//! What was written for a connection, kept in the user's own folder, and the way back.

use crate::client::{Client, Mode, is_program};
use crate::edit::{Format, Inverse};
use crate::file::{self, Change, FileFault};
use crate::settings::{Content, Wanted};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "exacta.connection/1";

/// A connection that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    schema: String,
    /// The program.
    pub client: Client,
    /// How it is connected.
    pub mode: Mode,
    /// Our own program, as it was called then.
    pub exacta: PathBuf,
    /// The project it is for; nothing if it is for every project.
    pub project: Option<PathBuf>,
    pub(crate) files: Vec<Written>,
    /// Folders that were made, outermost first.
    pub(crate) made: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    path: PathBuf,
    existed: bool,
    /// The sum of what was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The sum of what was written.
    after: String,
    /// How it is written, if others have settings in it, too.
    format: Option<Format>,
    inverses: Vec<Inverse>,
}

/// What taking a connection away changes.
#[derive(Debug)]
pub struct Undoing {
    /// Files that change.
    pub changes: Vec<Change>,
    /// Settings that somebody changed since; they stay as they are.
    pub kept: Vec<String>,
    /// Files that are not as they were written, so that what others wrote there since stays.
    pub merged: Vec<PathBuf>,
}

/// A file as it was without the connection.
enum Base {
    /// So, or not there at all.
    Known(Option<Vec<u8>>),
    /// Nobody can tell any more.
    Lost,
}

impl Written {
    pub(crate) fn new(wanted: &Wanted, base: Option<&[u8]>, after: &[u8], inverses: Vec<Inverse>) -> Self {
        let format = match wanted.content {
            Content::Edits(format, _) => Some(format),
            Content::Whole { .. } => None,
        };
        let (existed, before) = (base.is_some(), base.map(file::sum));
        Self { path: wanted.path.clone(), existed, before, after: file::sum(after), format, inverses }
    }
}

impl Connection {
    pub(crate) fn new(client: Client, mode: Mode, exacta: PathBuf, project: Option<PathBuf>) -> Self {
        Self { schema: SCHEMA.to_owned(), client, mode, exacta, project, files: Vec::new(), made: Vec::new() }
    }

    /// The connection of a program, if it has one.
    ///
    /// # Errors
    /// If what was kept cannot be read.
    pub fn load(folder: &Path, client: Client) -> Result<Option<Self>, FileFault> {
        let path = ledger(folder, client);
        let Some(bytes) = file::read(&path)? else { return Ok(None) };
        let unread = |why: String| FileFault::Ledger { path: path.clone(), why };
        let connection: Self = serde_json::from_slice(&bytes).map_err(|error| unread(error.to_string()))?;
        if connection.schema != SCHEMA || connection.client != client {
            return Err(unread(format!("it is not `{SCHEMA}` of {}", client.name())));
        }
        Ok(Some(connection))
    }

    /// Keeps it, and the files as they were without it.
    pub(crate) fn save(&self, folder: &Path, bases: &[Option<Vec<u8>>]) -> Result<(), FileFault> {
        for (number, base) in bases.iter().enumerate() {
            match base {
                Some(bytes) => drop(file::put(&backup(folder, self.client, number), bytes, false)?),
                None => forget(&backup(folder, self.client, number))?,
            }
        }
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        file::put(&ledger(folder, self.client), &text, false).map(drop)
    }

    /// Forgets it.
    ///
    /// # Errors
    /// If it cannot be.
    pub fn forget(&self, folder: &Path) -> Result<(), FileFault> {
        forget(&ledger(folder, self.client))?;
        for number in 0..self.files.len() {
            forget(&backup(folder, self.client, number))?;
        }
        for made in self.made.iter().rev() {
            // Only those that are empty go.
            drop(fs::remove_dir(made));
        }
        Ok(())
    }

    /// Where the files as they were are kept.
    #[must_use]
    pub fn backups(&self, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
        let of = |(number, file): (usize, &Written)| (file.path.clone(), backup(folder, self.client, number));
        self.files.iter().enumerate().map(of).filter(|(_, backup)| backup.exists()).collect()
    }

    /// The files that it is in.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| file.path.clone())
    }

    /// What would lead back: to the byte where nobody wrote since, else only what was added is taken away.
    ///
    /// # Errors
    /// If a file is broken now, so that nothing can be taken out of it.
    pub fn undoing(&self, folder: &Path) -> Result<Undoing, FileFault> {
        let mut undoing = Undoing { changes: Vec::new(), kept: Vec::new(), merged: Vec::new() };
        for (number, written) in self.files.iter().enumerate() {
            let Some(current) = file::read(&written.path)? else { continue };
            let after = match self.base(folder, number, written)? {
                Base::Known(base) if file::sum(&current) == written.after => base,
                Base::Known(base) if Some(&current) == base.as_ref() => continue,
                Base::Known(_) | Base::Lost => {
                    undoing.merged.push(written.path.clone());
                    written.taken_out(&current, &mut undoing.kept)?
                }
            };
            let change = Change { path: written.path.clone(), before: Some(current), after, is_program: false };
            undoing.changes.extend((!change.is_empty()).then_some(change));
        }
        Ok(undoing)
    }

    /// A file without what this connection put there.
    pub(crate) fn without(
        &self,
        folder: &Path,
        path: &Path,
        current: Option<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, FileFault> {
        let place = self.files.iter().position(|file| file.path == path);
        let written = place.and_then(|number| Some((number, self.files.get(number)?)));
        match (written, &current) {
            (Some((number, written)), Some(bytes)) => match self.base(folder, number, written)? {
                Base::Known(base) if file::sum(bytes) == written.after => Ok(base),
                Base::Known(_) | Base::Lost => written.taken_out(bytes, &mut Vec::new()),
            },
            _ => Ok(current),
        }
    }

    /// A file as it was, if what was kept of it is still that.
    fn base(&self, folder: &Path, number: usize, written: &Written) -> Result<Base, FileFault> {
        if !written.existed {
            return Ok(Base::Known(None));
        }
        let path = backup(folder, self.client, number);
        let kept = if path.is_symlink() { None } else { file::read(&path)? };
        let is_it = |bytes: &Vec<u8>| written.before.as_ref().is_none_or(|sum| *sum == file::sum(bytes));
        match kept.filter(is_it) {
            Some(bytes) => Ok(Base::Known(Some(bytes))),
            // Of a file that is ours alone there is nothing to take our settings out of.
            None if written.format.is_none() => Err(FileFault::Lost(path)),
            None => Ok(Base::Lost),
        }
    }

    /// What is not as it was written, in words; nothing if all of it is.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self.files.iter().flat_map(Written::faults).collect();
        if !is_program(&self.exacta) {
            faults.push(format!("`{}`, which the agent's program starts, is not there", self.exacta.display()));
        }
        faults
    }
}

impl Written {
    /// The file without our settings; nothing if there would be nothing left of a file that was not there.
    fn taken_out(&self, current: &[u8], kept: &mut Vec<String>) -> Result<Option<Vec<u8>>, FileFault> {
        let Some(format) = self.format else {
            if file::sum(current) == self.after {
                return Ok(None);
            }
            kept.push(format!("`{}` was changed since, and stays", self.path.display()));
            return Ok(Some(current.to_vec()));
        };
        let broken = |error| FileFault::Broken { path: self.path.clone(), error };
        let mut text = file::text(&self.path, Some(current))?;
        for inverse in self.inverses.iter().rev() {
            match format.invert(&text, inverse).map_err(broken)? {
                Some(without) => text = without,
                None => kept.push(format!(
                    "`{}` in `{}` was changed since, and stays",
                    inverse.edit().place(),
                    self.path.display()
                )),
            }
        }
        let is_empty = text.trim().is_empty() || text.split_whitespace().collect::<String>() == "{}";
        Ok(if is_empty && !self.existed { None } else { Some(text.into_bytes()) })
    }

    fn faults(&self) -> Vec<String> {
        let name = self.path.display();
        let current = match file::read(&self.path) {
            Ok(Some(current)) => current,
            Ok(None) => return vec![format!("`{name}` is gone")],
            Err(fault) => return vec![fault.to_string()],
        };
        let Some(format) = self.format else {
            let differs = file::sum(&current) != self.after;
            return differs.then(|| format!("`{name}` is not as `connect` wrote it")).into_iter().collect();
        };
        let text = match file::text(&self.path, Some(&current)) {
            Ok(text) => text,
            Err(fault) => return vec![fault.to_string()],
        };
        let mut faults = Vec::new();
        for inverse in &self.inverses {
            match format.holds(&text, inverse.edit()) {
                Ok(true) => {}
                Ok(false) => {
                    faults.push(format!("`{}` in `{name}` is not as `connect` set it", inverse.edit().place()))
                }
                Err(error) => return vec![format!("`{name}` is broken: {error}")],
            }
        }
        faults
    }
}

fn ledger(folder: &Path, client: Client) -> PathBuf {
    folder.join(format!("{}.json", client.name()))
}

fn backup(folder: &Path, client: Client, number: usize) -> PathBuf {
    folder.join(format!("{}.{number}.before", client.name()))
}

fn forget(path: &Path) -> Result<(), FileFault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(file::fault("remove", path)(error)),
        _ => Ok(()),
    }
}
