//! What a plan changes, as a patch that other tools take.

use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use exacta_kernel::diff::{exact_holds_secret, render_exact};
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::plan::{Change, Plan};

/// A plan's patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPatch {
    /// The patch of all files, each once.
    pub bytes: Vec<u8>,
    /// Whether it is the change to the byte; of a plan that is over there is only what the record shows of it.
    pub exact: bool,
}

impl App {
    /// What a plan changes, for `git apply`. Of one that can still run it is made from the very bytes that would be written.
    ///
    /// # Errors
    /// If there is no such plan, or a patch would carry a secret.
    pub fn patch(&self, id: &PlanId) -> Result<PlanPatch, Error> {
        self.authorize_for(Act::Read, id)?;
        let shown = self.show(id)?;
        if !shown.live {
            let steps = shown.plan.detail.iter().flat_map(|detail| &detail.steps);
            let text: String = steps.filter_map(|step| step.diff.as_deref()).collect();
            return Ok(PlanPatch { bytes: text.into_bytes(), exact: false });
        }
        let current = self.current(id)?;
        let bytes = current.evaluation.plan().map(exact).transpose()?.unwrap_or_default();
        Ok(PlanPatch { bytes, exact: true })
    }
}

fn exact(plan: &Plan) -> Result<Vec<u8>, Error> {
    let mut patch = Vec::new();
    for Change { path, before, after } in &plan.changes() {
        let (before, after) = (before.as_deref(), after.as_deref());
        if exact_holds_secret(path, before, after) {
            return Err(impossible(path.as_str(), "holds a secret where it changes"));
        }
        patch.extend(render_exact(path, before, after));
    }
    Ok(patch)
}

fn impossible(path: &str, why: &str) -> Error {
    Error::new(Exit::Denied, "patch_impossible", format!("there is no patch of this plan: `{path}` {why}"))
        .hint(hint![Remedy::Show(None), " shows the change"])
}
