//! Notices what changes: plans that come, are decided elsewhere, or expire because a target changed. What expires is recorded at once.

use crate::state::Server;
use exacta_app::{App, Error};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often is looked.
const PAUSE: Duration = Duration::from_millis(400);

/// How many plans are watched, newest first.
const WATCHED: u32 = 50;

/// Looks until it is stopped.
pub fn watch(server: &Arc<Server>, stop: &AtomicBool) {
    let mut known = BTreeMap::new();
    let mut app: Option<App> = None;
    while !stop.load(Ordering::SeqCst) {
        let looked = app.take().map_or_else(|| server.look(&server.person()), Ok).and_then(|app| {
            look(server, &app, &mut known)?;
            Ok(app)
        });
        // Whatever is wrong is told by the pages; the next look begins anew.
        app = looked.ok();
        std::thread::sleep(PAUSE);
    }
}

fn look(server: &Server, app: &App, known: &mut BTreeMap<String, String>) -> Result<(), Error> {
    let first = known.is_empty();
    let mut seen = BTreeMap::new();
    for line in app.list(None, Some(WATCHED))? {
        let asked = if line.changes_requested.is_some() { " changes" } else { "" };
        seen.insert(line.plan_id.clone(), format!("{}{asked}", line.word()));
    }
    for (id, word) in &seen {
        if known.get(id) == Some(word) {
            continue;
        }
        let mut why = None;
        if word == Status::Expired.name() && known.contains_key(id) {
            why = expired(server, id)?;
        }
        if !first {
            server.live.plan(id, word, why.as_deref());
        }
    }
    *known = seen;
    Ok(())
}

/// Records that a plan is over, and tells why.
fn expired(server: &Server, id: &str) -> Result<Option<String>, Error> {
    let Ok(id) = PlanId::parse(id) else { return Ok(None) };
    let mut app = server.act(&server.person())?;
    Ok(app.consider(&id)?.reason)
}
