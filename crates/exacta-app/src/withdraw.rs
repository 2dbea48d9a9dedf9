//! A plan is withdrawn: by whoever proposed it while it waits, or by an approver, also after it was approved.

use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::decide::{Hand, at_once, person_entry, won};
use crate::entry::scored;
use crate::error::{Error, Exit};
use crate::execute::already_run;
use crate::stored::identity;
use exacta_kernel::approval::Verb;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_record::{Change, PlanRecord};
use exacta_view::AnswerView;

impl App {
    /// Ends a plan that has not run. Its proposer may while it waits, or was approved by policy alone; what a person approved only
    /// a person withdraws, signed.
    ///
    /// # Errors
    /// If the plan is over or has run, or it is not this caller's to withdraw.
    pub fn withdraw(&mut self, id: &PlanId, why: Option<&str>, by: Option<Hand<'_>>) -> Result<(), Error> {
        self.authorize_for(if by.is_some() { Act::Decide } else { Act::Answer }, id)?;
        self.safe_on_tampering(|app| app.withdraw_plan(id, why, by))
    }

    fn withdraw_plan(&mut self, id: &PlanId, why: Option<&str>, by: Option<Hand<'_>>) -> Result<(), Error> {
        let (record, at) = (self.record(id)?, now());
        if let Some(run) = &record.run {
            return Err(already_run(id, run.id.as_str()));
        }
        if record.status.is_final() {
            return Err(self.over(&record));
        }
        let signed = match by {
            Some(by) => Some(self.sign(&record, Verb::Withdraw, record.plan_hash, by, at, at_once(at))?),
            None => {
                self.may_withdraw(&record)?;
                None
            }
        };
        let mut entry = match &signed {
            Some(signed) => person_entry(&record, Event::PlanExpired, signed),
            None => scored(EntryDraft::new(Event::PlanExpired, self.actor(), ""), &record),
        };
        let why = why.map(|why| self.shown(why)).transpose()?;
        entry.reason =
            why.map_or_else(|| AnswerView::WITHDRAWN.to_owned(), |why| format!("{}: {why}", AnswerView::WITHDRAWN));
        entry.decision = Some(Status::Expired.name().to_owned());
        let change = Change { from: record.status, to: Status::Expired, approval: signed, also_expire: None };
        won(id, self.store.transition(id, &change, &[entry], at)?)
    }

    /// Whether it can be withdrawn without a signature: nobody has approved it, and it is this caller's own.
    fn may_withdraw(&self, record: &PlanRecord) -> Result<(), Error> {
        let id = &record.id;
        let refused = |message: String| {
            Err(Error::new(Exit::Confirm, "person_needed", message)
                .hint(hint![Remedy::Withdraw(id.clone()), " at a terminal, or with `--approver-key FILE`"]))
        };
        if record.status == Status::UserApproved {
            return refused(format!("a person approved plan `{id}`, so an approver has to sign for withdrawing it"));
        }
        let proposer = identity(record)?.binding.proposer.credential;
        if proposer == self.credential() {
            return Ok(());
        }
        refused(format!(
            "plan `{id}` was proposed by `{proposer}`, so only that credential or an approver withdraws it"
        ))
    }
}
