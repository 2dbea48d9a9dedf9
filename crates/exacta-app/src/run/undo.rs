//! A completed run is undone: asked for by a person, refused where a target has changed since.

use crate::app::App;
use crate::caller::Act;
use crate::checks::Checks;
use crate::clock::{new_id, now};
use crate::decide::{at_once, person_entry};
use crate::error::{Error, Exit};
use crate::run::Execution;
use crate::run::begin::{Beginning, Lost};
use crate::run::error::run_error;
use crate::run::preconditions::Preconditions;
use crate::run::transitions;
use exacta_home::SigningKey;
use exacta_kernel::approval::{self, Demand, Verb};
use exacta_kernel::audit::Event;
use exacta_kernel::diff;
use exacta_kernel::effect::Effect;
use exacta_kernel::facts::{Facts, FileContent, FileState, Obstacle, Target, TargetFact};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::permit::{Completed, Transition, UndoRefused, permit_undo, permit_undo_of_effects};
use exacta_kernel::plan::{Change, Content};
use exacta_kernel::seal;
use exacta_record::{RunFilter, RunRecord, RunState};
use exacta_view::{RunView, UndoFile, UndoView};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl App {
    /// What undoing a run would do: the newest that is not undone yet, or the one whose id, or whose plan's id, starts so.
    ///
    /// # Errors
    /// If there is no such run, or a target has changed since; then with what changed.
    pub fn undo_preview(&mut self, run: Option<&str>) -> Result<UndoView, Error> {
        self.authorize(Act::Read)?;
        self.safe_on_tampering(|app| app.preview_undo(run))
    }

    fn preview_undo(&self, run: Option<&str>) -> Result<UndoView, Error> {
        let run = self.undoable(run)?;
        let completed = self.completed_run(&run)?;
        let changes = match self.reversed_effects(&run)? {
            Some(effects) => effects.iter().map(gone).collect(),
            None => self.reversal(&completed)?,
        };
        let files = changes.iter().map(|change| UndoFile {
            path: change.path.to_string(),
            diff: diff::render(&change.path, change.before.as_deref(), change.after.as_deref()),
        });
        Ok(UndoView {
            run_id: run.id.to_string(),
            plan_id: run.plan_id.to_string(),
            undo_hash: completed.undo_hash()?.to_string(),
            files: files.collect(),
        })
    }

    /// Undoes a run, all or nothing. The undo is a run of its own, recorded, and can be undone.
    ///
    /// # Errors
    /// As [`App::undo_preview`], and as a run.
    pub fn undo(&mut self, run: &str, key: &SigningKey, execution: Execution<'_>) -> Result<RunView, Error> {
        self.authorize(Act::Undo)?;
        self.safe_on_tampering(|app| {
            app.retry_after_dead_runs(execution, |app, execution| app.undo_run(run, key, execution))
        })
    }

    fn undo_run(&mut self, run: &str, key: &SigningKey, execution: Execution<'_>) -> Result<RunView, Error> {
        let run = self.undoable(Some(run))?;
        let completed = self.completed_run(&run)?;
        let effects = self.reversed_effects(&run)?;
        let changes = if effects.is_some() { Vec::new() } else { self.reversal(&completed)? };
        let (at, undo_id) = (now(), new_id(RunId::parse)?);
        let (record, approvers) = (self.record(&run.plan_id)?, self.home.approvers()?);
        let signed = self.sign(&record, Verb::Approve, completed.undo_hash()?, key, at, at_once(at))?;
        let (project, plan_hash) = (&self.project.id, completed.undo_hash()?);
        let demand = Demand { project, plan_id: &completed.plan_id, plan_hash, now: at };
        let approval = approval::verify(&signed, &approvers, &demand).map_err(|error| undo_refused(&error.into()))?;
        let permit = match effects {
            Some(effects) => permit_undo_of_effects(&completed, effects, approval, project, at, undo_id.clone()),
            None => permit_undo(&completed, changes, approval, project, at, undo_id.clone()),
        };
        let permit = permit.map_err(|error| undo_refused(&error))?;
        let mut entry = person_entry(&record, Event::RunStarted, &signed);
        entry.reason = format!("undoes run {}", run.id);
        entry.run_id = Some(undo_id);
        entry.data.insert("undoes".to_owned(), json!(run.id));
        entry.data.insert("changes".to_owned(), serde_json::to_value(transitions(&permit))?);
        let concurrency = self.in_force()?.policy.concurrency();
        let lost = |lost: Lost| match lost {
            Lost::To(other) => {
                let message = format!("run `{}` is being undone by run `{other}`, or was undone by it", run.id);
                Error::new(Exit::Drifted, "already_undone", message).hint(hint![Remedy::Status, " shows the runs"])
            }
            Lost::Status(_) => not_undoable(&run),
        };
        let preconditions =
            Preconditions::Undo(approvers.iter().filter(|known| known.name == signed.statement.approver).collect());
        let beginning = Beginning { from: &Status::ALL, concurrency, entry, preconditions, lost: &lost };
        self.run_permitted(permit, beginning, &Checks::none(), execution)
    }

    /// The run that is meant, and the changes that lead back from it.
    pub(crate) fn changes_back(&self, run: &str) -> Result<(RunId, Vec<Change>), Error> {
        let run = self.undoable(Some(run))?;
        if self.effects_of(&run)?.is_some() {
            let message = format!("run `{}` acted outside the project", run.id);
            return Err(Error::new(Exit::Denied, "undo_needs_person", message)
                .hint(hint!["a person undoes it with ", Remedy::Undo(None)]));
        }
        let changes = self.reversal(&self.completed_run(&run)?)?;
        Ok((run.id, changes))
    }

    /// What a run did outside the project, to be compensated; `None` for a run that changed files.
    fn reversed_effects(&self, run: &RunRecord) -> Result<Option<Vec<Effect>>, Error> {
        match self.effects_of(run)? {
            Some(_) if run.undoes.is_some() => {
                let message = format!("run `{}` is an undo of what was done outside the project", run.id);
                Err(Error::new(Exit::Drifted, "wrong_state", message)
                    .hint(hint![Remedy::Resubmit(Some(run.plan_id.clone())), " makes a new plan of the same proposal"]))
            }
            effects => Ok(effects),
        }
    }

    /// The plan of the run that was named, also where the run cannot be undone.
    #[must_use]
    pub fn plan_to_undo(&self, run: Option<&str>) -> Option<PlanId> {
        self.authorize(Act::Read).and_then(|()| self.meant_run(run)).ok().map(|run| run.plan_id)
    }

    /// The run to undo.
    fn undoable(&self, prefix: Option<&str>) -> Result<RunRecord, Error> {
        let run = self.meant_run(prefix)?;
        if run.state == RunState::Completed { Ok(run) } else { Err(not_undoable(&run)) }
    }

    /// The run that is meant, as the log has it. Which is the newest, or begins so, the list of runs says.
    pub(crate) fn meant_run(&self, prefix: Option<&str>) -> Result<RunRecord, Error> {
        let found = match prefix {
            None => {
                let state = vec![RunState::Completed];
                let newest = RunFilter { state, own: true, limit: Some(1), ..RunFilter::default() };
                self.store.runs(&newest)?.into_iter().next().map(|run| run.id)
            }
            Some(prefix) => self.named_run(prefix)?,
        };
        let run = found.map(|id| self.store.run(&id)).transpose()?.flatten().filter(|run| self.sees(&run.plan_id));
        run.ok_or_else(|| {
            let message = prefix.map_or_else(|| "there is no run to undo".to_owned(), |id| format!("no run `{id}`"));
            Error::new(Exit::Usage, "run_unknown", message).hint(hint![Remedy::Status, " shows the runs"])
        })
    }

    /// The run whose id, or whose plan's id, begins so. A plan that was never run counts as well: it may be the one that is meant.
    fn named_run(&self, prefix: &str) -> Result<Option<RunId>, Error> {
        if prefix.len() < 4 {
            return Ok(None);
        }
        let begins = RunFilter { prefix: Some(prefix.to_ascii_lowercase()), limit: Some(20), ..RunFilter::default() };
        let of_run = |run: RunRecord| (Some(run.id), run.plan_id);
        let mut meant: BTreeSet<(Option<RunId>, PlanId)> = self.store.runs(&begins)?.into_iter().map(of_run).collect();
        meant.retain(|(_, plan)| self.sees(plan));
        for plan_id in self.store.find(prefix)?.into_iter().filter(|id| self.sees(id)) {
            let own = RunFilter { plan_id: Some(plan_id.clone()), own: true, ..RunFilter::default() };
            let run = self.store.runs(&own)?.into_iter().next();
            meant.insert((run.map(|run| run.id), plan_id));
        }
        if meant.len() < 2 {
            return Ok(meant.pop_first().and_then(|(run, _)| run));
        }
        let words = |(run, plan): &(Option<RunId>, PlanId)| match run {
            Some(run) => format!("run `{run}` of plan `{plan}`"),
            None => format!("plan `{plan}`, which was not run"),
        };
        let all: Vec<String> = meant.iter().map(words).collect();
        let message = format!("`{prefix}` may be {}", all.join("; or "));
        Err(Error::new(Exit::Usage, "run_ambiguous", message).hint("give more of the id"))
    }

    /// What a run did, as its record tells it, which the log vouches for.
    fn completed_run(&self, run: &RunRecord) -> Result<Completed, Error> {
        let record = self.record(&run.plan_id)?;
        let changes: BTreeMap<RelPath, Transition> =
            serde_json::from_value(run.changes.clone()).map_err(|_| crate::stored::tampered(&run.plan_id))?;
        Ok(Completed {
            run_id: run.id.clone(),
            plan_id: run.plan_id.clone(),
            correlation_id: record.correlation_id,
            changes,
        })
    }

    /// The changes that lead back, if every target still is as the run left it.
    fn reversal(&self, completed: &Completed) -> Result<Vec<Change>, Error> {
        let mut changes = Vec::new();
        let mut changed = Vec::new();
        for (path, transition) in &completed.changes {
            let now = self.content_of(path, &completed.changes);
            if now.as_ref().map(|content| FileState::of(content.as_deref())) != Some(transition.after.clone()) {
                changed.push((path, now));
                continue;
            }
            let after = self.image(completed, &transition.before)?;
            changes.push(Change { path: path.clone(), before: now.flatten(), after });
        }
        if changed.is_empty() { Ok(changes) } else { Err(self.changed_since(completed, &changed)) }
    }

    /// The refusal, with how each file differs from what the run left.
    fn changed_since(&self, completed: &Completed, changed: &[(&RelPath, Option<Option<Content>>)]) -> Error {
        let left = self.left_by(completed);
        let mut message = format!("run `{}` cannot be undone: changed since:", completed.run_id);
        for (path, now) in changed {
            message.push_str(&format!(" `{path}`"));
            match (left.get(*path), now) {
                (_, None) => message.push_str(", which is no file that could be read"),
                (Some(left), Some(now)) => {
                    message.push_str(&mode_change(left.as_deref(), now.as_deref()));
                    message.push('\n');
                    message.push_str(&diff::render(path, left.as_deref(), now.as_deref()));
                }
                (None, Some(_)) => {}
            }
        }
        Error::new(Exit::Drifted, "target_changed", message).hint("undo the later change first, or make a new plan")
    }

    /// What the run left in each file, as far as it can be told: what an undo left was saved before the run that it undid; what a
    /// plan left follows from what was saved before it and the proposal.
    fn left_by(&self, completed: &Completed) -> BTreeMap<RelPath, Option<Content>> {
        let mut derived = self.made_by(completed).unwrap_or_default();
        let left = completed.changes.iter().filter_map(|(path, transition)| {
            let made = derived.remove(path).filter(|made| FileState::of(made.as_deref()) == transition.after);
            Some((path.clone(), made.or_else(|| self.image(completed, &transition.after).ok())?))
        });
        left.collect()
    }

    /// What the plan makes of the files as they were before the run.
    fn made_by(&self, completed: &Completed) -> Option<BTreeMap<RelPath, Option<Content>>> {
        let mut facts = Facts::new();
        for (path, transition) in &completed.changes {
            let target = self.image(completed, &transition.before).ok()?.map_or(Target::Absent, Target::File);
            facts.insert(path.clone(), TargetFact { target, lookalikes: Vec::new(), folds: false });
        }
        let text = self.record(&completed.plan_id).ok()?.proposal?;
        let plan = seal::seal(parse::parse_kept(&text).ok()?, &facts).ok()?;
        Some(plan.changes().into_iter().map(|change| (change.path, change.after)).collect())
    }

    /// The saved bytes of a state, which mostly the run itself keeps.
    fn image(&self, completed: &Completed, state: &FileState) -> Result<Option<Content>, Error> {
        match state {
            FileState::Absent => Ok(None),
            FileState::File { sha256, mode, .. } => {
                let image = self.root.before_image(&completed.run_id, *sha256, *mode);
                let image = image.map_err(|error| run_error(&error))?;
                Ok(Some(Arc::new(image)))
            }
        }
    }

    /// A file's content now; `None` if it cannot be told.
    fn content_of(&self, path: &RelPath, changes: &BTreeMap<RelPath, Transition>) -> Option<Option<Content>> {
        match self.root.fact(path, exacta_exec::look::TARGET_CAP).target {
            target if is_no_file(&target, changes) => Some(None),
            Target::File(content) => Some(Some(content)),
            _ => None,
        }
    }
}

/// Whether there is no file at a target: nothing, or what the same run put in its place, a folder with its own files, or a file where
/// its folder was.
pub(crate) fn is_no_file(target: &Target, changes: &BTreeMap<RelPath, Transition>) -> bool {
    match target {
        Target::Absent => true,
        Target::Directory { files: Some(files) } => {
            !files.is_empty() && files.iter().all(|file| changes.contains_key(file))
        }
        Target::Blocked { at, by: Obstacle::NotAFolder } => {
            RelPath::parse(at).is_ok_and(|at| changes.contains_key(&at))
        }
        _ => false,
    }
}

fn undo_refused(refused: &UndoRefused) -> Error {
    Error::new(Exit::Denied, "undo_refused", refused.to_string()).hint(hint![
        Remedy::ApproverList,
        " shows who may; ",
        Remedy::AuditVerify,
        " looks at the record"
    ])
}

/// What an undo of an effect looks like: its content goes.
fn gone(effect: &Effect) -> Change {
    Change { path: effect.place().clone(), before: effect.content().cloned().map(Arc::new), after: None }
}

fn not_undoable(run: &RunRecord) -> Error {
    Error::new(
        Exit::Drifted,
        "wrong_state",
        format!("run `{}` is {}: only a completed run can be undone", run.id, run.state),
    )
    .hint(hint![Remedy::Status, " shows the runs"])
}

/// How the permissions of a file changed, in words; nothing if they did not.
fn mode_change(left: Option<&FileContent>, now: Option<&FileContent>) -> String {
    match (left.map(FileContent::mode), now.map(FileContent::mode)) {
        (Some(was), Some(is)) if was != is => format!(", mode {:o} → {:o}", was & 0o7777, is & 0o7777),
        _ => String::new(),
    }
}
