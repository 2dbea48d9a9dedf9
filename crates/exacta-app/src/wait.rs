//! Waiting for a decision: the proposer learns the answer.

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::error::{Error, Exit};
use crate::view::asked;
use exacta_kernel::approval::{SignedStatement, Verb};
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_record::PlanRecord;
use exacta_view::{Answer, AnswerView, Outcome, RunView};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the record is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// How often what a plan is bound to is compared with what there is: that reads its targets.
const COMPARE: Duration = Duration::from_secs(1);

/// How long is waited, and for what.
pub struct Patience<'a> {
    /// Without end where none is given.
    pub limit: Option<Duration>,
    /// Whether a decision is not enough: an approved plan's run has to end.
    pub run: bool,
    /// Set to stop waiting.
    pub stop: &'a AtomicBool,
}

impl App {
    /// Waits until one of these plans is decided, and tells the answer. Where the time is over first, that it still waits.
    ///
    /// # Errors
    /// If there is no such plan, or the record cannot be read.
    pub fn wait(&self, ids: &[PlanId], patience: &Patience<'_>) -> Result<AnswerView, Error> {
        ids.iter().try_for_each(|id| self.authorize_for(Act::Read, id))?;
        let begun = Instant::now();
        let mut compared: Option<Instant> = None;
        loop {
            let compare = compared.is_none_or(|last| last.elapsed() >= COMPARE);
            for id in ids {
                let answer = self.answer(id, compare)?;
                if is_over(&answer, patience.run) {
                    return Ok(answer);
                }
            }
            if compare {
                compared = Some(Instant::now());
            }
            let left = patience.limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) || patience.stop.load(Ordering::Relaxed) {
                let first = ids.first().ok_or_else(|| Error::new(Exit::Usage, "usage", "no plan was named"))?;
                return self.answer(first, false);
            }
            std::thread::sleep(left.unwrap_or(PAUSE).min(PAUSE));
        }
    }

    /// What was answered to a plan so far. Whether it is over because something changed is found out only if it is to be compared.
    ///
    /// # Errors
    /// If there is no such plan, or the record cannot be read.
    pub fn answer(&self, id: &PlanId, compare: bool) -> Result<AnswerView, Error> {
        self.authorize_for(Act::Read, id)?;
        let record = self.record(id)?;
        let over = || record.expires_at <= now() || compare && self.is_drifted(id);
        let answer = match record.status {
            Status::Rejected => Answer::Rejected,
            Status::Expired => Answer::Expired,
            _ if record.run.is_none() && over() => Answer::Expired,
            Status::AutoApproved | Status::UserApproved => Answer::Approved,
            Status::Pending if record.feedback.is_empty() => Answer::Waiting,
            Status::Pending => Answer::ChangesRequested,
        };
        let reason = match (self.why_over(&record)?, answer) {
            (None, Answer::Expired) => Some(self.show(id)?.reason.unwrap_or_default()),
            (why, _) => why,
        };
        Ok(AnswerView {
            schema: AnswerView::SCHEMA.to_owned(),
            plan_id: id.to_string(),
            short_id: self.short_id(id),
            answer,
            status: if answer == Answer::Expired { Status::Expired } else { record.status },
            by: decided_by(&record, answer),
            reason,
            changes_requested: record.feedback.last().filter(|_| answer == Answer::ChangesRequested).map(asked),
            run: record.run.map(crate::run::run_view),
        })
    }
}

/// How a command ends that waited for this.
#[must_use]
pub fn exit_of(answer: &AnswerView) -> Exit {
    match (answer.answer, answer.run.as_ref().map(|run| run.outcome)) {
        (Answer::Approved, Some(Outcome::RolledBack | Outcome::Cancelled)) => Exit::RolledBack,
        (Answer::Approved, Some(Outcome::NeedsAttention | Outcome::Unknown)) => Exit::Fault,
        (Answer::Approved, _) => Exit::Done,
        (Answer::Rejected, _) => Exit::Denied,
        (Answer::ChangesRequested, _) => Exit::ChangesRequested,
        (Answer::Expired, _) => Exit::Drifted,
        (Answer::Waiting, _) => Exit::Confirm,
    }
}

/// Whether there is nothing more to wait for: a decision, or with `run` the end of the run.
#[must_use]
pub fn is_over(answer: &AnswerView, run: bool) -> bool {
    let goes_on = |run: &RunView| matches!(run.outcome, Outcome::Running | Outcome::RollingBack);
    match answer.answer {
        Answer::Waiting => false,
        Answer::Approved if run => answer.run.as_ref().is_some_and(|run| !goes_on(run)),
        _ => true,
    }
}

/// The person who decided, where one did.
fn decided_by(record: &PlanRecord, answer: Answer) -> Option<String> {
    let verb = match answer {
        Answer::Approved => Verb::Approve,
        Answer::Rejected => Verb::Reject,
        Answer::ChangesRequested => return record.feedback.last().map(|asked| asked.by.clone()),
        Answer::Expired => Verb::Withdraw,
        Answer::Waiting => return None,
    };
    let is = |signed: &&SignedStatement| signed.statement.verb == verb;
    record.approvals.iter().rfind(is).map(|signed| signed.statement.approver.to_string())
}
