//! The first command in a project: its record, and the person's first key.

use crate::app::{App, Options};
use crate::error::Error;
use crate::settings::{ApproverView, Settings};
use exacta_kernel::approval::ApproverName;

impl App {
    /// Whether the user has no approver yet, so that `init` should make one.
    ///
    /// # Errors
    /// If the user's own folder cannot be used.
    pub fn needs_first_approver(options: &Options) -> Result<bool, Error> {
        Ok(options.home()?.approvers()?.is_empty())
    }

    /// Whether the project at hand is known already.
    ///
    /// # Errors
    /// If the folder cannot be used.
    pub fn is_known(options: &Options) -> Result<bool, Error> {
        Ok(options.home()?.project(&options.root()?)?.is_some())
    }

    /// Makes the user's first key and puts its owner on the list of approvers.
    ///
    /// # Errors
    /// If there is an approver already.
    pub fn first_approver(
        options: &Options,
        name: &ApproverName,
        passphrase: Option<&str>,
    ) -> Result<ApproverView, Error> {
        Settings::open(options)?.add_approver(name, passphrase, None)
    }
}
