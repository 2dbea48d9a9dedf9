//! What a permit was given under. Waiting for others and checks can take long, so it is looked at again when a run begins and
//! before it is committed; the targets themselves the executor compares, on the files it holds.

use crate::current::Bound;
use crate::current::Surroundings;
use crate::error::Error;
use crate::project::ProjectRef;
use crate::run::error::run_error;
use crate::stored::{expired, known, messages};
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::approval::Approver;
use exacta_kernel::drift::{self, Answer, Drift};
use exacta_kernel::id::PlanId;
use exacta_kernel::time::Timestamp;

/// When it is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The run begins: its age, session and configuration count, now for the last time.
    Start,
    /// The same after it had to wait: its targets are looked at once more.
    LateStart,
    /// It is about to be committed.
    Commit,
}

/// What must still hold.
pub(crate) enum Preconditions<'a> {
    /// A plan as it stood, with all that it is bound to.
    Plan(Bound<'a>),
    /// A person asked for an undo, and was this approver then.
    Undo(Vec<&'a Approver>),
}

/// What no longer holds.
pub(crate) struct Changed {
    /// In words.
    pub why: String,
    /// Whether the plan is over with it.
    pub expired: bool,
}

impl Preconditions<'_> {
    /// What has changed since; `None` if everything holds.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn changed(&self, project_ref: ProjectRef<'_>, moment: Moment) -> Result<Option<Changed>, Error> {
        if !project_ref.root.is_in_place().map_err(|error| run_error(&error.into()))? {
            return Ok(Some(Changed { why: "the project's folder was moved".to_owned(), expired: false }));
        }
        match self {
            Self::Plan(bound) => changed_for(bound, project_ref, moment),
            Self::Undo(approvers) => Ok(gone(approvers.iter().copied(), &project_ref.home.approvers()?)),
        }
    }

    /// When a plan must have begun by the log's time too, which stays where a clock was set back. A log that was past that end when
    /// the plan was decided says nothing about its age: there a clock was ahead once.
    pub fn begins_before(&self) -> Option<Timestamp> {
        let Self::Plan(bound) = self else { return None };
        Some(bound.identity.expires_at).filter(|end| bound.decided_at < *end)
    }

    /// That a plan does not begin after its end by the log's time.
    pub fn in_time(&self, id: &PlanId, at: Timestamp) -> Result<(), Error> {
        match self.begins_before() {
            Some(end) if end <= at => Err(expired(id, &format!("it expired at {end}, and the log has come to {at}"))),
            _ => Ok(()),
        }
    }
}

fn changed_for(bound: &Bound<'_>, project_ref: ProjectRef<'_>, moment: Moment) -> Result<Option<Changed>, Error> {
    let surroundings = Surroundings::load(project_ref, bound.identity)?;
    let authority = surroundings.in_force.authority();
    let late = (moment == Moment::LateStart).then(|| project_ref.root.facts(bound.facts.paths(), TARGET_CAP));
    let mut facts = late.unwrap_or_else(|| bound.facts.clone());
    if let Some(head) = surroundings.head() {
        facts.set_base(head.base.clone());
    }
    let facts = &facts;
    known(facts)?;
    let mut drifts = drift::drift(bound.identity, &surroundings.present(&authority, facts));
    drifts.retain(|drift| moment != Moment::Commit || !drift.kind.ends_at_the_start());
    if drifts != bound.drifts {
        let new: Vec<Drift> = drifts.iter().filter(|drift| !bound.drifts.contains(drift)).cloned().collect();
        let why = if new.is_empty() { "what it is bound to changed back".to_owned() } else { messages(&new) };
        return Ok(Some(Changed { why, expired: drift::answer(&drifts) == Some(Answer::Expired) }));
    }
    Ok(gone(bound.approvers.iter().copied(), &surroundings.in_force.approvers))
}

/// An approver who is not in the list any more, or not as then.
fn gone<'a>(mut then: impl Iterator<Item = &'a Approver>, now: &[Approver]) -> Option<Changed> {
    let gone = then.find(|approver| !now.contains(approver))?;
    Some(Changed { why: format!("`{}` is no longer the approver of then", gone.name), expired: false })
}
