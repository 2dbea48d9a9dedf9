//! The journal of a run: what it is about to do, and the bytes it would need to put everything back.
//!
//! One file: a line with the format and the seal ([`crate::JournalKey`]) of the next line; that line, canonical JSON; then the bytes of every
//! before-image, in the order of the steps. Whole or not at all: a journal that does not verify is never acted upon.

use crate::bytes::{holds, read_exact, write_all};
use crate::error::RunError;
use crate::fs::{Attributes, Fs};
use crate::work::FileWork;
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::hash::{Digest, canonical_json};
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// The one format that is written and read.
pub(crate) const FORMAT: u32 = 4;

const WORD: &str = "exacta-journal";

/// The longest first line and the longest JSON that are read.
const LINE_CAP: usize = 128;
const JSON_CAP: usize = 4 * 1024 * 1024;

/// What a run does, without the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) run_id: RunId,
    pub(crate) plan_id: PlanId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) plan_hash: Digest,
    pub(crate) undoes: Option<RunId>,
    /// Whether it adopts what lies in its targets already: then no target is ever touched, whoever brings the run to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) adopts: bool,
    /// Folders that are missing and will be made, outer ones first.
    pub(crate) folders: Vec<Folder>,
    /// Folders that give way to a file when everything in them is deleted, outer ones first.
    pub(crate) gone: Vec<Folder>,
    /// Folders that go if nothing is left in them: those that an undone run had made. Outer ones first.
    pub(crate) leaves: Vec<RelPath>,
    /// Sorted by path.
    pub(crate) steps: Vec<Step>,
}

/// A folder that is made or goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Folder {
    pub(crate) path: RelPath,
    /// The mode it has; `None` for what the umask leaves.
    pub(crate) mode: Option<u32>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) path: RelPath,
    pub(crate) before: FileState,
    pub(crate) after: FileState,
    /// What the old file had besides bytes and mode; `None` where there was none, and only there.
    pub(crate) attributes: Option<Attributes>,
}

/// Why a journal cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JournalError {
    /// Made by another version.
    #[error("this program does not know format {0}")]
    Format(u32),
    /// Not what was written.
    #[error("it does not verify: {0}")]
    Broken(&'static str),
    /// It could not be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] Errno),
}

impl JournalError {
    /// Of the journal of this run.
    pub(crate) fn of(&self, run_id: &RunId) -> RunError {
        RunError::BadJournal { run_id: run_id.clone(), what: self.to_string() }
    }
}

impl Journal {
    /// What this work is going to do. `old` has the attributes of each old file; `folders` are missing; of `made`, those go that
    /// lose a file.
    pub(crate) fn of<'a>(
        work: &FileWork,
        old: impl Iterator<Item = Option<&'a Attributes>>,
        [folders, gone]: [Vec<Folder>; 2],
        made: &[Folder],
    ) -> Self {
        let loses = |folder: &RelPath| {
            work.changes.iter().any(|change| change.after.is_none() && is_above(folder, &change.path))
        };
        let leaves = made.iter().map(|folder| &folder.path).filter(|folder| loses(folder)).cloned().collect();
        let steps = work.changes.iter().zip(old).map(|(change, attributes)| Step {
            path: change.path.clone(),
            before: FileState::of(change.before.as_deref()),
            after: FileState::of(change.after.as_deref()),
            // What it adopts keeps what it has; what is before it, git knows by its bytes alone.
            attributes: attributes.filter(|_| !work.adopts).cloned(),
        });
        Self {
            run_id: work.run_id.clone(),
            plan_id: work.plan_id.clone(),
            correlation_id: work.correlation_id.clone(),
            plan_hash: work.plan_hash,
            undoes: work.undoes.clone(),
            adopts: work.adopts,
            folders,
            gone,
            leaves,
            steps: steps.collect(),
        }
    }

    /// Writes the journal and the before-images of `work`; the caller syncs.
    pub(crate) fn write<F: Fs>(&self, fs: &F, file: &F::File, work: &FileWork) -> Result<(), Errno> {
        let json = canonical_json(self).map_err(|_| Errno::INVAL)?;
        let mut head = format!("{WORD} {FORMAT} {}\n", fs.key().seal(&json)).into_bytes();
        head.extend_from_slice(&json);
        head.push(b'\n');
        write_all(fs, file, 0, &head)?;
        let mut offset = head.len() as u64;
        for before in work.changes.iter().filter_map(|change| change.before.as_deref()) {
            write_all(fs, file, offset, before.bytes())?;
            offset = offset.saturating_add(before.size());
        }
        Ok(())
    }

    /// Whether a file holds exactly this journal, with every before-image of `work`.
    pub(crate) fn is_in<F: Fs>(&self, fs: &F, file: &F::File, work: &FileWork) -> Result<bool, Errno> {
        let mut offset = match Self::read_head(fs, file) {
            Ok((found, images)) if found == *self => images,
            Ok(_) | Err(JournalError::Broken(_) | JournalError::Format(_)) => return Ok(false),
            Err(JournalError::Io(errno)) => return Err(errno),
        };
        for before in work.changes.iter().filter_map(|change| change.before.as_deref()) {
            if !holds(fs, file, offset, before.bytes())? {
                return Ok(false);
            }
            offset = offset.saturating_add(before.size());
        }
        Ok(true)
    }

    /// The before-image of one step, verified; `None` where there was no file.
    pub(crate) fn before_image<F: Fs>(
        &self,
        fs: &F,
        file: &F::File,
        path: &RelPath,
    ) -> Result<Option<FileContent>, JournalError> {
        let mut offset = head_len(fs, file)?;
        for step in &self.steps {
            let FileState::File { sha256, size, mode } = &step.before else { continue };
            if step.path == *path {
                let bytes =
                    read_exact(fs, file, offset, *size)?.ok_or(JournalError::Broken("a before-image is cut short"))?;
                let content = FileContent::new(bytes, *mode);
                let same = content.sha256() == *sha256;
                return if same { Ok(Some(content)) } else { Err(JournalError::Broken("a before-image has changed")) };
            }
            offset = offset.saturating_add(*size);
        }
        Ok(None)
    }

    /// Reads the journal of a run back: one that lies under the name of another says nothing. The before-images are verified when
    /// they are used.
    pub(crate) fn read<F: Fs>(fs: &F, file: &F::File, run_id: &RunId) -> Result<Self, JournalError> {
        let (journal, _) = Self::read_head(fs, file)?;
        if journal.run_id == *run_id {
            Ok(journal)
        } else {
            Err(JournalError::Broken("it is the journal of another run"))
        }
    }

    /// The same, and where the before-images begin.
    fn read_head<F: Fs>(fs: &F, file: &F::File) -> Result<(Self, u64), JournalError> {
        let (sum, at) = first_line(fs, file)?;
        let json = read_line(fs, file, at, JSON_CAP)?;
        if fs.key().seal(&json) != sum {
            return Err(JournalError::Broken("its seal is wrong: it is damaged, or Exacta did not write it"));
        }
        let journal: Self = serde_json::from_slice(&json).map_err(|_| JournalError::Broken("it has another shape"))?;
        if !journal.is_sane() {
            return Err(JournalError::Broken("it names what no run may touch"));
        }
        Ok((journal, at.saturating_add(json.len() as u64).saturating_add(1)))
    }

    /// Every folder it names.
    fn above_files(&self) -> impl Iterator<Item = &RelPath> {
        self.folders.iter().chain(&self.gone).map(|folder| &folder.path).chain(&self.leaves)
    }

    /// Whether a folder at the path of a step is the run's own: made where a file was, or one that gives way to a file; or it holds what
    /// is adopted.
    pub(crate) fn swaps(&self, path: &RelPath) -> bool {
        let adopted = |step: &Step| step.after != FileState::Absent && is_above(path, &step.path);
        self.folders.iter().chain(&self.gone).any(|folder| folder.path == *path)
            || (self.adopts && self.steps.iter().any(adopted))
    }

    /// The step that leaves a file where a folder on the way to `path` was.
    pub(crate) fn step_above(&self, path: &RelPath) -> Option<(usize, &Step)> {
        let is = |step: &Step| step.after != FileState::Absent && is_above(&step.path, path);
        self.steps.iter().enumerate().find(|(_, step)| is(step))
    }

    /// Even a journal with the right seal gets nobody further than a plan would.
    fn is_sane(&self) -> bool {
        let paths = || self.steps.iter().map(|step| &step.path);
        let sorted = self.steps.windows(2).all(|pair| matches!(pair, [a, b] if a.path < b.path));
        let modes = |state: &FileState| !matches!(state, FileState::File { mode, .. } if mode & !0o1777 != 0);
        sorted
            && paths().all(|path| !path.is_protected())
            && self.above_files().all(|folder| paths().any(|path| is_above(folder, path)))
            && self.folders.iter().chain(&self.gone).all(|folder| folder.mode.is_none_or(|mode| mode & !0o7777 == 0))
            && self.steps.iter().all(|step| step.before != step.after && modes(&step.before) && modes(&step.after))
            && self
                .steps
                .iter()
                .all(|step| step.attributes.is_some() == (step.before != FileState::Absent && !self.adopts))
            && (!self.adopts || (self.undoes.is_none() && self.above_files().next().is_none()))
    }
}

fn is_above(folder: &RelPath, path: &RelPath) -> bool {
    path.is_beneath(folder) && path != folder
}

/// The seal of the JSON and where it begins.
fn first_line<F: Fs>(fs: &F, file: &F::File) -> Result<(Digest, u64), JournalError> {
    let line = read_line(fs, file, 0, LINE_CAP)?;
    let text = str::from_utf8(&line).map_err(|_| JournalError::Broken("its first line is not text"))?;
    let mut words = text.split(' ');
    if words.next() != Some(WORD) {
        return Err(JournalError::Broken("it does not begin as a journal"));
    }
    let format = words.next().and_then(|word| word.parse().ok()).ok_or(JournalError::Broken("it has no format"))?;
    if format != FORMAT {
        return Err(JournalError::Format(format));
    }
    let sum = words.next().and_then(|word| Digest::parse(word).ok()).ok_or(JournalError::Broken("it has no seal"))?;
    Ok((sum, line.len() as u64 + 1))
}

/// Where the before-images begin.
fn head_len<F: Fs>(fs: &F, file: &F::File) -> Result<u64, JournalError> {
    let (_, at) = first_line(fs, file)?;
    let json = read_line(fs, file, at, JSON_CAP)?;
    Ok(at.saturating_add(json.len() as u64).saturating_add(1))
}

fn read_line<F: Fs>(fs: &F, file: &F::File, mut offset: u64, cap: usize) -> Result<Vec<u8>, JournalError> {
    let mut line = Vec::new();
    let mut chunk = [0_u8; 4096];
    loop {
        let count = fs.read(file, offset, &mut chunk)?;
        let read = chunk.get(..count).unwrap_or_default();
        match read.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                line.extend_from_slice(read.get(..end).unwrap_or_default());
                return Ok(line);
            }
            None if count == 0 || line.len() > cap => return Err(JournalError::Broken("it is cut short")),
            None => line.extend_from_slice(read),
        }
        offset = offset.saturating_add(count as u64);
    }
}
