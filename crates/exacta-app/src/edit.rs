//! A person changes a waiting plan with their own hands: a new version, theirs, judged and shown again.

use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::lineage::Lineage;
use crate::pipeline::Origin;
use exacta_kernel::approval::ApproverName;
use exacta_kernel::edit::{self, EditError};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::Domain;
use exacta_view::PlanView;
use std::collections::BTreeMap;

impl App {
    /// The text files of a waiting plan, as it would leave them.
    ///
    /// # Errors
    /// If the plan does not wait any more, or has no such file.
    pub fn editable(&mut self, id: &PlanId) -> Result<Vec<(RelPath, String)>, Error> {
        self.authorize_for(Act::Decide, id)?;
        let current = self.usable(id)?;
        if current.stored.record.status != Status::Pending {
            return Err(self.over(&current.stored.record));
        }
        let plan = current.evaluation.plan().ok_or_else(|| crate::stored::tampered(id))?;
        // What is adopted is what lies there, and nothing else.
        let files = if plan.adopts() { Vec::new() } else { edit::editable(plan) };
        if plan.domain() != Domain::Files || files.is_empty() {
            let message = format!("plan `{id}` writes no text file that could be edited");
            let hint = hint!["say what should be different: ", Remedy::Revise];
            return Err(Error::new(Exit::Usage, "plan_not_editable", message).hint(hint));
        }
        Ok(files.into_iter().map(|(path, text)| (path.clone(), text.to_owned())).collect())
    }

    /// The next version of a plan, with these files as a person left them. It waits for its own approval, whatever the
    /// profile. The plan that was edited is over, unless the edit is denied.
    ///
    /// # Errors
    /// If nothing was edited, or the plan does not wait any more.
    pub fn edit(
        &mut self,
        id: &PlanId,
        files: &BTreeMap<RelPath, String>,
        by: &ApproverName,
    ) -> Result<PlanView, Error> {
        self.authorize_for(Act::Decide, id)?;
        self.safe_on_tampering(|app| app.edit_plan(id, files, by))
    }

    fn edit_plan(
        &mut self,
        id: &PlanId,
        files: &BTreeMap<RelPath, String>,
        by: &ApproverName,
    ) -> Result<PlanView, Error> {
        let current = self.usable(id)?;
        let plan = current.evaluation.plan().ok_or_else(|| crate::stored::tampered(id))?;
        if plan.adopts() {
            return Err(unedited(id, &EditError::Nothing));
        }
        let text = edit::edited(plan, files).map_err(|error| unedited(id, &error))?;
        let identity = &current.stored.identity;
        let lineage = Lineage {
            derived_from: identity.derived_from.clone(),
            edited_from: Some(id.clone()),
            proposer: Some(format!("person:{by}")),
            ..self.next_version(id)?
        };
        let constraints = identity.binding.constraints.clone();
        self.register(&text, Origin::Record, &constraints, lineage)
    }
}

fn unedited(id: &PlanId, error: &EditError) -> Error {
    let told = Error::new(Exit::Usage, "plan_not_edited", error.to_string());
    match error {
        EditError::Undone(_) => told.hint(hint![
            "refuse it: ",
            Remedy::Reject(Some(id.clone())),
            "; or approve other steps alone: ",
            Remedy::Approve(id.clone())
        ]),
        EditError::Unwritable(error) => told.hint(error.hint()),
        EditError::Nothing | EditError::Unknown(_) => told,
    }
}
