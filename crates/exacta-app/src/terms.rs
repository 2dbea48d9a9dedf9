//! What a permit was given under. Waiting for others and checks can take long, so it is looked at again when a run begins and
//! before it is committed; the targets themselves the executor compares, on the files it holds.

use crate::current::{Current, Surroundings, messages};
use crate::error::Error;
use exacta_exec::ProjectRoot;
use exacta_kernel::approval::Approver;
use exacta_kernel::drift::{self, Answer, Drift};
use exacta_kernel::id::ProjectId;
use exacta_store::home::Home;

/// What must still hold.
pub(crate) enum Terms<'a> {
    /// A plan as it stood, with all that it is bound to.
    Plan(&'a Current),
    /// A person asked for an undo; these are the approvers then.
    Undo(&'a [Approver]),
}

/// Where things are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub home: &'a Home,
    pub root: &'a ProjectRoot,
    pub project: &'a ProjectId,
}

/// What no longer holds.
pub(crate) struct Changed {
    /// In words.
    pub why: String,
    /// Whether the plan is over with it.
    pub expired: bool,
}

impl Terms<'_> {
    /// What has changed since; `None` if everything holds.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn changed(&self, site: Site<'_>) -> Result<Option<Changed>, Error> {
        if !site.root.is_in_place() {
            return Ok(Some(Changed { why: "the project's folder was moved".to_owned(), expired: false }));
        }
        match self {
            Self::Plan(current) => changed_for(current, site),
            Self::Undo(approvers) => Ok(changed_approvers(approvers, &site.home.approvers()?)),
        }
    }
}

fn changed_for(current: &Current, site: Site<'_>) -> Result<Option<Changed>, Error> {
    let surroundings = Surroundings::load(site, &current.identity)?;
    let authority = surroundings.world.authority();
    let drifts = drift::drift(&current.identity, &surroundings.standing(&authority, current.facts()));
    if drifts != current.drifts {
        let new: Vec<Drift> = drifts.iter().filter(|drift| !current.drifts.contains(drift)).cloned().collect();
        let why = if new.is_empty() { "what it is bound to changed back".to_owned() } else { messages(&new) };
        return Ok(Some(Changed { why, expired: drift::answer(&drifts) == Some(Answer::Expired) }));
    }
    Ok(changed_approvers(&current.world().approvers, &surroundings.world.approvers))
}

fn changed_approvers(before: &[Approver], after: &[Approver]) -> Option<Changed> {
    (before != after).then(|| Changed { why: "the list of approvers changed".to_owned(), expired: false })
}
