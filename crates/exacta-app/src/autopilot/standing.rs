//! What stands behind a plan that was made for an autopilot, as it is now: its words, lists and switches, if an approver signed for them.

use super::occasion::Occasion;
use crate::error::Error;
use crate::project::ProjectRef;
use crate::signer::Signer;
use exacta_home::Home;
use exacta_kernel::approval::Approver;
use exacta_kernel::autopilot::Autopilot;
use exacta_kernel::binding::BoundAutopilot;
use exacta_kernel::check::Allowed;
use exacta_kernel::hash::Digest;
use exacta_record::{DocumentKind, RECORDS, Record};
use std::collections::BTreeSet;

/// What an autopilot allows now, and the hash of that.
pub(crate) struct StandingNow {
    pub sha256: Digest,
    pub allowed: Allowed,
}

impl StandingNow {
    /// Of an autopilot whose signature was verified. Its mail account counts if an approver signed for that, too.
    /// `correspondents` wrote what was read for the plan.
    pub fn of(home: &Home, autopilot: &Autopilot, correspondents: &BTreeSet<String>) -> Result<Self, Error> {
        let from =
            autopilot.definition.mail.as_deref().map(|account| crate::mail::sender(home, account)).transpose()?;
        let allowed = autopilot.allowed(from.flatten().as_deref(), correspondents.clone());
        Ok(Self { sha256: autopilot.hash()?, allowed })
    }
}

/// What stands behind a plan now; nothing where its autopilot is gone, or no approver's signature stands behind it.
///
/// # Errors
/// If the record cannot be read.
pub(crate) fn standing_now(
    project_ref: ProjectRef<'_>,
    bound: &BoundAutopilot,
    approvers: &[Approver],
) -> Result<Option<StandingNow>, Error> {
    // A look of its own: whoever asks may be in the middle of a change of the record.
    let signer = Box::new(Signer::new(project_ref.home, project_ref.project)?);
    let record = Record::open(&project_ref.root.path().join(RECORDS), project_ref.project, signer)?;
    let Some(found) = record.document(DocumentKind::Autopilot, &bound.name)? else { return Ok(None) };
    let autopilot: Autopilot = serde_json::from_value(found.body)?;
    if autopilot.removed || autopilot.verify(approvers, project_ref.project).is_err() {
        return Ok(None);
    }
    let occasion =
        bound.occasion.as_deref().map(|id| record.document(DocumentKind::Occasion, id)).transpose()?.flatten();
    let correspondents = match occasion {
        Some(found) => serde_json::from_value::<Occasion>(found.body)?.correspondents,
        None => BTreeSet::new(),
    };
    StandingNow::of(project_ref.home, &autopilot, &correspondents).map(Some)
}
