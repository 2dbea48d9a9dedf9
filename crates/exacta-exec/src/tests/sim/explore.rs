//! Goes through every state that a run, and a recovery, and a recovery of that, may be interrupted in.

use super::fs::{Call, Script, Sim};
use super::world::{Shape, World};
use crate::area::Area;
use crate::fs::Fs;
use crate::journal::Journal;
use crate::recorded::RecordedState;
use crate::recover::settle_all;
use crate::tests::drive::{Between, execute};
use crate::work::FileWork;
use crate::{Receipts, RunError, RunOptions};
use exacta_kernel::facts::FileState;
use exacta_kernel::id::RunId;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The work, and the project it is done in.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) world: World,
    pub(super) work: FileWork,
}

/// How often a process is killed, memory intact, before the power fails. Power cuts are without limit.
const KILLS: u8 = 1;

/// What was found.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) states: usize,
    pub(super) torn: Vec<String>,
}

pub(super) fn run(sim: &Sim<'_>, work: &FileWork) -> Result<Receipts, RunError> {
    let cancel = AtomicBool::new(false);
    let mut options = RunOptions { cancel: &cancel, wait: Duration::ZERO, observer: &mut |_| {} };
    execute(sim, work, Between { enter: &mut || true, check: &mut |_| Ok(()) }, &mut options)
}

/// As the next command does it; and the one after that, when the record has the end of every run.
pub(super) fn recover(sim: &Sim<'_>) -> Result<Vec<crate::Recovered>, RunError> {
    let area = Area::open(sim)?.expect("made with the world");
    let recovered = settle_all(&area)?;
    let before = sim.recorded_state.replace(RecordedState::Over);
    let again = settle_all(&area);
    sim.recorded_state.set(before);
    again.map(|_| recovered)
}

impl Scenario {
    pub(super) fn before(&self) -> Shape {
        self.world.shape()
    }

    pub(super) fn after(&self) -> Shape {
        let sim = Sim::new(self.world.clone(), Script::Nothing, false);
        run(&sim, &self.work).unwrap();
        sim.world.into_inner().shape()
    }

    /// The changing calls of an undisturbed run.
    pub(super) fn calls(&self) -> Vec<Call> {
        let sim = Sim::new(self.world.clone(), Script::Nothing, false);
        run(&sim, &self.work).unwrap();
        sim.calls.into_inner()
    }

    /// All calls of an undisturbed run.
    pub(super) fn count(&self) -> usize {
        let sim = Sim::new(self.world.clone(), Script::Nothing, false);
        run(&sim, &self.work).unwrap();
        sim.count.get()
    }

    /// Every crash of the run, of its recovery, and so on. Stops at the first torn state if `first` is set.
    pub(super) fn explore(&self, script: Script<'_>, first: bool) -> Findings {
        let dropping = matches!(script, Script::Drop(_));
        let sim = Sim::new(self.world.clone(), script, true);
        let outcome = run(&sim, &self.work);
        let mut explorer = Explorer::new(first);
        if let (true, Err(error)) = (dropping, &outcome) {
            explorer.findings.torn.push(format!("the run fails: {error}"));
            return explorer.findings;
        }
        let either = Rc::new(vec![self.before(), self.after()]);
        let moments = sim.moments.into_inner();
        let end = sim.world.into_inner();
        match &outcome {
            Ok(_) => explorer.after_success(&end, self.after(), &self.work),
            Err(error) if error.is_unsettled() => explorer.kill_or_cut(&end, &either),
            Err(_) => explorer.kill_or_cut(&end, &Rc::new(vec![self.before()])),
        }
        for moment in &moments {
            explorer.kill_or_cut(moment, &either);
        }
        explorer.go();
        explorer.findings
    }
}

pub(super) struct Explorer {
    seen: HashSet<Vec<u8>>,
    todo: Vec<(World, Rc<Vec<Shape>>, u8)>,
    first: bool,
    pub(super) findings: Findings,
}

impl Explorer {
    pub(super) fn new(first: bool) -> Self {
        Self { seen: HashSet::new(), todo: Vec::new(), first, findings: Findings::default() }
    }

    /// A reported success must outlast a power cut, and so must what people save from then on.
    pub(super) fn after_success(&mut self, end: &World, after: Shape, work: &FileWork) {
        let mut edited = end.clone();
        edited.save(work.changes[0].path.as_str(), "edited later\n", 0o644);
        let expected = edited.shape();
        self.kill_or_cut(end, &Rc::new(vec![after]));
        self.kill_or_cut(&edited, &Rc::new(vec![expected]));
    }

    /// The process dies here, or the power fails: both have to end in one of `allowed`.
    pub(super) fn kill_or_cut(&mut self, world: &World, allowed: &Rc<Vec<Shape>>) {
        self.interrupt(world, allowed, KILLS);
    }

    fn interrupt(&mut self, world: &World, allowed: &Rc<Vec<Shape>>, kills: u8) {
        let (seen, todo) = (&mut self.seen, &mut self.todo);
        let mut is_new = |world: &World, how: u8, kills: u8| {
            let mut key = world.fingerprint();
            key.extend([how, kills]);
            key.extend(Rc::as_ptr(allowed).addr().to_le_bytes());
            seen.insert(key)
        };
        if !is_new(world, b'i', kills) {
            return;
        }
        let mut add = |world: World, kills: u8| {
            if is_new(&world, b'r', kills) {
                todo.push((world, Rc::clone(allowed), kills));
            }
        };
        world.after_power_cut(|world| add(world, 0));
        if let Some(left) = kills.checked_sub(1) {
            add(world.clone(), left);
        }
    }

    pub(super) fn go(&mut self) {
        while let Some((world, allowed, kills)) = self.todo.pop() {
            self.findings.states += 1;
            let sim = Sim::new(world.clone(), Script::Nothing, true);
            let outcome = recover(&sim);
            if let Some(fault) = judge(&outcome, &sim.world.borrow(), &allowed) {
                self.findings.torn.push(format!("{fault}\nfrom {:?}\nwith {:?}", world.shape(), world.area()));
                if self.first {
                    return;
                }
            }
            for moment in sim.moments.into_inner() {
                self.interrupt(&moment, &allowed, kills);
            }
        }
    }
}

/// What is wrong with the state after a recovery.
pub(super) fn judge(
    outcome: &Result<Vec<crate::Recovered>, RunError>,
    world: &World,
    allowed: &[Shape],
) -> Option<String> {
    let shape = world.shape();
    match outcome {
        Err(error) => Some(format!("recovery failed: {error}")),
        Ok(runs) if runs.iter().any(|run| !run.outcome.is_all_or_nothing()) => {
            Some(format!("needs attention: {runs:?}"))
        }
        Ok(_) if !allowed.contains(&shape) => Some(format!("torn: {shape:?}")),
        Ok(_) if !is_tidy(world) => Some(format!("not tidy: {:?}", world.area().keys())),
        Ok(_) => lost_image(world),
    }
}

/// A before-image that a journal no longer gives back.
fn lost_image(world: &World) -> Option<String> {
    let sim = Sim::new(world.clone(), Script::Nothing, false);
    let area = Area::open(&sim).ok()??;
    for name in world.area().keys().filter_map(|name| name.strip_prefix("over/")) {
        let file = sim.open(area.over.as_ref()?, name).ok()?;
        let run_id = RunId::parse(name.get(..36).unwrap_or_default()).unwrap();
        let Ok(journal) = Journal::read(&sim, &file, &run_id) else { return Some(format!("{name} cannot be read")) };
        for step in &journal.steps {
            let image = journal.before_image(&sim, &file, &step.path);
            if !matches!(&image, Ok(image) if FileState::of(image.as_ref()) == step.before) {
                return Some(format!("the before-image of {} is lost: {image:?}", step.path));
            }
        }
    }
    None
}

/// Nothing is left but journals of finished runs.
fn is_tidy(world: &World) -> bool {
    world.area().keys().all(|name| name.starts_with("over/") && name.ends_with(".done"))
}
