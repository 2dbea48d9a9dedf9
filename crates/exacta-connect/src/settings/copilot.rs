//! Copilot CLI: it takes tools away by flags alone, so it gets a launcher.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use serde_json::json;

pub const CAVEATS: [&str; 3] = [
    "only `exacta-copilot` is guarded: started as `copilot`, it writes as before",
    "other MCP servers of Copilot CLI can write",
    "it can read what you can read: nothing keeps it from your approver's key but the passphrase",
];

/// Denied tools win over whatever else is allowed, also over `--allow-all-tools`.
const LAUNCHER: &str = "\
#!/bin/sh
# Written by `exacta connect copilot`; `exacta connect copilot --undo` removes it.
exec copilot \"$@\" --deny-tool=write --deny-tool=shell --allow-tool=exacta
";

pub fn guard(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let server = setup.server(Client::Copilot, json!({ "type": "local", "tools": ["*"] }));
    let edits = vec![Edit::set(&["mcpServers", "exacta"], server)];
    let launcher = Content::Whole { text: LAUNCHER.to_owned(), is_program: true };
    vec![
        Wanted { path: places.copilot(), content: Content::Edits(Format::Json, edits) },
        Wanted { path: places.launcher(), content: launcher },
    ]
}
