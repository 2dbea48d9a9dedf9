//! The record: the audit log, its proof, and the session.

use crate::app::{App, Options, nothing_here};
use crate::clock::now;
use crate::error::{Error, Exit};
use exacta_kernel::audit::{Entry, EntryDraft, Event};
use exacta_kernel::id::{CorrelationId, ProjectId};
use exacta_kernel::policy::profile::Profile;
use exacta_store::home::{Fall, Home};
use exacta_store::{EntryFilter, Pin, Report, Store, Trusted, VerifyError};
use std::path::Path;

/// Verifies the whole record of a project: every entry, the checkpoints, the pinned one, stored plans and the files beside
/// them. Reads only, but for the profile, which falls to SAFE where something was changed.
///
/// # Errors
/// What was changed and where.
pub fn verify(options: &Options) -> Result<Report, Error> {
    let (path, home) = (options.root()?, options.home()?);
    let project = home.project(&path)?.ok_or_else(|| nothing_here(&path))?;
    match verified(&home, &path, &project.id)? {
        Ok(report) => Ok(report),
        Err(VerifyError::Store(error)) => Err(error.into()),
        Err(VerifyError::Tampered(places)) => {
            let why = "the records were changed from outside";
            let fell = match App::known(options) {
                Ok(mut app) => app.fall_to_safe(why),
                // Records that cannot even be opened take no entry; the fall itself is kept outside them.
                Err(_) => fall_unrecorded(&home, &path, why),
            };
            let places: Vec<String> = places.iter().map(|found| format!("{}: {}", found.place, found.what)).collect();
            let mut message = match places.len() {
                1 => "the record was changed from outside".to_owned(),
                count => format!("the record was changed from outside, in {count} places"),
            };
            if let Err(error) = fell {
                message.push_str(&format!("; and the profile could not be lowered: {error}"));
            }
            Err(Error::fault("record_tampered", message)
                .places(places)
                .hint("the record cannot be trusted from there on; keep a copy and find out who changed it"))
        }
    }
}

/// Compares the whole record with what is kept outside the project.
fn verified(home: &Home, path: &Path, project: &ProjectId) -> Result<Result<Report, VerifyError>, Error> {
    let pin = home.pin(project)?.map(|pin| Pin { size: pin.size, root: pin.root });
    let trusted = Trusted { project: project.clone(), key: home.log_public_key()?, pin };
    Ok(exacta_store::verify(&path.join(".exacta"), &trusted))
}

fn fall_unrecorded(home: &Home, path: &Path, why: &str) -> Result<(), Error> {
    home.update_project(path, |record| {
        record.profile = Profile::Safe;
        record.fell = Some(Fall { at: now(), why: why.to_owned() });
    })?;
    Ok(())
}

impl App {
    /// Refuses to act upon a record that was changed from outside: a run that is hidden could be repeated, and what an undo
    /// puts back could be anything.
    pub(crate) fn trust_record(&mut self) -> Result<(), Error> {
        match verified(&self.home, self.path(), &self.project.id)? {
            Ok(_) => Ok(()),
            Err(VerifyError::Store(error)) => Err(error.into()),
            Err(VerifyError::Tampered(places)) => {
                self.fall_to_safe("the records were changed from outside")?;
                let first = places.first().map(ToString::to_string).unwrap_or_default();
                Err(Error::fault("record_tampered", format!("the record does not verify: {first}"))
                    .hint("run `exacta audit verify` to see every place"))
            }
        }
    }

    /// Entries of the log, oldest first: of one operation, or the last so many.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn entries(&self, correlation_id: Option<CorrelationId>, last: Option<u32>) -> Result<Vec<Entry>, Error> {
        Ok(self.store.entries(&EntryFilter { correlation_id, last })?)
    }

    /// Proof that an entry is in the log, to be checked without this machine.
    ///
    /// # Errors
    /// If there is no such entry.
    pub fn prove(&self, seq: u64) -> Result<String, Error> {
        let receipt = self.store.receipt(seq)?.ok_or_else(|| {
            Error::new(Exit::Usage, "entry_unknown", format!("the log has no entry {seq}"))
                .hint("see `exacta audit list`")
        })?;
        Ok(receipt.text())
    }

    /// Ends the shared session, and with it every plan made in it.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn end_session(&mut self) -> Result<usize, Error> {
        let Some(ended) = self.home.end_session(&self.project.id)? else { return Ok(0) };
        let at = now();
        let entry = EntryDraft::new(Event::SessionEnded, Self::agent(), format!("session {ended} ended"));
        self.store.record(&[entry], at)?;
        Ok(self.store.expire_due(at, Some(&ended))?.len())
    }
}
