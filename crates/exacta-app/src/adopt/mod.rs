//! Changes that lie in the work tree already: adopted as they are, or put back to what is committed.
//!
//! The repository is read as data ([`exacta_context::git`]); git is not run, and its index is never changed.

mod gather;

pub use gather::NotCarried;

use crate::app::App;
use crate::caller::{Act, Caller};
use crate::error::{Error, Exit};
use crate::lineage::Lineage;
use crate::pipeline::Origin;
use exacta_kernel::import::{self, FileChange};
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::{Constraint, IntentKind};
use exacta_kernel::text;
use exacta_view::PlanView;
use gather::Gathered;
use std::path::PathBuf;

/// How many files are named where nobody says what a change is for.
const NAMED: usize = 5;

/// What is to become of what lies in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It is adopted: recorded with what is committed before it, and not touched.
    Adopt,
    /// What is committed comes back in its place.
    PutBack,
}

/// Which changes are meant, and what they are for.
#[derive(Debug, Clone)]
pub struct Adopting {
    /// Which way.
    pub way: Way,
    /// Files and folders, as whole paths; all of the project where there is none.
    pub paths: Vec<PathBuf>,
    /// What kind of change it is.
    pub intent: IntentKind,
    /// What it is for; left out, which files.
    pub words: Option<String>,
    /// Constraints of the request.
    pub constraints: Vec<Constraint>,
}

impl App {
    /// Submits what lies in the work tree and is not committed, to be adopted as it is or to be put back; with what no plan can carry, by name.
    /// Nothing is touched.
    ///
    /// # Errors
    /// If nothing differs from what is committed, something else is staged, or the repository cannot be read.
    pub fn adopt(&mut self, adopting: &Adopting) -> Result<(PlanView, Vec<NotCarried>), Error> {
        self.authorize(Act::Adopt)?;
        if !matches!(self.options.caller, Caller::Terminal { .. }) {
            return Err(Error::new(
                Exit::Confirm,
                "person_needed",
                "what lies in the work tree is adopted by a person",
            )
            .hint("give the command at a terminal"));
        }
        self.safe_on_tampering(|app| app.adopt_changes(adopting))
    }

    fn adopt_changes(&mut self, adopting: &Adopting) -> Result<(PlanView, Vec<NotCarried>), Error> {
        let Gathered { changes, rest, head } = self.gather(&adopting.paths)?;
        let (changes, head, what) = match adopting.way {
            Way::Adopt => (changes, Some(head), "what lies in the work tree"),
            Way::PutBack => (changes.into_iter().map(back).collect(), None, "back to what is committed"),
        };
        let words = adopting.words.clone().unwrap_or_else(|| words(what, &changes));
        let request = import::Request { intent: adopting.intent.clone(), text: Some(&words) };
        let text = import::tree(&changes, &request).map_err(|error| {
            Error::fault("adopt_io", format!("the changes cannot be written as a proposal: {error}")).hint(error.hint())
        })?;
        let lineage = Lineage { head, ..self.new_lineage()? };
        let view = self.register(text.as_bytes(), Origin::Outside, &adopting.constraints, lineage)?;
        Ok((view, rest))
    }
}

/// The same change backwards.
fn back(change: FileChange) -> FileChange {
    FileChange { path: change.path, before: change.after, after: change.before }
}

fn words(what: &str, changes: &[FileChange]) -> String {
    let named = |path: &RelPath| format!("`{}`", text::excerpt(path.as_str(), 120));
    let files: Vec<String> = changes.iter().take(NAMED).map(|change| named(&change.path)).collect();
    let more = changes.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{what}: {}{more}", files.join(", "))
}
