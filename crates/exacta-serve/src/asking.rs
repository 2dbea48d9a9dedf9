//! What the page does with asks: begins one, answers its question, ends it, shows how it goes.

use crate::answer::Answer;
use crate::asks::{Ask, Ended};
use crate::page;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::Error;
use exacta_app::ask::Errand;
use hyper::StatusCode;
use std::sync::Arc;

/// The longest request, in bytes.
const LONGEST: usize = 16 << 10;

/// Begins an ask, and shows how it goes.
pub fn begin(request: &Request) -> Result<Answer, Error> {
    let named = Some(request.field("project")).filter(|project| !project.is_empty());
    let unknown = || refuse("project_unknown", "this server has no such project", "choose one of the list");
    let place = match named {
        Some(project) => request.server.places.named(project).ok_or_else(unknown)?,
        None => Arc::clone(request.place()?),
    };
    let text = request.field("text").trim();
    if text.is_empty() || text.len() > LONGEST {
        return Err(refuse(
            "text_missing",
            "nothing is asked for, or too much at once",
            "say in a few sentences what is to be done, and where",
        ));
    }
    start(request, Ask::new(place, text), Errand::New(text.to_owned()))
}

/// Answers the question that an ask stopped at: it goes on as another one.
pub fn answer(request: &Request) -> Result<Answer, Error> {
    let before = request.server.asks.find(request.part(0))?;
    let Some(Ended::Question(ask, needs)) = before.ended() else {
        return Ok(Answer::see(&format!("/asks/{}", before.id)));
    };
    let answer = request.field("answer").trim().to_owned();
    if answer.is_empty() {
        return Err(refuse("text_missing", "the question was not answered", "go back and answer it"));
    }
    let next = Ask::new(Arc::clone(&before.place), &before.text);
    start(request, next, Errand::Answered { ask, field: needs.field, answer })
}

/// Ends an ask that goes on.
pub fn cancel(request: &Request) -> Result<Answer, Error> {
    let ask = request.server.asks.find(request.part(0))?;
    ask.cancel();
    Ok(Answer::see(&format!("/asks/{}", ask.id)))
}

/// How an ask goes; the plan, once there is one.
pub fn show(request: &Request) -> Result<Answer, Error> {
    let ask = request.server.asks.find(request.part(0))?;
    let ended = ask.ended();
    if let Some(Ended::Plan(plan)) = &ended {
        return Ok(Answer::see(&format!("/plans/{plan}")));
    }
    let looked = [(Arc::clone(&ask.place), ask.place.look(&request.caller)?)];
    let around = request.server.around(&looked, request.session()?)?;
    let (question, failed) = match &ended {
        Some(Ended::Question(_, needs)) => (Some(needs), None),
        Some(Ended::Failed(error)) => (None, Some(error)),
        Some(Ended::Plan(_)) | None => (None, None),
    };
    let shown = page::AskPage { id: &ask.id, text: &ask.text, stages: &ask.stages(), question, failed };
    Ok(Answer::page(StatusCode::OK, page::ask(&around, &shown)))
}

fn start(request: &Request, ask: Ask, errand: Errand) -> Result<Answer, Error> {
    let ask = request.server.asks.begin(ask)?;
    let (server, caller, way) = (Arc::clone(&request.server), request.caller.clone(), format!("/asks/{}", ask.id));
    std::thread::spawn(move || ask.go(&server.live, &caller, errand));
    Ok(Answer::see(&way))
}
