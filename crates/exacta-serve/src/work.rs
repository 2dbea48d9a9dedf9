//! Work on requests: in a worker's thread, once for each idempotency key, or again and again for whoever waits.

use crate::admit::unauthenticated;
use crate::answer::{Answer, Standing};
use crate::request::Request;
use crate::route::{Access, Route};
use crate::state::Server;
use crate::told::{in_session, told};
use exacta_app::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often is looked again for whoever waits.
const PAUSE: Duration = Duration::from_millis(300);

/// The longest that somebody waits, and how long where they do not say, in seconds.
const LONGEST: (u64, u64) = (60, 30);

/// What makes an answer.
pub type Work<T> = fn(&Request) -> Result<T, Error>;

/// Works on a request of a program once for its idempotency key: whoever asks again gets the same answer.
pub async fn once(
    server: &Arc<Server>,
    route: &'static Route,
    request: Request,
    work: Work<Answer>,
    key: Option<String>,
) -> Answer {
    let Some(key) = key.filter(|key| (1..=128).contains(&key.len())) else {
        return worked(server, route, request, work, true).await;
    };
    let key = format!("{}\0{}\0{:?}\0{key}", request.caller.credential(), request.path, request.query);
    match server.limits.before(&key, &request.body) {
        Err(error) => told(route, &error),
        Ok(Some(answer)) => answer,
        Ok(None) => {
            let answer = worked(server, route, request, work, true).await;
            server.limits.remember(&key, &answer);
            answer
        }
    }
}

/// Works on a request until there is an answer to wait for: as long as the asker says, a minute at most.
pub async fn waited(server: &Arc<Server>, route: &'static Route, request: Request, work: Work<Standing>) -> Answer {
    let seconds = request.asked("timeout").and_then(|seconds| seconds.parse().ok()).unwrap_or(LONGEST.1);
    let until = Instant::now() + Duration::from_secs(seconds.min(LONGEST.0));
    let request = Arc::new(request);
    loop {
        match standing(server, route, Arc::clone(&request), work).await {
            Ok(Standing { answer, is_over }) if is_over || Instant::now() >= until => return answer,
            Err(refused) => return refused,
            Ok(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// What there is to say so far.
///
/// # Errors
/// What there is to say instead.
pub async fn standing(
    server: &Arc<Server>,
    route: &'static Route,
    request: Arc<Request>,
    work: Work<Standing>,
) -> Result<Standing, Answer> {
    in_a_worker(server, route, request, work, false).await
}

/// Works on a request in a worker's thread.
pub async fn worked(
    server: &Arc<Server>,
    route: &'static Route,
    request: Request,
    work: Work<Answer>,
    acts: bool,
) -> Answer {
    in_a_worker(server, route, Arc::new(request), work, acts).await.unwrap_or_else(|refused| refused)
}

async fn in_a_worker<T: Send + 'static>(
    server: &Arc<Server>,
    route: &'static Route,
    request: Arc<Request>,
    work: Work<T>,
    acts: bool,
) -> Result<T, Answer> {
    let turn = match request.place.as_ref() {
        Some(place) => place.turn(acts).await,
        None => server.workers.turn(acts).await,
    };
    let turn = turn.map_err(|error| told(route, &error))?;
    let done = tokio::task::spawn_blocking(move || {
        // It may have waited for its turn, or for an answer, since it was let in.
        still(&request).map_err(|error| told(route, &error))?;
        let answer = work(&request);
        drop(turn);
        answer.map_err(|error| match route.access {
            Access::Api | Access::Agent => told(route, &error),
            Access::Open | Access::Session => in_session(&request, &error),
        })
    });
    done.await.unwrap_or_else(|_| {
        let error =
            Error::fault("internal", "something in this server is broken").hint("report this as a defect of exacta");
        Err(told(route, &error))
    })
}

/// That whoever asks is still who they were when they were let in.
fn still(request: &Request) -> Result<(), Error> {
    let now = request.credential.caller(&request.server)?;
    if now.as_ref() == Some(&request.caller) { Ok(()) } else { Err(unauthenticated()) }
}
