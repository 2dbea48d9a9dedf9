//! Policy boundaries: what runs by itself, what steers tools and agents, who may do what. Touching one makes a plan
//! SYSTEM-LEVEL.

mod content;
mod paths;

use super::reason;
use crate::assess::Reason;
use crate::path::RelPath;
use crate::prelude::*;
use crate::scan::change::FileChange;

/// Why the plan is SYSTEM-LEVEL, file by file; by name first, else by what changes in it.
pub(super) fn reasons(changes: &[FileChange<'_>]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for change in changes {
        if let Some(why) = of_path(change.path) {
            reasons.push(reason(0, why, change.place(None)));
        } else {
            reasons.extend(content::crossed(change).into_iter().map(|(why, line)| reason(0, why, change.place(line))));
        }
    }
    reasons
}

/// What a file is to the boundary, by its path alone: case and spelling that some file system folds do not matter, and
/// neither does the folder the tool's own folder lies in.
fn of_path(path: &RelPath) -> Option<&'static str> {
    let key = path.fold_key();
    let parts: Vec<&str> = key.split('/').map(|part| part.trim_end_matches(['.', ' '])).collect();
    paths::PATHS.iter().find(|(_, patterns)| patterns.iter().any(|pattern| fits(pattern, &parts))).map(|(why, _)| *why)
}

/// Whether a pattern fits the end of a path; one that ends in `/**` fits anything beneath that folder, wherever it lies.
fn fits(pattern: &str, parts: &[&str]) -> bool {
    let (pattern, beneath) = pattern.strip_suffix("/**").map_or((pattern, false), |folder| (folder, true));
    let wanted: Vec<&str> = pattern.split('/').collect();
    parts.windows(wanted.len()).enumerate().any(|(at, window)| {
        let rest = parts.len() - at - wanted.len();
        (rest == 0) != beneath && wanted.iter().zip(window).all(|(pattern, part)| fits_part(pattern, part))
    })
}

/// At most one `*`.
fn fits_part(pattern: &str, part: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == part,
        Some((start, end)) => part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(path: &str) -> Option<&'static str> {
        of_path(&RelPath::parse(path).unwrap())
    }

    #[test]
    fn boundaries_by_path() {
        for path in [
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
        ] {
            assert!(boundary(path).is_some(), "{path}");
        }
    }

    #[test]
    fn ordinary_paths() {
        for path in [
            "src/main.rs",
            "README.md",
            "Makefile",
            "Dockerfile",
            "package.json",
            ".github/ISSUE_TEMPLATE.md",
            "src/build.rs.txt",
            "src/user.service.ts",
            "docs/claude.txt",
            ".vscode/extensions.json",
            "tests/conftest.py",
            "src/agents/mod.rs",
            ".gitignore",
            "src/hooks/useAuth.ts",
            "config/settings.json",
        ] {
            assert_eq!(boundary(path), None, "{path}");
        }
    }
}
