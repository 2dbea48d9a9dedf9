//! A plan as it is stored, and what is said where it cannot be used.

use crate::error::{Error, ErrorCode, Exit};
use exacta_kernel::binding::Identity;
use exacta_kernel::drift::Drift;
use exacta_kernel::facts::Facts;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_record::PlanRecord;

/// What a plan was made against, as stored.
pub(crate) fn identity(record: &PlanRecord) -> Result<Identity, Error> {
    let identity: Identity = serde_json::from_str(&record.identity).map_err(|_| tampered(&record.id))?;
    if identity.plan_id == record.id { Ok(identity) } else { Err(tampered(&record.id)) }
}

/// That every target could be looked at. What could not be may be as it was, and ends no plan.
pub(crate) fn known(facts: &Facts) -> Result<(), Error> {
    let Some((path, reason)) = facts.unknown() else { return Ok(()) };
    let message = format!("`{path}` cannot be read: {reason}");
    Err(Error::fault("target_unreadable", message).hint("fix that, and give the command again"))
}

pub(crate) fn unknown_plan(id: &str) -> Error {
    let message = format!("no plan `{}`", exacta_kernel::text::excerpt(id, 64));
    Error::new(Exit::Usage, "plan_unknown", message)
        .hint(hint![Remedy::List, " shows the plans; give at least four characters of a short id, or a whole id"])
}

pub(crate) fn tampered(id: &PlanId) -> Error {
    Error::fault(
        ErrorCode::RECORD_TAMPERED,
        format!("plan `{id}` does not match its recorded hash: the record was changed"),
    )
    .hint(hint!["run ", Remedy::AuditVerify, " to see where"])
}

pub(crate) fn expired(id: &PlanId, why: &str) -> Error {
    Error::new(Exit::Drifted, ErrorCode::PLAN_EXPIRED, format!("plan `{id}` expired: {why}"))
        .hint(hint![Remedy::Resubmit(Some(id.clone())), " makes a new plan from the same proposal"])
}

pub(crate) fn messages(drifts: &[Drift]) -> String {
    let all: Vec<&str> = drifts.iter().map(|drift| drift.message.as_str()).collect();
    all.join("; ")
}
