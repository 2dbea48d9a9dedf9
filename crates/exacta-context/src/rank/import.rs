//! Which files an import leads to: by the parts of its path, whatever the language, with the nearest file first.

use std::collections::BTreeMap;

/// The most files that one import is taken to lead to.
const MOST: usize = 12;

/// The files that imports can lead to.
#[derive(Debug)]
pub(crate) struct Targets<'a> {
    paths: &'a [&'a str],
    /// By the name they are imported by.
    by_stem: BTreeMap<&'a str, Vec<usize>>,
    by_folder: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Targets<'a> {
    /// Of all files, by their paths.
    pub fn of(paths: &'a [&'a str]) -> Self {
        let (mut by_stem, mut by_folder): (BTreeMap<_, Vec<usize>>, BTreeMap<_, Vec<usize>>) = Default::default();
        for (at, path) in paths.iter().enumerate() {
            by_stem.entry(stem(path)).or_default().push(at);
            by_folder.entry(folder(path)).or_default().push(at);
        }
        Self { paths, by_stem, by_folder }
    }

    /// The files that one import of the file at `from` leads to, the likeliest first.
    pub fn resolve(&self, from: usize, import: &str) -> Vec<usize> {
        let Some(own) = self.paths.get(from) else { return Vec::new() };
        let quoted = import.split(['"', '\'', '`']).nth(1);
        let parts: Vec<&str> = match quoted {
            Some(path) => path.split('/').map(without_extension).filter(|part| is_part(part)).collect(),
            None => import.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| is_part(part)).collect(),
        };
        let mut found: Vec<(u64, usize)> = Vec::new();
        for part in &parts {
            let candidates = self.by_stem.get(part).into_iter().flatten();
            // The last part of a quoted path is the file itself.
            let last = u64::from(quoted.is_some() && parts.last() == Some(part)) * 4;
            found.extend(candidates.filter(|at| **at != from).map(|at| (self.nearness(own, *at, &parts) + last, *at)));
        }
        if found.is_empty() && quoted.is_some() {
            found.extend(self.package(&parts).into_iter().map(|at| (1, at)));
        }
        let best = found.iter().map(|(near, _)| *near).max().unwrap_or_default();
        // An import that shares nothing but a common word with a far file is from outside the project.
        found.retain(|(near, _)| *near > 0 && *near * 2 > best);
        found.sort_by_key(|(near, at)| (std::cmp::Reverse(*near), *at));
        found.into_iter().map(|(_, at)| at).take(MOST).collect()
    }

    /// How much speaks for a file: parts of the import that are in its path, and folders that it shares with the importer.
    fn nearness(&self, own: &str, at: usize, parts: &[&str]) -> u64 {
        let Some(path) = self.paths.get(at) else { return 0 };
        let named = folder(path).split('/').filter(|part| parts.contains(part)).count() as u64;
        let shared =
            folder(own).split('/').zip(folder(path).split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count();
        let beside = u64::from(folder(own) == folder(path));
        named * 4 + shared as u64 * 2 + beside * 2 + u64::from(!folder(path).contains('/'))
    }

    /// The files of a package that is imported by the path of its folder.
    fn package(&self, parts: &[&str]) -> Vec<usize> {
        let Some(last) = parts.last() else { return Vec::new() };
        let ends = |folder: &str| folder.rsplit('/').next() == Some(last);
        self.by_folder
            .iter()
            .filter(|(folder, _)| ends(folder))
            .flat_map(|(_, files)| files.iter().copied())
            .take(MOST)
            .collect()
    }
}

/// The folder of a path; empty at the top.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name that a file is imported by: that of its folder where it speaks for it.
fn stem(path: &str) -> &str {
    let name = without_extension(path.rsplit('/').next().unwrap_or(path));
    match name {
        "mod" | "__init__" | "index" => folder(path).rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(name),
        _ => name,
    }
}

fn without_extension(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a part of an import can be the name of a file.
fn is_part(part: &str) -> bool {
    const WORDS: &str = " use pub crate self super mod import from as static using namespace include require require_relative const let \
        type default export std ";
    !part.is_empty() && !WORDS.split_ascii_whitespace().any(|word| word == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_lead_to_files() {
        let paths = [
            "lib/app.js",
            "lib/router/index.js",
            "lib/router/route.js",
            "pkg/__init__.py",
            "pkg/cli.py",
            "pkg/core/cli.py",
            "src/b.rs",
            "src/main.rs",
            "src/walk/mod.rs",
            "util/text/text.go",
            "util/text/width.go",
        ];
        let targets = Targets::of(&paths);
        let cases = [
            ("lib/app.js", "require('./router')", "lib/router/index.js"),
            ("lib/app.js", "import { Route } from './router/route';", "lib/router/route.js"),
            ("pkg/__init__.py", "from .cli import main", "pkg/cli.py"),
            ("pkg/__init__.py", "from pkg.core.cli import main", "pkg/core/cli.py"),
            ("src/main.rs", "mod b;", "src/b.rs"),
            ("src/main.rs", "use crate::walk::{Walk, b};", "src/walk/mod.rs"),
            ("src/main.rs", "use std::io;", ""),
            ("src/b.rs", "import \"example.com/x/util/text\"", "util/text/text.go"),
        ];
        for (from, import, expected) in cases {
            let from = paths.iter().position(|path| *path == from).unwrap();
            let found = targets.resolve(from, import);
            let first = found.first().map_or("", |at| paths[*at]);
            if import.contains('{') && expected.contains("walk") {
                assert!(found.iter().any(|at| paths[*at] == expected), "{import}");
            } else {
                assert_eq!(first, expected, "{import}");
            }
        }
    }
}
