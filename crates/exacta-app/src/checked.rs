//! What the operator's checks said of a plan's content before anybody decided: run where nothing of it is kept, remembered by the
//! content's hash, and shown with every plan of that content. It decides nothing: at execution the checks are run again.

use crate::app::App;
use crate::checks::{CheckEvent, Checks};
use crate::clock::now;
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::pipeline::Evaluation;
use exacta_kernel::audit::{EntryDraft, Event};
use exacta_kernel::gate::Verdict;
use exacta_kernel::hash::Digest;
use exacta_kernel::policy::Policy;
use exacta_kernel::proposal::Domain;
use exacta_record::{DocumentChange, DocumentKind, PlanRecord};
use exacta_view::{CheckView, ChecksView, PlanView};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::atomic::AtomicBool;

/// How checks are run on what nobody approved yet.
pub struct Trial<'a> {
    /// Set to stop them.
    pub cancel: &'a AtomicBool,
    /// Told what they do and print.
    pub observer: &'a mut dyn FnMut(CheckEvent<'_>),
}

/// A result as it is remembered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// Of the commands as the operator had them.
    commands_sha256: Digest,
    checks: ChecksView,
}

impl App {
    /// Runs the operator's checks on the result of what was evaluated. `None` where there are none to run. What is denied is not run.
    pub(crate) fn run_checks(
        &self,
        evaluation: &Evaluation,
        policy: &Policy,
        trial: Trial<'_>,
    ) -> Result<Option<ChecksView>, Error> {
        let Some(checks) = self.checks_of(evaluation, policy) else { return Ok(None) };
        let Some(plan) = evaluation.plan().filter(|_| evaluation.verdicts().verdict() != Verdict::Deny) else {
            return Ok(Some(not_run(&checks, Some("it is denied".to_owned()))));
        };
        let view = checks.try_out(&self.root, &plan.changes(), trial.cancel, trial.observer, now());
        view.map(Some).map_err(|_stopped| {
            Error::new(Exit::RolledBack, "cancelled", "cancelled while the checks ran: nothing was stored")
                .hint("give the command again")
        })
    }

    /// Remembers a result for the content it is about, and that it was run for this plan.
    pub(crate) fn keep_checks(
        &mut self,
        record: &PlanRecord,
        policy: &Policy,
        build: bool,
        checks: &ChecksView,
    ) -> Result<(), Error> {
        let id = record.content_hash.to_string();
        let was = self.store.document(DocumentKind::Checks, &id)?.map(|document| document.hash);
        let commands_sha256 = fingerprint(&self.checks(policy, build))?;
        let state = checks.state.words().replace(' ', "_");
        let mut entry = EntryDraft::new(Event::PlanChecked, self.actor(), format!("checks {}", checks.state.words()))
            .about(&record.correlation_id, &record.id);
        let ended = |check: &CheckView| json!({ "name": check.name, "state": check.state, "ended": check.ended });
        let commands: Vec<_> = checks.commands.iter().map(ended).collect();
        entry.data = data(json!({ "content_hash": record.content_hash, "state": state, "commands": commands }));
        let body = serde_json::to_value(Kept { commands_sha256, checks: checks.clone() })?;
        let change = DocumentChange { kind: DocumentKind::Checks, id, owner: String::new(), state, body, was };
        // Of two that were run at the same time one is remembered; both looked at the same content.
        self.store.put_documents(&[change], &[entry], now())?;
        Ok(())
    }

    /// A plan as it is shown, with what the checks said of its content.
    pub(crate) fn with_checks(
        &self,
        mut view: PlanView,
        evaluation: &Evaluation,
        policy: &Policy,
    ) -> Result<PlanView, Error> {
        if let (Some(checks), false) = (self.checks_of(evaluation, policy), view.withheld) {
            let kept = view.content_hash.as_deref().map(|hash| self.kept_checks(hash)).transpose()?.flatten();
            let commands_sha256 = fingerprint(&checks)?;
            view.checks = Some(match kept {
                Some(kept) if kept.commands_sha256 == commands_sha256 => kept.checks,
                Some(_) => not_run(&checks, Some("the operator's commands changed since they were run".to_owned())),
                None => not_run(&checks, None),
            });
        }
        Ok(view)
    }

    /// The same of a plan that is over: what was said then.
    pub(crate) fn with_kept_checks(&self, mut view: PlanView) -> Result<PlanView, Error> {
        if let (Some(hash), false) = (&view.content_hash, view.withheld) {
            view.checks = self.kept_checks(hash)?.map(|kept| kept.checks);
        }
        Ok(view)
    }

    fn kept_checks(&self, content_hash: &str) -> Result<Option<Kept>, Error> {
        let found = self.store.document(DocumentKind::Checks, content_hash)?;
        Ok(found.and_then(|document| serde_json::from_value(document.body).ok()))
    }

    /// The commands that a plan of files has to pass here; `None` where there are none.
    fn checks_of(&self, evaluation: &Evaluation, policy: &Policy) -> Option<Checks> {
        evaluation.plan().filter(|plan| plan.domain() == Domain::Files)?;
        Some(self.checks(policy, evaluation.has_build())).filter(|checks| !checks.commands.is_empty())
    }
}

fn not_run(checks: &Checks, reason: Option<String>) -> ChecksView {
    ChecksView::not_run(checks.commands.iter().map(|command| command.name.as_str()), reason)
}

/// What tells one list of commands from another.
fn fingerprint(checks: &Checks) -> Result<Digest, Error> {
    Ok(Digest::of(&serde_json::to_vec(&checks.commands)?))
}
