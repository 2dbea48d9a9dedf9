//! What is kept of an ask that stopped on its way. Its content is the pipeline's business; here it is only kept, readable by its user alone.

use crate::document::{self, Document};
use crate::file::{self, Lock};
use crate::file_error::FileError;
use crate::{Home, HomeError};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::ProjectId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Kept(Value);

impl Document for Kept {
    const SCHEMA: &'static str = "exacta.kept-ask/1";
}

impl Home {
    /// What was kept of an ask; `None` where nothing was.
    ///
    /// # Errors
    /// Where it is damaged or could have been changed by others.
    pub fn kept_ask(&self, project: &ProjectId, id: &str) -> Result<Option<Value>, HomeError> {
        Ok(document::read::<Kept>(&self.ask_file(project, id))?.map(|kept| kept.0))
    }

    /// Keeps it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep_ask(&self, project: &ProjectId, id: &str, kept: &Value) -> Result<(), HomeError> {
        let lock = Lock::on(&self.asks(project))?;
        Ok(document::write(&lock, &self.ask_file(project, id), &Kept(kept.clone()))?)
    }

    /// Forgets it.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn drop_ask(&self, project: &ProjectId, id: &str) -> Result<(), HomeError> {
        if document::read::<Kept>(&self.ask_file(project, id))?.is_none() {
            return Ok(());
        }
        let lock = Lock::on(&self.asks(project))?;
        Ok(lock.remove(&self.ask_file(project, id))?)
    }

    /// A folder for what is known of a project's files, so that they are not all read for each ask. Nothing in it is trusted.
    ///
    /// # Errors
    /// Where it cannot be made or opened.
    #[expect(clippy::disallowed_methods, reason = "the user's own folder")]
    pub fn context_cache(&self, project: &ProjectId) -> Result<File, HomeError> {
        let folder = self.state.join("context").join(project.as_str());
        file::make_folder(&folder)?;
        Ok(File::open(&folder).map_err(FileError::io("open", &folder))?)
    }

    fn asks(&self, project: &ProjectId) -> PathBuf {
        self.state.join("asks").join(project.as_str())
    }

    /// Named by the hash of the id: what a user types may be anything.
    fn ask_file(&self, project: &ProjectId, id: &str) -> PathBuf {
        self.asks(project).join(format!("{}.json", Digest::of(id.as_bytes())))
    }
}
