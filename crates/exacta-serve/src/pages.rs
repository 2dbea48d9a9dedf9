//! The pages that are only looked at.

use crate::answer::Answer;
use crate::page::{self, Forms, PlanPage};
use crate::place::Place;
use crate::problem::{refuse, status};
use crate::request::Request;
use exacta_app::{App, Error};
use exacta_kernel::id::{CorrelationId, PlanId};
use exacta_kernel::time::Timestamp;
use hyper::{StatusCode, header};
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many plans the inbox and the history show at first, and the history at most.
const INBOX: u32 = 50;
const HISTORY: (u32, u32) = (50, 2000);

/// A file of the page.
pub fn asset(request: &Request) -> Result<Answer, Error> {
    let asset = page::asset(&request.path)
        .ok_or_else(|| refuse("not_found", "there is no such file", "the inbox is at `/`"))?;
    Ok(Answer::text(asset.kind, asset.text).with(header::CACHE_CONTROL, "no-cache".to_owned()))
}

/// The page behind the one-time link.
pub fn opening(request: &Request) -> Result<Answer, Error> {
    let link = request.part(0);
    if !request.server.sessions.is_link(link) {
        return Err(refuse(
            "unauthenticated",
            "this link does not open anything",
            "a link works once; `exacta serve` prints a new one each time it starts",
        ));
    }
    Ok(Answer::page(StatusCode::OK, page::opening(link, request.server.approver.as_str())))
}

/// What waits.
pub fn inbox(request: &Request) -> Result<Answer, Error> {
    let looked = looked(request)?;
    let around = request.server.around(&looked, request.session()?)?;
    let (mut waiting, mut approved) = (Vec::new(), Vec::new());
    for (place, app) in &looked {
        waiting.extend(app.inbox(INBOX)?.into_iter().map(|plan| (place.name.as_str(), plan)));
        approved.extend(app.approved()?.into_iter().map(|plan| (place.name.as_str(), plan)));
    }
    waiting.sort_by(|(_, a), (_, b)| b.line.created_at.cmp(&a.line.created_at));
    approved.sort_by(|(_, a), (_, b)| b.created_at.cmp(&a.created_at));
    let can_ask = looked.iter().any(|(_, app)| app.has_provider().unwrap_or(false));
    let shown = page::Inbox { waiting: &waiting, approved: &approved, can_ask };
    Ok(Answer::page(StatusCode::OK, page::inbox(&around, &shown, now())))
}

/// What there was.
pub fn history(request: &Request) -> Result<Answer, Error> {
    let looked = looked(request)?;
    let around = request.server.around(&looked, request.session()?)?;
    let show = request.asked("show").and_then(|show| show.parse().ok()).unwrap_or(HISTORY.0).clamp(1, HISTORY.1);
    let mut plans = Vec::new();
    for (place, app) in &looked {
        plans.extend(app.list(None, Some(show + 1))?.into_iter().map(|plan| (place.name.as_str(), plan)));
    }
    plans.sort_by(|(_, a), (_, b)| b.created_at.cmp(&a.created_at));
    let more = plans.len() > usize::try_from(show).unwrap_or(usize::MAX) && show < HISTORY.1;
    plans.truncate(usize::try_from(show).unwrap_or(usize::MAX));
    Ok(Answer::page(StatusCode::OK, page::history(&around, &plans, show, more, now())))
}

/// A plan.
pub fn plan(request: &Request) -> Result<Answer, Error> {
    let id = request.plan()?;
    let app = request.look()?;
    plan_page(request, app, &id, None)
}

/// A plan's page, with what went wrong if something did.
pub fn plan_page(request: &Request, app: App, id: &PlanId, error: Option<&Error>) -> Result<Answer, Error> {
    let (server, session) = (&request.server, request.session()?);
    let detail = app.show(id)?;
    let operation = detail.plan.detail.as_ref().and_then(|detail| detail.correlation_id.as_deref());
    let operation = operation.and_then(|operation| CorrelationId::parse(operation).ok());
    let entries = match operation {
        Some(operation) => app.entries(Some(operation), None)?,
        None => Vec::new(),
    };
    // What was asked for is looked for where it can be answered: in a version that can still be decided.
    let compared = if detail.live { app.against_older(id)? } else { None };
    let around = server.around(&[(Arc::clone(request.place()?), app)], session)?;
    let page = PlanPage {
        detail: &detail,
        compared: compared.as_ref(),
        entries: &entries,
        locked: session.is_locked(&server.key_file()?),
        split: request.asked("diff") == Some("split"),
        bytes: page::Bytes::asked(request.asked("hex"), request.asked("piece")),
        error,
        now: now(),
    };
    Ok(Answer::page(error.map_or(StatusCode::OK, status), page::plan(&around, &page)))
}

/// Whether a run is to be undone.
pub fn undo(request: &Request) -> Result<Answer, Error> {
    let (server, session) = (&request.server, request.session()?);
    let mut app = request.look()?;
    let view = app.undo_preview(Some(request.part(0)))?;
    let around = server.around(&[(Arc::clone(request.place()?), app)], session)?;
    let forms = Forms { token: &around.form_token, locked: session.is_locked(&server.key_file()?) };
    Ok(Answer::page(StatusCode::OK, page::undo(&around, &view, forms)))
}

/// The interface for programs, for people to read.
pub fn reference(request: &Request, document: &Value) -> Result<Answer, Error> {
    let around = request.server.around(&looked(request)?, request.session()?)?;
    Ok(Answer::page(StatusCode::OK, page::reference(&around, document)))
}

/// The projects that are meant, each to look at. One that cannot be read now is left out, and told among the alarms.
fn looked(request: &Request) -> Result<Vec<(Arc<Place>, App)>, Error> {
    let places = request.places();
    if let [only] = places.as_slice() {
        return Ok(vec![(Arc::clone(only), only.look(&request.caller)?)]);
    }
    let looked = places.into_iter().map(|place| (place.look(&request.caller), place));
    Ok(looked.filter_map(|(app, place)| Some((place, app.ok()?))).collect())
}

/// The present.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
