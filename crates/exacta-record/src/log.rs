//! The audit log file: lines are added at its end and nothing else ever happens to it.
//!
//! Every line is in the database's outbox, committed, before it is written here, with the place it goes to. So whatever a
//! crash left at the end can be told from tampering: it is the beginning of what the outbox holds.

use crate::error::{Place, RecordError, Tampered};
use crate::folder::{Folder, LOG};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// A line that is in the outbox, and the bytes of the file it takes, newline included.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Its place among the entries, from 0.
    pub seq: u64,
    /// Where it begins in the file.
    pub start: u64,
    /// The line with its newline.
    pub bytes: Vec<u8>,
}

impl Pending {
    /// Where it ends in the file.
    pub const fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

/// The open log file.
#[derive(Debug)]
pub struct LogFile<'a> {
    file: File,
    folder: &'a Folder,
}

impl<'a> LogFile<'a> {
    /// Opens the file; makes it if the log is still empty. The folder must be locked.
    pub fn open(folder: &'a Folder, empty: bool) -> Result<Self, RecordError> {
        if let Some(file) = folder.file(LOG, true)? {
            return Ok(Self { file, folder });
        }
        if !empty {
            return Err(tampered(1, "the log file is missing").into());
        }
        let file = folder.new_file(LOG)?;
        folder.sync()?;
        Ok(Self { file, folder })
    }

    /// Opens the file to read only; `None` if there is none.
    pub fn read(folder: &'a Folder) -> Result<Option<Self>, RecordError> {
        Ok(folder.file(LOG, false)?.map(|file| Self { file, folder }))
    }

    /// How long it is.
    fn len(&self) -> Result<u64, RecordError> {
        self.file.metadata().map(|data| data.len()).map_err(self.failed("read"))
    }

    /// Some bytes of it.
    pub fn bytes(&self, start: u64, end: u64) -> Result<Vec<u8>, RecordError> {
        if end > self.len()? || start > end {
            return Err(tampered(1, "the database's index of the log points outside of it").into());
        }
        let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
        self.file.read_exact_at(&mut bytes, start).map_err(self.failed("read"))?;
        Ok(bytes)
    }

    /// Brings everything that is pending into the file and onto the disk; see [`LogFile::write`].
    pub fn complete(&self, pending: &[Pending], signed: u64) -> Result<(), RecordError> {
        match self.write(pending, signed)? {
            Some(from) => self.sync(from),
            None => Ok(()),
        }
    }

    /// Brings everything that is pending into the file. The first place that is to be synced then, if any.
    ///
    /// `pending` is contiguous and reaches to the end of the log. What of it is there already must be exactly that; and the
    /// first `signed` entries must be there: a checkpoint is put into its file only after they were on disk.
    pub fn write(&self, pending: &[Pending], signed: u64) -> Result<Option<u64>, RecordError> {
        let len = self.check_written(pending, signed)?;
        for line in pending {
            let there = len.clamp(line.start, line.end()) - line.start;
            let new = line.bytes.get(usize::try_from(there).unwrap_or_default()..).unwrap_or_default();
            if !new.is_empty() {
                self.file.write_all_at(new, line.start + there).map_err(self.failed("write"))?;
            }
        }
        Ok(pending.iter().find(|line| line.seq >= signed).map(|line| line.start))
    }

    /// Brings the lines from a place on onto the disk.
    pub fn sync(&self, from: u64) -> Result<(), RecordError> {
        self.file.sync_data().map_err(|cause| {
            // What the system could not write it may forget; only lines that are written again are tried again.
            let _ = self.file.set_len(from);
            self.failed("sync")(cause)
        })
    }

    /// How long the file is, if what it holds of `pending` is exactly that.
    ///
    /// `pending` is contiguous and reaches to the end of the log. The first `signed` entries must be there: a checkpoint is put
    /// into its file only after they were on disk.
    pub fn check_written(&self, pending: &[Pending], signed: u64) -> Result<u64, RecordError> {
        let len = self.len()?;
        let (Some(first), Some(last)) = (pending.first(), pending.last()) else {
            return if len == 0 {
                Ok(0)
            } else {
                Err(tampered(1, "the log file has lines that nobody recorded").into())
            };
        };
        if len < first.start {
            return Err(tampered(first.seq, "the log file ends before the end of this line").into());
        }
        if len > last.end() {
            return Err(tampered(last.seq + 2, "the log file goes on after the last entry that was recorded").into());
        }
        for line in pending {
            let there = len.clamp(line.start, line.end()) - line.start;
            if line.seq < signed && len < line.end() {
                return Err(tampered(line.seq + 1, "the line is missing, though a checkpoint was signed for it").into());
            }
            let old = line.bytes.get(..usize::try_from(there).unwrap_or_default()).unwrap_or_default();
            if there > 0 && self.bytes(line.start, line.start + there)? != old {
                return Err(tampered(line.seq + 1, "the line is not the one that was recorded").into());
            }
        }
        Ok(len)
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(io::Error) -> RecordError + use<> {
        RecordError::io(action, &self.folder.path().join(LOG))
    }
}

/// A line, counted from 1, that is not as it was.
pub fn tampered(line: u64, what: &str) -> Tampered {
    Tampered { place: Place::Line(line), what: what.to_owned() }
}
