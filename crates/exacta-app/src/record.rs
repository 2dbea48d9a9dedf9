//! The record: the audit log, its proof, and the session.

use crate::app::trust::safe_on_tampering;
use crate::app::{App, gone, is_recorded, nothing_here};
use crate::caller::Act;
use crate::clock::now;
use crate::error::{Error, ErrorCode, Exit};
use crate::options::Options;
use exacta_kernel::audit::{Entry, EntryDraft, Event, Origin};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::CorrelationId;
use exacta_record::{EntryFilter, Pin, RECORDS, RecordError, Report, Tampered, Trusted, VerifyError};

/// Verifies the whole record of a project: every entry, the checkpoints, the pinned one, stored plans and the files beside
/// them. Reads only, but for the profile, which falls to SAFE where something was changed.
///
/// # Errors
/// What was changed and where.
pub fn verify(options: &Options) -> Result<Report, Error> {
    options.authorize(Act::ReadAll)?;
    safe_on_tampering(options, || verify_all(options))
}

fn verify_all(options: &Options) -> Result<Report, Error> {
    let (path, home) = (options.root()?, options.home()?);
    let project = home.project(&path)?.ok_or_else(|| nothing_here(&path))?;
    let pin = home.pin(&project.id)?.map(|pin| Pin { size: pin.size, root: pin.root });
    if pin.is_none() && !is_recorded(&path)? {
        return Err(nothing_here(&path));
    }
    let trusted = Trusted { project: project.id, key: home.log_public_key()?, pin };
    let records = path.join(RECORDS);
    exacta_record::verify(&records, &trusted).map_err(|error| match error {
        VerifyError::Record(RecordError::Tampered(place)) => changed(&[place]),
        VerifyError::Record(RecordError::Missing(_)) => gone(&records),
        VerifyError::Record(error) => error.into(),
        VerifyError::Tampered(places) => changed(&places),
    })
}

/// The key that others verify the checkpoints of a project with, in C2SP's form; none where nothing was ever signed.
///
/// # Errors
/// If nothing was ever recorded here.
pub fn verifier_key(options: &Options) -> Result<Option<String>, Error> {
    options.authorize(Act::ReadAll)?;
    let (path, home) = (options.root()?, options.home()?);
    let project = home.project(&path)?.ok_or_else(|| nothing_here(&path))?;
    Ok(home.log_public_key()?.map(|key| Origin::of(&project.id).verifier_key(&key)))
}

/// What was changed and where.
fn changed(places: &[Tampered]) -> Error {
    let places: Vec<String> = places.iter().map(|found| format!("{}: {}", found.place, found.what)).collect();
    let message = match places.len() {
        1 => "the record was changed from outside".to_owned(),
        count => format!("the record was changed from outside, in {count} places"),
    };
    Error::fault(ErrorCode::RECORD_TAMPERED, message).places(places).hint(hint![
        "the record cannot be trusted from there on; keep a copy and find out who changed it; then ",
        Remedy::InitAgain,
        " begins a new record"
    ])
}

impl App {
    /// Does something with the record. The store compares every plan and run with the log before it is acted upon: a run
    /// that is hidden could be repeated, and what an undo puts back could be anything. Where one was changed from outside,
    /// the profile falls to SAFE.
    pub(crate) fn safe_on_tampering<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let options = self.options.clone();
        safe_on_tampering(&options, || act(self))
    }

    /// Entries of the log, oldest first: of one operation, or the newest ones.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn entries(&self, correlation_id: Option<CorrelationId>, last: Option<u32>) -> Result<Vec<Entry>, Error> {
        self.authorize(Act::ReadAll)?;
        Ok(self.store.entries(&EntryFilter { correlation_id, last })?)
    }

    /// Proof that an entry is in the log, to be checked without this machine.
    ///
    /// # Errors
    /// If there is no such entry.
    pub fn prove(&self, seq: u64) -> Result<String, Error> {
        self.authorize(Act::ReadAll)?;
        let receipt = self.store.receipt(seq)?.ok_or_else(|| {
            Error::new(Exit::Usage, "entry_unknown", format!("the log has no entry {seq}"))
                .hint(hint!["see ", Remedy::AuditList])
        })?;
        Ok(receipt.text())
    }

    /// The newest checkpoint of the log, as the signed note that others can verify; none before the first entry.
    ///
    /// # Errors
    /// If the log cannot be read.
    pub fn checkpoint(&self) -> Result<Option<String>, Error> {
        self.authorize(Act::ReadAll)?;
        Ok(self.store.checkpoint()?.map(|signed| signed.note().to_owned()))
    }

    /// Ends the shared session, and with it every plan made in it.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn end_session(&mut self) -> Result<usize, Error> {
        self.authorize(Act::Adjust)?;
        let Some(ended) = self.home.end_session(&self.project.id)? else { return Ok(0) };
        let at = now();
        let entry = EntryDraft::new(Event::SessionEnded, self.actor(), format!("session {ended} ended"));
        self.store.record(&[entry], at)?;
        Ok(self.store.expire_due(at, Some(&ended))?.len())
    }

    /// Ends the session that this process holds, if it holds one: the record says at once that plans made in it are expired.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn end_held_session(&mut self) -> Result<usize, Error> {
        let Some(held) = self.held.take() else { return Ok(0) };
        let ended = held.id().clone();
        drop(held);
        Ok(self.store.expire_due(now(), Some(&ended))?.len())
    }
}
