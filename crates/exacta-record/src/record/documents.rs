//! Autopilots and occasions: read only as the log vouches for them, and changed together with the entries about it.

use super::Record;
use super::change::{Attempt, Touched};
use crate::document::{DocumentChange, DocumentKind, DocumentRecord};
use crate::error::{RecordError, Tampered};
use crate::row::DocumentRow;
use crate::sqlite::documents;
use exacta_kernel::audit::EntryDraft;
use exacta_kernel::time::Timestamp;

impl Record {
    /// The document of this name; `None` if there never was one.
    ///
    /// # Errors
    /// [`RecordError`]; also where it is not the one the log was written with.
    pub fn document(&self, kind: DocumentKind, id: &str) -> Result<Option<DocumentRecord>, RecordError> {
        let row = if self.unverified {
            documents::row(&self.db(), kind.name(), id)?
        } else {
            self.read_verified(|verified| verified.document(kind.name(), id))?
        };
        row.map(|row| row.record(&self.path, row.hash())).transpose()
    }

    /// Documents of a kind, newest first: of one owner, if given. A list is for people, and is as it is found.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn documents(
        &self,
        kind: DocumentKind,
        owner: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Vec<DocumentRecord>, RecordError> {
        let rows = documents::list(&self.db(), kind.name(), owner, limit)?;
        rows.iter().map(|row| row.record(&self.path, row.hash())).collect()
    }

    /// Where documents of these kinds are not those that the log was written with. Reads only; costs as much as there are documents.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub fn documents_damage(&self, kinds: &[DocumentKind]) -> Result<Option<Tampered>, RecordError> {
        if self.documents_fit(kinds).is_ok() {
            return Ok(None);
        }
        // Another process may have been writing meanwhile.
        let _lock = self.folder.lock_if_writable()?;
        match self.documents_fit(kinds) {
            Ok(()) => Ok(None),
            Err(RecordError::Tampered(found)) => Ok(Some(found)),
            Err(error) => Err(error),
        }
    }

    fn documents_fit(&self, kinds: &[DocumentKind]) -> Result<(), RecordError> {
        self.read_verified(|verified| {
            for kind in kinds {
                for row in documents::list(&verified.db, kind.name(), None, None)? {
                    verified.document(kind.name(), &row.id)?;
                }
            }
            Ok(())
        })
    }

    /// Remembers documents, all or none, if each still is what the caller saw. Whether it happened: of any number that race, one wins.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn put_documents(
        &mut self,
        changes: &[DocumentChange],
        entries: &[EntryDraft],
        at: Timestamp,
    ) -> Result<bool, RecordError> {
        self.change(entries, at, |verified, at| {
            let mut touched = Touched::default();
            for change in changes {
                let found = verified.document(change.kind.name(), &change.id)?;
                if found.as_ref().map(DocumentRow::hash) != change.was {
                    return Ok(Attempt::Nothing(false));
                }
                let created_at = found.map_or(at.as_millis(), |row| row.created_at);
                let row = DocumentRow::of(change, created_at);
                documents::put(&verified.db, &row)?;
                touched.documents.push(row);
            }
            Ok(Attempt::Change(true, touched))
        })
    }
}
