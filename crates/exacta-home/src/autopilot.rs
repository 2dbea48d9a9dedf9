//! What the user's folder keeps of autopilots: where each one lives, what a monitor has learnt, and what was read. None of it grants
//! anything: an autopilot's words and lists are in its project's record, signed.

use crate::document::{self, Document};
use crate::file::{self, Lock, Trust};
use crate::file_error::FileError;
use crate::{Home, HomeError};
use exacta_kernel::autopilot::AutopilotName;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{ProjectId, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// In which folder each autopilot lives.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Places(BTreeMap<AutopilotName, PathBuf>);

impl Document for Places {
    const SCHEMA: &'static str = "exacta.autopilots/1";
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Learnt(Value);

impl Document for Learnt {
    const SCHEMA: &'static str = "exacta.autopilot-memory/1";
}

impl Home {
    /// The folder of the user's desk: a project without a work tree, for what belongs to no project.
    #[must_use]
    pub fn desk(&self) -> PathBuf {
        self.state.join("desk")
    }

    /// The same, made where it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or somebody else can write there.
    pub fn make_desk(&self) -> Result<PathBuf, HomeError> {
        file::make_folder(&self.desk())?;
        Ok(self.desk())
    }

    /// Every autopilot of the user, and the folder of the project that it lives in.
    ///
    /// # Errors
    /// Where the list is damaged or could have been changed by others.
    pub fn autopilots(&self) -> Result<BTreeMap<AutopilotName, PathBuf>, HomeError> {
        Ok(document::read::<Places>(&self.places())?.unwrap_or_default().0)
    }

    /// Gives a name to an autopilot of this project, unless another one has it: then the other's project.
    ///
    /// # Errors
    /// Where the list cannot be read or written.
    pub fn claim_autopilot(&self, name: &AutopilotName, root: &Path) -> Result<Option<PathBuf>, HomeError> {
        let lock = Lock::on(&self.autopilot_folder())?;
        let mut places = document::read::<Places>(&self.places())?.unwrap_or_default();
        match places.0.get(name) {
            Some(taken) => Ok(Some(taken.clone())),
            None => {
                places.0.insert(name.clone(), root.to_owned());
                document::write(&lock, &self.places(), &places)?;
                Ok(None)
            }
        }
    }

    /// Gives a name up.
    ///
    /// # Errors
    /// Where the list cannot be read or written.
    pub fn release_autopilot(&self, name: &AutopilotName) -> Result<(), HomeError> {
        let lock = Lock::on(&self.autopilot_folder())?;
        let mut places = document::read::<Places>(&self.places())?.unwrap_or_default();
        places.0.remove(name);
        Ok(document::write(&lock, &self.places(), &places)?)
    }

    /// What an autopilot has learnt; `None` where it has not looked yet.
    ///
    /// # Errors
    /// Where it is damaged or could have been changed by others.
    pub fn autopilot_memory(&self, project: &ProjectId, name: &AutopilotName) -> Result<Option<Value>, HomeError> {
        let path = self.learnt(project).join(format!("{name}.json"));
        Ok(document::read::<Learnt>(&path)?.map(|learnt| learnt.0))
    }

    /// Keeps what it has learnt.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep_autopilot_memory(
        &self,
        project: &ProjectId,
        name: &AutopilotName,
        learnt: &Value,
    ) -> Result<(), HomeError> {
        let folder = self.learnt(project);
        let lock = Lock::on(&folder)?;
        Ok(document::write(&lock, &folder.join(format!("{name}.json")), &Learnt(learnt.clone()))?)
    }

    /// Keeps bytes as they were read, named by their hash.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn keep_snapshot(&self, project: &ProjectId, bytes: &[u8]) -> Result<Digest, HomeError> {
        let (folder, hash) = (self.snapshots(project), Digest::of(bytes));
        Lock::on(&folder)?.write(&folder.join(hash.to_string()), bytes)?;
        Ok(hash)
    }

    /// Bytes as they were read, if they are kept and still are what they were.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn snapshot(&self, project: &ProjectId, hash: Digest) -> Result<Option<Vec<u8>>, HomeError> {
        let bytes = file::read(&self.snapshots(project).join(hash.to_string()), Trust::Own)?;
        Ok(bytes.map(|bytes| bytes.to_vec()).filter(|bytes| Digest::of(bytes) == hash))
    }

    /// Removes what was read longer ago than this. What cannot be removed now, the next look removes.
    ///
    /// # Errors
    /// Where the folder cannot be listed.
    pub fn prune_snapshots(&self, project: &ProjectId, keep: Duration) -> Result<(), HomeError> {
        let folder = self.snapshots(project);
        let Some(oldest) = SystemTime::now().checked_sub(keep) else { return Ok(()) };
        let Ok(files) = std::fs::read_dir(&folder) else { return Ok(()) };
        for file in files {
            let file = file.map_err(FileError::io("list", &folder))?;
            let old = file.metadata().and_then(|found| found.modified()).is_ok_and(|at| at < oldest);
            if old && Digest::parse(&file.file_name().to_string_lossy()).is_ok() {
                let _next_time = std::fs::remove_file(file.path());
            }
        }
        Ok(())
    }

    fn autopilot_folder(&self) -> PathBuf {
        self.state.join("autopilots")
    }

    fn places(&self) -> PathBuf {
        self.autopilot_folder().join("places.json")
    }

    fn learnt(&self, project: &ProjectId) -> PathBuf {
        self.state.join("projects").join(project.as_str()).join("autopilot")
    }

    fn snapshots(&self, project: &ProjectId) -> PathBuf {
        self.state.join("projects").join(project.as_str()).join("snapshots")
    }
}

/// The mails that an autopilot was about to send.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sends {
    sends: Vec<Counted>,
}

/// The mails of one run, by the day in the user's zone.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    run: RunId,
    mails: u32,
    day: String,
}

/// How many runs that sent are remembered: more than a few days can have.
const REMEMBERED_SENDS: usize = 1_000;

impl Document for Sends {
    const SCHEMA: &'static str = "exacta.autopilot-sends/1";
}

impl Home {
    /// Counts the mails of a run before any is sent, if they are within what a day may have. Whether they are: of any number racing for the last one, one is.
    ///
    /// # Errors
    /// Where it cannot be read or written.
    pub fn count_sends(
        &self,
        name: &AutopilotName,
        run: &RunId,
        mails: u32,
        day: &str,
        most: u32,
    ) -> Result<bool, HomeError> {
        let lock = Lock::on(&self.autopilot_folder().join("sends"))?;
        let mut list: Sends = document::read(&self.sends_file(name))?.unwrap_or_default();
        let counted = list.sends.iter().filter(|known| known.day == day).map(|known| known.mails);
        if counted.fold(mails, u32::saturating_add) > most {
            return Ok(false);
        }
        list.sends.push(Counted { run: run.clone(), mails, day: day.to_owned() });
        let old = list.sends.len().saturating_sub(REMEMBERED_SENDS);
        list.sends.drain(..old);
        document::write(&lock, &self.sends_file(name), &list)?;
        Ok(true)
    }

    /// Nothing of this run was sent: its mails do not count.
    ///
    /// # Errors
    /// Where it cannot be read or written.
    pub fn forget_sends(&self, name: &AutopilotName, run: &RunId) -> Result<(), HomeError> {
        let lock = Lock::on(&self.autopilot_folder().join("sends"))?;
        let mut list: Sends = document::read(&self.sends_file(name))?.unwrap_or_default();
        list.sends.retain(|known| known.run != *run);
        Ok(document::write(&lock, &self.sends_file(name), &list)?)
    }

    fn sends_file(&self, name: &AutopilotName) -> PathBuf {
        self.autopilot_folder().join("sends").join(format!("{name}.json"))
    }
}
