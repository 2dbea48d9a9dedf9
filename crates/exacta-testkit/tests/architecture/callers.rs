//! Every use case asks first whether its caller may.

use crate::sources::sources;

/// Methods that ask nobody, and why.
const FREE: [(&str, &str); 14] = [
    ("open", "makes a project only for who may begin one; whatever follows asks for itself"),
    ("resume", "as `open`, and makes nothing"),
    ("look", "opens only; reading asks"),
    ("would_make", "says whether there is a project"),
    ("needs_first_approver", "asked before there is a project"),
    ("chosen_profile", "asked before there is a project"),
    ("profile_is_chosen", "asked before there is a project"),
    ("anew_takes_person", "verifies the record, which asks"),
    ("path", "says what the caller was opened with"),
    ("project_id", "says what the caller was opened with"),
    ("recovered", "what opening found"),
    ("recover", "ends what was begun under a permit; whoever comes first has to"),
    ("session", "a name of the process's own"),
    ("names", "who may be asked is no secret"),
];

/// Methods that begin or end what the process itself holds, or put names to ids that the caller has.
const OWN: [&str; 6] = ["hold_session", "join_session", "end_held_session", "short_id", "short_ids", "ask"];

#[test]
fn every_use_case_asks_whether_its_caller_may() {
    let mut silent = Vec::new();
    let mut asked = 0;
    for source in sources("exacta-app") {
        for (name, body) in methods(&source.code) {
            let asks = body.contains("authorize");
            asked += usize::from(asks);
            if !asks && !FREE.iter().any(|(free, _)| *free == name) && !OWN.contains(&name.as_str()) {
                silent.push(format!("{}: {name}", source.name));
            }
        }
    }
    assert!(asked > 40, "{asked}");
    assert!(
        silent.is_empty(),
        "call `self.authorize(Act::…)?` or `self.authorize_for(Act::…, id)?` first (exacta-app/src/caller/table.rs):\n{}",
        silent.join("\n")
    );
}

/// What an ask does is authorized where its stages begin.
#[test]
fn an_ask_is_authorized_at_its_first_stage() {
    let ask = sources("exacta-app").into_iter().find(|source| source.name == "ask/mod.rs").unwrap();
    let go = ask.code.split("fn go(").nth(1).unwrap();
    let first = go.split_once("{\n").unwrap().1.lines().next().unwrap();
    assert!(first.contains("authorize(Act::Propose)"), "{first}");
}

/// The public methods of `App` and `Settings` in a file, with their bodies.
fn methods(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for head in ["impl App {", "impl Settings {"] {
        for block in code.split(head).skip(1) {
            let block = block.split("\n}").next().unwrap();
            for method in block.split("\n    pub fn ").skip(1) {
                let name = method.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                found.push((name, method.split("\n    }").next().unwrap().to_owned()));
            }
        }
    }
    found
}
