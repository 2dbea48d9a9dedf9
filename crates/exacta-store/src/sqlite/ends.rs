//! What the ends of the records tell without reading all of them: pinned and signed checkpoint, the index, and the last lines
//! of the log file. Reads only; costs the same however long the log is.

use super::SqliteStore;
use super::head::Head;
use crate::error::{StoreError, Tampered};
use crate::log::{LogFile, tampered};

impl SqliteStore {
    /// Where the records were changed from outside, as far as their ends tell; only [`crate::verify()`] looks at everything.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    pub fn damage(&self) -> Result<Option<Tampered>, StoreError> {
        if self.ends_fit().is_ok() {
            return Ok(None);
        }
        // Another process may have been writing meanwhile.
        let _lock = self.folder.lock_if_writable()?;
        match self.ends_fit() {
            Ok(()) => Ok(None),
            Err(StoreError::Tampered(found)) => Ok(Some(found)),
            Err(error) => Err(error),
        }
    }

    fn ends_fit(&self) -> Result<(), StoreError> {
        let pin = self.signer.pinned()?;
        let Head { ledger, pending, .. } = self.head(&self.db(), pin)?;
        let size = self.checkpoint_of(&ledger)?.map_or(0, |signed| signed.size());
        match LogFile::read(&self.folder)? {
            Some(log) => log.begun(&pending, size).map(drop),
            None if size > 0 => Err(tampered(1, "the log file is missing").into()),
            None => Ok(()),
        }
    }
}
