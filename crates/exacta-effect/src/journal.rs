//! The journal of a run of effects: one line for everything that is about to happen and everything that happened.
//!
//! Each line has a seal of the line before it and of itself, by a key that only the user's own folder yields, so that no line can be
//! changed, moved, taken out or put in. A line that was not written whole is as if it had never been: nothing is done before
//! its line is on the disk. A journal lies in `effects/`, and in `effects/over/` once its run has ended.

use crate::effector::{Direction, Trace};
use crate::error::{EffectError, IoError};
use crate::folder::{Folder, lock, read, write_at};
use crate::outcome::Outcome;
use exacta_kernel::hash::{Digest, canonical_json, keyed_hash};
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The one format that is written and read.
pub(crate) const FORMAT: u32 = 1;

/// The folder of journals.
const EFFECTS: &str = "effects";

/// The folder of those whose runs have ended, in it.
const OVER: &str = "over";

/// The longest journal that is read.
const CAP: u64 = 16 << 20;

/// How often, and after which pause, the lock of a journal whose run has ended is tried again: for about two seconds.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The key that journals are sealed with.
#[derive(Clone)]
pub struct JournalKey([u8; 32]);

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Entry {
    /// What the run is about.
    Begin {
        format: u32,
        run_id: RunId,
        plan_id: PlanId,
        correlation_id: CorrelationId,
        plan_hash: Digest,
        undoes: Option<RunId>,
        traces: Vec<Trace>,
    },
    /// The next thing that happens is this act.
    Intent { step: usize, direction: Direction },
    /// What became of it, by looking.
    Acted { step: usize, direction: Direction, how: Acted },
    /// What became of an act of which nobody could tell, by a person's word. It comes after an end.
    Resolved { step: usize, direction: Direction, happened: bool },
    /// From here on everything is compensated.
    RollingBack { cause: String, cancelled: bool },
    /// The run has ended.
    End { outcome: Outcome },
}

/// What became of an act, by looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Acted {
    Done,
    NotDone(String),
    Unknown(String),
}

/// The folders that journals lie in.
pub(crate) struct Journals {
    open: Folder,
    over: Folder,
    key: JournalKey,
}

/// A journal that is held: locked, and written by nobody else.
pub(crate) struct Journal {
    pub(crate) run: RunId,
    file: OwnedFd,
    /// Of the last line.
    seal: Digest,
    /// Where the next line goes.
    end: u64,
    key: JournalKey,
}

impl JournalKey {
    /// A key from 32 secret bytes.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }
}

impl std::fmt::Debug for JournalKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalKey(…)")
    }
}

impl Journals {
    /// Opens the folders, making them the first time.
    pub(crate) fn open(state: &Folder, key: &JournalKey) -> Result<Self, IoError> {
        let open = state.folder_or_make(EFFECTS).map_err(IoError::of("open folder", EFFECTS))?;
        let over = open.folder_or_make(OVER).map_err(IoError::of("open folder", OVER))?;
        Ok(Self { open, over, key: key.clone() })
    }

    /// Begins the journal of a run, durably.
    pub(crate) fn begin(&self, run: &RunId, first: &Entry) -> Result<Journal, EffectError> {
        let io = |call| IoError::of(call, run.as_str());
        if self.over.file(run.as_str(), false).map_err(io("look at"))?.is_some() {
            return Err(EffectError::Exists { run: run.clone() });
        }
        let file = match self.open.create(run.as_str()) {
            Ok(file) => file,
            Err(Errno::EXIST) => return Err(EffectError::Exists { run: run.clone() }),
            Err(errno) => return Err(io("create")(errno).into()),
        };
        if !lock(&file).map_err(io("lock"))? {
            return Err(io("lock")(Errno::AGAIN).into());
        }
        let mut journal = Journal { run: run.clone(), file, seal: first_seal(run), end: 0, key: self.key.clone() };
        let written = journal.write(first).and_then(|()| self.open.sync().map_err(io("sync the folder of")));
        if let Err(error) = written {
            let _next_recovery = self.open.remove(run.as_str());
            return Err(error.into());
        }
        Ok(journal)
    }

    /// The runs whose journals are among the open ones.
    pub(crate) fn open_runs(&self) -> Result<Vec<RunId>, IoError> {
        let names = self.open.names().map_err(IoError::of("list", EFFECTS))?;
        Ok(names.iter().filter_map(|name| RunId::parse(name).ok()).collect())
    }

    /// The journal of a run without an end, and its lines; `None` if its process lives, or it is gone.
    pub(crate) fn hold(&self, run: &RunId) -> Result<Option<(Journal, Vec<Entry>)>, EffectError> {
        let io = |call| IoError::of(call, run.as_str());
        let Some(file) = self.open.file(run.as_str(), true).map_err(io("open"))? else { return Ok(None) };
        if !lock(&file).map_err(io("lock"))? {
            return Ok(None);
        }
        self.held(&self.open, run, file)
    }

    /// What a journal holds whose lock was taken; `None` if it is no longer there.
    fn held(&self, folder: &Folder, run: &RunId, file: OwnedFd) -> Result<Option<(Journal, Vec<Entry>)>, EffectError> {
        let io = |call| IoError::of(call, run.as_str());
        // Between opening and locking, whoever held it may have ended it.
        let held = rustix::fs::fstat(&file).map_err(io("look at"))?;
        let Some(now) = folder.file(run.as_str(), false).map_err(io("open"))? else { return Ok(None) };
        if rustix::fs::fstat(&now).map_err(io("look at"))?.st_ino != held.st_ino {
            return Ok(None);
        }
        let (entries, seal, end) = self.parse(run, &read(&file, CAP).map_err(io("read"))?)?;
        // What was not written whole goes, so that the next line follows the last whole one.
        rustix::fs::ftruncate(&file, end).map_err(io("shorten"))?;
        let journal = Journal { run: run.clone(), file, seal, end, key: self.key.clone() };
        Ok(Some((journal, entries)))
    }

    /// The journal of a run that has ended, and its lines; `None` if there is none.
    ///
    /// Nobody works on it for long, but a process that this one just started shares the lock until it begins its program,
    /// and another command may be looking; so the lock is waited for, briefly, instead of reading "held" as "not there".
    pub(crate) fn hold_over(&self, run: &RunId) -> Result<Option<(Journal, Vec<Entry>)>, EffectError> {
        let io = |call| IoError::of(call, run.as_str());
        let Some(file) = self.over.file(run.as_str(), true).map_err(io("open"))? else { return Ok(None) };
        for _ in 0..LOCK_TRIES {
            if lock(&file).map_err(io("lock"))? {
                return self.held(&self.over, run, file);
            }
            std::thread::sleep(LOCK_PAUSE);
        }
        Err(io("lock")(Errno::AGAIN).into())
    }

    /// A held journal of a run that has ended is among the open ones again.
    pub(crate) fn reopen(&self, run: &RunId) -> Result<(), IoError> {
        let moved = self.over.rename(run.as_str(), (&self.open, run.as_str()));
        let durable = moved.and_then(|()| self.open.sync()).and_then(|()| self.over.sync());
        durable.map_err(IoError::of("open again", run.as_str()))
    }

    /// The lines of a journal, whoever holds it; `None` if there is none.
    pub(crate) fn entries(&self, run: &RunId) -> Result<Option<Vec<Entry>>, EffectError> {
        let io = |call| IoError::of(call, run.as_str());
        for folder in [&self.over, &self.open] {
            if let Some(file) = folder.file(run.as_str(), false).map_err(io("open"))? {
                return Ok(Some(self.parse(run, &read(&file, CAP).map_err(io("read"))?)?.0));
            }
        }
        Ok(None)
    }

    /// Whether there is a journal of a run.
    pub(crate) fn has(&self, run: &RunId) -> Result<bool, IoError> {
        let has = |folder: &Folder| {
            Ok(folder.file(run.as_str(), false).map_err(IoError::of("open", run.as_str()))?.is_some())
        };
        Ok(has(&self.open)? || has(&self.over)?)
    }

    /// Whether a living process is at a run.
    pub(crate) fn is_at_work(&self, run: &RunId) -> Result<bool, IoError> {
        let io = |call| IoError::of(call, run.as_str());
        match self.open.file(run.as_str(), false).map_err(io("open"))? {
            Some(file) => Ok(!lock(&file).map_err(io("lock"))?),
            None => Ok(false),
        }
    }

    /// The run of a held journal has ended: it moves to those that have. If it cannot, the next recovery moves it.
    pub(crate) fn close(&self, journal: Journal) {
        let moved = self.open.rename(journal.run.as_str(), (&self.over, journal.run.as_str()));
        let _durable = moved.and_then(|()| self.over.sync()).and_then(|()| self.open.sync());
    }

    /// Nothing came of a run: its journal goes.
    pub(crate) fn discard(&self, journal: Journal) -> Result<(), IoError> {
        self.open.remove(journal.run.as_str()).map_err(IoError::of("remove", journal.run.as_str()))
    }

    /// The whole lines, the seal of the last, and where it ends.
    fn parse(&self, run: &RunId, bytes: &[u8]) -> Result<(Vec<Entry>, Digest, u64), EffectError> {
        let bad = |why| EffectError::BadJournal { run: run.clone(), why };
        let (mut entries, mut seal, mut end) = (Vec::new(), first_seal(run), 0_usize);
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let Some(next) = read_line(&self.key, seal, line) else {
                // INVARIANT: only the last line can be torn: the one before it was synced before it was begun.
                if lines.peek().is_some() {
                    return Err(bad("a line in it does not verify"));
                }
                break;
            };
            let (json, now) = next;
            entries.push(serde_json::from_slice(json).map_err(|_| bad("this program does not know its format"))?);
            seal = now;
            end = end.saturating_add(line.len());
        }
        match entries.first() {
            Some(Entry::Begin { format, run_id, .. }) if *format == FORMAT && run_id == run => {}
            None => {}
            Some(_) => return Err(bad("it is of another run or format")),
        }
        Ok((entries, seal, end as u64))
    }
}

impl Journal {
    /// Writes a line. It is on the disk when this returns.
    ///
    /// INVARIANT: a failed sync is fatal, never retried: nobody knows what is on the disk. The caller acts no further.
    pub(crate) fn write(&mut self, entry: &Entry) -> Result<(), IoError> {
        let io = |call| IoError::of(call, self.run.as_str());
        let json = canonical_json(entry).map_err(|_| io("write")(Errno::INVAL))?;
        let seal = sealed(&self.key, self.seal, &json);
        let mut line = format!("{seal} ").into_bytes();
        line.extend_from_slice(&json);
        line.push(b'\n');
        write_at(&self.file, self.end, &line).map_err(io("write"))?;
        rustix::fs::fsync(&self.file).map_err(io("sync"))?;
        self.seal = seal;
        self.end = self.end.saturating_add(line.len() as u64);
        Ok(())
    }
}

/// The JSON of a whole line, and its seal; `None` if it does not verify.
fn read_line<'l>(key: &JournalKey, before: Digest, line: &'l [u8]) -> Option<(&'l [u8], Digest)> {
    let line = line.strip_suffix(b"\n")?;
    let (seal, json) = line.split_at_checked(64)?;
    let json = json.strip_prefix(b" ")?;
    let seal = Digest::parse(str::from_utf8(seal).ok()?).ok()?;
    (sealed(key, before, json) == seal).then_some((json, seal))
}

fn sealed(key: &JournalKey, before: Digest, json: &[u8]) -> Digest {
    let mut bytes = b"exacta.effect-journal/1\0".to_vec();
    bytes.extend_from_slice(before.as_bytes());
    bytes.extend_from_slice(json);
    keyed_hash(&key.0, &bytes)
}

fn first_seal(run: &RunId) -> Digest {
    Digest::of(run.as_str().as_bytes())
}
