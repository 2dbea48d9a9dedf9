//! The difference of a copy becomes one plan.

use super::error;
use crate::agent::AgentName;
use crate::app::App;
use crate::caller::Act;
use crate::declared::Declared;
use crate::error::{Error, Exit};
use crate::submit::Request;
use exacta_agent::difference::Rest;
use exacta_agent::place::Note;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::PlanId;
use exacta_kernel::import::{self, FileChange};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::proposal::{IntentKind, ModelClaim};
use exacta_kernel::text;
use exacta_view::PlanView;

/// How many files are named where nobody says what a change is for.
const NAMED: usize = 5;

/// What a difference is submitted with.
#[derive(Debug, Clone)]
pub struct Submission {
    /// What kind of change it is.
    pub intent: IntentKind,
    /// What it is for; left out, whose it is.
    pub words: Option<String>,
    /// What the agent is, as the user says.
    pub model: Option<ModelClaim>,
    /// Whether to go on without what a plan cannot carry.
    pub leave_rest: bool,
}

impl App {
    /// Submits what the agent of a copy changed as one plan; nothing where nothing changed. A plan of it that still waits gets a new version, or
    /// is the answer where it says the same.
    ///
    /// # Errors
    /// If something cannot be carried and that was not agreed to, where the project went another way, and as [`App::submit`].
    pub fn submit_agent(&mut self, name: &AgentName, submission: &Submission) -> Result<Option<PlanView>, Error> {
        self.authorize(Act::Propose)?;
        let place = self.place(name)?;
        let note = place.note().map_err(error)?;
        let difference = self.compare(&place, &note)?;
        if !difference.apart.is_empty() {
            return Err(drifted(name, difference.apart));
        }
        if !difference.rest.is_empty() && !submission.leave_rest {
            return Err(not_carried(name, &difference.rest));
        }
        if difference.changes.is_empty() {
            return Ok(None);
        }
        let words = submission.words.clone().unwrap_or_else(|| words(name, &difference.changes));
        let request = import::Request { intent: submission.intent.clone(), text: Some(&words) };
        let text = import::tree(&difference.changes, &request).map_err(|error| {
            Error::fault("agent_io", format!("the difference cannot be written as a proposal: {error}"))
                .hint(error.hint())
        })?;
        let sha256 = Digest::of(text.as_bytes());
        let waiting = self.waiting_of(&note);
        if let Some(id) = waiting.as_ref().filter(|_| note.submitted == Some(sha256)) {
            return Ok(Some(self.show(id)?.plan));
        }
        let client = Some(note.program.clone()).filter(|program| !program.is_empty());
        let declared = Declared { client, model: submission.model.clone(), ..Declared::default() };
        let view = self.submit(text.as_bytes(), &Request { revises: waiting, declared, ..Request::default() })?;
        if view.status == Some(Status::Rejected) {
            // Another run may have changed a file after the two were compared: that is drift, and nothing that the agent did.
            let apart = self.compare(&place, &note)?.apart;
            if !apart.is_empty() {
                return Err(drifted(name, apart));
            }
        }
        // The agent may go on meanwhile, and so may an update: only this is noted, on what is there by now.
        let note = Note { plan: view.plan_id.clone(), submitted: Some(sha256), ..place.note().map_err(error)? };
        place.write(&note).map_err(error)?;
        Ok(Some(view))
    }

    /// The plan that the difference became last, if it still waits for a person.
    fn waiting_of(&self, note: &Note) -> Option<PlanId> {
        let id = PlanId::parse(note.plan.as_deref()?).ok()?;
        (self.show(&id).ok()?.plan.status == Some(Status::Pending)).then_some(id)
    }
}

/// What a change is for, where nobody says it: whose it is, and which files.
fn words(name: &AgentName, changes: &[FileChange]) -> String {
    let files: Vec<String> =
        changes.iter().take(NAMED).map(|change| format!("`{}`", text::excerpt(change.path.as_str(), 120))).collect();
    let more = changes.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("what `{}` changed in its copy: {}{more}", name.as_str(), files.join(", "))
}

fn drifted(name: &AgentName, files: Vec<String>) -> Error {
    let name = name.as_str();
    let message = format!("the project changed since what the copy `{name}` changes, too");
    Error::new(Exit::Drifted, "agent_drifted", message).places(files).hint(hint![
        Remedy::AgentUpdate(name.to_owned()),
        " shows where they differ; with `--take copy` or `--take project` it decides"
    ])
}

fn not_carried(name: &AgentName, rest: &[Rest]) -> Error {
    let message = format!("a plan cannot carry all that changed in the copy `{}`", name.as_str());
    let places = rest.iter().map(|rest| format!("{} {}", rest.path, rest.why.words())).collect();
    Error::new(Exit::Confirm, "agent_rest", message)
        .places(places)
        .hint(hint!["go on without it: ", Remedy::AgentLeaveRest(name.as_str().to_owned())])
}
