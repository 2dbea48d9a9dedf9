//! A plan's new version beside the one it answers, for whoever asked for changes.

use crate::app::App;
use crate::ask::VersionChange;
use crate::caller::Act;
use crate::error::Error;
use crate::view::asked;
use exacta_kernel::id::PlanId;
use exacta_view::ChangesRequested;

/// What a version has that the one before it had not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The version before.
    pub older: PlanId,
    /// Its number.
    pub version: u64,
    /// What a person asked to have changed in it.
    pub asked: Option<ChangesRequested>,
    /// File by file; `None` where the two can no longer be compared, because their files changed since or a text was not kept.
    pub changes: Option<Vec<VersionChange>>,
}

impl App {
    /// What changed since the version that this plan answers; `None` if it answers none that the caller sees.
    ///
    /// # Errors
    /// If there is no such plan, or the record cannot be read.
    pub fn against_older(&self, id: &PlanId) -> Result<Option<Compared>, Error> {
        self.authorize_for(Act::Read, id)?;
        let record = self.record(id)?;
        let older = record.revises.clone().filter(|older| record.version > 1 && self.sees(older));
        let Some(older) = older.map(|older| self.record(&older)).transpose()? else { return Ok(None) };
        let same = [&older, &record].iter().all(|plan| self.derives_as_recorded(&plan.id));
        Ok(Some(Compared {
            changes: if same { self.between(&older.id, id).ok() } else { None },
            version: older.version,
            asked: older.feedback.last().map(asked),
            older: older.id,
        }))
    }

    /// Whether a plan's text still makes of the files what it made of them when it was stored.
    fn derives_as_recorded(&self, id: &PlanId) -> bool {
        let now = self.current(id).map(|current| (current.content_hash(), current.stored.record.content_hash));
        now.is_ok_and(|(now, then)| now == Some(then))
    }
}
