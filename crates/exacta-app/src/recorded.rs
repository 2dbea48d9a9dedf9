//! Settings in the user's folder, each change of which is in the log: what cannot be recorded is not changed.

use crate::clock::now;
use crate::error::Error;
use exacta_store::{Deed, EntryDraft, Store};

/// A change of a setting.
pub(crate) trait Setting {
    /// Makes it.
    fn set(&mut self) -> Result<(), Error>;

    /// Makes the setting again what it was, if it was changed at all.
    fn put_back(&mut self) -> Result<(), Error>;
}

/// A change, and what became of it.
struct Tried<S> {
    setting: S,
    set: Result<(), Error>,
    put_back: Result<(), Error>,
}

impl<S: Setting> Deed for Tried<S> {
    fn act(&mut self) -> bool {
        self.set = self.setting.set();
        if self.set.is_err() {
            // It can be in force all the same, such as where only the last sync failed.
            self.put_back();
        }
        self.set.is_ok()
    }

    fn put_back(&mut self) {
        self.put_back = self.setting.put_back();
    }
}

/// Changes a setting and records it. Where either fails, the setting is as it was; where it could not even be put back, the error says so.
pub(crate) fn record_with(store: &mut impl Store, entry: EntryDraft, setting: impl Setting) -> Result<(), Error> {
    let mut tried = Tried { setting, set: Ok(()), put_back: Ok(()) };
    let recorded = store.record_with(&[entry], now(), &mut tried);
    match (recorded.map_err(Error::from).and(tried.set), tried.put_back) {
        (Err(error), Err(cause)) => Err(in_force(&error, &cause)),
        (outcome, _) => outcome,
    }
}

fn in_force(error: &Error, cause: &Error) -> Error {
    let message = format!(
        "the setting is changed, but the log has no entry of it ({}), and it could not be put back: {}",
        error.message, cause.message
    );
    Error::fault("setting_unrecorded", message)
        .hint("look at the setting (`exacta policy show`, `exacta profile current`, `exacta approver list`), and set it again")
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
        let mut tried = Tried { setting: Stuck, set: Ok(()), put_back: Ok(()) };
        assert!(!tried.act());
        let error = in_force(&tried.set.unwrap_err(), &tried.put_back.unwrap_err());
        assert_eq!(error.code, "setting_unrecorded");
        assert_eq!(
            error.message,
            "the setting is changed, but the log has no entry of it (the disk failed), and it could not be put back: it failed again"
        );
    }
}
