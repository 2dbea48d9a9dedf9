//! Asks that were begun on the page: each on a thread of its own, its stages told as they come.

use crate::live::Live;
use crate::place::Place;
use crate::problem::refuse;
use crate::session::lock;
use exacta_app::ask::{AskEvent, Errand, Needs};
use exacta_app::{Caller, Error};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How many go on at the same time, and how many are remembered.
const AT_ONCE: usize = 2;
const REMEMBERED: usize = 50;

/// The asks of this server.
#[derive(Default)]
pub struct Asks(Mutex<Vec<Arc<Ask>>>);

/// One of them.
pub struct Ask {
    /// Names it on this server.
    pub id: String,
    /// What was asked for, in words.
    pub text: String,
    /// The project that it is about.
    pub place: Arc<Place>,
    cancel: Arc<AtomicBool>,
    stages: Mutex<Vec<String>>,
    ended: Mutex<Option<Ended>>,
}

/// What became of one.
#[derive(Clone)]
pub enum Ended {
    /// A plan: its id.
    Plan(String),
    /// A question: of which ask, and what.
    Question(String, Needs),
    /// Nothing.
    Failed(Error),
}

impl Asks {
    /// Whether none goes on.
    pub fn is_idle(&self) -> bool {
        lock(&self.0).iter().all(|ask| !ask.goes_on())
    }

    /// Ends all that go on.
    pub fn cancel_all(&self) {
        lock(&self.0).iter().for_each(|ask| ask.cancel());
    }

    /// The one of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, id: &str) -> Result<Arc<Ask>, Error> {
        let unknown = || refuse("not_found", "there is no such ask", "ask again; what became a plan is in the history");
        lock(&self.0).iter().find(|ask| ask.id == id).cloned().ok_or_else(unknown)
    }

    /// Takes one more up.
    ///
    /// # Errors
    /// If as many go on as may.
    pub fn begin(&self, ask: Ask) -> Result<Arc<Ask>, Error> {
        let mut all = lock(&self.0);
        if all.iter().filter(|ask| ask.goes_on()).count() >= AT_ONCE {
            let words = "as many asks as may go on at the same time do already";
            return Err(refuse("too_many", words, "wait until one has ended, or cancel it"));
        }
        if all.len() >= REMEMBERED {
            all.retain(|ask| ask.goes_on());
        }
        let ask = Arc::new(ask);
        all.push(Arc::clone(&ask));
        Ok(ask)
    }
}

impl Ask {
    /// One that has not begun.
    pub fn new(place: Arc<Place>, text: &str) -> Self {
        let (cancel, stages, ended) = (Arc::default(), Mutex::default(), Mutex::default());
        Self { id: exacta_app::fresh_request_id(), text: text.to_owned(), place, cancel, stages, ended }
    }

    /// Ends it, if it goes on.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::SeqCst);
    }

    /// Whether it has not ended.
    pub fn goes_on(&self) -> bool {
        lock(&self.ended).is_none()
    }

    /// What became of it.
    pub fn ended(&self) -> Option<Ended> {
        lock(&self.ended).clone()
    }

    /// What it did so far.
    pub fn stages(&self) -> Vec<String> {
        lock(&self.stages).clone()
    }

    /// Asks, and tells what happens; until it has ended.
    pub fn go(&self, live: &Live, caller: &Caller, errand: Errand) {
        let mut tell = |event: &AskEvent| {
            if let Some(words) = words(event) {
                live.ask(&self.id, Some(&words));
                lock(&self.stages).push(words);
            }
        };
        let asked = self.place.act(caller).and_then(|mut app| app.ask_for(errand, Arc::clone(&self.cancel), &mut tell));
        let ended = match asked {
            Err(error) => Ended::Failed(error),
            Ok(end) => match (end.view.plan_id, end.view.needs, end.view.error) {
                (Some(plan), _, _) => Ended::Plan(plan),
                (None, Some(needs), _) => Ended::Question(end.view.ask_id, needs),
                (None, None, Some(error)) => Ended::Failed(error),
                (None, None, None) => Ended::Failed(Error::fault("internal", "the ask ended without a word")),
            },
        };
        *lock(&self.ended) = Some(ended);
        live.ask(&self.id, None);
    }
}

/// A stage in one line.
fn words(event: &AskEvent) -> Option<String> {
    Some(match event {
        AskEvent::Stage { stage, doing } => format!("{}: {doing}", stage.name()),
        AskEvent::Retry { number, after_ms, code } => {
            format!("{code}: asking the same model again in {after_ms} ms ({number})")
        }
        AskEvent::Steps { steps } => {
            let targets: Vec<&str> = steps.iter().map(|step| step.target.as_str()).collect();
            format!("planned: {}", targets.join(", "))
        }
        AskEvent::Step { number, of, target } => format!("{number} of {of}: {target}"),
        AskEvent::Check { name } => format!("running your check {name}"),
        AskEvent::Again(attempt) => {
            let why = attempt.findings.first().map(|it| format!("{}: {}", it.code, it.message)).unwrap_or_default();
            format!("not accepted ({}), asking again: {why}", attempt.n)
        }
        AskEvent::Arriving { .. } | AskEvent::Usage(_) => return None,
    })
}
