//! opencode: permissions that take its edit tools and its shell away.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use serde_json::json;

pub const CAVEATS: [&str; 4] = [
    "in every folder opencode now has neither its edit tools nor a shell: nothing is built or tested by it (`exacta agent` runs agents that do)",
    "an agent of opencode with permissions of its own (`agent.NAME.permission`) is not covered",
    "other MCP servers and plugins of opencode can write",
    "it can read what you can read: nothing keeps it from your approver's key but the passphrase",
];

pub fn guard(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let command: Vec<String> =
        std::iter::once(setup.exacta.display().to_string()).chain(setup.arguments(Client::Opencode)).collect();
    let server = json!({ "type": "local", "command": command, "environment": setup.env, "enabled": true });
    let edits = vec![
        Edit::set(&["permission", "edit"], "deny"),
        Edit::set(&["permission", "bash"], "deny"),
        Edit::set(&["mcp", "exacta"], server),
    ];
    vec![Wanted { path: places.opencode(), content: Content::Edits(Format::Commented, edits) }]
}
