//! Claude Code: its edit tools are gone, and its shell runs in its own sandbox, to which the project is read-only and our keys are not there.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use serde_json::json;

pub const CAVEATS: [&str; 5] = [
    "in every folder Claude Code's edit tools are now gone",
    "its shell cannot write in the project, build folders included: let `exacta agent` run agents that build and test",
    "its sandbox needs bubblewrap and socat; without them Claude Code refuses to run commands",
    "hooks and other MCP servers of Claude Code run outside its sandbox and can write",
    "flags that you give it can bring other settings: `--settings`, `--setting-sources`, `--mcp-config`",
];

pub const RECORDED: [&str; 3] = [
    "nothing determined is stopped: commands of its shell write as before, and whoever switches hooks off is not seen",
    "edits are not written while the turn goes on: builds and tests see the files as they were",
    "cells of notebooks cannot be collected: such an edit is refused",
];

/// Tools that write files.
const EDITS: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

pub fn guard(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let mut edits: Vec<Edit> = EDITS.into_iter().map(|tool| Edit::include(&["permissions", "deny"], tool)).collect();
    edits.push(Edit::include(&["permissions", "allow"], "mcp__exacta__*"));
    edits.extend([
        Edit::set(&["sandbox", "enabled"], true),
        Edit::set(&["sandbox", "failIfUnavailable"], true),
        Edit::set(&["sandbox", "allowUnsandboxedCommands"], false),
        Edit::set(&["sandbox", "autoAllowBashIfSandboxed"], true),
        // What is named there runs outside the sandbox.
        Edit::clear(&["sandbox", "excludedCommands"]),
    ]);
    let denied = if setup.everywhere { json!("/") } else { json!(setup.project) };
    edits.push(Edit::include(&["sandbox", "filesystem", "denyWrite"], denied));
    for folder in &setup.secret {
        // A path from the root begins with two slashes in a rule.
        edits.push(Edit::include(&["permissions", "deny"], format!("Read(/{}/**)", folder.display())));
        edits.push(Edit::include(&["sandbox", "filesystem", "denyRead"], json!(folder)));
    }
    let server = setup.server(Client::Claude, json!({ "type": "stdio" }));
    let servers = vec![Edit::set(&["mcpServers", "exacta"], server)];
    vec![
        Wanted { path: places.claude(), content: Content::Edits(Format::Json, edits) },
        Wanted { path: places.claude_servers(), content: Content::Edits(Format::Json, servers) },
    ]
}

/// Where a hook fails, Claude Code writes, unless it is told to block.
pub fn record(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let line = setup.hook(Client::Claude);
    let before = json!({
        "matcher": "Edit|Write|MultiEdit|NotebookEdit|Read",
        "hooks": [{ "type": "command", "command": line, "timeout": 10, "onFailure": "block" }],
    });
    let end = json!({ "hooks": [{ "type": "command", "command": line, "timeout": 60 }] });
    let edits = vec![Edit::include(&["hooks", "PreToolUse"], before), Edit::include(&["hooks", "Stop"], end)];
    vec![Wanted { path: places.claude(), content: Content::Edits(Format::Json, edits) }]
}
