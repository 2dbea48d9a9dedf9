//! Answers that are kept while a fresh one would say the same.
//!
//! A plan is derived again each time it is shown, which costs milliseconds. An answer is handed out once more only if nothing that it was made of changed
//! since: nothing was recorded (SQLite's own count of changes, the files of the records), and everything else that was looked at is as it was
//! ([`exacta_app::Witness`]). It is never older than half a second. Nothing that decides or runs comes here.

use crate::answer::Answer;
use crate::session::lock;
use exacta_app::{App, Error, LONGEST_KEPT as LONGEST, Version, Witness};
use exacta_view::PlanDetail;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// How many answers of a project are kept, and how large each may be.
const MOST: usize = 64;
const LARGEST: usize = 256 << 10;

/// The answers of one project.
#[derive(Default)]
pub struct KeptAnswers {
    held: Mutex<Held>,
    answers: Mutex<BTreeMap<String, Arc<KeptAnswer>>>,
    handed_out: AtomicU64,
}

/// The project, held open so that a change of it can be told from none.
#[derive(Default)]
struct Held {
    app: Option<App>,
    /// How often it was opened: versions of different openings cannot be compared.
    opened: u64,
}

type State = (u64, Version);

struct KeptAnswer {
    answer: Answer,
    state: State,
    witness: Witness,
    at: Instant,
}

impl KeptAnswers {
    /// The answer of this name: the one that is kept, if it still says what a fresh one would, or a fresh one. `look` opens the project for nobody in
    /// particular, `show` and `answer` make the answer for whoever asks: the name has to say for whom, and what of it.
    ///
    /// # Errors
    /// As those.
    pub fn answer(
        &self,
        name: String,
        look: impl FnOnce() -> Result<App, Error>,
        show: impl FnOnce() -> Result<(PlanDetail, Option<Witness>), Error>,
        answer: impl FnOnce(&PlanDetail) -> Answer,
    ) -> Result<Answer, Error> {
        if let Some(kept) = self.still_good(&name) {
            self.handed_out.fetch_add(1, Ordering::Relaxed);
            return Ok(kept.answer.clone());
        }
        let before = lock(&self.held).state(Some(look));
        let (detail, witness) = show()?;
        let answer = answer(&detail).tagged();
        let after = lock(&self.held).state(None::<fn() -> Result<App, Error>>);
        if let (Some(before), Some(after), Some(witness)) = (before, after, witness)
            && before == after
            && answer.body.len() <= LARGEST
        {
            let kept = KeptAnswer { answer: answer.clone(), state: after, witness, at: Instant::now() };
            self.keep(name, kept);
        }
        Ok(answer)
    }

    /// How often an answer was handed out once more.
    pub fn handed_out(&self) -> u64 {
        self.handed_out.load(Ordering::Relaxed)
    }

    fn still_good(&self, name: &str) -> Option<Arc<KeptAnswer>> {
        let kept = lock(&self.answers).get(name).filter(|kept| kept.at.elapsed() < LONGEST).cloned()?;
        let mut held = lock(&self.held);
        let state = held.state(None::<fn() -> Result<App, Error>>)?;
        let app = held.app.as_ref()?;
        (state == kept.state && kept.witness.holds(app)).then_some(kept)
    }

    fn keep(&self, name: String, kept: KeptAnswer) {
        let mut answers = lock(&self.answers);
        if answers.len() >= MOST {
            answers.retain(|_, kept| kept.at.elapsed() < LONGEST);
        }
        if answers.len() < MOST {
            answers.insert(name, Arc::new(kept));
        }
    }
}

impl Held {
    /// How the project stands; where it is no longer what was opened, it is opened again the next time.
    fn state(&mut self, look: Option<impl FnOnce() -> Result<App, Error>>) -> Option<State> {
        if let (None, Some(look)) = (&self.app, look) {
            self.app = look().ok();
            self.opened += 1;
        }
        let version = self.app.as_ref()?.version().ok().flatten();
        if version.is_none() {
            self.app = None;
        }
        version.map(|version| (self.opened, version))
    }
}
