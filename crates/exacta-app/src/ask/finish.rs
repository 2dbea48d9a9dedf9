//! The end: the whole proposal goes the way that every proposal goes, and what it is denied for goes back to the model.

use super::answer::Outline;
use super::intent::Reading;
use super::session::{REGENERATIONS, Session, objection};
use super::view::{AskEvent, AskStage};
use crate::checked::Trial;
use crate::checks::CheckEvent;
use crate::error::{Error, Exit};
use crate::lineage::{Lineage, Maker};
use crate::pipeline::{self, Evaluation, Origin};
use exacta_kernel::assess::Issue;
use exacta_kernel::binding::Asked;
use exacta_kernel::gate::{Gate, Verdict};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::PlanId;
use exacta_kernel::proposal::{IntentKind, SCHEMA};
use exacta_view::{CheckView, ChecksView, FindingView, PlanView};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Losses of quality below this many basis points are not told to a model: there are always some.
const WORTH_TELLING: u32 = 1000;
/// How many of the last lines of a failed check a model is told.
const CHECK_LINES: usize = 30;
/// The code of what a failed check is told as.
const CHECK_FAILED: &str = "ASK_CHECK_FAILED";

/// Whether a finding is a check's.
fn is_of_check(finding: &FindingView) -> bool {
    finding.code == CHECK_FAILED
}

impl Session<'_> {
    /// What the kernel and the gates say of these steps, as of any proposal.
    pub fn judge(&self, outline: &Outline, reading: &Reading) -> Result<Evaluation, Error> {
        let text = self.proposal(outline, reading)?;
        let in_force = self.app.in_force()?;
        let maker = self.maker_of(reading);
        let mut basis = in_force.basis(&self.app.root, Some(&self.app.project.id), &self.constraints);
        // What was made by rule is like what anybody submits.
        basis.made = self.has_model().then(|| maker.made());
        Ok(pipeline::evaluate(&text, Origin::Outside, basis)?.0)
    }

    /// The proposal as text: what the model wrote, with what only we say.
    fn proposal(&self, outline: &Outline, reading: &Reading) -> Result<Vec<u8>, Error> {
        let mut document = outline.document.clone();
        let mut intent = json!({ "type": reading.kind.name(), "text": self.wish.text });
        if let (Value::Object(intent), false) = (&mut intent, self.wish.files.is_empty()) {
            intent.insert("target".to_owned(), json!({ "files": self.wish.files, "symbols": [] }));
        }
        let identity = self.made_by.clone().unwrap_or_else(|| self.maker.identity());
        let mut model = json!({ "provider": identity.provider, "model": identity.model });
        if let (Value::Object(model), Some(version)) = (&mut model, identity.version) {
            model.insert("version".to_owned(), version.into());
        }
        document.insert("schema".to_owned(), SCHEMA.into());
        document.insert("intent".to_owned(), intent);
        if self.has_model() {
            document.insert("model".to_owned(), model);
        }
        Ok(serde_json::to_vec(&document)?)
    }

    /// What the plan is bound to.
    fn maker_of(&self, reading: &Reading) -> Maker {
        let context = self.selection.as_ref().map_or_else(|| Digest::of(b""), |selection| selection.hash);
        Maker {
            model: self.made_by.clone().unwrap_or_else(|| self.maker.identity()),
            request_sha256: self.request_sha256.unwrap_or_else(|| Digest::of(self.wish.text.as_bytes())),
            asked: Asked {
                provider: self.maker.name().to_owned(),
                context_sha256: context,
                named: self.named(reading),
                reader: self.read_by.clone(),
                confidence: reading.confidence.0,
            },
        }
    }

    /// The files and folders that the user named, in words, options or answers.
    fn named(&self, reading: &Reading) -> BTreeSet<String> {
        let mut named: BTreeSet<String> =
            self.view.intent.as_ref().map(|intent| intent.target.files.iter().cloned().collect()).unwrap_or_default();
        if reading.kind == IntentKind::CreateProject
            && let Some(path) =
                reading.details.get("path").map(|path| path.trim_start_matches("./").trim_end_matches('/'))
            && (self.wish.answer("path").is_some() || self.wish.text.contains(path))
            && exacta_kernel::path::RelPath::parse(path).is_ok()
        {
            named.insert(format!("{path}/"));
        }
        named
    }

    /// Has the plan judged whole, made better as long as that is allowed, and stored.
    pub fn finish(&mut self, mut outline: Outline, reading: &Reading, lineage: Lineage) -> Result<PlanView, Error> {
        let is_final = reading.kind == IntentKind::BuildPackage || !self.has_model();
        let mut told_of_checks = false;
        loop {
            let judged = self.judge(&outline, reading)?;
            let findings = if judged.verdicts().verdict() == Verdict::Deny && !is_final {
                objections(&judged)
            } else {
                let checks = self.check_result(&judged)?;
                // Told once: a model that cannot help it twice will not the third time, and a person sees what they said.
                let can_tell = !is_final && !told_of_checks && self.tried < REGENERATIONS;
                match checks.as_ref().and_then(ChecksView::failed).filter(|_| can_tell) {
                    Some(failed) => vec![of_check(failed)],
                    None => return self.store(&outline, reading, lineage, checks.as_ref()),
                }
            };
            told_of_checks |= findings.iter().any(is_of_check);
            if let Err(error) = self.again(AskStage::Diffs, findings.clone()) {
                // It is on record like every proposal that was denied, so that its findings can be looked at.
                self.store(&outline, reading, lineage, None)?;
                return Err(error);
            }
            let blamed = blamed(&outline, &findings);
            let mut replan = blamed.is_empty().then(|| findings.clone());
            for (step, about) in &blamed {
                let stuck = self.write_change(&mut outline, *step, reading, Some(about.clone()))?;
                replan = replan.or(stuck);
            }
            if let Some(findings) = replan {
                outline = self.plan(reading, Some(&findings))?;
                self.write_changes(&mut outline, reading)?;
            }
        }
    }

    /// What the operator's checks say of the result, before a person is asked. A build is left to its run.
    fn check_result(&mut self, judged: &Evaluation) -> Result<Option<ChecksView>, Error> {
        if judged.has_build() || judged.is_withheld() {
            return Ok(None);
        }
        let policy = self.app.in_force()?.policy;
        let observer = &mut *self.observer;
        let mut told = |event: CheckEvent<'_>| match event {
            CheckEvent::Started(command) => observer(&AskEvent::Check { name: command.name.clone() }),
            CheckEvent::Output(_) | CheckEvent::Ended(_) => {}
        };
        let trial = Trial { cancel: self.cancel.flag(), observer: &mut told };
        let checks = self.app.run_checks(judged, &policy, trial);
        self.check_cancelled()?;
        checks
    }

    /// Enters it into the record, with what the checks said of it.
    fn store(
        &mut self,
        outline: &Outline,
        reading: &Reading,
        lineage: Lineage,
        checks: Option<&ChecksView>,
    ) -> Result<PlanView, Error> {
        self.check_cancelled()?;
        let text = self.proposal(outline, reading)?;
        let maker = self.has_model().then(|| self.maker_of(reading));
        let lineage = Lineage { maker, ..lineage };
        let constraints = self.constraints.clone();
        let mut view = self.app.register(&text, Origin::Outside, &constraints, lineage)?;
        if let (Some(checks), Some(_)) = (checks, &view.checks)
            && let Some(id) = view.plan_id.as_deref().and_then(|id| PlanId::parse(id).ok())
        {
            let (record, policy) = (self.app.record(&id)?, self.app.in_force()?.policy);
            self.app.keep_checks(&record, &policy, false, checks)?;
            view.checks = Some(checks.clone());
        }
        self.view.plan_id.clone_from(&view.plan_id);
        self.view.stage = AskStage::Done;
        Ok(view)
    }
}

/// The steps whose changes are to blame, each with the findings about it. Empty where the list of steps itself is.
fn blamed(outline: &Outline, findings: &[FindingView]) -> Vec<(usize, Vec<FindingView>)> {
    let writes = |step: &usize| matches!(outline.text(*step, "type"), "file_create" | "file_modify");
    let about = |step: usize| -> Vec<FindingView> {
        let (id, target) = (outline.text(step, "id"), outline.text(step, "target"));
        let is_own = |it: &&FindingView| it.step.as_deref().map_or(it.path.as_deref() == Some(target), |own| own == id);
        findings.iter().filter(is_own).cloned().collect()
    };
    let steps = (0..outline.steps().len()).filter(writes).map(|step| (step, about(step)));
    steps.filter(|(_, findings)| !findings.is_empty()).collect()
}

/// What a denial is about, in words that help: findings, and where there are none, what the gates and the quality say.
fn objections(judged: &Evaluation) -> Vec<FindingView> {
    let mut all: Vec<FindingView> = judged.findings().iter().map(FindingView::from).collect();
    if !all.is_empty() {
        return all;
    }
    let gates =
        judged.verdicts().gates().iter().filter(|gate| gate.verdict == Verdict::Deny && gate.gate != Gate::User);
    for gate in gates {
        let code = gate.rule.clone().unwrap_or_else(|| format!("gate-{}", gate.gate.name()));
        all.push(objection(&code, format!("denied: {}", gate.reason), "make the plan without this"));
    }
    if let Some(assessment) = judged.assessment() {
        let issues = assessment.quality().dimensions().iter().flat_map(|dimension| &dimension.issues);
        all.extend(issues.filter(|issue| issue.points >= WORTH_TELLING).map(of_issue));
    }
    all
}

/// A check that failed, with the end of what it printed: words of the changed project, quoted as such.
fn of_check(failed: &CheckView) -> FindingView {
    let last: Vec<&str> = failed.output.lines().rev().take(CHECK_LINES).collect();
    let printed: Vec<&str> = last.into_iter().rev().map(str::trim_end).collect();
    let how = failed.ended.as_deref().unwrap_or_default();
    let message = format!(
        "the operator's check `{}` does not pass on the result ({how}); the end of what it printed: {}",
        failed.name,
        printed.join(" \u{23ce} ")
    );
    objection(CHECK_FAILED, message, "change the steps so that it passes; leave the check itself alone")
}

fn of_issue(issue: &Issue) -> FindingView {
    let line = issue.line.map_or_else(String::new, |line| format!(" (line {line})"));
    FindingView {
        step: issue.step.clone(),
        path: issue.path.clone(),
        pointer: issue.pointer.clone(),
        ..objection("quality", format!("{}{line}", issue.message), &issue.hint)
    }
}

/// That a request can be sent at all.
pub(super) fn check_text(text: &str) -> Result<(), Error> {
    let refuse = |message: &str, hint: &str| Err(Error::new(Exit::Usage, "ASK_TEXT", message.to_owned()).hint(hint));
    if text.trim().is_empty() {
        return refuse(
            "the request is empty",
            "say what is to change, such as \"fix the crash when the file is empty\"",
        );
    }
    if text.len() > exacta_kernel::limit::REQUEST {
        return refuse("the request is longer than 16 KiB", "say it in fewer words");
    }
    if matches!(exacta_kernel::secret::mask(text), std::borrow::Cow::Owned(_)) {
        return refuse(
            "the request holds what looks like a secret; nothing was sent",
            "say it without the secret, and change the secret if it is one",
        );
    }
    Ok(())
}
