//! What was meant by a name that is not ours: the words that other tools and other formats have for the same thing.
//!
//! A slip is never accepted. Knowing what was meant, a finding can say which change is enough, and the rest of the object can be
//! looked at as if it had been made.

use super::nearest::{nearest, plain};
use crate::prelude::*;
use crate::proposal::IntentKind;
use crate::shape::StepShape;
use crate::text::excerpt;
use serde_json::{Map, Value};

/// Our field, and what it is called elsewhere: lower-case letters and digits only. A word may be in several rows; the first field
/// that belongs to the object counts.
static FIELDS: &[(&str, &[&str])] = &[
    (
        "find",
        &[
            "oldstring",
            "oldstr",
            "oldtext",
            "old",
            "oldcode",
            "search",
            "searchtext",
            "from",
            "original",
            "match",
            "before",
        ],
    ),
    (
        "replace",
        &[
            "newstring",
            "newstr",
            "newtext",
            "new",
            "newcode",
            "replacement",
            "replacewith",
            "to",
            "updated",
            "after",
            "with",
            "insert",
        ],
    ),
    ("edits", &["changes", "replacements", "modifications", "edit", "patches", "searchreplace"]),
    ("diff", &["patch", "unifieddiff", "difftext", "gitdiff"]),
    (
        "content",
        &[
            "contents",
            "filetext",
            "filecontent",
            "filecontents",
            "newcontent",
            "text",
            "code",
            "body",
            "data",
            "source",
        ],
    ),
    (
        "content_base64",
        &["base64", "contentb64", "base64content", "bytes", "binary", "blob", "binarycontent", "filebytes"],
    ),
    ("mode", &["filemode", "permissions", "gitmode", "newmode", "chmod", "perms"]),
    ("target", &["path", "file", "filepath", "filename", "targetfile", "targetpath", "uri", "relativepath"]),
    ("dependencies", &["dependson", "deps", "requires", "needs", "dependency", "prerequisites"]),
    ("order", &["sequence", "index", "number", "position", "step", "stepnumber"]),
    ("type", &["action", "kind", "operation", "op", "steptype", "intenttype", "intent", "category", "command"]),
    ("id", &["stepid", "name", "key", "identifier"]),
    ("steps", &["actions", "tasks", "operations", "plan", "changes", "files"]),
    ("intent", &["goal", "request", "task", "objective"]),
    ("text", &["description", "goal", "request", "summary", "message", "prompt", "task", "words", "details"]),
    ("description", &["summary", "title", "reason", "rationale", "explanation", "why", "rule", "text", "comment"]),
    ("base_sha256", &["sha256", "basehash", "filehash", "oldsha256"]),
    ("schema", &["format", "formatversion", "schemaversion"]),
    ("tool", &["toolname", "function"]),
    ("arguments", &["args", "parameters", "params", "input"]),
];

/// Step types by other names, without the signs between words.
static TYPES: &[(&str, &[&str])] = &[
    (
        "file_modify",
        &[
            "modify",
            "modifyfile",
            "edit",
            "editfile",
            "fileedit",
            "update",
            "updatefile",
            "fileupdate",
            "change",
            "changefile",
            "filechange",
            "strreplace",
            "replaceinfile",
            "applydiff",
            "applypatch",
            "patch",
            "patchfile",
        ],
    ),
    ("file_create", &["create", "createfile", "add", "addfile", "fileadd", "newfile", "filenew", "new", "insertfile"]),
    ("file_delete", &["delete", "deletefile", "remove", "removefile", "fileremove", "rm", "unlink"]),
    ("build", &["compile", "buildproject", "runbuild", "package"]),
];

/// Types that no step has, and what to do instead.
static NO_STEP: &[(&[&str], &str)] = &[
    (
        &["write", "writefile", "filewrite", "writetofile", "save", "savefile"],
        "write `file_create` for a file that is new, `file_modify` for one that exists",
    ),
    (
        &["rename", "renamefile", "filerename", "move", "movefile", "filemove", "mv", "copy", "copyfile", "filecopy"],
        "write a `file_create` step with the content at the new path, and a `file_delete` step for the old one",
    ),
    (
        &[
            "shell",
            "command",
            "runcommand",
            "run",
            "exec",
            "execute",
            "bash",
            "terminal",
            "test",
            "runtests",
            "runtest",
            "install",
            "script",
        ],
        "leave the step out: a plan runs no command of its own; `build` runs the one that the operator configured",
    ),
    (
        &[
            "read", "readfile", "fileread", "view", "viewfile", "search", "grep", "analyze", "analyse", "review",
            "think",
        ],
        "leave the step out: a plan holds only what changes",
    ),
    (
        &["mkdir", "createdirectory", "createfolder", "directorycreate", "createdir"],
        "leave the step out: `file_create` makes the folders that are missing",
    ),
];

/// Fields that a plan has but a proposal may not: they are always computed here.
pub(super) const COMPUTED: &[&str] = &[
    "after",
    "approval",
    "approval_decision",
    "approvals",
    "approved",
    "before",
    "binding",
    "confidence",
    "content_hash",
    "correlation_id",
    "created_at",
    "decision",
    "effects",
    "estimates",
    "expires_at",
    "findings",
    "gates",
    "hash",
    "level",
    "llm",
    "plan_hash",
    "plan_id",
    "plan_version",
    "policy",
    "policy_context",
    "profile",
    "quality",
    "quality_score",
    "reversibility",
    "risk",
    "risk_level",
    "risk_score",
    "score",
    "signature",
    "status",
    "system_level",
    "target_files",
    "tier",
    "timestamp",
    "validation",
    "validation_issues",
    "verdict",
    "version",
];

/// What an unknown field was meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// Another name for this field.
    Renamed(&'static str),
    /// An object around fields that belong here.
    Wrapped,
    /// A part of one edit, in a step that should have a list of them.
    LooseEdit,
}

impl Slip {
    /// Whether no other field of the object is, or was meant to be, the same.
    pub(super) fn is_new(self, present: &BTreeSet<&'static str>) -> bool {
        !matches!(self, Self::Renamed(name) if present.contains(name))
    }

    /// The fields that are there once the slip is corrected.
    pub(super) fn names(self, value: &Value, known: &[&'static str]) -> Vec<&'static str> {
        match self {
            Self::Renamed(name) => vec![name],
            Self::LooseEdit => vec!["edits"],
            Self::Wrapped => {
                let inner = value.as_object();
                known.iter().copied().filter(|name| inner.is_some_and(|inner| inner.contains_key(*name))).collect()
            }
        }
    }
}

/// How a value of the wrong type is to be written, where it tells what was meant.
pub(super) fn form(expected: &str, value: &Value, name: &str) -> Option<String> {
    let line = |text: &Value| text.as_str().is_some();
    match (expected, value) {
        ("an array", Value::String(text)) => Some(format!("write a list: `[\"{}\"]`", excerpt(text, 60))),
        ("an array", Value::Object(_)) => Some("put it into a list: `[{…}]`".to_owned()),
        ("an integer", Value::String(text)) if text.parse::<u64>().is_ok() => {
            Some(format!("write {text} without quotes"))
        }
        ("a string", Value::Number(number)) => Some(format!("write \"{number}\", in quotes")),
        ("a string", Value::Array(items))
            if items.iter().all(line) && matches!(name, "content" | "diff" | "find" | "replace") =>
        {
            Some("join the lines into one string, with \\n at the end of each".to_owned())
        }
        ("a string", Value::Array(items)) if items.len() == 1 && items.iter().all(line) => {
            Some("write the text itself, without the brackets".to_owned())
        }
        ("an object", Value::String(text)) if name == "intent" && IntentKind::parse(text).is_some() => {
            Some(format!("write `{{\"type\": \"{text}\", \"text\": \"…\"}}`, with the request in words"))
        }
        ("an object", Value::String(_)) if name == "intent" => {
            Some("write `{\"type\": \"…\", \"text\": \"…\"}`, with the request in words as `text`".to_owned())
        }
        _ => None,
    }
}

/// What an unknown field of an object was meant to be, where `known` are the fields it may have.
pub(super) fn field(name: &str, value: &Value, object: &Map<String, Value>, known: &[&'static str]) -> Option<Slip> {
    let plain = plain(name);
    let meant = || FIELDS.iter().filter(|(_, words)| words.contains(&plain.as_str())).map(|(field, _)| *field);
    let free = |field: &&'static str| known.contains(field) && !object.contains_key(*field);
    let loose =
        matches!(plain.as_str(), "find" | "replace") || meant().any(|field| matches!(field, "find" | "replace"));
    if loose && known.contains(&"edits") && !object.contains_key("edits") && value.is_string() {
        return Some(Slip::LooseEdit);
    }
    if value.as_object().is_some_and(|inner| is_wrapper(inner, known)) {
        return Some(Slip::Wrapped);
    }
    let by_word = meant().find(free);
    let by_spelling = || nearest(name, known.iter().copied(), 1).first().copied();
    by_word.or_else(by_spelling).filter(free).map(Slip::Renamed)
}

/// Whether an object that should not be there holds fields that belong outside it, and nothing else.
fn is_wrapper(inner: &Map<String, Value>, known: &[&str]) -> bool {
    !inner.is_empty() && inner.keys().all(|key| known.contains(&key.as_str()))
}

/// The step type that another name stands for.
pub(super) fn step_type(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    let spelled = StepShape::names().find(|known| super::nearest::plain(known) == plain);
    let meant = || TYPES.iter().find(|(_, words)| words.contains(&plain.as_str())).map(|(step, _)| *step);
    spelled.or_else(meant)
}

/// What to do instead of a step of a type that there is not.
pub(super) fn no_step(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    NO_STEP.iter().find(|(words, _)| words.contains(&plain.as_str())).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_plain_and_every_meaning_is_ours() {
        let words = FIELDS.iter().chain(TYPES).flat_map(|(_, words)| words.iter());
        for word in words.chain(NO_STEP.iter().flat_map(|(words, _)| words.iter())) {
            assert_eq!(plain(word), **word);
        }
        for (step, _) in TYPES {
            assert!(StepShape::find(step).is_some(), "{step}");
        }
    }
}
