//! An act that nobody can tell of waits for a person's word, and the run goes on from there without repeating anything.

use super::{KEY, folder, perform, run_id, work};
use crate::work::EffectWork;
use crate::{
    Answer, Direction, Drafts, EffectError, Effector, Effects, Fault, IdempotencyKey, Outcome, Reversal, Seen,
};
use crate::{Stand, Trace};
use exacta_kernel::effect::Effect;
use std::path::Path;

const ACT: &str = "shout";

/// An act that is never answered, seen or reversed.
struct Shout;

impl Effector for Shout {
    fn performs(&self, act: &str) -> bool {
        act == ACT
    }

    fn reversal(&self, _act: &str) -> Reversal {
        Reversal::None
    }

    fn look(&self, _trace: &Trace) -> Result<Seen, Fault> {
        Ok(Seen::Before)
    }

    fn settle(&self, _trace: &Trace, _tried: Direction, _key: &IdempotencyKey) -> Result<Seen, Fault> {
        Ok(Seen::Unsure)
    }

    fn perform(&self, _effect: &Effect, _trace: &Trace) -> Answer {
        Answer::Lost(Fault("the line was cut".to_owned()))
    }

    fn compensate(&self, _trace: &Trace, _key: &IdempotencyKey) -> Answer {
        Answer::NotDone(Fault("it cannot be".to_owned()))
    }
}

/// A draft, then as many shouts.
fn plan(shouts: usize) -> EffectWork {
    let mut plan = work(1, "write_outcome_draft", &[("outbox/r/s1.txt", "one\n")]);
    let places: Vec<String> = (0..shouts).map(|number| format!("shout/{number}")).collect();
    let acts: Vec<(&str, &str)> = places.iter().map(|place| (place.as_str(), "x")).collect();
    let shouts = work(1, ACT, &acts).effects.into_iter().enumerate();
    plan.effects.extend(shouts.map(|(at, effect)| {
        Effect::new(&format!("shout{at}"), ACT, effect.place().clone(), effect.content().unwrap().clone().into())
    }));
    plan
}

fn resolved(state: &Path, shouts: usize, happened: bool) -> (Outcome, bool) {
    let (drafts, shout) = (Drafts::new(folder(state)), Shout);
    let effects = Effects::open(&folder(state), &KEY, vec![&drafts, &shout]).unwrap();
    let ended = perform(&effects, &plan(shouts)).unwrap();
    assert!(matches!(&ended, Outcome::Unknown { step, .. } if step == "shout0"), "{ended:?}");
    let stands: Vec<Option<bool>> =
        effects.stands(&run_id(1)).unwrap().iter().map(|Stand { done, .. }| *done).collect();
    assert_eq!(stands.get(..2), Some(&[Some(true), None][..]));
    for wrong in ["s1", "shout1", ""] {
        assert!(matches!(effects.resolve(&run_id(1), wrong, happened), Err(EffectError::NotUnknown { .. })), "{wrong}");
    }
    let outcome = effects.resolve(&run_id(1), "shout0", happened).unwrap();
    assert_eq!(effects.outcome(&run_id(1)).unwrap().as_ref(), Some(&outcome));
    let again = effects.resolve(&run_id(1), "shout0", !happened);
    assert!(matches!(again, Err(EffectError::NotUnknown { .. })), "a word counts once: {again:?}");
    assert_eq!(effects.recover(&|_| true).unwrap(), []);
    (outcome, state.join("outbox/r/s1.txt").exists())
}

#[test]
fn a_persons_word_ends_the_run() {
    for (shouts, happened, expected, draft) in
        [(1, true, "completed", true), (1, false, "rolled_back", false), (2, true, "needs_attention", false)]
    {
        let state = tempfile::tempdir().unwrap();
        let (outcome, there) = resolved(state.path(), shouts, happened);
        assert_eq!(serde_json::to_value(&outcome).unwrap()["ended"], expected, "{outcome:?}");
        assert_eq!(there, draft, "{outcome:?}");
    }
}

/// The process dies right after the word is on the disk: the next recovery brings the run to the same end.
#[test]
fn a_word_outlives_the_process_that_took_it() {
    let state = tempfile::tempdir().unwrap();
    let (drafts, shout) = (Drafts::new(folder(state.path())), Shout);
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&drafts, &shout]).unwrap();
    perform(&effects, &plan(1)).unwrap();
    let (mut journal, _) = effects.journals.hold_over(&run_id(1)).unwrap().unwrap();
    effects.journals.reopen(&run_id(1)).unwrap();
    let word = crate::journal::Entry::Resolved { step: 1, direction: Direction::Perform, happened: false };
    journal.write(&word).unwrap();
    drop(journal);
    let recovered = effects.recover(&|_| true).unwrap();
    assert!(matches!(recovered[0].outcome, Outcome::RolledBack { .. }), "{recovered:?}");
    assert!(!state.path().join("outbox/r/s1.txt").exists());
}

/// Somebody else looks at the journal for a moment: the word is taken all the same, and it is not said that none was missing.
#[test]
fn a_journal_that_is_held_for_a_moment_is_waited_for() {
    let state = tempfile::tempdir().unwrap();
    let (drafts, shout) = (Drafts::new(folder(state.path())), Shout);
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&drafts, &shout]).unwrap();
    perform(&effects, &plan(1)).unwrap();
    let (journal, _) = effects.journals.hold_over(&run_id(1)).unwrap().unwrap();
    let looking = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        drop(journal);
    });
    let outcome = effects.resolve(&run_id(1), "shout0", true).unwrap();
    assert!(matches!(outcome, Outcome::Completed { .. }), "{outcome:?}");
    looking.join().unwrap();
}
