//! Files that are boundaries only in part: the table `contents.txt`, read once a plan. What counts is what changes in them.

use super::table::pieces;
use crate::facts::FileContent;
use crate::prelude::*;
use crate::scan::change::FileChange;
use serde_json::Value;

/// The table as it is maintained.
const TEXT: &str = include_str!("contents.txt");

/// The table.
#[derive(Debug)]
pub(super) struct Contents {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    files: &'static str,
    part: Part,
    why: &'static str,
}

/// What of a file counts.
#[derive(Debug)]
enum Part {
    /// Parts of a document that change, by their dotted names.
    Keys(&'static str),
    /// Added lines with one of the phrases between the back-ticks.
    Lines(&'static str),
}

impl Contents {
    pub fn new() -> Self {
        let lines = pieces(TEXT, b'\n').filter(|line| !line.starts_with('#'));
        Self { rows: lines.filter_map(Row::read).collect() }
    }

    /// What a change crosses, each with its line where there is one.
    pub fn crossed(&self, change: &FileChange<'_>) -> Vec<(String, Option<u64>)> {
        let name = change.path.name().to_lowercase();
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.fits(&name)).collect();
        if rows.is_empty() && name.ends_with(".json") {
            return access_policy(change);
        }
        let mut crossed = keys(change, &rows, name.ends_with(".toml"));
        crossed.extend(lines(change, &rows));
        crossed
    }
}

impl Row {
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = pieces(line, b'|').map(str::trim_ascii);
        let (files, part, why) = (columns.next()?, columns.next()?, columns.next()?);
        let part = match part.split_once(' ')? {
            ("keys", keys) => Part::Keys(keys),
            (_, phrases) => Part::Lines(phrases),
        };
        Some(Self { files, part, why })
    }

    fn fits(&self, name: &str) -> bool {
        self.files.split(' ').any(|file| file.strip_prefix('*').map_or(file == name, |end| name.ends_with(end)))
    }
}

/// Parts of a document that change.
fn keys(change: &FileChange<'_>, rows: &[&Row], toml: bool) -> Vec<(String, Option<u64>)> {
    let keys =
        || rows.iter().filter_map(|row| if let Part::Keys(keys) = row.part { Some((keys, row.why)) } else { None });
    if keys().next().is_none() {
        return Vec::new();
    }
    let read = |content: Option<&FileContent>| content.map_or(Some(Value::Null), |content| document(content, toml));
    let Some(after) = read(change.after) else {
        return vec![("cannot be read, so that nobody knows what it makes run by itself".to_owned(), None)];
    };
    let before = read(change.before).unwrap_or_default();
    // A new project's ordinary build back end runs nothing of its own.
    let ordinary = |key: &str| change.before.is_none() && key == "build-system.build-backend";
    let all = keys().flat_map(|(keys, why)| keys.split(' ').map(move |key| (key, why)));
    let changed = all.filter(|(key, _)| at(&before, key) != at(&after, key) && !ordinary(key));
    let last = |key: &str| line_of(change, key.rsplit('.').next().unwrap_or(key));
    changed.map(|(key, why)| (format!("`{key}` {why}"), last(key))).collect()
}

/// What stands there; `build = false` says no more than leaving it out.
fn at<'a>(document: &'a Value, key: &str) -> Option<&'a Value> {
    let found = key.split('.').try_fold(document, |value, part| value.get(part));
    found.filter(|found| **found != Value::Bool(false))
}

/// A JSON or TOML document; none if it cannot be read.
fn document(content: &FileContent, toml: bool) -> Option<Value> {
    let text = core::str::from_utf8(content.bytes()).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if toml { toml::from_str(text).ok() } else { serde_json::from_str(text).ok() }
}

/// Changed lines that have a phrase.
fn lines(change: &FileChange<'_>, rows: &[&Row]) -> Vec<(String, Option<u64>)> {
    let phrases =
        rows.iter().filter_map(|row| if let Part::Lines(phrases) = row.part { Some((phrases, row.why)) } else { None });
    let phrases: Vec<(&str, &str)> =
        phrases.flat_map(|(phrases, why)| phrases.split('`').skip(1).step_by(2).map(move |it| (it, why))).collect();
    let mut found = Vec::new();
    for line in change.lines.iter().filter(|_| !phrases.is_empty()) {
        let text = String::from_utf8_lossy(line.bytes).to_lowercase();
        let text = text.split('#').next().unwrap_or_default();
        let crossed = phrases.iter().find(|(phrase, _)| text.contains(phrase));
        found.extend(crossed.map(|(_, why)| ((*why).to_owned(), Some(line.line))));
    }
    found
}

/// A policy of a cloud account as JSON.
fn access_policy(change: &FileChange<'_>) -> Vec<(String, Option<u64>)> {
    let has = |content: Option<&FileContent>, word: &[u8]| {
        content.is_some_and(|content| memchr::memmem::find(content.bytes(), word).is_some())
    };
    let either = |word: &[u8]| has(change.after, word) || has(change.before, word);
    let policy = either(b"\"Statement\"") && either(b"\"Effect\"") && either(b"\"Action\"");
    if policy || either(b"AWS::IAM::") || either(b"Microsoft.Authorization/") {
        return vec![("decides who may do what in a cloud account".to_owned(), line_of(change, "Effect"))];
    }
    Vec::new()
}

/// The first added line that has this word.
fn line_of(change: &FileChange<'_>, word: &str) -> Option<u64> {
    let mut lines = change.added_lines();
    lines.find(|line| memchr::memmem::find(line.bytes, word.as_bytes()).is_some()).map(|line| line.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_names_its_source() {
        let lines: Vec<&str> = TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        for line in &lines {
            let columns: Vec<&str> = line.split(" | ").collect();
            let [files, part, why, source] = columns[..] else { panic!("{line}") };
            assert!(!files.is_empty() && files == files.to_lowercase() && !why.is_empty(), "{line}");
            assert!(source.ends_with('"') && source.contains(", \""), "no document is named: {line}");
            let phrases = part.strip_prefix("lines ").map(|phrases| phrases.matches('`').count());
            assert!(part.starts_with("keys ") || phrases.is_some_and(|marks| marks > 0 && marks % 2 == 0), "{line}");
            assert!(phrases.is_none() || part == part.to_lowercase(), "{line}");
        }
        assert_eq!(Contents::new().rows.len(), lines.len());
    }
}
