//! The record: entries, verification, proof.

use super::{Context, Face};
use crate::args::{AuditCommand, AuditList, AuditProve, AuditShow};
use crate::fail;
use crate::render::audit as text;
use exacta_app::{App, Error, Exit};
use exacta_kernel::audit::Entry;
use exacta_kernel::id::CorrelationId;
use rustix::fs::OFlags;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

#[derive(Debug, Serialize)]
struct Entries {
    entries: Vec<Entry>,
    /// Whether there are older ones.
    more: bool,
}

#[derive(Debug, Serialize)]
struct Verified<R> {
    #[serde(flatten)]
    report: R,
    verifier_key: Option<String>,
}

#[derive(Debug, Serialize)]
struct Proof {
    seq: u64,
    proof: String,
    verifier_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// `exacta audit …`
pub fn audit(command: &AuditCommand, context: &Context) -> Result<u8, Error> {
    match command {
        AuditCommand::List(args) => list(args, context),
        AuditCommand::Verify => verify(context),
        AuditCommand::Show(args) => show(args, context),
        AuditCommand::Prove(args) => prove(args, context),
    }
}

fn list(args: &AuditList, context: &Context) -> Result<u8, Error> {
    let app = context.look()?;
    context.tell_damage(&app)?;
    let correlation = args.plan.as_deref().map(|id| correlation(&app, id)).transpose()?;
    let mut entries = app.entries(correlation, Some(args.limit.saturating_add(1)))?;
    // The newest come last, and stay.
    entries.reverse();
    let more = super::cut(&mut entries, args.limit);
    entries.reverse();
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.audit-list/1", body: Entries { entries, more } });
    } else {
        context.output.rows(text::entries(&entries, &app.short_ids(&entries)?));
        context.tell_more(more);
    }
    Ok(0)
}

/// The operation that a plan belongs to.
fn correlation(app: &App, id: &str) -> Result<CorrelationId, Error> {
    let detail = app.show(&app.resolve(id)?)?;
    let id = detail.plan.detail.and_then(|detail| detail.correlation_id).unwrap_or_default();
    CorrelationId::parse(&id).map_err(|error| Error::fault("internal", error.to_string()))
}

fn verify(context: &Context) -> Result<u8, Error> {
    let report = exacta_app::verify(&context.options)?;
    let verifier_key = exacta_app::verifier_key(&context.options)?;
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.audit-report/1", body: Verified { report, verifier_key } });
    } else {
        context.output.rows(text::report(&report)?);
        if let Some(key) = verifier_key {
            context.output.line(&format!("verifier key {key}"));
        }
    }
    Ok(0)
}

fn show(args: &AuditShow, context: &Context) -> Result<u8, Error> {
    let entries = context.look()?.entries(None, None)?;
    let entry = entries.into_iter().find(|entry| entry.seq == args.seq).ok_or_else(|| {
        Error::new(Exit::Usage, "entry_unknown", format!("the log has no entry {}", args.seq))
            .hint("see `exacta audit list`")
    })?;
    if context.output.is_json() {
        context.output.json(&entry);
    } else {
        context.output.rows(text::entry(&entry)?);
    }
    Ok(0)
}

/// Writes a file that the user named; not through a symbolic link, which somebody else may have put there.
#[expect(clippy::disallowed_methods, reason = "a file that the user named")]
fn write(path: &Path, text: &str) -> io::Result<()> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = File::options().write(true).create(true).truncate(true).custom_flags(flags).open(path)?;
    file.write_all(text.as_bytes())
}

fn prove(args: &AuditProve, context: &Context) -> Result<u8, Error> {
    let proof = context.look()?.prove(args.seq)?;
    let file = args.output.as_ref().map(|path| path.display().to_string());
    if let (Some(path), Some(name)) = (&args.output, &file) {
        write(path, &proof).map_err(|error| fail::io(Exit::Usage, &format!("write `{name}`"), &error))?;
    }
    if context.output.is_json() {
        let verifier_key = exacta_app::verifier_key(&context.options)?;
        let body = Proof { seq: args.seq, proof, verifier_key, file };
        context.output.json(&Face { schema: "exacta.audit-proof/1", body });
    } else if file.is_none() {
        context.output.text(&proof);
    }
    Ok(0)
}
