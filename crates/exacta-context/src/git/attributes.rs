//! Which files git keeps in another form than they have in the work tree: by attributes (`filter`, `ident`, `eol`, `working-tree-encoding`) and
//! by a setting for line ends. Git's own programs for that are never run; such a file is only named.

use crate::beneath;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;
use std::collections::BTreeMap;

/// The largest file of attributes that is read.
const CAP: u64 = 1 << 20;

/// The attributes of a work tree, read folder by folder as they are asked for.
#[derive(Debug)]
pub struct Attributes<'r> {
    root: BorrowedFd<'r>,
    /// Of a folder, what its own file says.
    folders: BTreeMap<String, Vec<Line>>,
    /// What counts before all files.
    first: Vec<Line>,
    /// What counts after all files.
    last: Vec<Line>,
}

/// One line: files, and what it says of them.
#[derive(Debug)]
struct Line {
    files: Gitignore,
    words: Vec<String>,
}

impl<'r> Attributes<'r> {
    /// Those of a work tree; `user` are the lines of the user's own file, and `own` those of the repository's.
    #[must_use]
    pub fn of(root: BorrowedFd<'r>, user: &str, own: &str) -> Self {
        Self { root, folders: BTreeMap::new(), first: lines("", user), last: lines("", own) }
    }

    /// Why git keeps a file in another form, if it does.
    pub fn converts(&mut self, path: &str) -> Option<&'static str> {
        let mut above = vec![String::new()];
        above.extend(path.match_indices('/').map(|(at, _)| path.get(..at).unwrap_or_default().to_owned()));
        for folder in &above {
            if !self.folders.contains_key(folder) {
                let name =
                    if folder.is_empty() { ".gitattributes".to_owned() } else { format!("{folder}/.gitattributes") };
                let text = beneath::file(self.root, &name, CAP).ok().flatten();
                let text = text.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
                self.folders.insert(folder.clone(), lines(folder, &text));
            }
        }
        let inner = above.iter().filter_map(|folder| self.folders.get(folder)).flatten();
        let all = self.first.iter().chain(inner).chain(&self.last);
        let mut said: BTreeMap<&str, bool> = BTreeMap::new();
        for line in all.filter(|line| line.files.matched(path, false).is_ignore()) {
            for word in &line.words {
                let (name, is_set) = match word.strip_prefix(['-', '!']) {
                    Some(name) => (name, false),
                    None => (word.as_str(), true),
                };
                let (name, value) = name.split_once('=').unwrap_or((name, ""));
                said.insert(name, if name == "eol" { is_set && value == "crlf" } else { is_set });
            }
        }
        let is_set = |name: &str| said.get(name) == Some(&true);
        [
            ("filter", "is kept by git through a filter"),
            ("ident", "is kept by git with a changing `$Id$`"),
            ("working-tree-encoding", "is kept by git in another encoding"),
            ("eol", "is kept by git with other line ends"),
        ]
        .into_iter()
        .find_map(|(name, why)| is_set(name).then_some(why))
    }
}

/// The lines of a file of attributes in a folder.
fn lines(folder: &str, text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', '!', '['])) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let Some(pattern) = words.next() else { continue };
        let mut builder = GitignoreBuilder::new(folder);
        let added = builder.add_line(None, &pattern).is_ok();
        if let Some(files) = builder.build().ok().filter(|_| added) {
            lines.push(Line { files, words: words.collect() });
        }
    }
    lines
}
