//! What is told of a plan that holds a secret: places, and nothing that could quote it or what stands beside it.

use super::grouped::Grouped;
use super::security::add_secret;
use super::{Gate, GateVerdict, Verdict, Verdicts};
use crate::finding::Finding;
use crate::prelude::*;
use crate::scan::Secret;

/// In place of every reason that could quote the plan.
const NOT_TOLD: &str = "not told: the proposal holds a secret, so nothing of its text is shown or kept";
/// What helps.
const TAKE_OUT: &str = "take the secret out, and change it wherever it is in use; then everything is told";

impl Verdicts {
    /// What may be told about a plan with these certain secrets: where each is, and of all the rest only the verdict. It can only
    /// tighten.
    pub(super) fn withheld(self, secrets: &[Secret]) -> Self {
        let mut found = Grouped::default();
        secrets.iter().for_each(|secret| add_secret(secret, &mut found));
        if found.is_empty() {
            return self;
        }
        let told = found.verdicts(Gate::Security, "");
        let is_secret = |gate: &GateVerdict| gate.gate == Gate::Security && told.contains(gate);
        let rest: Vec<GateVerdict> = self.gates.into_iter().filter(|gate| !is_secret(gate)).collect();
        let rest = rest.into_iter().map(without_text);
        let mut gates = told.clone();
        gates.extend(rest.filter(|gate| gate.gate != Gate::Security || gate.verdict > Verdict::Allow));
        let verdict = gates.iter().map(|gate| gate.verdict).max().unwrap_or(Verdict::Deny);
        Self { verdict, gates, notice: false }
    }
}

impl Finding {
    /// The same without what it says: the code and the place.
    #[must_use]
    pub fn withheld(self) -> Self {
        Self { message: NOT_TOLD.to_owned(), hint: TAKE_OUT.to_owned(), ..self }
    }
}

/// Numbers and fixed sentences stay; a reason that names something of the plan does not.
fn without_text(gate: GateVerdict) -> GateVerdict {
    let fixed = match gate.gate {
        Gate::Quality | Gate::User => true,
        Gate::Risk => gate.reason.starts_with("risk ") && !gate.reason.contains('`'),
        Gate::Security | Gate::Policy => gate.verdict == Verdict::Allow,
    };
    if fixed || gate.reason.starts_with("not known: ") {
        gate
    } else {
        GateVerdict { reason: NOT_TOLD.to_owned(), ..gate }
    }
}
