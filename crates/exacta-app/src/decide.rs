//! What a person decides: approve, approve selected, reject, ask for changes; and resubmit.

use crate::app::App;
use crate::caller::Act;
use crate::committed::Head;
use crate::current::{Current, Stored};
use crate::entry::{reason, scored};
use crate::error::{Error, Exit};
use crate::lineage::{Lineage, Maker};
use crate::pipeline::{Evaluation, Origin};
use crate::stored::messages;
use crate::view::{self, Registered};
use exacta_home::SigningKey;
use exacta_kernel::approval::{self, Demand, Shown, SignedStatement, Statement, Verb};
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::binding::PartialOf;
use exacta_kernel::derive::{self, DeriveError, Derived};
use exacta_kernel::gate::Verdict;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::limit;
use exacta_kernel::parse;
use exacta_kernel::time::Timestamp;
use exacta_record::{Change, ChangesRequested, Outcome, PlanRecord};
use exacta_view::PlanView;
use std::collections::BTreeSet;

/// What a decision is signed with.
#[derive(Debug, Clone, Copy)]
pub enum Hand<'a> {
    /// A key that is here and unlocked.
    Key(&'a SigningKey),
    /// It was signed elsewhere.
    Signed(&'a SignedStatement),
}

impl<'a> From<&'a SigningKey> for Hand<'a> {
    fn from(key: &'a SigningKey) -> Self {
        Self::Key(key)
    }
}

impl<'a> From<&'a SignedStatement> for Hand<'a> {
    fn from(signed: &'a SignedStatement) -> Self {
        Self::Signed(signed)
    }
}

impl App {
    /// A person approves a plan as it was shown. It does not run: executing is a second act.
    ///
    /// `shown` is the hash, or the beginning of it, that the person saw; if the plan is another one by now, nothing is approved.
    ///
    /// # Errors
    /// If the plan changed, expired, drifted, is denied, was decided by another first, or the key is not an approver's.
    pub fn approve(&mut self, id: &PlanId, shown: &Shown, key: &SigningKey) -> Result<PlanView, Error> {
        self.authorize_for(Act::Decide, id)?;
        self.safe_on_tampering(|app| app.approve_plan(id, shown, key))
    }

    fn approve_plan(&mut self, id: &PlanId, shown: &Shown, key: &SigningKey) -> Result<PlanView, Error> {
        let current = self.usable(id)?;
        self.approvable(&current)?;
        let hash = current.hash_to_sign()?;
        if !shown.is(hash) {
            return Err(not_shown(id, hash));
        }
        let signed = self.sign(
            &current.stored.record,
            Verb::Approve,
            hash,
            key,
            current.stored.now,
            current.stored.record.expires_at,
        )?;
        let status = self.enter_approval(&current, signed)?;
        let registered = Registered { identity: &current.stored.identity, plan_hash: hash, status };
        Ok(self.named(view::of(&current.evaluation, Some(registered))?))
    }

    /// The same with a decision that was signed elsewhere, with an approver's key: it must be about exactly this plan.
    ///
    /// # Errors
    /// As [`App::approve`], and if the signature is not a listed approver's over this.
    pub fn approve_signed(&mut self, id: &PlanId, shown: Digest, signed: SignedStatement) -> Result<(), Error> {
        self.authorize_for(Act::Decide, id)?;
        self.safe_on_tampering(|app| {
            let current = app.usable(id)?;
            app.approvable(&current)?;
            let hash = current.hash_to_sign()?;
            if shown != hash {
                return Err(not_shown(id, hash));
            }
            let demand = Demand { project: &app.project.id, plan_id: id, plan_hash: hash, now: current.stored.now };
            approval::verify_decision(&signed, &app.home.approvers()?, &demand, Verb::Approve)
                .map_err(|error| Error::new(Exit::Denied, "approval_invalid", error.to_string()).hint(error.hint()))?;
            app.enter_approval(&current, signed).map(drop)
        })
    }

    /// Whether a person can approve it: pending, or approved by what no longer counts; and not denied.
    fn approvable(&self, current: &Current) -> Result<(), Error> {
        let record = &current.stored.record;
        if record.status != Status::Pending && !self.wants_approval(current)? {
            return Err(self.over(record));
        }
        let decision = current.evaluation.verdicts();
        if decision.verdict() == Verdict::Deny {
            let message = format!("plan `{}` is denied: {}", record.id, reason(decision));
            return Err(Error::new(Exit::Denied, "plan_denied", message).hint(hint![
                "no approval can override this; ",
                Remedy::PolicyExplain,
                " says which rule spoke"
            ]));
        }
        Ok(())
    }

    /// Records an approval: of a pending plan, or a fresh one where those there are no longer count.
    fn enter_approval(&mut self, current: &Current, signed: SignedStatement) -> Result<Status, Error> {
        let record = &current.stored.record;
        let mut entry = person_entry(record, Event::PlanApproved, &signed);
        entry.decision = Some("allow".to_owned());
        entry.reason = if current.needs_fresh_approval() {
            format!("approved again: {}", messages(&current.stored.drifts))
        } else if record.status.is_approved() {
            "approved again: no approval there was counts any more".to_owned()
        } else {
            format!("approved although {}", reason(current.evaluation.verdicts()))
        };
        if let Evaluation::Valid(valid) = &current.evaluation {
            let assessment = valid.decision.assessment();
            entry.risk_score = Some(assessment.risk().score());
            entry.quality_score = Some(assessment.quality().score());
            entry.data.insert("system_level".to_owned(), (!assessment.risk().boundaries().is_empty()).into());
        }
        let (outcome, status) = if record.status == Status::Pending {
            let (from, to) = (Status::Pending, Status::UserApproved);
            let change = Change { from, to, approval: Some(signed), also_expire: record.derived_from.clone() };
            (self.store.transition(&record.id, &change, &[entry], current.stored.now)?, to)
        } else {
            (self.store.add_approval(&record.id, &signed, &[entry], current.stored.now)?, record.status)
        };
        won(&record.id, outcome).map(|()| status)
    }

    /// Approve selected: a plan of only these steps, for its own approval. A step may be selected in part, by hunks of its shown diff:
    /// `s3:1-2`.
    ///
    /// # Errors
    /// If a selected step needs one that is not selected or cannot be divided, or the plan can no longer be used.
    pub fn select(&mut self, id: &PlanId, steps: &BTreeSet<String>) -> Result<PlanView, Error> {
        self.authorize_for(Act::Decide, id)?;
        self.safe_on_tampering(|app| app.select_steps(id, steps))
    }

    fn select_steps(&mut self, id: &PlanId, steps: &BTreeSet<String>) -> Result<PlanView, Error> {
        let current = self.usable(id)?;
        if current.stored.record.status != Status::Pending {
            return Err(self.over(&current.stored.record));
        }
        let plan = current.evaluation.plan().ok_or_else(|| crate::stored::tampered(id))?;
        let words: Vec<String> = steps.iter().cloned().collect();
        let Derived { text, parts } = derive::derive_parts(plan, &words).map_err(|error| underivable(&error))?;
        let (record, identity) = (&current.stored.record, &current.stored.identity);
        // What is a part of a step already stays one in a part of that plan.
        let still = identity.partial_of.iter().filter(|part| plan_has(&text, &part.step)).cloned();
        let now = parts.into_iter().map(|(step, hunks)| PartialOf { plan: id.clone(), step, hunks });
        let lineage = Lineage {
            derived_from: Some(id.clone()),
            partial_of: still.chain(now).collect(),
            proposer: Some(identity.binding.proposer.credential.clone()),
            client: identity.binding.proposer.client.clone(),
            maker: Maker::of(&identity.binding),
            autopilot: self.made_for(identity)?,
            site: self.site_for(identity)?,
            head: current.stored.head().cloned(),
            ..Lineage::new(record.correlation_id.clone(), 1)
        };
        let constraints = identity.binding.constraints.clone();
        self.register(&text, Origin::Record, &constraints, lineage)
    }

    /// A person refuses a plan for good.
    ///
    /// # Errors
    /// If the plan was decided already, or the key is not an approver's.
    pub fn reject<'a>(&mut self, id: &PlanId, why: Option<&str>, by: impl Into<Hand<'a>>) -> Result<(), Error> {
        self.authorize_for(Act::Decide, id)?;
        let by = by.into();
        self.safe_on_tampering(|app| app.reject_plan(id, why, by))
    }

    fn reject_plan(&mut self, id: &PlanId, why: Option<&str>, by: Hand<'_>) -> Result<(), Error> {
        let record = self.record(id)?;
        if record.status != Status::Pending {
            return Err(self.over(&record));
        }
        let at = crate::clock::now();
        let signed = self.sign(&record, Verb::Reject, record.plan_hash, by, at, at_once(at))?;
        let mut entry = person_entry(&record, Event::PlanRejected, &signed);
        entry.decision = Some("deny".to_owned());
        entry.reason = self.shown(why.unwrap_or("rejected"))?;
        let change = Change { from: Status::Pending, to: Status::Rejected, approval: Some(signed), also_expire: None };
        won(id, self.store.transition(id, &change, &[entry], at)?)
    }

    /// A person asks for changes. The plan stays pending until its next version comes.
    ///
    /// # Errors
    /// As [`App::reject`].
    pub fn revise(&mut self, id: &PlanId, feedback: &str, key: &SigningKey) -> Result<(), Error> {
        self.authorize_for(Act::Decide, id)?;
        self.safe_on_tampering(|app| app.revise_plan(id, feedback, key))
    }

    fn revise_plan(&mut self, id: &PlanId, feedback: &str, key: &SigningKey) -> Result<(), Error> {
        let Stored { record, now: at, .. } = self.usable(id)?.stored;
        if record.status != Status::Pending {
            return Err(self.over(&record));
        }
        let signed = self.sign(&record, Verb::RequestChanges, record.plan_hash, key, at, at_once(at))?;
        let text = self.shown(feedback)?;
        let mut entry = person_entry(&record, Event::ChangesRequested, &signed);
        entry.reason.clone_from(&text);
        entry.decision = Some("changes_requested".to_owned());
        let by = signed.statement.approver.to_string();
        let asked = ChangesRequested { by, at, text, places: Vec::new() };
        won(id, self.store.add_feedback(id, &asked, &[entry], at)?)
    }

    /// A new plan from the proposal of one that expired, or had its run.
    ///
    /// # Errors
    /// If its text was not kept, the plan can still be used, or was rejected.
    pub fn resubmit(&mut self, id: &PlanId) -> Result<PlanView, Error> {
        self.authorize_for(Act::Answer, id)?;
        self.safe_on_tampering(|app| app.resubmit_plan(id))
    }

    fn resubmit_plan(&mut self, id: &PlanId) -> Result<PlanView, Error> {
        let record = self.record(id)?;
        self.check_late(&record)?;
        let identity = crate::stored::identity(&record)?;
        let Some(text) = record.proposal else {
            return Err(Error::new(Exit::Denied, "plan_not_kept", format!("the text of plan `{id}` was not kept"))
                .hint("submit the plan again from its source"));
        };
        if parse::parse_kept(&text).is_err() {
            return Err(crate::stored::tampered(id));
        }
        let lineage = Lineage {
            derived_from: identity.derived_from.clone(),
            partial_of: identity.partial_of.clone(),
            proposer: Some(identity.binding.proposer.credential.clone()),
            client: identity.binding.proposer.client.clone(),
            maker: Maker::of(&identity.binding),
            autopilot: self.made_for(&identity)?,
            site: self.site_for(&identity)?,
            head: Head::for_plan(&self.root, &identity)?,
            ..Lineage::new(record.correlation_id, 1)
        };
        if !record.status.is_final() && record.run.is_none() {
            self.expire(id, "it was submitted again")?;
        }
        let view = self.register(&text, Origin::Record, &identity.binding.constraints, lineage)?;
        if let Some(occasion) = identity.binding.autopilot.as_ref().and_then(|bound| bound.occasion.as_ref()) {
            self.replan_occasion(occasion, &view)?;
        }
        Ok(view)
    }

    /// There is nothing left to decide, and why.
    pub(crate) fn over(&self, record: &PlanRecord) -> Error {
        let error = wrong_status(&record.id, record.status);
        match self.why_over(record) {
            Ok(Some(why)) => Error { message: format!("{}: {why}", error.message), ..error },
            _ => error,
        }
    }

    /// A signed decision, checked at once against the list of approvers.
    pub(crate) fn sign<'a>(
        &self,
        record: &PlanRecord,
        verb: Verb,
        hash: Digest,
        by: impl Into<Hand<'a>>,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> Result<SignedStatement, Error> {
        let (project, plan_id) = (self.project.id.clone(), record.id.clone());
        let signed = match by.into() {
            Hand::Key(key) => {
                key.sign(&Statement::new(verb, project, plan_id, hash, key.name().clone(), at, expires_at))?
            }
            Hand::Signed(signed) => signed.clone(),
        };
        let approvers = self.home.approvers()?;
        let demand = Demand { project: &self.project.id, plan_id: &record.id, plan_hash: hash, now: at };
        approval::verify_decision(&signed, &approvers, &demand, verb)
            .map_err(|error| Error::new(Exit::Denied, "approval_invalid", error.to_string()).hint(error.hint()))?;
        Ok(signed)
    }

    /// A person's words as they are recorded: secrets masked, nothing hidden.
    pub(crate) fn shown(&self, words: &str) -> Result<String, Error> {
        if words.len() > limit::REQUEST {
            let message = format!("the text has {} bytes; at most {} are recorded", words.len(), limit::REQUEST);
            return Err(Error::new(Exit::Usage, "text_too_long", message).hint("say it in fewer words"));
        }
        Ok(exacta_kernel::text::visible(&exacta_kernel::secret::mask(words)).into_owned())
    }
}

/// Until when a decision counts that is acted upon at once.
pub(crate) const fn at_once(at: Timestamp) -> Timestamp {
    at.plus_seconds(60)
}

/// The beginning of an entry about a person's decision.
pub(crate) fn person_entry(record: &PlanRecord, event: Event, signed: &SignedStatement) -> EntryDraft {
    let person = Actor::Person(signed.statement.approver.clone());
    let mut entry = scored(EntryDraft::new(event, person, ""), record);
    entry.data.insert("plan_hash".to_owned(), signed.statement.plan_hash.to_string().into());
    entry.data.insert("signature".to_owned(), signed.signature.to_string().into());
    entry
}

/// Somebody looked at another plan than the one that there is now.
pub(crate) fn not_shown(id: &PlanId, hash: Digest) -> Error {
    let message = format!("plan `{id}` is not the one that was shown: its hash is {hash}");
    Error::new(Exit::Drifted, "hash_mismatch", message).hint(hint!["look at it with ", Remedy::Show(Some(id.clone()))])
}

/// Nothing can be done with a plan that stands so.
#[must_use]
pub fn wrong_status(id: &PlanId, status: Status) -> Error {
    let hint = match status {
        Status::Expired => hint![Remedy::Resubmit(Some(id.clone())), " makes a new plan from the same proposal"],
        _ => hint![Remedy::Show(Some(id.clone())), " tells what happened to it"],
    };
    Error::new(Exit::Drifted, "wrong_status", format!("plan `{id}` is {status}")).hint(hint)
}

pub(crate) fn won(id: &PlanId, outcome: Outcome) -> Result<(), Error> {
    match outcome {
        Outcome::Done => Ok(()),
        Outcome::Lost { status } => Err(Error::new(
            Exit::Drifted,
            "lost_race",
            format!("another decision about plan `{id}` came first: it is {status}"),
        )
        .hint(hint![Remedy::Show(Some(id.clone())), " tells who decided"])),
    }
}

/// Whether the text of a derived proposal has this step.
fn plan_has(text: &[u8], step: &str) -> bool {
    parse::parse_kept(text).is_ok_and(|proposal| proposal.step(step).is_some())
}

fn underivable(error: &DeriveError) -> Error {
    let exit = match error {
        DeriveError::Unwritable => Exit::Fault,
        DeriveError::Nothing | DeriveError::Unknown(_) | DeriveError::NoHunk { .. } => Exit::Usage,
        DeriveError::Missing(_) | DeriveError::Indivisible { .. } => Exit::Denied,
    };
    Error::new(exit, "selection_invalid", error.to_string()).hint(error.hint())
}
