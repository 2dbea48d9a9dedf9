//! Archiving: exactly the message that was read is moved, and found again by its hash, since a move gives it a new number.

use super::place::Place;
use crate::error::{Failed, MailError};
use crate::imap::{Purpose, Session};
use exacta_effect::Seen;
use exacta_kernel::hash::Digest;

/// Where new messages are.
const INBOX: &str = "INBOX";

/// Where a message is. `reversed` says that this process put it back: an equal message in the archive is then another one.
pub(super) fn look(
    session: &mut Session,
    place: &Place<'_>,
    validity: u32,
    uid: u32,
    reversed: bool,
) -> Result<Seen, MailError> {
    let archive = session.folder(Purpose::Archive)?;
    let selected = session.select(INBOX, false)?;
    if selected.validity == validity && is_message(session, place, uid)? {
        return Ok(Seen::Before);
    }
    let in_inbox = copies(session, place)?;
    session.select(&archive, false)?;
    let in_archive = copies(session, place)?;
    Ok(match (in_inbox.is_empty(), in_archive.is_empty()) {
        (false, _) if reversed => Seen::Before,
        (_, false) => Seen::Done,
        (false, true) => Seen::Before,
        (true, true) => Seen::Other(format!("the message is neither in the inbox nor in {archive}")),
    })
}

/// Moves the message to the archive, after its hash was compared.
pub(super) fn archive(
    session: &mut Session,
    place: &Place<'_>,
    (account, validity, uid): (&str, u32, u32),
) -> Result<(), Failed> {
    let archive = session.folder(Purpose::Archive).map_err(Failed::Never)?;
    let selected = session.select(INBOX, true).map_err(Failed::Never)?;
    if selected.validity != validity {
        let (account, was, is) = (account.to_owned(), validity, selected.validity);
        return Err(Failed::Never(MailError::Renumbered { account, was, is }));
    }
    if !is_message(session, place, uid).map_err(Failed::Never)? {
        let what = "is not in the inbox any more, or is not the message that was read";
        return Err(Failed::Never(MailError::NotThatMessage { account: account.to_owned(), uid, what }));
    }
    session.move_to(uid, &archive)
}

/// Moves it back to the inbox, where it gets a new number.
pub(super) fn put_back(session: &mut Session, place: &Place<'_>) -> Result<(), Failed> {
    let archive = session.folder(Purpose::Archive).map_err(Failed::Never)?;
    session.select(&archive, true).map_err(Failed::Never)?;
    // Of several that are equal to the byte, the one that came last.
    let last = copies(session, place).map_err(Failed::Never)?.last().copied();
    let gone = || MailError::BadMessage("the message is not in the archive any more");
    session.move_to(last.ok_or_else(|| Failed::Never(gone()))?, "INBOX")
}

/// Whether this number of the selected folder is the message.
fn is_message(session: &mut Session, place: &Place<'_>, uid: u32) -> Result<bool, MailError> {
    if session.size(uid)? != Some(place.size) {
        return Ok(false);
    }
    let cap = usize::try_from(place.size).unwrap_or(usize::MAX);
    Ok(session.message(uid, cap)?.is_some_and(|bytes| Digest::of(&bytes) == place.sha256))
}

/// The numbers of the selected folder under which the message is, to the byte.
fn copies(session: &mut Session, place: &Place<'_>) -> Result<Vec<u32>, MailError> {
    let (above, below) = (place.size.saturating_sub(1), place.size.saturating_add(1));
    let candidates = session.search(&format!("UNDELETED LARGER {above} SMALLER {below}"))?;
    let mut found = Vec::new();
    for uid in candidates {
        if is_message(session, place, uid)? {
            found.push(uid);
        }
    }
    Ok(found)
}
