//! What has to be in a program's configuration, one file per program.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;

use crate::client::{Client, Mode, Places};
use crate::edit::{Edit, Format};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What an agent reads in the project's `AGENTS.md` or `CLAUDE.md`.
pub const PARAGRAPH: &str = "\
Do not write files yourself. Submit every change with the `submit` tool of the `exacta` server: one patch of all files that belong together, tests
included, with a sentence that says what changes and why. `not_decided_yet` means that a person is asked; call `wait` or go on with other work. If a
change is denied, fix its findings and submit the whole change again. Do not try another way around a decision.
";

/// What is connected to what. Every path is absolute.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Our own program.
    pub exacta: PathBuf,
    /// Variables that our program needs and that an agent's program may not pass on.
    pub env: BTreeMap<String, String>,
    /// The project.
    pub project: PathBuf,
    /// Whether the server is for every project that the agent's program is started in, and not for this one alone.
    pub everywhere: bool,
    /// Folders that an agent must not read: keys and records.
    pub secret: Vec<PathBuf>,
    /// Folders that builds and tests write to.
    pub builds: Vec<PathBuf>,
    /// Folders for temporary files that hold neither the project nor our own files.
    pub temporary: Vec<PathBuf>,
}

/// A file, and what has to be in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Which.
    pub path: PathBuf,
    /// What.
    pub content: Content,
}

/// What has to be in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// These settings beside whatever else is in it.
    Edits(Format, Vec<Edit>),
    /// Exactly this: the file is ours.
    Whole {
        /// The text.
        text: String,
        /// Whether it is a program.
        is_program: bool,
    },
}

/// What has to be in a program's configuration; nothing where the program cannot be connected that way.
#[must_use]
pub fn wanted(client: Client, mode: Mode, setup: &Setup, places: &Places) -> Vec<Wanted> {
    match (mode, client) {
        (Mode::Guard, Client::Codex) => codex::guard(setup, places),
        (Mode::Guard, Client::Claude) => claude::guard(setup, places),
        (Mode::Guard, Client::Gemini) => gemini::guard(setup, places),
        (Mode::Guard, Client::Opencode) => opencode::guard(setup, places),
        (Mode::Guard, Client::Copilot) => copilot::guard(setup, places),
        (Mode::Record, Client::Codex) => codex::record(setup, places),
        (Mode::Record, Client::Claude) => claude::record(setup, places),
        (Mode::Guard, Client::Cline) | (Mode::Record, _) => Vec::new(),
    }
}

/// What has to be in another file because of what comes to be in this one.
pub(crate) fn beside(client: Client, mode: Mode, setup: &Setup, path: &Path, after: &[u8]) -> Option<Wanted> {
    match (mode, client) {
        (Mode::Record, Client::Codex) => codex::trusted(setup, path, after),
        _ => None,
    }
}

/// What a person has to know about a program that is connected this way: what will not work, and what is not stopped.
#[must_use]
pub fn caveats(client: Client, mode: Mode) -> &'static [&'static str] {
    match client {
        Client::Codex if mode == Mode::Record => &codex::RECORDED,
        Client::Claude if mode == Mode::Record => &claude::RECORDED,
        Client::Codex => &codex::CAVEATS,
        Client::Claude => &claude::CAVEATS,
        Client::Gemini => &gemini::CAVEATS,
        Client::Opencode => &opencode::CAVEATS,
        Client::Copilot => &copilot::CAVEATS,
        Client::Cline => &[],
    }
}

impl Setup {
    /// The arguments of the server for an agent.
    fn arguments(&self, client: Client) -> Vec<String> {
        let mut arguments = vec!["mcp".to_owned(), "--agent".to_owned(), client.name().to_owned()];
        if !self.everywhere {
            arguments.extend(["--project".to_owned(), self.project.display().to_string()]);
        }
        arguments
    }

    /// The line of shell that a hook is.
    fn hook(&self, client: Client) -> String {
        let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let mut line: String = self.env.iter().map(|(name, value)| format!("{name}={} ", quote(value))).collect();
        line.push_str(&format!("{} hook {}", quote(&self.exacta.display().to_string()), client.name()));
        if !self.everywhere {
            line.push_str(&format!(" --project {}", quote(&self.project.display().to_string())));
        }
        line
    }

    /// The server, as most programs describe one.
    fn server(&self, client: Client, more: Value) -> Value {
        let mut server = Map::new();
        server.insert("command".to_owned(), json!(self.exacta));
        server.insert("args".to_owned(), json!(self.arguments(client)));
        if !self.env.is_empty() {
            server.insert("env".to_owned(), json!(self.env));
        }
        if let Value::Object(more) = more {
            server.extend(more);
        }
        Value::Object(server)
    }
}
