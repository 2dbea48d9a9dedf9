//! What the gates say about text or plans that never became valid.

use super::evidence::plain;
use super::grouped::Grouped;
use super::{Gate, Verdict, Verdicts};
use crate::check::Invalid;
use crate::finding::{Code, Finding};
use crate::prelude::*;
use crate::scan::{self, Secret};

/// The verdicts about something that is not a valid plan: every gate denies, with the findings for reasons. What could not be
/// evaluated is unknown, and unknown is a denial.
#[must_use]
pub fn refuse(findings: &[Finding]) -> Verdicts {
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
    Verdicts { verdict: Verdict::Deny, gates, notice: false }
}

/// The verdicts about a plan that broke rules. Where it adds a certain secret, neither they nor its findings quote it.
#[must_use]
pub fn refuse_plan(invalid: &mut Invalid) -> Verdicts {
    let mut secrets: Vec<Secret> = scan::added_secrets(&invalid.plan);
    secrets.retain(|secret| secret.certain);
    if !secrets.is_empty() {
        invalid.findings = core::mem::take(&mut invalid.findings).into_iter().map(Finding::withheld).collect();
    }
    refuse(&invalid.findings).withheld(&secrets)
}

impl Verdicts {
    /// Whether the security gate itself denied, and not for want of a plan to look into.
    #[must_use]
    pub fn is_denied_by_security(&self) -> bool {
        let security = self.gates.iter().filter(|gate| gate.gate == Gate::Security);
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

/// What tries to get out, or at what is forbidden, is the security gate's; the rest breaks a rule of plans.
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
