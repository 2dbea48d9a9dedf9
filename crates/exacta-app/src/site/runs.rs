//! Runs on sites as people and programs see them: `exacta.site-run/1`, in the words of the contract.

use super::contract::no_plan;
use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_effect::{IdempotencyKey, Stand};
use exacta_kernel::audit::Event;
use exacta_kernel::effect::Effect;
use exacta_kernel::effect::site::{READS, SiteCall};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::time::Timestamp;
use exacta_record::{DocumentKind, EntryFilter, RunFilter, RunRecord, RunState};
use exacta_site::{Images, Noted};
use serde::Serialize;
use std::collections::BTreeSet;

/// A run on a site.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteRunView {
    schema: &'static str,
    /// The run.
    pub run_id: String,
    /// Its plan.
    pub plan_id: String,
    /// The site.
    pub site: String,
    /// `queued`, `running`, `completed`, `failed`, `rolling_back`, `rolled_back`, `rollback_failed` or `unknown`.
    pub state: &'static str,
    /// One for each call.
    pub steps: Vec<SiteStepView>,
    planned_steps: usize,
    planned_tool_calls: usize,
    planned_pages: usize,
    actual_tool_calls: usize,
    actual_pages: usize,
    /// Whether the run can be rolled back.
    pub rollback_available: bool,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// Why it did not complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunTrouble>,
}

/// Why a run did not complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunTrouble {
    /// The stable code.
    pub code: &'static str,
    /// In words.
    pub message: String,
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunEvent {
    /// Such as `run_started` or `tool_called`.
    pub event: String,
    /// When, where the log says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// In words.
    pub message: String,
}

impl RunEvent {
    fn new(event: &str, at: Option<Timestamp>, message: &str) -> Self {
        Self { event: event.to_owned(), at: at.map(|at| at.to_string()), message: message.to_owned() }
    }
}

/// One call of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteStepView {
    /// The step, as `site resolve` takes it.
    pub step_id: String,
    /// The tool.
    pub tool: String,
    /// `queued`, `running`, `completed` or `failed`; `unknown` where nobody can tell.
    pub state: &'static str,
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_id: Option<u64>,
    /// The page as the plan saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_sha256: Option<String>,
    /// What was read, or the page as it is after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_sha256: Option<String>,
    /// How many things a reading call found.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// Whether the site stored what was approved: `exact`, `normalised` or `differs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
    /// `pending`, `applied`, `failed` or `none`.
    pub rollback: &'static str,
}

impl App {
    /// Runs on sites of this project, newest first; of one site where it is named.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn site_runs(&self, site: Option<&str>, limit: usize) -> Result<Vec<SiteRunView>, Error> {
        self.authorize(Act::Read)?;
        let mut views = Vec::new();
        for run in self.store.runs(&RunFilter::default())? {
            if views.len() == limit {
                break;
            }
            if run.undoes.is_none()
                && let Some(view) = self.site_run_view(&run)?
                && site.is_none_or(|site| site == view.site)
            {
                views.push(view);
            }
        }
        Ok(views)
    }

    /// A run on a site.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` where there is none, or whoever asks may not see it.
    pub fn site_run(&self, id: &RunId) -> Result<SiteRunView, Error> {
        self.authorize(Act::Read)?;
        let run = self.store.run(id)?.filter(|run| run.undoes.is_none()).ok_or_else(|| no_run(id.as_str()))?;
        self.site_run_view(&run)?.ok_or_else(|| no_run(id.as_str()))
    }

    /// The run of a plan for a site; none where it has not begun.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn site_run_of(&self, plan: &PlanId) -> Result<Option<SiteRunView>, Error> {
        self.authorize(Act::Read)?;
        let record = self.store.plan(plan)?.ok_or_else(|| no_plan(plan.as_str()))?;
        record.run.as_ref().map_or(Ok(None), |run| self.site_run_view(run))
    }

    /// What happened in a run: by the log, and by what was noted of each call.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn site_run_events(&self, run: &SiteRunView) -> Result<Vec<RunEvent>, Error> {
        self.authorize(Act::Read)?;
        let plan = PlanId::parse(&run.plan_id).map_err(|_| no_plan(&run.plan_id))?;
        let correlation = self.record(&plan)?.correlation_id;
        let entries = self.store.entries(&EntryFilter { correlation_id: Some(correlation), last: None })?;
        let undoes: BTreeSet<String> = self.undos_of(&run.run_id)?;
        let mut events = Vec::new();
        for entry in entries {
            let Some(id) = entry.run_id.as_ref().map(ToString::to_string) else { continue };
            let undo = undoes.contains(&id);
            if id != run.run_id && !undo {
                continue;
            }
            events
                .extend(words(entry.event, undo).iter().map(|word| RunEvent::new(word, Some(entry.at), &entry.reason)));
            if entry.event == Event::RunStarted && !undo {
                let called = run
                    .steps
                    .iter()
                    .filter(|step| matches!(step.state, "completed" | "unknown") || step.rollback != "none");
                events.extend(
                    called.map(|step| RunEvent::new("tool_called", None, &format!("{} {}", step.step_id, step.tool))),
                );
            }
        }
        Ok(events)
    }

    /// The runs that undo a run.
    fn undos_of(&self, run: &str) -> Result<BTreeSet<String>, Error> {
        let all = self.store.runs(&RunFilter::default())?.into_iter();
        let undoes = all.filter(|other| other.undoes.as_ref().is_some_and(|undone| undone.as_str() == run));
        Ok(undoes.map(|undo| undo.id.to_string()).collect())
    }

    /// `None` where it acts on no site, or whoever asks may not see its plan.
    fn site_run_view(&self, run: &RunRecord) -> Result<Option<SiteRunView>, Error> {
        let Some(plan) = self.store.plan(&run.plan_id)? else { return Ok(None) };
        let Ok(identity) = crate::stored::identity(&plan) else { return Ok(None) };
        let Some(bound) = &identity.binding.site else { return Ok(None) };
        let own = identity.binding.proposer.credential == self.credential();
        if !own && self.authorize(Act::ReadAll).is_err() {
            return Ok(None);
        }
        let effects = self.effects_of(run)?.unwrap_or_default();
        let stands = self.stands(&run.id)?;
        let undo = self.undo_of(run)?;
        let state = state(run, undo.as_ref());
        let images = self.images()?;
        let mut steps = Vec::new();
        for effect in &effects {
            steps.push(step(effect, run, state, &stands, &images)?);
        }
        let calls: BTreeSet<&str> = steps.iter().filter_map(|step| step.step_id.split('.').next()).collect();
        let done = |step: &&SiteStepView| step.state == "completed";
        let pages = |step: &&SiteStepView| !READS.contains(&step.tool.as_str());
        let actual: BTreeSet<&str> =
            steps.iter().filter(done).filter_map(|step| step.step_id.split('.').next()).collect();
        Ok(Some(SiteRunView {
            schema: "exacta.site-run/1",
            run_id: run.id.to_string(),
            plan_id: run.plan_id.to_string(),
            site: bound.name.clone(),
            state,
            planned_steps: self.contract_steps(&run.plan_id)?.unwrap_or(calls.len()),
            planned_tool_calls: calls.len(),
            planned_pages: steps.iter().filter(pages).count(),
            actual_tool_calls: actual.len(),
            actual_pages: steps.iter().filter(pages).filter(done).count(),
            rollback_available: state == "completed" && steps.iter().any(|step| pages(&step)),
            created_at: run.started_at.to_string(),
            ended_at: run.ended_at.map(|at| at.to_string()),
            error: self.trouble_of(run, state)?,
            steps,
        }))
    }

    /// How many steps the contract of a plan has.
    fn contract_steps(&self, plan: &PlanId) -> Result<Option<usize>, Error> {
        let found = self.store.document(DocumentKind::Contract, plan.as_str())?;
        Ok(found.and_then(|found| Some(found.body.get("steps")?.as_array()?.len())))
    }

    /// The newest run that undoes this one.
    fn undo_of(&self, run: &RunRecord) -> Result<Option<RunRecord>, Error> {
        let all = self.store.runs(&RunFilter::default())?;
        Ok(all.into_iter().find(|other| other.undoes.as_ref() == Some(&run.id)))
    }

    /// What the log says of a run that did not complete.
    fn trouble_of(&self, run: &RunRecord, state: &'static str) -> Result<Option<RunTrouble>, Error> {
        let code = match state {
            "failed" => "RUN_EXECUTION_FAILED",
            "unknown" => "SITE_UNKNOWN_OUTCOME",
            "rollback_failed" => "RUN_ROLLBACK_FAILED",
            _ => return Ok(None),
        };
        let correlation = self.record(&run.plan_id)?.correlation_id;
        let entries = self.store.entries(&EntryFilter { correlation_id: Some(correlation), last: None })?;
        let last = entries.into_iter().rev().find(|entry| entry.run_id.as_ref() == Some(&run.id));
        let reason = last.map(|entry| entry.reason).unwrap_or_default();
        // The most particular thing that is known of it.
        let code = match code {
            _ if reason.contains("stored something else") => "SITE_STORED_DIFFERS",
            "RUN_EXECUTION_FAILED" if reason.contains("cannot begin") => "SITE_PAGE_CHANGED",
            code => code,
        };
        Ok(Some(RunTrouble { code, message: reason }))
    }
}

/// The contract's words for an entry of the log.
fn words(event: Event, undo: bool) -> &'static [&'static str] {
    match (event, undo) {
        (Event::RunStarted, false) => &["run_created", "run_started"],
        (Event::RunStarted, true) => &["rollback_started"],
        (Event::PlanExecuted, _) => &["run_completed"],
        (Event::RunRolledBack, false) => &["run_failed"],
        (Event::RunUndone, _) => &["rollback_completed"],
        (Event::RunNeedsAttention, false) => &["run_failed"],
        (Event::RunNeedsAttention | Event::RunRolledBack, true) => &["rollback_failed"],
        (Event::RunRecovered, _) => &["run_recovered_failed"],
        (Event::RunResolved, _) => &["run_resolved"],
        _ => &[],
    }
}

/// The contract's word for how a run stands.
fn state(run: &RunRecord, undo: Option<&RunRecord>) -> &'static str {
    match (run.state, undo.map(|undo| undo.state)) {
        (RunState::Running, _) => "running",
        (RunState::RollingBack, _) | (RunState::Completed, Some(RunState::Running | RunState::RollingBack)) => {
            "rolling_back"
        }
        (RunState::Unknown, _) | (RunState::Completed, Some(RunState::Unknown)) => "unknown",
        (RunState::NeedsAttention, _) | (RunState::Completed, Some(RunState::NeedsAttention)) => "rollback_failed",
        (RunState::Completed, _) => "completed",
        (RunState::Undone, _) => "rolled_back",
        (RunState::RolledBack | RunState::Cancelled, _) => "failed",
    }
}

fn step(
    effect: &Effect,
    run: &RunRecord,
    state: &'static str,
    stands: &[Stand],
    images: &Images,
) -> Result<SiteStepView, Error> {
    let bytes = effect.content().map(exacta_kernel::facts::FileContent::bytes).unwrap_or_default();
    let call: SiteCall = serde_json::from_slice(bytes)?;
    let key = IdempotencyKey::performing(&run.id, effect.step(), effect.act());
    let noted = images.noted(key.as_str()).map_err(|error| Error::fault("not_kept", error.to_string()))?;
    let done = stands.iter().find(|stand| stand.step == effect.step()).and_then(|stand| stand.done);
    let known = stands.iter().any(|stand| stand.step == effect.step());
    let reads = READS.contains(&effect.act());
    let step_state = match (state, done) {
        _ if known && done.is_none() => "unknown",
        ("completed" | "rolled_back" | "rolling_back", _) | (_, Some(true)) => "completed",
        ("running", _) => "queued",
        _ => "failed",
    };
    let rollback = match (state, done) {
        _ if reads || noted.is_none() => "none",
        ("completed" | "running" | "unknown", Some(true)) => "pending",
        ("rollback_failed", Some(true)) => "failed",
        ("completed" | "running", _) => "none",
        _ => "applied",
    };
    let Noted { page, sha256, count, stored } = noted.unwrap_or_default();
    let argument = |name: &str| call.arguments.get(name).cloned();
    Ok(SiteStepView {
        step_id: effect.step().to_owned(),
        tool: effect.act().to_owned(),
        state: step_state,
        page_id: page.or_else(|| argument("id").and_then(|id| id.as_u64())),
        before_sha256: argument("before").and_then(|hash| hash.as_str().map(ToOwned::to_owned)),
        after_sha256: sha256.map(|hash| hash.to_string()),
        count,
        stored,
        rollback,
    })
}

fn no_run(id: &str) -> Error {
    let message = format!("there is no run `{}` on a site", exacta_kernel::text::excerpt(id, 60));
    Error::new(Exit::Usage, "RUN_NOT_FOUND", message).hint(hint![Remedy::SiteRuns, " shows them"])
}
