//! The promise, tested: with drafts on a real file system, over a server that loses, doubles, delays and lies, and under kills.

mod drafts;
mod kill;
mod resolve;
mod schedules;
mod server;
mod web;

use crate::work::EffectWork;
use crate::{Effects, Event, Folder, JournalKey, Options, Outcome};
use exacta_kernel::effect::Effect;
use exacta_kernel::facts::FileContent;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::path::RelPath;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const KEY: JournalKey = JournalKey::new([7; 32]);

fn run_id(number: u32) -> RunId {
    RunId::parse(&id(number)).unwrap()
}

fn id(number: u32) -> String {
    format!("019a2f3e-7c1d-7e2a-9b4f-{number:012x}")
}

/// A run that performs effects of one act, at these places, with these bytes.
fn work(run: u32, act: &str, effects: &[(&str, &str)]) -> EffectWork {
    let effect = |(index, (place, text)): (usize, &(&str, &str))| {
        let content = Arc::new(FileContent::new(text.as_bytes().to_vec(), 0o600));
        Effect::new(&format!("s{}", index + 1), act, RelPath::parse(place).unwrap(), content)
    };
    EffectWork {
        run_id: run_id(run),
        plan_id: PlanId::parse(&id(900)).unwrap(),
        correlation_id: CorrelationId::parse(&id(901)).unwrap(),
        plan_hash: Digest::of(b"approved"),
        undoes: None,
        effects: effects.iter().enumerate().map(effect).collect(),
    }
}

/// The undo of a run.
fn undo(run: u32, of: &EffectWork) -> EffectWork {
    EffectWork { run_id: run_id(run), undoes: Some(of.run_id.clone()), ..of.clone() }
}

fn folder(path: &Path) -> Folder {
    Folder::open(path).unwrap()
}

/// From staging to the end, as the app does it.
fn perform(effects: &Effects<'_>, work: &EffectWork) -> Result<Outcome, crate::EffectError> {
    perform_with(effects, work, &AtomicBool::new(false), &mut |_| {})
}

fn perform_with(
    effects: &Effects<'_>,
    work: &EffectWork,
    cancel: &AtomicBool,
    observer: &mut dyn FnMut(Event),
) -> Result<Outcome, crate::EffectError> {
    effects.with(work.clone()).stage()?.entered().perform(&mut Options { cancel, holds: &|| Ok(()), observer })
}
