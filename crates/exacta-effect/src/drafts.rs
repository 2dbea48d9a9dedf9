//! Drafts: files in the outbox, in the project's folder under the user's state. `outbox/RUN/STEP.txt` is an outcome,
//! `outbox/RUN/STEP.eml` a message that nobody has sent.
//!
//! Nobody else writes there, and a draft is there whole or not at all: it is written under another name and renamed. So what is
//! found tells everything, and nothing is ever under way once its process is dead.

use crate::effector::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
use crate::folder::{Folder, read, write_at};
use exacta_kernel::effect::{DRAFT_MODE, DRAFTS, Effect};
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest draft that is read back.
const CAP: u64 = 64 << 20;

/// Writes drafts.
pub struct Drafts {
    state: Folder,
    /// Whether a sync of names failed: then nobody knows what is on the disk, and nothing that is seen tells it.
    unsynced: AtomicBool,
}

impl Drafts {
    /// `state` is the project's folder in the user's state.
    #[must_use]
    pub const fn new(state: Folder) -> Self {
        Self { state, unsynced: AtomicBool::new(false) }
    }

    /// The folder of a draft, if it is there.
    fn folder(&self, place: &RelPath) -> Result<Option<Folder>, Errno> {
        let mut folder = self.state.clone();
        for part in parents(place) {
            match folder.folder(part)? {
                Some(found) => folder = found,
                None => return Ok(None),
            }
        }
        Ok(Some(folder))
    }

    fn folder_or_make(&self, place: &RelPath) -> Result<Folder, Errno> {
        parents(place).try_fold(self.state.clone(), |folder, part| folder.folder_or_make(part))
    }

    fn state_of(&self, place: &RelPath) -> Result<FileState, Errno> {
        let Some(folder) = self.folder(place)? else { return Ok(FileState::Absent) };
        let Some(file) = folder.file(place.name(), false)? else { return Ok(FileState::Absent) };
        let mode = rustix::fs::fstat(&file)?.st_mode & 0o7777;
        Ok(FileState::of(Some(&FileContent::new(read(&file, CAP)?, mode))))
    }

    fn write(&self, effect: &Effect, trace: &Trace) -> Result<(), Errno> {
        let folder = self.folder_or_make(&trace.place)?;
        let unfinished = format!(".{}", trace.key.as_str());
        // A name that nobody else has: what is there is of an attempt that did not come to its end.
        folder.remove(&unfinished)?;
        let file = folder.create(&unfinished)?;
        write_at(&file, 0, effect.content().map(FileContent::bytes).unwrap_or_default())?;
        rustix::fs::fchmod(&file, rustix::fs::Mode::from_raw_mode(DRAFT_MODE))?;
        rustix::fs::fsync(&file)?;
        folder.rename(&unfinished, (&folder, trace.place.name()))?;
        self.sync(&folder)
    }

    fn remove(&self, trace: &Trace) -> Result<(), Errno> {
        let Some(folder) = self.folder(&trace.place)? else { return Ok(()) };
        folder.remove(&format!(".{}", trace.key.as_str()))?;
        folder.remove(trace.place.name())?;
        self.sync(&folder)?;
        self.remove_folder(&trace.place)
    }

    /// Makes the names in a folder durable.
    fn sync(&self, folder: &Folder) -> Result<(), Errno> {
        folder.sync().inspect_err(|_| self.unsynced.store(true, Ordering::Relaxed))
    }

    /// The folder of a run goes with its last draft.
    fn remove_folder(&self, place: &RelPath) -> Result<(), Errno> {
        let Some(parent) = place.parent() else { return Ok(()) };
        let Some(above) = self.folder(&parent)? else { return Ok(()) };
        above.remove_empty(parent.name())?;
        self.sync(&above)
    }
}

impl Effector for Drafts {
    fn performs(&self, act: &str) -> bool {
        DRAFTS.contains(&act)
    }

    fn reversal(&self, _act: &str) -> Reversal {
        Reversal::Exact
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        if self.unsynced.load(Ordering::Relaxed) {
            return Err(Fault("a sync of the outbox failed, so nobody knows what is on the disk".to_owned()));
        }
        match self.state_of(&trace.place) {
            Ok(FileState::Absent) => Ok(Seen::Before),
            Ok(state) if state == trace.after => Ok(Seen::Done),
            Ok(_) => Ok(Seen::Other(format!("`{}` has other content or another mode", trace.place))),
            Err(Errno::LOOP | Errno::NOTDIR | Errno::INVAL | Errno::ISDIR) => {
                Ok(Seen::Other(format!("something else is in the place of `{}`", trace.place)))
            }
            Err(errno) => Err(Fault(format!("`{}`: {errno}", trace.place))),
        }
    }

    fn settle(&self, trace: &Trace, _tried: Direction, _key: &IdempotencyKey) -> Result<Seen, Fault> {
        // No draft is written by anybody but the process that holds the journal: what is there now stays.
        let seen = self.look(trace)?;
        if seen == Seen::Before {
            // What was half written goes.
            self.remove(trace).map_err(|errno| Fault(format!("`{}`: {errno}", trace.place)))?;
        }
        Ok(seen)
    }

    fn perform(&self, effect: &Effect, trace: &Trace) -> Answer {
        answer(self.write(effect, trace), trace)
    }

    fn compensate(&self, trace: &Trace, _key: &IdempotencyKey) -> Answer {
        answer(self.remove(trace), trace)
    }
}

fn answer(done: Result<(), Errno>, trace: &Trace) -> Answer {
    match done {
        Ok(()) => Answer::Done,
        Err(errno) => Answer::Lost(Fault(format!("`{}`: {errno}", trace.place))),
    }
}

fn parents(place: &RelPath) -> impl Iterator<Item = &str> {
    let folders = place.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').filter(|part| !part.is_empty())
}
