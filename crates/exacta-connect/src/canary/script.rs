//! What the scripted model does with each program: its edit tool, its shell, a plan.

use super::Marks;
use crate::client::Client;
use serde_json::{Value, json};
use std::path::Path;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// The tool, as the program calls it.
    pub tool: &'static str,
    /// The group that some programs put tools of a server in.
    pub group: Option<&'static str>,
    /// Its arguments; a text where the tool takes free text.
    pub arguments: Value,
}

/// The acts for a program, in order.
#[must_use]
pub fn acts(client: Client, project: &Path, marks: &Marks) -> Vec<Act> {
    let file = project.join(marks.edited()).display().to_string();
    let shelled = project.join(marks.shelled()).display().to_string();
    let shell = format!("echo canary > '{}'", shelled.replace('\'', "'\\''"));
    let act = |tool, arguments| Act { tool, group: None, arguments };
    match client {
        Client::Codex => vec![
            act("apply_patch", json!(patch(&marks.edited()))),
            act("exec_command", json!({ "cmd": shell })),
            Act { tool: "submit", group: Some("mcp__exacta"), arguments: submit(marks) },
        ],
        Client::Claude => vec![
            act("Write", json!({ "file_path": file, "content": "canary\n" })),
            act("Bash", json!({ "command": shell, "dangerouslyDisableSandbox": true })),
            act("mcp__exacta__submit", submit(marks)),
        ],
        Client::Gemini => vec![
            act("write_file", json!({ "file_path": file, "content": "canary\n" })),
            act("run_shell_command", json!({ "command": shell })),
            act("mcp_exacta_submit", submit(marks)),
        ],
        Client::Opencode => vec![
            act("write", json!({ "filePath": file, "content": "canary\n" })),
            act("bash", json!({ "command": shell, "description": "write a file" })),
            act("exacta_submit", submit(marks)),
        ],
        Client::Copilot => vec![
            act("create", json!({ "path": file, "file_text": "canary\n" })),
            act("bash", json!({ "command": shell, "description": "write a file" })),
            act("exacta-submit", submit(marks)),
        ],
        Client::Cline => Vec::new(),
    }
}

fn submit(marks: &Marks) -> Value {
    let text = format!(
        "A check by `exacta connect` ({}): this plan is withdrawn at once, and nobody has to look at it.",
        marks.word()
    );
    json!({ "patch": patch(&marks.planned()), "intent": "AddFeature", "text": text })
}

fn patch(file: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {file}\n+canary\n*** End Patch\n")
}
