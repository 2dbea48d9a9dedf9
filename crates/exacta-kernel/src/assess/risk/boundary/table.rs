//! Which files are boundaries by their name: the table `paths.txt`, read once a plan.

use crate::path::RelPath;
use crate::prelude::*;

/// The table as it is maintained.
const TEXT: &str = include_str!("paths.txt");

/// What a boundary is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Such as `GitHub Actions`.
    pub what: &'static str,
    /// Why it is one.
    pub why: &'static str,
}

/// The table, one row a pattern.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// The parts of the pattern before its last.
    front: &'static str,
    last: &'static str,
    /// Where its last part has a `*`.
    star: Option<usize>,
    /// Whether it fits what lies beneath, and not the thing itself.
    beneath: bool,
    boundary: Boundary,
}

impl Table {
    pub fn new() -> Self {
        let mut rows = Vec::with_capacity(1024);
        let mut why = "";
        for line in pieces(TEXT, b'\n') {
            if let Some(heading) = line.strip_prefix("= ") {
                why = heading;
            } else if !line.starts_with('#') {
                let mut columns = pieces(line, b'|').map(str::trim_ascii);
                if let (Some(patterns), Some(what)) = (columns.next(), columns.next()) {
                    rows.extend(pieces(patterns, b' ').map(|pattern| Row::new(pattern, Boundary { what, why })));
                }
            }
        }
        Self { rows }
    }

    /// What a file is to the boundary, by its path alone: case and spelling that some file system folds do not matter, and
    /// neither does the folder the tool's own folder lies in.
    pub fn find(&self, path: &RelPath) -> Option<Boundary> {
        let key = path.fold_key();
        let parts: Vec<&str> = key.split('/').map(|part| part.trim_end_matches(['.', ' '])).collect();
        self.rows.iter().find(|row| row.fits(&parts)).map(|row| row.boundary)
    }
}

impl Row {
    fn new(pattern: &'static str, boundary: Boundary) -> Self {
        let (pattern, beneath) = pattern.strip_suffix("/**").map_or((pattern, false), |folder| (folder, true));
        let slash = memchr::memrchr(b'/', pattern.as_bytes());
        let (front, last) =
            slash.and_then(|at| Some((pattern.get(..at)?, pattern.get(at + 1..)?))).unwrap_or(("", pattern));
        Self { front, last, star: memchr::memchr(b'*', last.as_bytes()), beneath, boundary }
    }

    fn fits(&self, parts: &[&str]) -> bool {
        let Some((name, folders)) = parts.split_last() else { return false };
        if !self.beneath {
            return self.ends(name) && self.follows(folders);
        }
        let mut ends = folders.iter().enumerate();
        ends.any(|(at, part)| self.ends(part) && self.follows(folders.get(..at).unwrap_or_default()))
    }

    fn ends(&self, part: &str) -> bool {
        match self.star {
            None => self.last == part,
            Some(star) => fits_around(self.last, star, part),
        }
    }

    /// Whether these folders end with the pattern's own.
    fn follows(&self, folders: &[&str]) -> bool {
        let mut folders = folders.iter().rev();
        self.front.is_empty()
            || self.front.rsplit('/').all(|wanted| folders.next().is_some_and(|part| fits_part(wanted, part)))
    }
}

/// At most one `*`.
fn fits_part(pattern: &str, part: &str) -> bool {
    pattern.find('*').map_or_else(|| pattern == part, |star| fits_around(pattern, star, part))
}

fn fits_around(pattern: &str, star: usize, part: &str) -> bool {
    let (pattern, part) = (pattern.as_bytes(), part.as_bytes());
    let start = pattern.get(..star).unwrap_or_default();
    let end = pattern.get(star + 1..).unwrap_or_default();
    part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
}

/// A text cut at each of these bytes, which are ASCII.
pub(super) fn pieces(text: &'static str, at: u8) -> impl Iterator<Item = &'static str> {
    let ends = memchr::memchr_iter(at, text.as_bytes()).chain([text.len()]);
    ends.scan(0, move |start, end| {
        let piece = text.get(*start..end);
        *start = end + 1;
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(path: &str) -> Option<&'static str> {
        Table::new().find(&RelPath::parse(path).unwrap()).map(|boundary| boundary.what)
    }

    #[test]
    fn every_row_is_whole_and_every_pattern_stands_once() {
        let mut seen = BTreeSet::new();
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '='])) {
            let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
            assert!(columns.len() == 3 && columns.iter().all(|column| !column.is_empty()), "{line}");
            let titled = |source: &str| {
                source
                    .split_once(", \"")
                    .is_some_and(|(who, title)| !who.is_empty() && title.ends_with('"') && title.len() > 3)
            };
            assert!(titled(columns[2]), "no document is named: {line}");
            for pattern in columns[0].split(' ') {
                assert!(seen.insert(pattern) && pattern == pattern.to_lowercase(), "{pattern}");
                assert!(pattern.split('/').all(|part| part == "**" || part.matches('*').count() < 2), "{pattern}");
            }
        }
        assert_eq!(Table::new().rows.len(), seen.len());
    }

    #[test]
    fn boundaries_by_path() {
        for path in [
            "etc/udev/rules.d/99-usb.rules",
            "udev/rules.d/run.rules",
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/ci.yml",
            "sub/.github/workflows/x.yaml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
            "ci/Jenkinsfile.release",
            "azure-pipelines-nightly.yml",
            ".husky/pre-commit",
            ".gitattributes",
            "vendor/.gitmodules",
            "build.rs",
            "crates/a/build.rs",
            "setup.py",
            ".vscode/tasks.json",
            "a/b/.vscode/settings.json",
            ".idea/runConfigurations/x.xml",
            ".devcontainer/devcontainer.json",
            ".envrc",
            ".mise.toml",
            "AGENTS.md",
            "docs/agents.md",
            "CLAUDE.md",
            ".cursor/rules/a.mdc",
            ".claude/settings.json",
            ".github/copilot-instructions.md",
            ".mcp.json",
            ".npmrc",
            ".yarnrc.yml",
            ".cargo/config.toml",
            "pip.conf",
            "CODEOWNERS",
            ".github/CODEOWNERS",
            ".pre-commit-config.yaml",
            "safety-policy.toml",
            ".ci/run",
            "deploy/app.service",
            ".ENVRC",
            "docker/Dockerfile.release",
            "compose.prod.yaml",
            ".vscode/extensions.json",
            ".semgrepignore",
            ".vscode/extensions/own/extension.js",
            ".github/skills/release/SKILL.md",
            ".aiassistant/rules/style.md",
            ".kilo/kilo.jsonc",
            ".some-agent-of-tomorrow/skills/deploy/run.sh",
            ".readthedocs.yaml",
            "deploy.gocd.yaml",
            "Makefile.PL",
            "hook/build.dart",
            ".pnp.cjs",
            "flake.nix",
            "go.work",
            "supply-chain/audits.toml",
            "gradle/verification-metadata.xml",
            ".config/dotnet-tools.json",
        ] {
            assert!(boundary(path).is_some(), "{path}");
        }
    }

    #[test]
    fn ordinary_paths() {
        for path in [
            "src/main.rs",
            "src/udev/udevd.c",
            "README.md",
            "Makefile",
            "package.json",
            ".github/ISSUE_TEMPLATE.md",
            "src/build.rs.txt",
            "src/user.service.ts",
            "docs/claude.txt",
            "tests/conftest.py",
            "src/agents/mod.rs",
            ".gitignore",
            "src/hooks/useAuth.ts",
            "config/settings.json",
            "src/tools/build.pl",
            "src/webhook/build.py",
            "src/rules/skills.rs",
            "game/skills/fire.lua",
            "src/supply-chain/audits.rs",
        ] {
            assert_eq!(boundary(path), None, "{path}");
        }
    }
}
