//! A person's word about an act outside the project that nobody else could tell of: a mail whose answer was lost, a page that may have been
//! changed. The word is signed and on record before the run goes on.

use super::effects::{accounts, effect_error};
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::decide::{at_once, person_entry};
use crate::error::{Error, ErrorCode, Exit};
use crate::run::run_view;
use exacta_effect::Outcome;
use exacta_home::SigningKey;
use exacta_kernel::approval::Verb;
use exacta_kernel::audit::Event;
use exacta_kernel::hash::canonical_hash;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_record::{RunRecord, RunState};
use exacta_view::RunView;

/// What a person's word is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The run that waits.
    pub run_id: String,
    /// The step that nobody can tell of.
    pub step: String,
    /// What is known about it.
    pub evidence: String,
}

impl App {
    /// What nobody can tell of a run: of the one whose id, or whose plan's id, begins so.
    ///
    /// # Errors
    /// If there is no such run, or it waits for nobody's word.
    pub fn unresolved(&self, run: &str) -> Result<Question, Error> {
        self.authorize(Act::Read)?;
        self.question(&self.meant_run(Some(run))?)
    }

    /// Takes a person's word that the step happened, or did not, and brings the run to its end: it is completed if everything is done, else what
    /// it did is reversed as far as that can be. Nothing is performed again.
    ///
    /// # Errors
    /// If the run waits for nobody's word about this step, or the key is not an approver's.
    pub fn resolve_effect(
        &mut self,
        run: &str,
        step: &str,
        happened: bool,
        key: &SigningKey,
    ) -> Result<RunView, Error> {
        self.authorize(Act::Decide)?;
        self.safe_on_tampering(|app| app.resolve_run(run, step, happened, key))
    }

    fn resolve_run(&mut self, run: &str, step: &str, happened: bool, key: &SigningKey) -> Result<RunView, Error> {
        let run = self.meant_run(Some(run))?;
        let question = self.question(&run)?;
        if question.step != step {
            let message =
                format!("run `{}` waits for a word about step `{}`, not about this one", run.id, question.step);
            return Err(Error::new(Exit::Usage, "step_unknown", message).hint("name that step"));
        }
        for account in accounts(&self.effects_of(&run)?.unwrap_or_default()) {
            match crate::mail::opened(&self.home, account) {
                // An account that is no more is not waited for: what cannot be reversed without it is named.
                Err(error) if error.code != ErrorCode::MAIL_UNKNOWN => return Err(error),
                _ => {}
            }
        }
        // Nobody else acts on its sites while what it did there is put back.
        let _held = self.hold_sites_again(&self.effects_of(&run)?.unwrap_or_default())?;
        self.say(&run, step, happened, key)?;
        let Some(outside) = self.outside()? else { return Err(wrong_state(&run)) };
        let outcome = outside.effects()?.resolve(&run.id, step, happened).map_err(|error| effect_error(&error))?;
        self.record_effects(&run, &outcome)?;
        self.store.run(&run.id)?.map(run_view).ok_or_else(|| wrong_state(&run))
    }

    /// Signs and records the word.
    fn say(&mut self, run: &RunRecord, step: &str, happened: bool, key: &SigningKey) -> Result<(), Error> {
        let (record, at) = (self.record(&run.plan_id)?, now());
        let hash = canonical_hash(&("exacta.resolution/1", &run.id, step, happened))?;
        let signed = self.sign(&record, Verb::Resolve, hash, key, at, at_once(at))?;
        let mut entry = person_entry(&record, Event::RunResolved, &signed);
        let how = if happened { "done" } else { "not done" };
        entry.reason = format!("says that step `{step}` was {how}");
        entry.run_id = Some(run.id.clone());
        Ok(self.store.record(&[entry], at)?)
    }

    fn question(&self, run: &RunRecord) -> Result<Question, Error> {
        let outside = (run.state == RunState::Unknown).then(|| self.outside()).transpose()?.flatten();
        let outside = outside.ok_or_else(|| wrong_state(run))?;
        match outside.effects()?.outcome(&run.id).map_err(|error| effect_error(&error))? {
            Some(Outcome::Unknown { step, evidence }) => Ok(Question { run_id: run.id.to_string(), step, evidence }),
            _ => Err(wrong_state(run)),
        }
    }
}

fn wrong_state(run: &RunRecord) -> Error {
    let message = format!("run `{}` waits for nobody's word: it is {}", run.id, run.state);
    Error::new(Exit::Drifted, "wrong_state", message)
        .hint(hint![Remedy::Show(Some(run.plan_id.clone())), " tells how it ended"])
}
