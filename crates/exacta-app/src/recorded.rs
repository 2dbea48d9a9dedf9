//! Settings in the user's folder, each change of which is in the log: what cannot be recorded is not changed.

use crate::clock::now;
use crate::error::Error;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_record::{EntryDraft, Record, RecordError};

/// A change of a setting.
pub(crate) trait Setting {
    /// Makes it.
    fn set(&mut self) -> Result<(), Error>;

    /// Makes the setting again what it was, if it was changed at all.
    fn put_back(&mut self) -> Result<(), Error>;
}

/// Changes a setting and records it. Where either fails, the setting is as it was; where it could not even be put back, the error says so.
pub(crate) fn record_with(store: &mut Record, entry: EntryDraft, mut setting: impl Setting) -> Result<(), Error> {
    // From here on nobody else writes: what would keep the entry from being made shows before anything is changed.
    let turn = store.turn()?;
    turn.check_writable()?;
    let failed = match setting.set() {
        Ok(()) => match turn.record(&[entry], now()) {
            Ok(()) => return Ok(()),
            // The entry is made, and so the setting stays.
            Err(error @ RecordError::Unfinished(_)) => return Err(error.into()),
            Err(error) => error.into(),
        },
        // It can be in force all the same, such as where only the last sync failed.
        Err(error) => error,
    };
    Err(match setting.put_back() {
        Ok(()) => failed,
        Err(cause) => in_force(&failed, &cause),
    })
}

fn in_force(error: &Error, cause: &Error) -> Error {
    let message = format!(
        "the setting is changed, but the log has no entry of it ({}), and it could not be put back: {}",
        error.message, cause.message
    );
    Error::fault("setting_unrecorded", message).hint(hint![
        "look at the setting (",
        Remedy::PolicyShow,
        ", ",
        Remedy::ProfileCurrent,
        ", ",
        Remedy::ApproverList,
        "), and set it again"
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stuck;

    impl Setting for Stuck {
        fn set(&mut self) -> Result<(), Error> {
            Err(Error::fault("a", "the disk failed"))
        }

        fn put_back(&mut self) -> Result<(), Error> {
            Err(Error::fault("b", "it failed again"))
        }
    }

    #[test]
    fn what_cannot_be_put_back_is_said_to_be_in_force() {
        let error = in_force(&Stuck.set().unwrap_err(), &Stuck.put_back().unwrap_err());
        assert_eq!(error.code, "setting_unrecorded");
        assert_eq!(
            error.message,
            "the setting is changed, but the log has no entry of it (the disk failed), and it could not be put back: it failed again"
        );
    }
}
