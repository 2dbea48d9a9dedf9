//! Every use case asks here first whether its caller may: by the table, and by whose plan it is about.

use crate::app::App;
use crate::caller::{Act, Caller, Column, Refusal, Scope, Whose};
use crate::error::{Error, Exit};
use crate::options::Options;
use crate::stored::unknown_plan;
use exacta_kernel::id::PlanId;
use exacta_record::PlanRecord;

impl Options {
    /// That the caller may do this, which is about no plan.
    pub(crate) fn authorize(&self, act: Act) -> Result<(), Error> {
        authorize(&self.caller, act)
    }
}

/// That a caller may do this, which is about no plan.
pub(crate) fn authorize(caller: &Caller, act: Act) -> Result<(), Error> {
    caller.may(act, Whose::Nobodys).map_err(|refusal| refused(caller, act, refusal))
}

impl App {
    /// That the caller may do this, which is about no plan.
    pub(crate) fn authorize(&self, act: Act) -> Result<(), Error> {
        self.options.authorize(act)
    }

    /// That the caller may do this with a plan. To one that cannot see it there is no such plan.
    pub(crate) fn authorize_for(&self, act: Act, id: &PlanId) -> Result<(), Error> {
        let caller = &self.options.caller;
        // Whoever sees all need not be told apart from the proposer, but for what only that one may do.
        let same = caller.may(act, Whose::Own) == caller.may(act, Whose::Anothers);
        let whose = if same { Whose::Anothers } else { self.whose(id)? };
        caller.may(act, whose).map_err(|refusal| match refusal {
            Refusal::Unseen => unknown_plan(id.as_str()),
            refusal => refused(caller, act, refusal),
        })
    }

    /// That the caller may start runs at all. Which start it is, is known when the plan was judged again.
    pub(crate) fn authorize_start(&self, id: &PlanId) -> Result<(), Error> {
        let acts = [Act::StartApproved, Act::StartAsTold, Act::StartAllowed];
        let mut answers = acts.map(|act| self.authorize_for(act, id)).into_iter();
        let first = answers.next().unwrap_or(Ok(()));
        first.or_else(|error| if answers.any(|answer| answer.is_ok()) { Ok(()) } else { Err(error) })
    }

    /// That the caller may make this start, under the policy in force.
    pub(crate) fn authorize_start_as(&self, act: Act, id: &PlanId) -> Result<(), Error> {
        self.authorize_for(act, id)?;
        let caller = &self.options.caller;
        let under = caller.may_under(act, self.in_force()?.policy.safety());
        under.map_err(|refusal| refused(caller, act, refusal))
    }

    /// Whether the caller sees every plan.
    pub(crate) fn sees_all(&self) -> bool {
        self.options.caller.may(Act::Read, Whose::Anothers).is_ok()
    }

    /// Whether the caller sees a plan.
    pub(crate) fn sees(&self, id: &PlanId) -> bool {
        self.authorize_for(Act::Read, id).is_ok()
    }

    fn whose(&self, id: &PlanId) -> Result<Whose, Error> {
        let record = self.store.plan(id)?.ok_or_else(|| unknown_plan(id.as_str()))?;
        Ok(if proposer(&record)? == self.credential() { Whose::Own } else { Whose::Anothers })
    }
}

fn proposer(record: &PlanRecord) -> Result<String, Error> {
    Ok(crate::stored::identity(record)?.binding.proposer.credential)
}

/// What a caller is told that may not.
fn refused(caller: &Caller, act: Act, refusal: Refusal) -> Error {
    let (who, what) = (caller.credential(), act.words());
    match refusal {
        Refusal::NoScope(scope) => {
            let message = format!("`{who}` may not {what}: it lacks the scope `{}`", scope.name());
            Error::new(Exit::Denied, "scope_missing", message).hint(match (caller.column(), scope) {
                (Column::CommandLine, Scope::Execute) => {
                    "`command_line_execute` in the Safety Policy took it away; a person starts it at a terminal, in the foreground"
                }
                _ => "an approver gives scopes to a credential",
            })
        }
        Refusal::NotOwn => {
            let message = format!("`{who}` may not {what} that another credential proposed");
            Error::new(Exit::Denied, "plan_not_own", message).hint("its own proposer can, or a person")
        }
        Refusal::Unseen => Error::new(Exit::Usage, "plan_unknown", "no such plan"),
        Refusal::Never(_) if act == Act::Undo => {
            Error::new(Exit::Denied, "undo_needs_person", format!("`{who}` cannot undo a run: a person signs for that"))
                .hint("ask a person to undo it, at a terminal or with their key")
        }
        Refusal::Never(_) => {
            let message = format!("`{who}` may not {what}: that is for a person");
            Error::new(Exit::Denied, "caller_not_person", message)
                .hint("ask a person to do it, at a terminal or with their key")
        }
    }
}
