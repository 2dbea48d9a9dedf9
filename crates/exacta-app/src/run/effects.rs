//! A run that acts outside the project, from its permit to its recorded end; its recovery and its undo.

use super::begin::{Beginning, Wait};
use super::ended::Ended;
use super::error::unrecorded;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;

use super::preconditions::Moment;
use super::{AboutRun, run_record};
use crate::app::App;
use crate::autopilot::MaySend;
use crate::error::{Error, ErrorCode, Exit};
use crate::project::ProjectRef;
use crate::run::Execution;
use crate::run::run_view;
use crate::site::{Keeper, Sites};

use exacta_effect::{
    Drafts, EffectError, Effector, Effects, Event as EffectEvent, Folder, JournalKey, Options, Outcome, Stand,
};
use exacta_exec::Event as Progress;
use exacta_kernel::audit::Event;
use exacta_kernel::effect::{self, Effect};
use exacta_kernel::facts::Facts;
use exacta_kernel::id::RunId;
use exacta_kernel::permit::Permit;
use exacta_kernel::{parse, seal};
use exacta_mail::MailEffector;
use exacta_record::{RunRecord, RunState};
use exacta_view::{Recovery, RunView};
use std::collections::BTreeSet;
use std::time::Instant;

/// What a project has outside its folder: the outbox, the user's mail accounts, and the journals of what acts there.
pub(super) struct Outside {
    state: Folder,
    key: JournalKey,
    drafts: Drafts,
    mail: MailEffector,
    sites: Sites,
}

impl Outside {
    /// Opens the project's folder under the user's state, making it where it is missing.
    fn open(project_ref: ProjectRef<'_>, key: &JournalKey) -> Result<Self, Error> {
        let ProjectRef { home, root, project } = project_ref;
        let state = Folder::open(&home.project_state(project)?).map_err(|error| effect_error(&error.into()))?;
        let keeper = Keeper { home: home.clone(), root: root.path().to_owned(), project: project.clone() };
        let (mail, sites) = (crate::mail::effector(home)?, Sites::new(keeper, state.clone()));
        Ok(Self { drafts: Drafts::new(state.clone()), mail, sites, state, key: key.clone() })
    }

    /// Everything that performs effects, with their journals.
    pub(super) fn effects(&self) -> Result<Effects<'_>, Error> {
        let performers: Vec<&dyn Effector> = vec![&self.drafts, &self.mail, &self.sites];
        Effects::open(&self.state, &self.key, performers).map_err(|error| effect_error(&error.into()))
    }
}

impl App {
    /// Acts, and records how the run began and ended.
    pub(super) fn run_effects(
        &mut self,
        permit: Permit,
        beginning: &Beginning<'_>,
        execution: Execution<'_>,
    ) -> Result<RunView, Error> {
        let about = AboutRun::of(permit.work(), &beginning.entry);
        let Execution { wait, cancel, observer, .. } = execution;
        let until = Instant::now().checked_add(wait);
        let record = run_record(&permit)?;
        let sites = self.hold_sites(permit.work().effects(), until)?;
        let outside = Outside::open(self.project_ref(), &self.effect_key)?;
        let effects = outside.effects()?;
        for account in accounts(permit.work().effects()) {
            crate::mail::opened(&self.home, account)?;
        }
        self.reads_hold(permit.work())?;
        let may_send = self.may_send(permit.work())?;
        let uncounted = |app: &Self| may_send.iter().for_each(|may_send| app.not_sent(may_send));
        let staged = effects.permitted(permit).stage().map_err(|error| {
            uncounted(self);
            effect_error(&error)
        })?;
        let project_ref = ProjectRef { home: &self.home, root: &self.root, project: &self.project.id };
        if let Err(error) = sites.begin(project_ref, &about.run_id) {
            staged.discard();
            uncounted(self);
            return Err(error);
        }
        if let Err(error) = beginning.enter(&mut self.store, record, project_ref, Wait { until, cancel }) {
            staged.discard();
            sites.end();
            uncounted(self);
            return Err(self.not_entered(&about, error));
        }
        let permitted = || match beginning.preconditions.changed(project_ref, Moment::Commit) {
            Ok(None) => Ok(()),
            Ok(Some(changed)) => Err(changed.why),
            Err(error) => Err(error.message),
        };
        let holds = || match may_send.as_ref().map_or(Ok(None), MaySend::quiet_now) {
            Ok(None) => permitted(),
            Ok(Some(quiet)) => Err(quiet),
            Err(error) => Err(error.message),
        };
        let mut told = |event: EffectEvent| observer(progress(event));
        let ended = staged.entered().perform(&mut Options { cancel, holds: &holds, observer: &mut told });
        if let Ok(Outcome::RolledBack { .. } | Outcome::Cancelled | Outcome::NothingDone) = &ended {
            uncounted(self);
        }
        if !matches!(&ended, Err(_) | Ok(Outcome::Unknown { .. })) {
            sites.end();
        }
        let ended =
            ended.map_err(|error| effect_error(&error)).and_then(|outcome| self.effects_ended(&about, &outcome));
        ended.map_err(|error| Error { run_id: Some(about.run_id.clone()), ..error })
    }

    fn effects_ended(&mut self, about: &AboutRun, outcome: &Outcome) -> Result<RunView, Error> {
        let undo = about.undoes.is_some();
        let end = Ended::of_effects(outcome, undo)?;
        let recorded = self.record_end(about, &end, end.event(undo));
        let recorded = recorded.map_err(|failure| unrecorded(&end.reason, &failure))?;
        // The run is over and recorded, whatever comes of these.
        match end.state {
            RunState::Completed => {
                let _later = self.forget_failures();
                match recorded {
                    Some(run) => Ok(run_view(run)),
                    None => self.ended_elsewhere(&about.run_id),
                }
            }
            RunState::Cancelled => Err(about.ended_with(outcome_error(&end, outcome, about))),
            _ => {
                let _later = self.count_failure();
                Err(about.ended_with(outcome_error(&end, outcome, about)))
            }
        }
    }

    /// What the project has outside its folder; `None` where it never had anything.
    pub(super) fn outside(&self) -> Result<Option<Outside>, Error> {
        if !self.home.has_project_state(&self.project.id) {
            return Ok(None);
        }
        Outside::open(self.project_ref(), &self.effect_key).map(Some)
    }

    /// Brings every run outside the project whose process died to its end, and records it.
    pub(super) fn recover_effects(&mut self) -> Result<Vec<Recovery>, Error> {
        let Some(outside) = self.outside()? else { return Ok(Vec::new()) };
        let effects = outside.effects()?;
        let mut recoveries = Vec::new();
        // Asked when the journal is held: a run is entered after its journal is written, by the process that holds it.
        // One that waits for a person is open too: whoever took the person's word may have died.
        let is_open = |run: &_| self.store.run(run).is_ok_and(|run| run.is_some_and(|run| run.state.is_open()));
        effects.recover(&is_open).map_err(|error| effect_error(&error))?;
        for run in self.store.open_runs()? {
            let known = effects.is_known(&run.id).map_err(|error| effect_error(&error))?;
            if known && let Some(outcome) = effects.outcome(&run.id).map_err(|error| effect_error(&error))? {
                recoveries.extend(self.record_effects(&run, &outcome)?);
            }
        }
        Ok(recoveries)
    }

    /// Records how a run ended that another process was at. `None` if that process, or a third one, was faster, or it is recorded so.
    pub(super) fn record_effects(&mut self, run: &RunRecord, outcome: &Outcome) -> Result<Option<Recovery>, Error> {
        let end = Ended::of_effects(outcome, run.undoes.is_some())?;
        if end.state == run.state {
            return Ok(None);
        }
        let about = AboutRun::recorded(run, &self.record(&run.plan_id)?);
        let recorded = self.record_end(&about, &end, Event::RunRecovered)?;
        if recorded.is_some() && end.state != RunState::Completed && run.state.is_under_way() {
            let _later = self.count_failure();
        }
        if matches!(end.state, RunState::RolledBack | RunState::Cancelled) {
            self.not_sent_by(&run.plan_id, &run.id);
        }
        // Its end is recorded, whatever comes of this: the next look at the occasion finds it.
        let _next_look = self.settle_occasion_of(&run.plan_id);
        Ok(recorded.map(|_| end.into_recovery(&run.id, &run.plan_id)))
    }

    /// What became of each act of a run outside the project; nothing for a run that changed files.
    pub(crate) fn stands(&self, run: &RunId) -> Result<Vec<Stand>, Error> {
        let Some(outside) = self.outside()? else { return Ok(Vec::new()) };
        outside.effects()?.stands(run).map_err(|error| effect_error(&error))
    }

    /// What a run performed outside the project, as its plan has it; `None` for a run that changed files.
    pub(crate) fn effects_of(&self, run: &RunRecord) -> Result<Option<Vec<Effect>>, Error> {
        let known = match self.outside()? {
            Some(outside) => outside.effects()?.is_known(&run.id).map_err(|error| effect_error(&error))?,
            None => false,
        };
        if !known {
            return Ok(None);
        }
        let gone = || Error::fault("not_kept", format!("the proposal of plan `{}` is not kept", run.plan_id));
        let text = self.record(&run.plan_id)?.proposal.ok_or_else(gone)?;
        let proposal = parse::parse_kept(&text).map_err(|_| crate::stored::tampered(&run.plan_id))?;
        let plan = seal::seal(proposal, &Facts::new()).map_err(|_| crate::stored::tampered(&run.plan_id))?;
        let effects = effect::of_plan(&plan, &run.id).map_err(|_| crate::stored::tampered(&run.plan_id))?;
        Ok(Some(effects))
    }
}

/// The mail accounts that effects act in.
pub(super) fn accounts(effects: &[Effect]) -> BTreeSet<&str> {
    let places = effects.iter().map(|effect| effect.place().as_str());
    places.filter_map(|place| place.strip_prefix("mail/")?.split('/').next()).collect()
}

fn progress(event: EffectEvent) -> Progress {
    match event {
        EffectEvent::StepDone { place } => Progress::StepDone { path: place },
        EffectEvent::RollingBack { cause } => Progress::RollingBack { cause },
    }
}

/// How a command ends whose run outside the project did not complete.
fn outcome_error(end: &Ended, outcome: &Outcome, about: &AboutRun) -> Error {
    match end.state {
        RunState::Unknown => {
            let step = if let Outcome::Unknown { step, .. } = outcome { step.as_str() } else { "STEP" };
            let resolve = Remedy::Resolve { run: about.run_id.clone(), step: step.to_owned() };
            Error::fault("outcome_unknown", end.reason.clone()).hint(hint![
                "nothing is repeated on a guess: look yourself, then say ",
                resolve,
                " or `not-done`"
            ])
        }
        RunState::NeedsAttention => Error::fault("needs_attention", end.reason.clone()).hint(hint![
            "look at what is named; ",
            Remedy::Show(None),
            " of the plan tells how the run ended"
        ]),
        RunState::Cancelled => Error::new(Exit::RolledBack, "cancelled", end.reason.clone()),
        _ => Error::new(Exit::RolledBack, ErrorCode::ROLLED_BACK, end.reason.clone()),
    }
}

/// How a command ends whose run outside the project did not begin, or has no end yet.
pub(super) fn effect_error(error: &EffectError) -> Error {
    let (exit, code) = match error {
        EffectError::NoEffector { .. } => (Exit::Denied, "no_executor"),
        EffectError::Drifted { .. } => (Exit::Drifted, "target_changed"),
        EffectError::Exists { .. } => (Exit::Drifted, "already_run"),
        EffectError::NotUnknown { .. } => (Exit::Drifted, "wrong_state"),
        EffectError::Failed(_) => (Exit::Fault, "not_begun"),
        EffectError::NoEnd { .. } | EffectError::BadJournal { .. } => (Exit::Fault, "needs_attention"),
    };
    let told = Error::new(exit, code, error.to_string());
    match error {
        EffectError::NoEnd { .. } => told.hint(hint!["remove the cause and run ", Remedy::Recover]),
        EffectError::BadJournal { .. } => {
            told.hint("nothing was touched; look at the project's `effects` folder in your state folder")
        }
        EffectError::Failed(_) => told.hint("the run did not begin: fix that, and give the command again"),
        _ => told,
    }
}
