//! An undo that an agent proposes: a plan of the bytes that were there before, which a person decides about in every profile.

use crate::app::App;
use crate::caller::Act;
use crate::error::{Error, Exit};
use crate::submit::Request;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::RunId;
use exacta_kernel::import::{self, FileChange};
use exacta_kernel::plan::Change;
use exacta_kernel::proposal::{Constraint, ConstraintKind, Scope};
use exacta_view::PlanView;
use serde_json::{Map, Value, json};

impl App {
    /// Makes a plan that puts back what a run changed: the run of this id, or of the plan of this id. It waits for a person like any other, in
    /// every profile, because an undo is a person's act.
    ///
    /// # Errors
    /// If there is no such run, a target has changed since, or no plan can carry what was there.
    pub fn propose_undo(&mut self, run: &str) -> Result<PlanView, Error> {
        self.authorize(Act::Propose)?;
        let (id, changes) = self.safe_on_tampering(|app| app.changes_back(run))?;
        let steps = changes.iter().map(step).collect::<Result<Vec<Value>, Error>>()?;
        let text = format!("undo run {id}: put {} back as it was before", counted(steps.len()));
        let intent = json!({ "type": "FixBug", "text": text });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps }).to_string();
        self.submit(proposal.as_bytes(), &Request { constraints: vec![by_person(&id)], ..Request::default() })
    }
}

/// Nothing can check it but a person, so one is asked, whatever the scores are.
fn by_person(run: &RunId) -> Constraint {
    Constraint {
        id: "undo-by-person".to_owned(),
        kind: ConstraintKind::MustNot,
        scope: Scope::Global,
        target: None,
        description: format!("undo run {run} without a person who wants that"),
    }
}

/// A change as a step.
fn step(change: &Change) -> Result<Value, Error> {
    let path = &change.path;
    let (kind, words) = match (&change.before, &change.after) {
        (Some(_), None) => ("file_delete", format!("delete `{path}`, which the run created")),
        (None, _) => ("file_create", format!("create `{path}` again, which the run deleted")),
        (Some(_), Some(_)) => ("file_modify", format!("give `{path}` the content it had before the run")),
    };
    let mut step = Map::new();
    step.insert("type".to_owned(), json!(kind));
    step.insert("target".to_owned(), json!(path));
    step.insert("description".to_owned(), json!(words));
    let Change { path: at, before, after } = change.clone();
    let fields = import::fields(&FileChange { path: at, before, after }).map_err(|_| not_text(path.as_str()))?;
    step.extend(fields);
    Ok(Value::Object(step))
}

fn not_text(path: &str) -> Error {
    Error::new(Exit::Denied, "undo_not_text", format!("a plan cannot put back what was in `{path}`"))
        .hint(hint!["a person undoes it with ", Remedy::Undo(None)])
}

fn counted(files: usize) -> String {
    if files == 1 { "one file".to_owned() } else { format!("{files} files") }
}
