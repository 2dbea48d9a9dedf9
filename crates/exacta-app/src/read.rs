//! What there is: plans, runs, the project. Nothing here changes anything but [`App::consider`], which marks what it finds over,
//! and the profile, which falls to SAFE where the record was changed.

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::current::{Current, Surroundings};
use crate::error::Error;
use crate::run::NOTICE;
use crate::run::run_view;
use crate::stored;
use crate::view::{self, Registered, asked, outcome};
use exacta_kernel::approval::{self, Demand, Shown, SignedStatement};
use exacta_kernel::audit::{Entry, Event};
use exacta_kernel::drift::{self, Answer};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use exacta_record::{EntryFilter, Filter, PlanRecord, PlanSummary, RunRecord, RunState};
use exacta_view::{ApprovalView, ChangesRequested, PlanDetail, PlanLine, PlanView, RunView, Summary};

impl App {
    /// Plans, newest first: all of them, or those that stand so or whose run does.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn list(&self, word: Option<&str>, limit: Option<u32>) -> Result<Vec<PlanLine>, Error> {
        self.authorize(Act::Read)?;
        let Some(word) = word else {
            let newest = if self.sees_all() { limit } else { None };
            return self.lines(&Filter { limit: newest, ..Filter::default() }, limit, |_| true);
        };
        let status = Status::parse(word);
        let filter = match status {
            // One that is over by now is listed as expired, whatever the record still says.
            Some(Status::Expired) => {
                let status = Status::ALL.into_iter().filter(|status| *status != Status::Rejected).collect();
                Filter { status, ..Filter::default() }
            }
            Some(status) => Filter { status: vec![status], not_over: Some(now()), ..Filter::default() },
            None => Filter { status: vec![Status::AutoApproved, Status::UserApproved], ..Filter::default() },
        };
        self.lines(&filter, limit, |line| {
            status == Some(line.status) || status.is_none() && line.outcome.is_some() && line.word() == word
        })
    }

    /// The first lines that are wanted, each as it stands now.
    fn lines(
        &self,
        filter: &Filter,
        limit: Option<u32>,
        wanted: impl Fn(&PlanLine) -> bool,
    ) -> Result<Vec<PlanLine>, Error> {
        let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut lines = Vec::new();
        for summary in self.store.list(filter)? {
            if lines.len() >= limit {
                break;
            }
            if !self.sees(&summary.id) {
                continue;
            }
            let usable = !summary.status.is_final() && summary.run.is_none();
            let over = usable && self.is_over(&summary);
            lines.extend(Some(self.with_request(plan_line(summary, over)?)).filter(&wanted));
        }
        let ids: Result<Vec<PlanId>, _> = lines.iter().map(|line| PlanId::parse(&line.plan_id)).collect();
        let ids = ids.map_err(|error| Error::fault("internal", error.to_string()))?;
        for (line, short) in lines.iter_mut().zip(self.store.short_ids(&ids)?) {
            line.short_id = short;
        }
        Ok(lines)
    }

    /// Whether a plan that could still be used is over by now, as [`App::show`] would say; nothing is judged for that, only compared.
    /// Of one that cannot be compared, such as where the policy is broken, only its time tells.
    fn is_over(&self, plan: &PlanSummary) -> bool {
        plan.expires_at <= now() || self.is_drifted(&plan.id)
    }

    /// Whether what a plan is bound to changed so that it is over, as far as that can be told.
    pub(crate) fn is_drifted(&self, id: &PlanId) -> bool {
        let drifted = || {
            let identity = stored::identity(&self.record(id)?)?;
            let surroundings = Surroundings::load(self.project_ref(), &identity)?;
            let targets: Vec<RelPath> = identity.binding.targets.keys().cloned().collect();
            let facts = self.root.facts(&targets, surroundings.in_force.policy.caps().target_bytes);
            let authority = surroundings.in_force.authority();
            let drifts = drift::drift(&identity, &surroundings.present(&authority, &facts));
            Ok::<bool, Error>(drift::answer(&drifts) == Some(Answer::Expired))
        };
        drifted().unwrap_or(false)
    }

    /// Adds the changes that a person asked for, if the plan waits for them.
    fn with_request(&self, mut line: PlanLine) -> PlanLine {
        if line.status == Status::Pending {
            let record = PlanId::parse(&line.plan_id).ok().and_then(|id| self.record(&id).ok());
            line.changes_requested = record.and_then(|record| record.feedback.last().map(asked));
        }
        line
    }

    /// The changes that a person asked for, if the plan waits for them.
    ///
    /// # Errors
    /// As [`App::show`].
    pub fn changes_requested(&self, id: &PlanId) -> Result<Option<ChangesRequested>, Error> {
        self.authorize_for(Act::Read, id)?;
        Ok(self.show(id)?.plan.changes_requested)
    }

    /// A plan with everything that happened to it. One that could still run is derived again from its proposal, so that what
    /// is shown is what would be executed.
    ///
    /// # Errors
    /// If there is no such plan, or its record was changed.
    pub fn show(&self, id: &PlanId) -> Result<PlanDetail, Error> {
        self.authorize_for(Act::Read, id)?;
        Ok(self.shown_current(id)?.0)
    }

    /// The same with what it was derived from, where it could still run.
    pub(crate) fn shown_current(&self, id: &PlanId) -> Result<(PlanDetail, Option<Current>), Error> {
        let record = self.record(id)?;
        let usable = !record.status.is_final() && record.run.is_none();
        let current = if usable { Some(self.current(id)?) } else { None };
        let live = current.as_ref().filter(|current| drift::answer(&current.stored.drifts) != Some(Answer::Expired));
        let mut plan = self.named(match live {
            Some(current) => self.live_view(current)?,
            None => self.over_view(&record)?,
        });
        plan.changes_requested = record.feedback.last().filter(|_| plan.status == Some(Status::Pending)).map(asked);
        let drifts = current.as_ref().map(|current| current.stored.drifts.clone()).unwrap_or_default();
        let expires = usable && live.is_none();
        let detail = PlanDetail {
            live: live.is_some(),
            plan,
            reason: if expires { Some(stored::messages(&drifts)) } else { self.why_over(&record)? },
            drifts,
            approvals: self.approvals(&record, current.as_ref())?,
            feedback: record.feedback.iter().map(asked).collect(),
            run: record.run.map(|run| self.explained_run(run, &record.correlation_id)).transpose()?,
        };
        Ok((detail, current))
    }

    /// Why a plan that is over without a run is: what the log says.
    pub(crate) fn why_over(&self, record: &PlanRecord) -> Result<Option<String>, Error> {
        if !matches!(record.status, Status::Expired | Status::Rejected) {
            return Ok(None);
        }
        let filter = EntryFilter { correlation_id: Some(record.correlation_id.clone()), last: None };
        let ends = |entry: &Entry| {
            entry.plan_id.as_ref() == Some(&record.id)
                && matches!(entry.event, Event::PlanExpired | Event::PlanRejected)
        };
        Ok(self.store.entries(&filter)?.into_iter().rev().find(ends).map(|entry| entry.reason))
    }

    /// A run, that no person was asked if it is so, and why it ended where that was not as wanted: what the log says.
    fn explained_run(&self, run: RunRecord, operation: &CorrelationId) -> Result<RunView, Error> {
        let failed = matches!(
            run.state,
            RunState::RolledBack | RunState::Cancelled | RunState::NeedsAttention | RunState::Unknown
        );
        let filter = EntryFilter { correlation_id: Some(operation.clone()), last: None };
        let mut entries = self.store.entries(&filter)?;
        entries.retain(|entry| entry.run_id.as_ref() == Some(&run.id));
        let begins = |entry: &&Entry| entry.event == Event::RunStarted;
        let notice = entries.iter().find(begins).and_then(|entry| entry.data.get(NOTICE)?.as_str());
        let notice = notice.map(ToOwned::to_owned);
        let reason = entries.into_iter().rfind(|entry| failed && entry.event != Event::RunStarted);
        Ok(RunView { reason: reason.map(|entry| entry.reason), notice, ..run_view(run) })
    }

    /// The same without a word where the plan's record cannot be used: a list is shown all the same.
    pub(crate) fn listed_run(&self, run: RunRecord) -> RunView {
        let plan = self.record(&run.plan_id);
        let explained = plan.and_then(|plan| self.explained_run(run.clone(), &plan.correlation_id));
        explained.unwrap_or_else(|_| run_view(run))
    }

    /// How a plan stands: what [`App::show`] says of it, without all the rest.
    ///
    /// # Errors
    /// As [`App::show`].
    pub fn status_of(&self, id: &PlanId) -> Result<Status, Error> {
        self.authorize_for(Act::Read, id)?;
        let record = self.record(id)?;
        if record.status.is_final() || record.run.is_some() {
            return Ok(record.status);
        }
        let is_over = drift::answer(&self.current(id)?.stored.drifts) == Some(Answer::Expired);
        Ok(if is_over { Status::Expired } else { record.status })
    }

    /// For whoever is about to decide: as [`App::show`], and a plan that is over by now is marked as expired, for good.
    ///
    /// # Errors
    /// As [`App::show`], and if the record cannot be written.
    pub fn consider(&mut self, id: &PlanId) -> Result<PlanDetail, Error> {
        self.authorize_for(Act::Read, id)?;
        self.safe_on_tampering(|app| {
            let detail = app.show(id)?;
            if detail.plan.status == Some(Status::Expired) {
                app.expire(id, &stored::messages(&detail.drifts))?;
            }
            Ok(detail)
        })
    }

    /// A plan for whoever is about to decide, if there is still something to decide, and it is the one whose hash was shown.
    ///
    /// # Errors
    /// If it is over or approved for good, or another one was shown; and as [`App::consider`].
    pub fn to_decide(&mut self, id: &PlanId, shown: Option<&Shown>) -> Result<PlanView, Error> {
        self.authorize_for(Act::Decide, id)?;
        let detail = self.consider(id)?;
        let status = detail.plan.status;
        let decided = status.is_some_and(Status::is_approved) && detail.drifts.is_empty() && detail.counts();
        let hash = detail.plan.plan_hash.as_deref().and_then(|hash| Digest::parse(hash).ok());
        match (hash, status) {
            (Some(hash), _) if detail.live && !decided => match shown {
                Some(shown) if !shown.is(hash) => Err(crate::decide::not_shown(id, hash)),
                _ => Ok(detail.plan),
            },
            (_, Some(status)) => {
                let error = crate::decide::wrong_status(id, status);
                let why = detail.reason.map_or_else(String::new, |why| format!(": {why}"));
                Err(Error { message: format!("{}{why}", error.message), ..error })
            }
            (_, None) => Err(Error::fault("internal", "a stored plan has no status")),
        }
    }

    /// A plan that cannot be used, as it was stored. One that drifted is shown as expired even before the record says so.
    fn over_view(&self, record: &PlanRecord) -> Result<PlanView, Error> {
        let mut view = stored_view(record)?;
        view.plan_hash = Some(record.plan_hash.to_string());
        if !record.status.is_final() && record.run.is_none() {
            view.status = Some(Status::Expired);
        }
        self.with_kept_checks(view)
    }

    fn live_view(&self, current: &Current) -> Result<PlanView, Error> {
        let registered = Registered {
            identity: &current.stored.identity,
            plan_hash: current.hash_to_sign()?,
            status: current.stored.record.status,
        };
        current.matches_record()?;
        let view = view::of(&current.evaluation, Some(registered))?;
        self.with_checks(view, &current.evaluation, &current.stored.in_force().policy)
    }

    fn approvals(&self, record: &PlanRecord, current: Option<&Current>) -> Result<Vec<ApprovalView>, Error> {
        let approvers = self.home.approvers()?;
        let hash = current.map_or(Ok(record.plan_hash), Current::hash_to_sign)?;
        let view = |signed: &SignedStatement| {
            let statement = &signed.statement;
            // A decision that was acted upon stays valid; its time counts only for what is still to come.
            let now = if current.is_some() { now() } else { statement.at };
            let demand = Demand { project: &self.project.id, plan_id: &record.id, plan_hash: hash, now };
            let verified = approval::verify_decision(signed, &approvers, &demand, statement.verb);
            ApprovalView {
                verb: statement.verb,
                approver: statement.approver.to_string(),
                at: statement.at.to_string(),
                invalid: verified.err().map(|error| error.to_string()),
            }
        };
        Ok(record.approvals.iter().map(view).collect())
    }

    /// A run, as it stands.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn run(&self, id: &RunId) -> Result<Option<RunView>, Error> {
        self.authorize(Act::Read)?;
        Ok(self.store.run(id)?.filter(|run| self.sees(&run.plan_id)).map(run_view))
    }

    /// Plans that are approved, have not run, and still can.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn approved(&self) -> Result<Vec<PlanLine>, Error> {
        self.authorize(Act::Read)?;
        let status = vec![Status::AutoApproved, Status::UserApproved];
        let filter = Filter { status, usable: true, not_over: Some(now()), ..Filter::default() };
        self.lines(&filter, Some(20), |line| line.status != Status::Expired)
    }
}

fn plan_line(plan: PlanSummary, over: bool) -> Result<PlanLine, Error> {
    let summary: Summary = serde_json::from_value(plan.summary).map_err(|_| stored::tampered(&plan.id))?;
    Ok(PlanLine {
        plan_id: plan.id.to_string(),
        short_id: String::new(),
        // Noticed on the next look, as the record will say once a command decides.
        status: if over { Status::Expired } else { plan.status },
        created_at: plan.created_at.to_string(),
        expires_at: plan.expires_at.to_string(),
        version: plan.version,
        summary,
        outcome: plan.run.as_ref().map(|(_, state)| outcome(*state)),
        undone: plan.run.is_some_and(|(_, state)| state == RunState::Undone),
        changes_requested: None,
    })
}

pub(crate) fn stored_view(record: &PlanRecord) -> Result<PlanView, Error> {
    let mut view: PlanView = serde_json::from_str(&record.view).map_err(|_| stored::tampered(&record.id))?;
    view.status = Some(record.status);
    Ok(view)
}
