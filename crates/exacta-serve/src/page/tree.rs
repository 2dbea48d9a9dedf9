//! The files of a plan by folder, for plans of many: where one is, how much of it changes, and whether it was viewed.

use super::diff::{counts, letter};
use crate::html::Html;
use exacta_view::StepView;
use std::collections::BTreeMap;

/// A folder: those in it, and the steps on files in it.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<(&'a str, &'a StepView)>,
}

/// All files of a plan, by folder.
pub fn tree(html: &mut Html, steps: &[StepView]) {
    let mut root = Folder::default();
    for step in steps {
        root.put(&step.target, step);
    }
    root.list(html);
}

impl<'a> Folder<'a> {
    fn put(&mut self, path: &'a str, step: &'a StepView) {
        match path.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder).or_default().put(rest, step),
            None => self.files.push((path, step)),
        }
    }

    fn list(&self, html: &mut Html) {
        html.tag("ul", &[("class", "files tree")], |html| {
            for (name, folder) in &self.folders {
                let (name, folder) = folder.only((*name).to_owned());
                html.tag("li", &[("class", "folder")], |html| {
                    html.leaf("span", &[("dir", "auto")], &format!("{name}/"));
                    folder.list(html);
                });
            }
            for (name, step) in &self.files {
                html.tag("li", &[("data-mark", &step.id)], |html| {
                    let (letter, word) = letter(&step.kind);
                    html.leaf("abbr", &[("class", "kind"), ("title", word)], letter);
                    html.leaf("a", &[("href", &format!("#step-{}", step.order)), ("dir", "auto")], name);
                    html.leaf("span", &[("class", "mark faint"), ("hidden", "")], "viewed");
                    counts(html, step);
                });
            }
        });
    }

    /// The first folder on the way down that holds more than one other, and the way there.
    fn only(&self, name: String) -> (String, &Self) {
        match (self.files.is_empty(), self.folders.iter().next()) {
            (true, Some((inner, folder))) if self.folders.len() == 1 => folder.only(format!("{name}/{inner}")),
            _ => (name, self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(target: &str) -> StepView {
        let text = || String::new();
        StepView {
            id: target.to_owned(),
            order: 1,
            kind: "file_modify".to_owned(),
            target: target.to_owned(),
            description: text(),
            dependencies: Vec::new(),
            diff: None,
            binary: None,
            added: 1,
            removed: 0,
        }
    }

    #[test]
    fn files_are_under_their_folders_and_chains_of_folders_are_one() {
        let mut html = Html::new();
        tree(&mut html, &["a/b/c.rs", "a/b/d/e.rs", "top.md", "x/y/z.rs"].map(step));
        let page = html.into_document();
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
        assert!(at(">a/b/<") < at(">d/<") && at(">d/<") < at(">e.rs<") && at(">e.rs<") < at(">c.rs<"));
        assert!(at(">x/y/<") < at(">z.rs<") && at(">z.rs<") < at(">top.md<"));
    }
}
