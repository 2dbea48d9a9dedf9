//! A draft beside the user's own: found again by its Message-ID and its hash, deleted only as it was.

use super::place::{Place, message_id};
use super::send::has_own_id;
use crate::error::{Failed, MailError};
use crate::imap::{Purpose, Session};
use crate::message;
use crate::outgoing::well_formed;
use exacta_effect::Seen;
use exacta_kernel::hash::Digest;

/// The most of a changed draft that is read.
const LARGEST: usize = 32 << 20;

/// What is in the folder of drafts.
pub(super) fn look(session: &mut Session, place: &Place<'_>, run: &str, step: &str) -> Result<Seen, MailError> {
    let folder = session.folder(Purpose::Drafts)?;
    session.select(&folder, false)?;
    Ok(match copies(session, place, run, step)?.as_slice() {
        [] => Seen::Before,
        [(_, true)] => Seen::Done,
        [_] => Seen::Other(format!("the draft in {folder} was changed")),
        more => Seen::Other(format!("the draft is in {folder} {} times", more.len())),
    })
}

/// Puts it there.
pub(super) fn append(session: &mut Session, bytes: &[u8], (run, step): (&str, &str)) -> Result<(), Failed> {
    well_formed(bytes).map_err(Failed::Never)?;
    has_own_id(bytes, run, step).map_err(Failed::Never)?;
    let folder = session.folder(Purpose::Drafts).map_err(Failed::Never)?;
    session.append(&folder, bytes)
}

/// Deletes it, if it is there once and as it was.
pub(super) fn remove(session: &mut Session, place: &Place<'_>, run: &str, step: &str) -> Result<(), Failed> {
    let folder = session.folder(Purpose::Drafts).map_err(Failed::Never)?;
    session.select(&folder, true).map_err(Failed::Never)?;
    match copies(session, place, run, step).map_err(Failed::Never)?.as_slice() {
        [(uid, true)] => session.remove(*uid),
        _ => Err(Failed::Never(MailError::BadMessage("the draft is not there once and as it was"))),
    }
}

/// The messages of the selected folder with the Message-ID of a run's step, and whether each is the draft to the byte.
fn copies(session: &mut Session, place: &Place<'_>, run: &str, step: &str) -> Result<Vec<(u32, bool)>, MailError> {
    let id = message_id(run, step);
    let mut found = Vec::new();
    for uid in session.search(&format!("UNDELETED HEADER Message-ID \"{id}\""))? {
        let Some(bytes) = session.message(uid, LARGEST)? else { continue };
        if message::has_id(&bytes, &id) {
            found.push((uid, bytes.len() as u64 == place.size && Digest::of(&bytes) == place.sha256));
        }
    }
    Ok(found)
}
