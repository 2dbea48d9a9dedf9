//! Where rows and proofs meet: the head of the log is read from the database, and believed only if it is ours.

use super::Record;
use crate::error::RecordError;
use crate::proof::head::{LogHead, Owner, is_recent};
use crate::proof::log_state::LogState;
use crate::proof::tree::Nodes;
use crate::signer::Pin;
use crate::sqlite::db::Db;
use crate::sqlite::{log, nodes};

impl Record {
    /// The log as it stands. The pin must have been read before `db` began to see the database.
    pub(super) fn head(&self, db: &Db<'_>, pin: Option<Pin>) -> Result<LogHead, RecordError> {
        let state = log_state(db)?;
        let leaves = if is_recent(&state, pin) { None } else { Some(log::leaves(db, state.size())?) };
        let head = LogHead::check(state, log::outbox(db)?, self.owner(), pin, leaves.as_deref())?;
        head.ok_or_else(|| db.corrupt("its last entry does not vouch for the records"))
    }

    /// Whose log it must be.
    pub(super) fn owner(&self) -> Owner<'_> {
        Owner { origin: &self.origin, signer: &*self.signer }
    }
}

/// How the log stands by the database's own account.
pub fn log_state(db: &Db<'_>) -> Result<LogState, RecordError> {
    LogState::from_row(log::load(db)?)
}

impl Nodes for Db<'_> {
    fn node(&self, path: &str) -> Result<Option<Vec<u8>>, RecordError> {
        nodes::load(self, path)
    }

    fn put_node(&self, path: &str, node: &[u8]) -> Result<(), RecordError> {
        nodes::save(self, path, node)
    }
}
