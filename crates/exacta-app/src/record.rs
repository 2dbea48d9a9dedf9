//! The record: the audit log, its proof, and the session.

use crate::app::{App, Options, is_recorded, nothing_here};
use crate::clock::now;
use crate::error::{Error, Exit};
use exacta_kernel::audit::{Entry, EntryDraft, Event, Origin};
use exacta_kernel::id::CorrelationId;
use exacta_kernel::policy::profile::Profile;
use exacta_store::home::{Fall, Home};
use exacta_store::{EntryFilter, Pin, RECORDS, Report, Store, StoreError, Tampered, Trusted, VerifyError};
use std::path::Path;

/// Verifies the whole record of a project: every entry, the checkpoints, the pinned one, stored plans and the files beside
/// them. Reads only, but for the profile, which falls to SAFE where something was changed.
///
/// # Errors
/// What was changed and where.
pub fn verify(options: &Options) -> Result<Report, Error> {
    let (path, home) = (options.root()?, options.home()?);
    let project = home.project(&path)?.ok_or_else(|| nothing_here(&path))?;
    let pin = home.pin(&project.id)?.map(|pin| Pin { size: pin.size, root: pin.root });
    if pin.is_none() && !is_recorded(&path)? {
        return Err(nothing_here(&path));
    }
    let trusted = Trusted { project: project.id, key: home.log_public_key()?, pin };
    match exacta_store::verify(&path.join(RECORDS), &trusted) {
        Ok(report) => Ok(report),
        Err(VerifyError::Store(StoreError::Tampered(place))) => Err(changed(options, &home, &path, &[place])),
        Err(VerifyError::Store(error)) => Err(error.into()),
        Err(VerifyError::Tampered(places)) => Err(changed(options, &home, &path, &places)),
    }
}

/// The key that others verify the checkpoints of a project with, in C2SP's form; none where nothing was ever signed.
///
/// # Errors
/// If nothing was ever recorded here.
pub fn verifier_key(options: &Options) -> Result<Option<String>, Error> {
    let (path, home) = (options.root()?, options.home()?);
    let project = home.project(&path)?.ok_or_else(|| nothing_here(&path))?;
    Ok(home.log_public_key()?.map(|key| Origin::of(&project.id).verifier_key(&key)))
}

/// What was changed and where; the profile falls to SAFE.
fn changed(options: &Options, home: &Home, path: &Path, places: &[Tampered]) -> Error {
    let why = "the records were changed from outside";
    // Records that cannot be opened or written take no entry; the fall itself is kept outside them.
    let recorded = App::known(options).and_then(|mut app| app.fall_to_safe(why)).is_ok();
    let fell = if recorded { Ok(()) } else { fall_unrecorded(home, path, why) };
    let places: Vec<String> = places.iter().map(|found| format!("{}: {}", found.place, found.what)).collect();
    let mut message = match places.len() {
        1 => "the record was changed from outside".to_owned(),
        count => format!("the record was changed from outside, in {count} places"),
    };
    if let Err(error) = fell {
        message.push_str(&format!("; and the profile could not be lowered: {error}"));
    }
    Error::fault(Error::TAMPERED, message)
        .places(places)
        .hint("the record cannot be trusted from there on; keep a copy and find out who changed it; then `exacta init --anew` begins a new record")
}

fn fall_unrecorded(home: &Home, path: &Path, why: &str) -> Result<(), Error> {
    home.update_project(path, |record| {
        record.profile = Profile::Safe;
        record.fell = Some(Fall { at: now(), why: why.to_owned() });
    })?;
    Ok(())
}

impl App {
    /// Does something with the record. The store compares every plan and run with the log before it is acted upon: a run
    /// that is hidden could be repeated, and what an undo puts back could be anything. Where one was changed from outside,
    /// the profile falls to SAFE.
    pub(crate) fn wary<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let done = act(self);
        if done.as_ref().is_err_and(Error::is_tampered)
            && let Err(error) = self.fall_to_safe("the records were changed from outside")
            // It has fallen all the same where that cannot be recorded for the same reason.
            && !error.is_tampered()
        {
            return Err(error);
        }
        done
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
