//! The audit log: entries, proofs, the checkpoint, and whether all of it holds.

use super::json;
use crate::answer::Answer;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::Error;
use exacta_kernel::id::CorrelationId;
use serde_json::json;

/// Entries, oldest first: the last so many, or those of one operation.
pub fn entries(request: &Request) -> Result<Answer, Error> {
    let operation = request.asked("operation").map(CorrelationId::parse).transpose();
    let operation = operation.map_err(|_| {
        refuse("operation_invalid", "that is no id of an operation", "`detail.correlation_id` of a plan")
    })?;
    let last = request.asked("last").and_then(|last| last.parse().ok()).unwrap_or(100).min(10_000);
    let entries = request.look()?.entries(operation, Some(last))?;
    Ok(json(&json!({ "schema": "exacta.audit-list/1", "entries": entries })))
}

/// Proof that an entry is in the log, to be checked without this machine.
pub fn proof(request: &Request) -> Result<Answer, Error> {
    let seq =
        request.part(0).parse().map_err(|_| refuse("entry_unknown", "there is no such entry", "`seq` of an entry"))?;
    let proof = request.look()?.prove(seq)?;
    Ok(Answer::text("text/plain; charset=utf-8", &proof))
}

/// The newest checkpoint as a signed note, how large the log is, and the key that the note is verified with.
pub fn checkpoint(request: &Request) -> Result<Answer, Error> {
    let key = exacta_app::verifier_key(&request.place()?.options_for(&request.caller))?;
    let app = request.look()?;
    let (size, note) = (app.status()?.log_size, app.checkpoint()?);
    Ok(json(&json!({ "schema": "exacta.checkpoint/1", "size": size, "note": note, "verifier_key": key })))
}

/// Verifies the whole record.
pub fn verify(request: &Request) -> Result<Answer, Error> {
    let report = exacta_app::verify(&request.place()?.options_for(&request.caller))?;
    Ok(json(
        &json!({ "schema": "exacta.audit-report/1", "entries": report.entries, "plans": report.plans, "runs": report.runs }),
    ))
}
