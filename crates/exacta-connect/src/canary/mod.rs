//! Whether a program obeys its settings: the program itself is started, with a model that is a script, and whatever it lets through is seen.
//!
//! The script tries to write a file with the program's own edit tool, then with its shell, then submits a plan of the same. Nothing leaves the
//! machine: the model is on loopback.

mod http;
mod model;
mod script;
mod start;
mod wire;

pub use model::Model;
pub use script::{Act, acts};
pub use start::{ASIDE, Started, command, start};

use crate::client::Client;
use std::path::Path;
use std::time::Duration;

/// A program that is not done by then is stopped.
pub const LONGEST: Duration = Duration::from_secs(90);

/// Names that nobody else uses: the files that must not appear, and the words of the plan.
#[derive(Debug, Clone)]
pub struct Marks {
    word: String,
}

/// What was seen.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// How often the program was started: each time a plan has to arrive.
    pub starts: usize,
    /// What the tools answered, in the order in which they were called; of several starts, the one that came least far.
    pub answers: Vec<String>,
    /// Whether the edit tool wrote its file.
    pub edit_wrote: bool,
    /// Whether the shell wrote its file.
    pub shell_wrote: bool,
    /// Why the program ended early, if it did.
    pub ended: Option<String>,
}

impl Seen {
    /// Whether every act of the script was answered: what was not tried is not proved.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.answers.len() >= ACTS
    }
}

/// The edit tool, the shell, a plan.
const ACTS: usize = 3;

impl Marks {
    /// With a word that was not used before.
    #[must_use]
    pub fn new(word: &str) -> Self {
        Self { word: word.to_owned() }
    }

    /// The word itself, which the plan's text has in it.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.word
    }

    /// The file that the edit tool tries to write.
    #[must_use]
    pub fn edited(&self) -> String {
        format!("exacta-canary-{}-edit.txt", self.word)
    }

    /// The file that the shell tries to write.
    #[must_use]
    pub fn shelled(&self) -> String {
        format!("exacta-canary-{}-shell.txt", self.word)
    }

    /// The file of the plan.
    #[must_use]
    pub fn planned(&self) -> String {
        format!("exacta-canary-{}.txt", self.word)
    }
}

/// Starts a program in the project and looks at what it lets through. What it writes is removed again.
///
/// # Errors
/// If it cannot be started, or there is no port on loopback.
pub fn look(
    client: Client,
    program: &Path,
    project: &Path,
    marks: &Marks,
    flags: &[String],
    room: &Path,
) -> std::io::Result<Seen> {
    // Gemini CLI takes no settings from a folder that others can write to, such as `/tmp`.
    let aside = room.join(format!("check-{}.json", marks.word));
    crate::file::put(&aside, ASIDE.as_bytes(), false).map_err(std::io::Error::other)?;
    let seen = looks(client, program, project, marks, flags, &aside);
    // It holds nothing that anybody needs or must not see.
    drop(std::fs::remove_file(&aside));
    seen
}

fn looks(
    client: Client,
    program: &Path,
    project: &Path,
    marks: &Marks,
    flags: &[String],
    aside: &Path,
) -> std::io::Result<Seen> {
    let mut seen = Seen::default();
    for bold in starts(client) {
        let model = Model::start(acts(client, project, marks))?;
        let started = Started { program, project, flags, model: &model.url(), aside, bold: *bold };
        let ended = start(client, &started)?;
        let answers = model.answers();
        if seen.starts == 0 || answers.len() < seen.answers.len() {
            seen.answers = answers;
        }
        seen.starts += 1;
        seen.edit_wrote |= removed(&project.join(marks.edited()));
        seen.shell_wrote |= removed(&project.join(marks.shelled()));
        seen.ended = seen.ended.or(ended);
    }
    Ok(seen)
}

/// Claude Code asks a person before it writes, and says no where there is none, guarded or not: so it is tried a second time with the flag that
/// asks nobody. The others are tried as they are, or the flag is part of how they are started.
fn starts(client: Client) -> &'static [bool] {
    if client == Client::Claude { &[true, false] } else { &[true] }
}

/// Removes a file; says whether there was one.
fn removed(path: &Path) -> bool {
    std::fs::remove_file(path).is_ok()
}
