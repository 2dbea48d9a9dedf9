//! Gemini CLI: a policy of its own takes the tools that write away, also under `--approval-mode yolo`.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use serde_json::json;

pub const CAVEATS: [&str; 3] = [
    "in every folder Gemini CLI now has neither its edit tools nor a shell: nothing is built or tested by it (`exacta agent` runs agents that do)",
    "other MCP servers of Gemini CLI can write",
    "it can read what you can read: nothing keeps it from your approver's key but the passphrase",
];

/// Ours alone: one bad field in a policy file makes Gemini CLI ignore all rules in it.
const POLICY: &str = "\
# Written by `exacta connect gemini`; `exacta connect gemini --undo` removes it.
[[rule]]
toolName = [\"write_file\", \"replace\", \"run_shell_command\"]
decision = \"deny\"
priority = 900

[[rule]]
mcpName = \"exacta\"
toolName = \"*\"
decision = \"allow\"
priority = 900
";

pub fn guard(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let server = setup.server(Client::Gemini, json!({ "trust": true }));
    let edits = vec![Edit::set(&["mcpServers", "exacta"], server)];
    let policy = Content::Whole { text: POLICY.to_owned(), is_program: false };
    vec![
        Wanted { path: places.gemini(), content: Content::Edits(Format::Commented, edits) },
        Wanted { path: places.gemini_policy(), content: policy },
    ]
}
