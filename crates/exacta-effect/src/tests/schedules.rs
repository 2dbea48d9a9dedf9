//! Two hundred random schedules of what can go wrong between here and a server, by a seed that is printed.

use super::server::{Fault, Schedule, Server, Site};
use super::web::{ACT, Web};
use super::{KEY, folder, perform, run_id, undo, work};
use crate::work::EffectWork;
use crate::{Effects, Outcome};
use std::collections::BTreeMap;

const SCHEDULES: u64 = 200;

#[test]
fn random_faults_never_repeat_an_act_or_hide_one() {
    let seed = exacta_testkit::seed();
    println!("seed {seed}");
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for number in 0..SCHEDULES {
        let mut random = Random::new(seed, number);
        let schedule = random.schedule();
        let end = one(&format!("seed {seed}, schedule {number}: {schedule:?}"), schedule, &mut random);
        *ends.entry(end).or_default() += 1;
    }
    // A test that never meets what it is about proves nothing.
    for end in ["completed", "rolled_back", "unknown", "needs_attention"] {
        assert!(ends.get(end).is_some_and(|count| *count > 2), "{ends:?}");
    }
}

/// Without doubles, edits and refused looks everything can be told, whatever is lost, delayed or lied about.
#[test]
fn what_can_be_told_is_never_unknown() {
    let seed = exacta_testkit::seed();
    for number in 0..60 {
        let mut random = Random::new(seed, 1000 + number);
        let mut schedule = random.schedule();
        schedule.looks.clear();
        schedule.acts.retain(|fault| !matches!(fault, Fault::Double | Fault::Edit));
        let end = one(&format!("seed {seed}, schedule {number}: {schedule:?}"), schedule, &mut random);
        assert_ne!(end, "unknown");
    }
}

/// One run under a schedule, and now and then its undo; the word for how the run ended.
fn one(name: &str, schedule: Schedule, random: &mut Random) -> &'static str {
    let state = tempfile::tempdir().unwrap();
    let server = Server::start(schedule);
    let web = Web { at: server.at };
    let effects = Effects::open(&folder(state.path()), &KEY, vec![&web]).unwrap();
    let pages: Vec<(String, String)> =
        (1..=2 + random.below(4)).map(|page| (format!("pages/p{page}"), format!("text of s{page}"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(place, text)| (place.as_str(), text.as_str())).collect();
    let work = work(1, ACT, &pages);
    let outcome = match perform(&effects, &work) {
        Ok(outcome) => outcome,
        Err(crate::EffectError::Drifted { .. }) => Outcome::NothingDone,
        Err(error) => panic!("{name}: {error}"),
    };
    server.rest();
    judge(name, &outcome, &work, &server.site.lock().unwrap());
    if matches!(outcome, Outcome::Completed { .. }) {
        assert_eq!(effects.outcome(&run_id(1)), Ok(Some(outcome.clone())), "{name}");
        judge_undo(name, &effects, &work, &server);
    }
    word(&outcome)
}

fn judge(name: &str, outcome: &Outcome, work: &EffectWork, site: &Site) {
    assert!(site.asked.values().all(|times| *times == 1), "{name}: an act was repeated: {:?}", site.asked);
    let told = site.refused_looks == 0 && !site.met.iter().any(|fault| matches!(fault, Fault::Double | Fault::Edit));
    let untouched = |path: &str| !site.edited.contains(path);
    let texts = |path: &str| -> Vec<&str> {
        site.pages.get(path).into_iter().flatten().map(|page| page.text.as_str()).collect()
    };
    for effect in &work.effects {
        let path = format!("/{}", effect.place());
        let approved = str::from_utf8(effect.content().unwrap().bytes()).unwrap();
        match outcome {
            Outcome::Completed { .. } if untouched(&path) => assert_eq!(texts(&path), [approved], "{name}"),
            Outcome::RolledBack { .. } | Outcome::NothingDone | Outcome::Cancelled => {
                assert!(texts(&path).is_empty() || !untouched(&path), "{name}: {outcome:?}: {:?}", site.pages);
            }
            Outcome::Unknown { .. } => assert!(!told, "{name}: everybody could tell: {outcome:?}"),
            // What is there is named, and nothing else.
            Outcome::NeedsAttention { remains, .. } => {
                let named = remains.iter().any(|line| line.contains(&format!("step `{}`", effect.step())));
                assert_eq!(named, !texts(&path).is_empty(), "{name}: {outcome:?}: {:?}", site.pages);
            }
            Outcome::Completed { .. } => {}
        }
        // What a person wrote is never taken away.
        assert!(untouched(&path) || texts(&path).contains(&"a person's words"), "{name}: {:?}", site.pages);
    }
}

/// The undo of a completed run, once nothing goes wrong any more.
fn judge_undo(name: &str, effects: &Effects<'_>, work: &EffectWork, server: &Server) {
    let edited = !server.site.lock().unwrap().edited.is_empty();
    match perform(effects, &undo(2, work)) {
        Ok(Outcome::Completed { receipts }) => {
            assert!(!edited, "{name}");
            assert_eq!(receipts.steps.len(), work.effects.len(), "{name}");
            assert!(server.site.lock().unwrap().pages.values().all(Vec::is_empty), "{name}");
        }
        // The schedule is not used up, or a person changed a page.
        other => assert!(matches!(other, Ok(_) | Err(crate::EffectError::Drifted { .. })), "{name}: {other:?}"),
    }
    assert!(server.site.lock().unwrap().asked.values().all(|times| *times == 1), "{name}");
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed { .. } => "completed",
        Outcome::NothingDone | Outcome::RolledBack { .. } | Outcome::Cancelled => "rolled_back",
        Outcome::NeedsAttention { .. } => "needs_attention",
        Outcome::Unknown { .. } => "unknown",
    }
}

/// Numbers that a seed decides.
struct Random(u64);

impl Random {
    fn new(seed: u64, salt: u64) -> Self {
        Self((seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd134_2543_de82_ef95)) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Two in three acts, and nine in ten looks, meet no fault.
    fn schedule(&mut self) -> Schedule {
        let acts = (0..8).map(|_| if self.below(3) == 0 { Fault::ALL[self.below(9)] } else { Fault::None }).collect();
        let looks = (0..24).map(|_| self.below(20) == 0).collect();
        Schedule { acts, looks }
    }
}
