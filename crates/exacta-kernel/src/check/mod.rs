//! Validation: every finding, not the first.

use crate::plan::Plan;

/// A plan that broke no rule. Only [`check`](crate::check) makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidPlan {
    pub(crate) plan: Plan,
}

impl ValidPlan {
    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }
}
