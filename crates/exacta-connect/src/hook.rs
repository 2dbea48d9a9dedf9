//! What a program asks its hook, and how it has to be answered: in that program's own shape, never in a mixture of several, because one
//! field too many makes some of them ignore the whole answer and write.

use crate::client::Client;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Which conversation it is in.
    pub session: String,
    /// The model at work, where the program says it.
    pub model: Option<String>,
    /// The folder that the program works in, and names of files begin at, where it says it.
    pub cwd: Option<PathBuf>,
    /// What is going on.
    pub event: Event,
}

/// What is going on.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Files are about to be edited.
    Edit(Vec<Edit>),
    /// A file is about to be read with this tool input.
    Read {
        /// The file.
        path: String,
        /// All that the tool was given.
        input: Map<String, Value>,
    },
    /// The turn is over; whether that was said before, and sent back.
    End {
        /// It was.
        again: bool,
    },
    /// Nothing that is asked about.
    Other,
}

/// One edit, as the program's tool has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The whole file.
    Whole {
        /// The file.
        path: String,
        /// Its new content.
        text: String,
    },
    /// A piece of text in the place of another.
    Replace {
        /// The file.
        path: String,
        /// What is there.
        find: String,
        /// What comes there.
        with: String,
        /// Everywhere.
        all: bool,
    },
    /// A patch that begins with `*** Begin Patch`.
    Patch(String),
}

impl Question {
    /// The file of this name: from the folder that the program works in, or from the project's.
    #[must_use]
    pub fn at(&self, project: &Path, name: &str) -> PathBuf {
        self.cwd.as_deref().unwrap_or(project).join(name)
    }
}

impl Edit {
    /// The files that it names.
    #[must_use]
    pub fn paths(&self) -> Vec<&str> {
        match self {
            Self::Whole { path, .. } | Self::Replace { path, .. } => vec![path],
            Self::Patch(text) => text.lines().filter_map(|line| Some(named(line)?.1)).collect(),
        }
    }
}

/// What a file's name follows in a patch.
const HEADS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Nothing is said: the program goes on as it would.
    Nothing,
    /// The tool is not run, because.
    Deny(String),
    /// The tool is run with another input.
    Instead(Map<String, Value>),
    /// The turn does not end yet, because.
    GoOn(String),
    /// The person is told.
    Tell(String),
}

/// The head of a patch's part and the file that it names, if a line is one.
fn named(line: &str) -> Option<(&'static str, &str)> {
    HEADS.into_iter().find_map(|head| Some((head, line.trim().strip_prefix(head)?)))
}

/// A patch whose files are called otherwise.
#[must_use]
pub fn renamed(patch: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let one = |line: &str| match named(line).and_then(|(head, path)| Some((head, name(path)?))) {
        Some((head, path)) => format!("{head}{path}"),
        None => line.to_owned(),
    };
    patch.split('\n').map(one).collect::<Vec<_>>().join("\n")
}

/// Reads a question.
///
/// # Errors
/// What is wrong with it. Whoever cannot read a question must not let the edit pass.
pub fn question(client: Client, text: &[u8]) -> Result<Question, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("the question is no JSON: {error}"))?;
    let word = |name: &str| value.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
    let session = word("session_id").ok_or("the question has no `session_id`")?;
    let event = word("hook_event_name").ok_or("the question has no `hook_event_name`")?;
    let event = match event.as_str() {
        "PreToolUse" => {
            let tool = word("tool_name").ok_or("the question has no `tool_name`")?;
            let input = value.get("tool_input").and_then(Value::as_object).ok_or("the question has no `tool_input`")?;
            match client {
                Client::Codex => of_codex(&tool, input)?,
                _ => of_claude(&tool, input)?,
            }
        }
        "Stop" => Event::End { again: value.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false) },
        _ => Event::Other,
    };
    let cwd = word("cwd").map(PathBuf::from).filter(|cwd| cwd.is_absolute());
    Ok(Question { session, model: word("model").filter(|model| !model.is_empty()), cwd, event })
}

fn of_codex(tool: &str, input: &Map<String, Value>) -> Result<Event, String> {
    match tool {
        "apply_patch" => Ok(Event::Edit(vec![Edit::Patch(text(input, "command")?)])),
        _ => Ok(Event::Other),
    }
}

fn of_claude(tool: &str, input: &Map<String, Value>) -> Result<Event, String> {
    let path = || text(input, "file_path");
    match tool {
        "Write" => Ok(Event::Edit(vec![Edit::Whole { path: path()?, text: text(input, "content")? }])),
        "Edit" => Ok(Event::Edit(vec![replace(path()?, input)?])),
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array).ok_or("`edits` is no list")?;
            let one = |edit: &Value| replace(path()?, edit.as_object().ok_or("an edit is no object")?);
            Ok(Event::Edit(edits.iter().map(one).collect::<Result<_, String>>()?))
        }
        "NotebookEdit" => {
            Err("cells of notebooks cannot be collected: write the whole notebook with `Write`".to_owned())
        }
        "Read" => Ok(Event::Read { path: path()?, input: input.clone() }),
        _ => Ok(Event::Other),
    }
}

fn replace(path: String, input: &Map<String, Value>) -> Result<Edit, String> {
    let all = input.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
    Ok(Edit::Replace { path, find: text(input, "old_string")?, with: text(input, "new_string")?, all })
}

fn text(input: &Map<String, Value>, name: &str) -> Result<String, String> {
    input.get(name).and_then(Value::as_str).map(ToOwned::to_owned).ok_or_else(|| format!("`{name}` is no text"))
}

impl Reply {
    /// As it is printed; nothing where nothing is said. Claude Code and codex read the same here, and neither takes a field more.
    #[must_use]
    pub fn printed(&self) -> Option<Value> {
        let before = |more: Value| {
            let mut output = json!({ "hookEventName": "PreToolUse" });
            if let (Some(output), Value::Object(more)) = (output.as_object_mut(), more) {
                output.extend(more);
            }
            json!({ "hookSpecificOutput": output })
        };
        match self {
            Self::Nothing => None,
            Self::Deny(reason) => {
                Some(before(json!({ "permissionDecision": "deny", "permissionDecisionReason": reason })))
            }
            Self::Instead(input) => Some(before(json!({ "permissionDecision": "allow", "updatedInput": input }))),
            Self::GoOn(reason) => Some(json!({ "decision": "block", "reason": reason })),
            Self::Tell(words) => Some(json!({ "systemMessage": words })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(client: Client, tool: &str, input: Value) -> Result<Event, String> {
        let text =
            json!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input });
        question(client, text.to_string().as_bytes()).map(|question| question.event)
    }

    #[test]
    fn every_edit_tool_is_read_in_its_own_shape() {
        let edit = json!({ "file_path": "/p/a", "old_string": "x", "new_string": "y", "replace_all": true });
        let replaced = Edit::Replace { path: "/p/a".into(), find: "x".into(), with: "y".into(), all: true };
        assert_eq!(asked(Client::Claude, "Edit", edit.clone()), Ok(Event::Edit(vec![replaced.clone()])));
        let many = json!({ "file_path": "/p/a", "edits": [edit, edit] });
        assert_eq!(asked(Client::Claude, "MultiEdit", many), Ok(Event::Edit(vec![replaced.clone(), replaced])));
        let patch = json!({ "command": "*** Begin Patch\n*** End Patch" });
        assert_eq!(
            asked(Client::Codex, "apply_patch", patch),
            Ok(Event::Edit(vec![Edit::Patch("*** Begin Patch\n*** End Patch".into())]))
        );
        assert_eq!(asked(Client::Claude, "Bash", json!({})), Ok(Event::Other));
    }

    #[test]
    fn the_files_of_a_patch_are_found_and_named_otherwise() {
        let patch = "*** Begin Patch\n*** Update File: a b.txt\n*** Move to: c\n@@\n-x\n+*** Delete File: no\n*** Delete File: d \n*** End Patch\n";
        assert_eq!(Edit::Patch(patch.into()).paths(), ["a b.txt", "c", "d"]);
        let told = renamed(patch, |name| (name != "c").then(|| format!("sub/{name}")));
        assert!(
            told.contains("Update File: sub/a b.txt\n*** Move to: c\n") && told.contains("Delete File: sub/d\n"),
            "{told}"
        );
        assert!(told.contains("\n-x\n+*** Delete File: no\n"), "{told}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_never_nothing() {
        for (tool, input) in [
            ("Write", json!({ "file_path": "/p/a" })),
            ("Write", json!({ "content": "x" })),
            ("Edit", json!({ "file_path": 1, "old_string": "x", "new_string": "y" })),
            ("MultiEdit", json!({ "file_path": "/p/a", "edits": [1] })),
            ("NotebookEdit", json!({ "notebook_path": "/p/a.ipynb", "new_source": "x" })),
        ] {
            assert!(asked(Client::Claude, tool, input).is_err(), "{tool}");
        }
        assert!(asked(Client::Codex, "apply_patch", json!({ "input": "x" })).is_err());
        for text in
            ["", "{", "[]", "{}", r#"{"session_id":"s"}"#, r#"{"session_id":"s","hook_event_name":"PreToolUse"}"#]
        {
            assert!(question(Client::Claude, text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn answers_have_no_field_more_than_the_program_knows() {
        let denied = Reply::Deny("because".into()).printed().unwrap();
        assert_eq!(
            denied,
            json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "because",
            } })
        );
        assert_eq!(Reply::Nothing.printed(), None);
    }
}
