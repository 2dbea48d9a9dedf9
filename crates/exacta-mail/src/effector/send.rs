//! Sending: at most once, whatever the wire does.

use super::place::message_id;
use crate::account::{Account, Password};
use crate::error::{Failed, MailError};
use crate::imap::{Purpose, Session};
use crate::message;
use crate::outgoing::Outgoing;
use crate::smtp::Submission;
use crate::wire::Limits;
use exacta_effect::Seen;
use std::thread::sleep;
use std::time::Duration;

/// How long is waited before it is tried again. Only what provably did not happen is.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(400)];

/// The most of a sent message that is read to find its Message-ID.
const LARGEST: usize = 32 << 20;

/// Sends a message.
///
/// INVARIANT: another attempt is made only before the content of any was begun: `Failed::Never` with an error that passes comes from nowhere else.
pub(super) fn send(
    (account, password): (&Account, &Password),
    limits: Limits,
    bytes: &[u8],
    (run, step): (&str, &str),
) -> Result<(), Failed> {
    has_own_id(bytes, run, step).map_err(Failed::Never)?;
    let message = Outgoing::new(bytes, account.from()).map_err(Failed::Never)?;
    for pause in PAUSES {
        match attempt(account, password, limits, &message) {
            Err(Failed::Never(error)) if error.is_transient() => sleep(pause),
            other => return other,
        }
    }
    attempt(account, password, limits, &message)
}

fn attempt(account: &Account, password: &Password, limits: Limits, message: &Outgoing<'_>) -> Result<(), Failed> {
    let mut submission = Submission::open(account, password, limits).map_err(Failed::Never)?;
    submission.send(message)?;
    submission.quit();
    Ok(())
}

/// Looks among what was sent for a message whose answer was lost. Not every server keeps what it sends: that it is not there tells nothing.
pub(super) fn look_for(session: &mut Session, run: &str, step: &str) -> Result<Seen, MailError> {
    let folder = match session.folder(Purpose::Sent) {
        Err(MailError::NoFolder { .. }) => return Ok(Seen::Unsure),
        folder => folder?,
    };
    session.select(&folder, false)?;
    let id = message_id(run, step);
    for uid in session.search(&format!("HEADER Message-ID \"{id}\""))? {
        if session.message(uid, LARGEST)?.is_some_and(|bytes| message::has_id(&bytes, &id)) {
            return Ok(Seen::Done);
        }
    }
    Ok(Seen::Unsure)
}

/// Whether a message has the Message-ID of its run and step: without it nobody finds it again.
pub(super) fn has_own_id(bytes: &[u8], run: &str, step: &str) -> Result<(), MailError> {
    let id = message_id(run, step);
    if message::has_id(bytes, &id) {
        Ok(())
    } else {
        Err(MailError::BadMessage("its Message-ID is not that of its run and step"))
    }
}
