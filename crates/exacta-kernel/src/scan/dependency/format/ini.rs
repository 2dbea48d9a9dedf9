//! Files of `[section]`, `key = value` and continued lines, as Python's configparser reads them; and plain lists in sections.

use crate::prelude::*;

/// One key with its lines.
#[derive(Debug)]
pub(super) struct Entry {
    pub section: String,
    pub key: String,
    pub value: Vec<String>,
}

impl Entry {
    /// The whole entry as one line of text.
    pub fn line(&self) -> String {
        format!("[{}] {} = {}", self.section, self.key, self.value.join(" | "))
    }
}

/// Every key of a text; `None` if a line is neither section, key, comment nor continued.
pub(super) fn read(text: &str) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut section, mut begun) = (None::<String>, false);
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) && begun {
            entries.last_mut()?.value.push(bare.to_owned());
            continue;
        }
        if let Some(name) = bare.strip_prefix('[') {
            section = Some(name.strip_suffix(']')?.to_owned());
            begun = false;
            continue;
        }
        let (key, value) = bare.split_once(['=', ':'])?;
        let value = [value.trim()].into_iter().filter(|value| !value.is_empty()).map(ToOwned::to_owned).collect();
        entries.push(Entry { section: section.clone()?, key: key.trim().to_lowercase(), value });
        begun = true;
    }
    Some(entries)
}

/// The lines of each section, without comments; what comes before the first section is not read.
pub(super) fn lists(text: &str) -> Option<Vec<(String, String)>> {
    let mut lines = Vec::new();
    let mut section = None::<String>;
    for line in text.lines() {
        let bare = line.split(" #").next().unwrap_or(line).trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        match bare.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => section = Some(name.to_owned()),
            None => lines.push((section.clone()?, bare.to_owned())),
        }
    }
    Some(lines)
}
