//! What the gates say about text or plans that never became valid.

use super::group::Grouped;
use super::matter::plain;
use super::{Decision, Gate, Verdict};
use crate::finding::{Code, Finding};
use crate::prelude::*;

/// The decision about something that is not a valid plan: every gate denies, with the findings for reasons. What could not be
/// evaluated is unknown, and unknown is a denial.
#[must_use]
pub fn refuse(findings: &[Finding]) -> Decision {
    let mut gates = Vec::new();
    for gate in Gate::ALL {
        let mut found = Grouped::default();
        for finding in findings.iter().filter(|finding| gate_of(finding.code) == gate) {
            let reason = format!("{}: {}", finding.code, plain(&finding.message));
            found.add(Verdict::Deny, finding.rule, &reason, "");
        }
        if found.is_empty() {
            found.add(Verdict::Deny, None, unknown(gate), "");
        }
        gates.extend(found.verdicts(gate, ""));
    }
    Decision { verdict: Verdict::Deny, gates, notice: false }
}

impl Decision {
    /// Whether the security gate itself denied, and not for want of a plan to look into.
    #[must_use]
    pub fn is_denied_by_security(&self) -> bool {
        let security = self.gates.iter().filter(|gate| gate.gate == Gate::Security.name());
        security.into_iter().any(|gate| gate.verdict == Verdict::Deny && gate.reason != unknown(Gate::Security))
    }
}

const fn unknown(gate: Gate) -> &'static str {
    match gate {
        Gate::Security => "not known: there is no valid plan to look into",
        Gate::Policy => "there is no valid plan",
        Gate::Risk => "not known: there is no valid plan to score",
        Gate::Quality => "not known: there is no valid plan to score",
        Gate::User => "a person cannot approve what is not valid",
    }
}

/// What tries to get out, or at what is forbidden, is a matter of security; the rest breaks a rule of plans.
const fn gate_of(code: Code) -> Gate {
    match code {
        Code::PathOutside
        | Code::PathInvalid
        | Code::PathProtected
        | Code::DiffSymlink
        | Code::DiffSubmodule
        | Code::InvalidTool
        | Code::ToolNotAllowed
        | Code::PrimitiveRefused
        | Code::NotAllowlisted => Gate::Security,
        _ => Gate::Policy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_to_know_is_no_matter_of_security() {
        for (code, security) in [(Code::StepCapExceeded, false), (Code::PathOutside, true), (Code::PathProtected, true)]
        {
            let finding = Finding::new(code, "x", "y");
            assert_eq!(refuse(&[finding]).is_denied_by_security(), security, "{code}");
        }
    }
}
