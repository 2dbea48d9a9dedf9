//! One run of effects, driven by whoever holds the permit: each stage is a type, and only the stage before it makes it.
//!
//! ```text
//! Permitted ─stage→ Staged ─entered→ Entered ─perform→ Outcome
//! ```

use crate::effector::{Answer, Direction, Effector, Fault, IdempotencyKey, Reversal, Seen, Trace};
use crate::error::{EffectError, IoError};
use crate::folder::Folder;
use crate::journal::{Acted, Entry, FORMAT, Journal, JournalKey, Journals};
use crate::outcome::{Outcome, Receipt, Receipts};
use crate::state::{Position, State};
use crate::work::EffectWork;
use exacta_kernel::effect::Effect;
use exacta_kernel::id::RunId;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::Permit;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a compensation is tried that provably did nothing. What is performed is never tried again.
const ATTEMPTS: usize = 3;

/// Everything that a run of effects may use: where its journal lies, and who performs what.
pub struct Effects<'e> {
    pub(crate) journals: Journals,
    effectors: Vec<&'e dyn Effector>,
}

/// Work that was permitted. Nothing has happened yet.
pub struct Permitted<'e> {
    effects: &'e Effects<'e>,
    work: EffectWork,
}

/// A run whose journal is on the disk, and whose every effect was found as the plan expects it. It is to be entered into the record now.
/// Dropped, it is as if its process had died: the next recovery removes its journal.
#[must_use]
pub struct Staged<'e>(Engine<'e>);

/// A run that is in the record. Dropped, it is as if its process had died.
#[must_use]
pub struct Entered<'e>(Engine<'e>);

/// How a run is made, and who hears of it.
pub struct Options<'a> {
    /// Set by another thread to cancel; looked at between steps.
    pub cancel: &'a AtomicBool,
    /// Whether what the run was permitted under still holds; asked before each act. If not, what changed.
    pub holds: &'a dyn Fn() -> Result<(), String>,
    /// Hears of every event, in order. It is told, and has no say.
    pub observer: &'a mut dyn FnMut(Event),
}

/// What a run tells while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An effect is as approved.
    StepDone {
        /// Where.
        place: RelPath,
    },
    /// Everything is compensated.
    RollingBack {
        /// Why.
        cause: String,
    },
}

impl<'e> Effects<'e> {
    /// `state` is the project's folder in the user's state; `key` is what journals are sealed with.
    ///
    /// # Errors
    /// If the folders of journals cannot be opened.
    pub fn open(state: &Folder, key: &JournalKey, effectors: Vec<&'e dyn Effector>) -> Result<Self, IoError> {
        Ok(Self { journals: Journals::open(state, key)?, effectors })
    }

    /// Takes a permit, which is gone with it.
    #[must_use]
    pub fn permitted(&'e self, permit: Permit) -> Permitted<'e> {
        self.with(EffectWork::from(permit))
    }

    pub(crate) const fn with(&'e self, work: EffectWork) -> Permitted<'e> {
        Permitted { effects: self, work }
    }

    /// Whether a living process is at a run.
    ///
    /// # Errors
    /// If it cannot be told.
    pub fn is_at_work(&self, run: &RunId) -> Result<bool, IoError> {
        self.journals.is_at_work(run)
    }

    pub(crate) fn effector(&self, trace: &Trace) -> Result<&'e dyn Effector, EffectError> {
        let no_effector = || EffectError::NoEffector { step: trace.step.clone(), act: trace.act.clone() };
        self.effectors.iter().copied().find(|effector| effector.performs(&trace.act)).ok_or_else(no_effector)
    }
}

impl<'e> Permitted<'e> {
    /// Looks at what every effect is about, and writes the journal.
    ///
    /// # Errors
    /// [`EffectError`]; nothing was done, and the run never began.
    pub fn stage(self) -> Result<Staged<'e>, EffectError> {
        let Self { effects, work } = self;
        let traces = work.traces();
        for trace in &traces {
            let effector = effects.effector(trace)?;
            let is = |effect: &&Effect| effect.step() == trace.step && effect.act() == trace.act;
            if let Some(Err(Fault(found))) = work.effects.iter().find(is).map(|effect| effector.prepare(effect, trace))
            {
                return Err(EffectError::Drifted { step: trace.step.clone(), found });
            }
        }
        for trace in &traces {
            let effector = effects.effector(trace)?;
            let found = match effector.look(trace) {
                // What was done cannot be looked at everywhere: that it stays done is said first.
                _ if is_final(&work, effector, trace) => format!("`{}` cannot be reversed", trace.act),
                Ok(seen) if seen.is_start_of(work.direction()) => continue,
                Ok(seen) => seen.to_string(),
                Err(fault) => format!("it cannot be looked at: {fault}"),
            };
            return Err(EffectError::Drifted { step: trace.step.clone(), found });
        }
        let begin = Entry::Begin {
            format: FORMAT,
            run_id: work.run_id.clone(),
            plan_id: work.plan_id.clone(),
            correlation_id: work.correlation_id.clone(),
            plan_hash: work.plan_hash,
            undoes: work.undoes.clone(),
            traces,
        };
        let Some(state) = State::of(std::slice::from_ref(&begin)) else {
            return Err(EffectError::BadJournal { run: work.run_id, why: "it does not begin" });
        };
        let journal = effects.journals.begin(&work.run_id, &begin)?;
        Ok(Staged(Engine { effects, journal, state, known: work.effects }))
    }
}

impl<'e> Staged<'e> {
    /// The run is in the record.
    pub fn entered(self) -> Entered<'e> {
        Entered(self.0)
    }

    /// The run could not be entered: its journal goes, as if it had never been. What cannot be removed now, the next recovery removes.
    pub fn discard(self) {
        let _next_recovery = self.0.effects.journals.discard(self.0.journal);
    }
}

impl Entered<'_> {
    /// Performs every effect in order, or compensates those of the run that is undone.
    ///
    /// # Errors
    /// Only if the journal cannot be written; the next recovery brings the run to its end.
    pub fn perform(self, options: &mut Options<'_>) -> Result<Outcome, EffectError> {
        self.0.drive(options)
    }
}

/// Whether a run would have to reverse what cannot be.
fn is_final(work: &EffectWork, effector: &dyn Effector, trace: &Trace) -> bool {
    work.direction() == Direction::Compensate && effector.reversal(&trace.act) == Reversal::None
}

/// A run under way, by this process or by the one that recovers it.
pub(crate) struct Engine<'e> {
    pub(crate) effects: &'e Effects<'e>,
    pub(crate) journal: Journal,
    pub(crate) state: State,
    /// The effects with their bytes, in the order they are performed; none where another process began the run.
    pub(crate) known: Vec<Effect>,
}

impl Engine<'_> {
    /// Goes through what is not done yet.
    pub(crate) fn drive(mut self, options: &mut Options<'_>) -> Result<Outcome, EffectError> {
        let direction = self.state.direction;
        for step in 0..self.state.traces.len() {
            if options.cancel.load(Ordering::Relaxed) {
                return self.stop("it was cancelled".to_owned(), true, options);
            }
            let start = if direction == Direction::Perform { Position::Before } else { Position::Done };
            if self.state.positions.get(step) != Some(&start) {
                continue;
            }
            if let Err(changed) = (options.holds)() {
                return self.stop(changed, false, options);
            }
            let acted = match direction {
                Direction::Perform => self.act(step, direction)?,
                Direction::Compensate => self.compensate(step)?,
            };
            match acted {
                Acted::Done => (options.observer)(Event::StepDone { place: self.place(step)? }),
                Acted::NotDone(cause) => return self.stop(cause, false, options),
                Acted::Unknown(evidence) => return self.unknown(step, evidence),
            }
        }
        let undo = direction == Direction::Compensate;
        let steps = self.receipts(undo);
        let receipts = Receipts { run_id: self.state.run.clone(), steps };
        self.end(Outcome::Completed { receipts })
    }

    /// What each effect did.
    pub(crate) fn receipts(&self, undo: bool) -> Vec<Receipt> {
        let result = |trace: &Trace| self.effects.effector(trace).ok().and_then(|effector| effector.result(trace));
        self.state.traces.iter().map(|trace| Receipt::of(trace, undo, result(trace).filter(|_| !undo))).collect()
    }

    /// The run cannot go on. What it performed is compensated; an undo stays where it is, since what it compensated cannot be
    /// performed again without another approval.
    fn stop(self, cause: String, cancelled: bool, options: &mut Options<'_>) -> Result<Outcome, EffectError> {
        if self.state.direction == Direction::Perform {
            return self.roll_back(cause, cancelled, options);
        }
        let compensated = self.state.positions.contains(&Position::Before);
        if !compensated {
            return self.end(if cancelled { Outcome::Cancelled } else { Outcome::RolledBack { cause } });
        }
        let remains = self.still_done();
        self.end(Outcome::NeedsAttention { cause, remains })
    }

    /// Compensates what is done, in reverse, each verified by looking. What somebody changed meanwhile is left and reported.
    pub(crate) fn roll_back(
        mut self,
        cause: String,
        cancelled: bool,
        options: &mut Options<'_>,
    ) -> Result<Outcome, EffectError> {
        (options.observer)(Event::RollingBack { cause: cause.clone() });
        if self.state.rolling_back.is_none() {
            self.write(&Entry::RollingBack { cause: cause.clone(), cancelled })?;
        }
        let mut remains = Vec::new();
        for step in (0..self.state.traces.len()).rev() {
            if self.state.positions.get(step) != Some(&Position::Done) {
                continue;
            }
            match self.compensate(step)? {
                Acted::Done => {}
                Acted::NotDone(why) => remains.push(format!("step `{}`: {why}", self.name(step))),
                Acted::Unknown(evidence) => return self.unknown(step, evidence),
            }
        }
        self.end(match remains.is_empty() {
            true if cancelled => Outcome::Cancelled,
            true => Outcome::RolledBack { cause },
            false => Outcome::NeedsAttention { cause, remains },
        })
    }

    /// Compensates one effect, if it still is what its run left. An attempt that provably did nothing may be made again, with a key of
    /// its own; one of which nobody can tell may not.
    fn compensate(&mut self, step: usize) -> Result<Acted, EffectError> {
        let Some(trace) = self.state.traces.get(step).cloned() else { return Ok(Acted::Done) };
        let effector = self.effects.effector(&trace)?;
        if effector.reversal(&trace.act) == Reversal::None {
            return Ok(Acted::NotDone(format!("`{}` cannot be reversed", trace.act)));
        }
        let mut last = Acted::NotDone("it was not tried".to_owned());
        for _ in 0..ATTEMPTS {
            match effector.look(&trace) {
                // Somebody was faster: it is as before already.
                Ok(Seen::Before) => return Ok(Acted::Done),
                Ok(Seen::Done) => {}
                Ok(seen) => return Ok(Acted::NotDone(format!("it is not as this run left it: {seen}"))),
                Err(fault) => return Ok(Acted::NotDone(format!("it cannot be looked at: {fault}"))),
            }
            last = self.act(step, Direction::Compensate)?;
            if !matches!(last, Acted::NotDone(_)) {
                break;
            }
        }
        Ok(last)
    }

    /// One act: look, intent, act, look, outcome.
    ///
    /// INVARIANT: the intent is on the disk before the act begins, and an act that was begun is never begun again: what became of it
    /// is found by looking.
    fn act(&mut self, step: usize, direction: Direction) -> Result<Acted, EffectError> {
        let Some(trace) = self.state.traces.get(step).cloned() else { return Ok(Acted::Done) };
        let effector = self.effects.effector(&trace)?;
        match effector.look(&trace) {
            Ok(seen) if seen.is_start_of(direction) => {}
            Ok(seen) => return Ok(Acted::NotDone(format!("step `{}` cannot begin: {seen}", trace.step))),
            Err(fault) => return Ok(Acted::NotDone(format!("step `{}` cannot be looked at: {fault}", trace.step))),
        }
        let Some(effect) = self.effect(&trace, direction) else {
            return Ok(Acted::NotDone(format!("the bytes of step `{}` are not known here", trace.step)));
        };
        self.write(&Entry::Intent { step, direction })?;
        let key = self.key(step, direction);
        let answer = match effect {
            Some(effect) => effector.perform(&effect, &trace),
            None => effector.compensate(&trace, &key),
        };
        let how = self.found(step, direction, Some(&answer))?;
        self.write(&Entry::Acted { step, direction, how: how.clone() })?;
        Ok(how)
    }

    /// What became of an act that was begun, by looking: the world decides, whatever the answer was.
    pub(crate) fn found(
        &self,
        step: usize,
        direction: Direction,
        answer: Option<&Answer>,
    ) -> Result<Acted, EffectError> {
        let Some(trace) = self.state.traces.get(step) else { return Ok(Acted::Done) };
        let effector = self.effects.effector(trace)?;
        if matches!(answer, Some(Answer::Done)) && effector.look(trace).is_ok_and(|seen| seen.is_end_of(direction)) {
            return Ok(Acted::Done);
        }
        let said = match answer {
            Some(Answer::Done) => "it was said to be done".to_owned(),
            Some(Answer::NotDone(fault)) => fault.to_string(),
            Some(Answer::Lost(fault)) => format!("no answer: {fault}"),
            None => "the process died before it wrote what became of the act".to_owned(),
        };
        let name = &trace.step;
        Ok(match effector.settle(trace, direction, &self.key(step, direction)) {
            Ok(seen) if seen.is_end_of(direction) => Acted::Done,
            Ok(seen) if seen.is_start_of(direction) => Acted::NotDone(format!("step `{name}` was not done: {said}")),
            Ok(seen) => Acted::Unknown(format!("{said}; {seen}")),
            Err(Fault(why)) => Acted::Unknown(format!("{said}; it cannot be looked at: {why}")),
        })
    }

    /// The key of the act that was begun last in a direction, or begins now.
    fn key(&self, step: usize, direction: Direction) -> IdempotencyKey {
        let (name, act) = self.state.traces.get(step).map(|trace| (trace.step.as_str(), trace.act.as_str())).unzip();
        let attempt = self.state.attempts(step, direction).saturating_sub(1);
        let act = (name.unwrap_or_default(), act.unwrap_or_default());
        IdempotencyKey::of(&self.state.run, act, direction, attempt)
    }

    /// What is performed; `Some(None)` where nothing has to be known, because it is compensated.
    fn effect(&self, trace: &Trace, direction: Direction) -> Option<Option<Effect>> {
        match direction {
            Direction::Compensate => Some(None),
            Direction::Perform => {
                let is = |effect: &&Effect| effect.step() == trace.step && effect.act() == trace.act;
                self.known.iter().find(is).map(|effect| Some(effect.clone()))
            }
        }
    }

    fn still_done(&self) -> Vec<String> {
        let traces = self.state.traces.iter().zip(&self.state.positions);
        let done = traces.filter(|(_, position)| **position == Position::Done);
        done.map(|(trace, _)| format!("step `{}` is still there", trace.step)).collect()
    }

    fn place(&self, step: usize) -> Result<RelPath, EffectError> {
        let bad = || EffectError::BadJournal { run: self.state.run.clone(), why: "a step is missing in it" };
        self.state.traces.get(step).map(|trace| trace.place.clone()).ok_or_else(bad)
    }

    pub(crate) fn name(&self, step: usize) -> String {
        self.state.traces.get(step).map(|trace| trace.step.clone()).unwrap_or_default()
    }

    /// Nobody can tell: the run stops here, and waits for a person.
    pub(crate) fn unknown(self, step: usize, evidence: String) -> Result<Outcome, EffectError> {
        let step = self.name(step);
        self.end(Outcome::Unknown { step, evidence })
    }

    pub(crate) fn end(mut self, outcome: Outcome) -> Result<Outcome, EffectError> {
        self.write(&Entry::End { outcome: outcome.clone() })?;
        self.effects.journals.close(self.journal);
        Ok(outcome)
    }

    pub(crate) fn write(&mut self, entry: &Entry) -> Result<(), EffectError> {
        let run = self.state.run.clone();
        self.journal.write(entry).map_err(|cause| EffectError::NoEnd { run, cause })?;
        self.state.apply(entry);
        Ok(())
    }
}
