//! codex: a permission profile in which everything is read-only but build folders, and our keys are not even readable.

use super::{Content, Setup, Wanted};
use crate::client::{Client, Places};
use crate::edit::{Edit, Format};
use exacta_kernel::hash::canonical_hash;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The events that are asked about, as the file of hooks has them and as codex remembers them.
const EVENTS: [(&str, &str); 2] = [("PreToolUse", "pre_tool_use"), ("Stop", "stop")];

pub const CAVEATS: [&str; 4] = [
    "in every folder codex now writes nothing itself, except in the build folders named above",
    "flags that you give codex win over its settings: `--dangerously-bypass-approvals-and-sandbox`, `--sandbox`, `-c`",
    "other MCP servers of codex run outside its sandbox and can write",
    "a project that you told codex to trust can bring settings of its own in `.codex/config.toml`: check again after that",
];

pub const RECORDED: [&str; 3] = [
    "codex is told that you trust these two hooks: it skips others, and these if they are changed, until you trust them (`/hooks` in codex)",
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

/// That the user trusts our hooks, as codex remembers it: where each is in the file of hooks, and the hash of what it does. Nothing where they are not
/// in this text. Hooks of others are not trusted with them.
pub fn trusted(setup: &Setup, hooks: &Path, text: &[u8]) -> Option<Wanted> {
    let value: Value = serde_json::from_slice(text).ok()?;
    let own = setup.hook(Client::Codex);
    let command = |group: &Value| group.pointer("/hooks/0/command").and_then(Value::as_str).map(str::to_owned);
    let mut edits = Vec::new();
    for (event, remembered) in EVENTS {
        let groups = value.get("hooks")?.get(event)?.as_array()?;
        let (at, group) = groups.iter().enumerate().find(|(_, group)| command(group).as_ref() == Some(&own))?;
        let place = format!("{}:{remembered}:{at}:0", hooks.display());
        let hash = format!("sha256:{}", canonical_hash(&identity(remembered, group)?).ok()?);
        edits.push(Edit::set(&["hooks", "state", &place, "trusted_hash"], hash));
    }
    Some(Wanted { path: hooks.with_file_name("config.toml"), content: Content::Edits(Format::Toml, edits) })
}

/// What codex takes the hash of.
fn identity(event: &str, group: &Value) -> Option<Value> {
    let mut hook = group.pointer("/hooks/0")?.as_object()?.clone();
    hook.insert("async".to_owned(), json!(false));
    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), json!(event));
    identity.insert("hooks".to_owned(), json!([hook]));
    identity.extend(group.get("matcher").map(|matcher| ("matcher".to_owned(), matcher.clone())));
    Some(Value::Object(identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What codex 0.166.0 itself says of these hooks (`hooks/list` of its app server).
    #[test]
    fn our_hooks_are_trusted_where_they_are_and_nobody_elses() {
        let setup = Setup {
            exacta: "/usr/local/bin/exacta".into(),
            env: Default::default(),
            project: "/x".into(),
            everywhere: false,
            secret: Vec::new(),
            builds: Vec::new(),
            temporary: Vec::new(),
        };
        let own =
            |timeout: u32| json!([{ "type": "command", "command": setup.hook(Client::Codex), "timeout": timeout }]);
        let other = json!({ "hooks": [{ "type": "command", "command": "true" }] });
        let before = json!({ "matcher": "apply_patch", "hooks": own(10) });
        let text = json!({ "hooks": { "PreToolUse": [other, before], "Stop": [{ "hooks": own(60) }] } }).to_string();
        let wanted = trusted(&setup, Path::new("/h/.codex/hooks.json"), text.as_bytes()).unwrap();
        let trust = |place: &str, hash: &str| Edit::set(&["hooks", "state", place, "trusted_hash"], hash);
        let edits = vec![
            trust(
                "/h/.codex/hooks.json:pre_tool_use:1:0",
                "sha256:e652f6a25bdf25125d4dbfd6ef09f50d7f3499c4d7064cdeea84035f71d991b3",
            ),
            trust(
                "/h/.codex/hooks.json:stop:0:0",
                "sha256:aaa00edfee5394999461da0e2b64ce3d60b395b6e916798ae76694a7f57821cf",
            ),
        ];
        let path = "/h/.codex/config.toml".into();
        assert_eq!(wanted, Wanted { path, content: Content::Edits(Format::Toml, edits) });
        assert_eq!(trusted(&setup, Path::new("/h/hooks.json"), b"{\"hooks\":{}}"), None);
    }
}
