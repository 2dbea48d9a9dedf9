//! Policy boundaries: what runs by itself, what steers tools and agents, who may do what. Touching one makes a plan
//! SYSTEM-LEVEL.

mod content;
mod program;
mod table;

use super::reason;
use crate::assess::Reason;
use crate::content_kind::ContentKind;
use crate::prelude::*;
use crate::scan::change::FileChange;
use content::Contents;
use table::Table;

/// Why the plan is SYSTEM-LEVEL, file by file: by name, and by what changes in it.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let (table, contents) = (Table::new(), Contents::new());
    let keys: Vec<String> = changes.iter().map(|change| change.path.fold_key()).collect();
    let mut reasons = Vec::new();
    for (change, key) in changes.iter().zip(&keys) {
        if let Some(boundary) = table.find(change.path).filter(|_| !program::is_module(change)) {
            reasons.push(reason(0, format!("{}: {}", boundary.what, boundary.why), change.place(None)));
        }
        if is_head(key, &keys) {
            reasons.push(reason(0, format!("a repository: {GIT}"), change.place(None)));
        }
        if let Some(kind) = change.after.and_then(|after| ContentKind::of_program(change.path, change.before, after)) {
            let why = format!("a program that is no text ({}): nobody can read what it does", kind.name);
            reasons.push(reason(0, why, change.place(None)));
        }
        reasons.extend(contents.crossed(change).into_iter().map(|(why, line)| reason(0, why, change.place(line))));
    }
    reasons
}

/// Why a repository is a boundary, as the tables have it.
const GIT: &str = "steers git or runs in its hooks";

/// Whether one of a plan's paths is the `HEAD` beside an `objects/` or `refs/` that it writes to as well: git takes such a folder
/// for a repository, whatever it is called.
fn is_head(key: &str, keys: &[String]) -> bool {
    let Some(folder) = key.strip_suffix("head").filter(|folder| folder.is_empty() || folder.ends_with('/')) else {
        return false;
    };
    let mut beside = keys.iter().filter_map(|other| other.strip_prefix(folder));
    beside.any(|rest| rest.starts_with("objects/") || rest.starts_with("refs/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// attack 57: a repository is one by what is in it.
    #[test]
    fn attack_57_a_head_beside_objects_or_refs() {
        let keys = ["a/head", "a/objects/keep", "refs/keep", "b/objects"].map(str::to_owned);
        for head in ["a/head", "head"] {
            assert!(is_head(head, &keys), "{head}");
        }
        for other in ["b/head", "a/ahead", "ahead", "a/objects/head", "c/head"] {
            assert!(!is_head(other, &keys), "{other}");
        }
    }
}
