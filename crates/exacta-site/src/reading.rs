//! Approved calls that read: each is done once in its turn, and what it found is kept. Nothing on the site changes, so that its reversal
//! is a note on this machine.

use crate::client::Client;
use crate::images::{Images, Noted};
use crate::read::{Snapshot, environment, inventory, seo};
use exacta_effect::{Answer, Fault, Seen, Trace};
use exacta_kernel::effect::site::READS;

/// Whether an act only reads.
pub(crate) fn reads(act: &str) -> bool {
    READS.contains(&act)
}

/// Whether it was read, and still counts.
pub(crate) fn look(images: &Images, trace: &Trace) -> Result<Seen, Fault> {
    let key = trace.key.as_str();
    let io = |error: exacta_effect::IoError| Fault(error.to_string());
    let read = images.noted(key).map_err(io)?.is_some() && !images.is_dropped(key).map_err(io)?;
    Ok(if read { Seen::Done } else { Seen::Before })
}

/// Reads, and keeps what was found.
pub(crate) fn perform(client: &Client, images: &Images, trace: &Trace) -> Answer {
    let found: Result<Snapshot, Fault> = match trace.act.as_str() {
        "site.get_environment" => crate::probe::manifest(client)
            .map_err(|trouble| Fault(trouble.message))
            .and_then(|manifest| environment(&manifest).map_err(|error| Fault(error.to_string()))),
        "content.inventory" => inventory(client, &[]).map_err(|error| Fault(error.to_string())),
        _ => seo(client).map_err(|error| Fault(error.to_string())),
    };
    let kept = found.and_then(|snapshot| {
        let io = |error: exacta_effect::IoError| Fault(error.to_string());
        let sha256 = images.keep(&snapshot.bytes).map_err(io)?;
        let noted = Noted { sha256: Some(sha256), count: Some(snapshot.count), ..Noted::default() };
        images.note(trace.key.as_str(), &noted).map_err(io)
    });
    match kept {
        Ok(()) => Answer::Done,
        Err(fault) => Answer::NotDone(fault),
    }
}

/// What was read counts no more.
pub(crate) fn compensate(images: &Images, trace: &Trace) -> Answer {
    match images.drop_read(trace.key.as_str()) {
        Ok(()) => Answer::Done,
        Err(error) => Answer::NotDone(Fault(error.to_string())),
    }
}
