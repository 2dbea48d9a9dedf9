//! codex: a permission profile in which everything is read-only but build folders, and our keys are not even readable.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use serde_json::{Map, Value, json};

pub const CAVEATS: [&str; 4] = [
    "in every folder codex now writes nothing itself, except in the build folders named above",
    "flags that you give codex win over its settings: `--dangerously-bypass-approvals-and-sandbox`, `--sandbox`, `-c`",
    "other MCP servers of codex run outside its sandbox and can write",
    "a project that you told codex to trust can bring settings of its own in `.codex/config.toml`: check again after that",
];

pub const RECORDED: [&str; 3] = [
    "codex skips hooks that you did not trust, without a word: start codex, type `/hooks`, and trust these two; then check",
    "nothing determined is stopped: commands of its shell write as before, also with `apply_patch` in them; a hook that is killed lets the edit pass",
    "edits are not written while the turn goes on: builds and tests see the files as they were",
];

pub fn guard(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let server = json!({ "required": true, "default_tools_approval_mode": "approve", "tool_timeout_sec": 120 });
    let edits = vec![
        // Where this is set, codex does not look at permission profiles.
        Edit::clear(&["sandbox_mode"]),
        Edit::set(&["approval_policy"], "never"),
        Edit::set(&["default_permissions"], "exacta"),
        Edit::set(&["permissions", "exacta", "filesystem"], filesystem(setup)),
        Edit::set(&["mcp_servers", "exacta"], setup.server(Client::Codex, server)),
    ];
    vec![Wanted { path: places.codex(), content: Content::Edits(Format::Toml, edits) }]
}

/// Everything can be read, and what is named more closely is as it says.
fn filesystem(setup: &Setup) -> Value {
    let mut rules = Map::new();
    rules.insert(":root".to_owned(), json!("read"));
    for folder in setup.builds.iter().chain(&setup.temporary) {
        rules.insert(folder.display().to_string(), json!("write"));
    }
    for folder in &setup.secret {
        rules.insert(folder.display().to_string(), json!("deny"));
    }
    Value::Object(rules)
}

pub fn record(setup: &Setup, places: &Places) -> Vec<Wanted> {
    let hook = |timeout: u32| json!([{ "type": "command", "command": setup.hook(Client::Codex), "timeout": timeout }]);
    let edits = vec![
        Edit::include(&["hooks", "PreToolUse"], json!({ "matcher": "apply_patch", "hooks": hook(10) })),
        Edit::include(&["hooks", "Stop"], json!({ "hooks": hook(60) })),
    ];
    vec![Wanted { path: places.codex_hooks(), content: Content::Edits(Format::Json, edits) }]
}
