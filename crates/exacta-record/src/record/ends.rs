//! What the ends of the records tell without reading all of them: pinned and signed checkpoint, the index, and the last lines
//! of the log file. Reads only; costs the same however long the log is.

use super::Record;
use crate::error::{RecordError, Tampered};
use crate::log::{LogFile, tampered};
use crate::proof::head::LogHead;

impl Record {
    /// Where the records were changed from outside, as far as their ends tell; only [`crate::verify()`] looks at everything.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub fn damage(&self) -> Result<Option<Tampered>, RecordError> {
        if self.ends_fit().is_ok() {
            return Ok(None);
        }
        // Another process may have been writing meanwhile.
        let _lock = self.folder.lock_if_writable()?;
        match self.ends_fit() {
            Ok(()) => Ok(None),
            Err(RecordError::Tampered(found)) => Ok(Some(found)),
            Err(error) => Err(error),
        }
    }

    fn ends_fit(&self) -> Result<(), RecordError> {
        let pin = self.signer.pinned()?;
        let LogHead { log, pending, .. } = self.head(&self.db(), pin)?;
        let size = self.checkpoint_of(&log)?.map_or(0, |signed| signed.size());
        match LogFile::read(&self.folder)? {
            Some(file) => file.check_written(&pending, size).map(drop),
            None if size > 0 => Err(tampered(1, "the log file is missing").into()),
            None => Ok(()),
        }
    }
}
