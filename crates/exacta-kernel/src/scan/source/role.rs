//! What a file is for, by its path and by what it says.

use super::foreign::is_foreign;
use super::language;
use crate::facts::FileContent;
use crate::path::RelPath;
use crate::scan::dependency::format_of;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Checks other code.
    Test,
    /// For people.
    Docs,
    /// Names dependencies.
    Manifest,
    /// Nobody wrote it here: generated, or taken over from elsewhere.
    Foreign,
    /// Runs.
    Source,
    /// Settings and build files.
    Config,
    /// Data, images, anything else.
    Asset,
}

const TEST_FOLDERS: &[&str] = &[
    "t",
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "e2e",
    "cypress",
    "fixtures",
    "testdata",
    "testsuite",
    "__snapshots__",
    "snapshots",
    "__mocks__",
    "benches",
];
const DOC_ENDINGS: &[&str] = &["md", "markdown", "rst", "adoc", "txt", "org", "tex", "mdx"];
const DOC_NAMES: &[&str] = &[
    "license",
    "licence",
    "changelog",
    "changes",
    "history",
    "news",
    "release-notes",
    "releasenotes",
    "readme",
    "authors",
    "credits",
    "thanks",
    "contributing",
    "maintainers",
    "todo",
    "faq",
    "notice",
    "copying",
];
/// Folders with a note for each release or change.
const DOC_FOLDERS: &[&str] = &["changelogs", "changelog.d", "newsfragments"];
const CONFIG_ENDINGS: &[&str] = &[
    "toml",
    "yaml",
    "yml",
    "json",
    "json5",
    "jsonc",
    "ini",
    "cfg",
    "conf",
    "properties",
    "xml",
    "env",
    "lock",
    "gradle",
    "cmake",
    "mk",
    "nix",
    "tf",
    "hcl",
    "csproj",
    "sln",
    "props",
    "targets",
    "plist",
    "editorconfig",
    "config",
];
const CONFIG_NAMES: &[&str] =
    &["dockerfile", "makefile", "cmakelists.txt", "justfile", "procfile", "vagrantfile", "gemfile", "rakefile"];
const UI_ENDINGS: &[&str] = &[
    "tsx",
    "jsx",
    "vue",
    "svelte",
    "astro",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "xaml",
    "axaml",
    "razor",
    "cshtml",
    "erb",
    "haml",
    "hbs",
    "ejs",
    "twig",
    "blade",
    "storyboard",
    "xib",
    "qml",
    "ui",
    "jinja",
    "j2",
];

/// What a file is for, given its content before and after a change.
pub(crate) fn role(path: &RelPath, before: Option<&FileContent>, after: Option<&FileContent>) -> Role {
    let role = by_path(path);
    let runs = matches!(role, Role::Source | Role::Config | Role::Asset);
    if runs && is_foreign(path, before, after) { Role::Foreign } else { role }
}

fn by_path(path: &RelPath) -> Role {
    let name = path.name().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if is_test(path) {
        Role::Test
    } else if format_of(path).is_some() {
        Role::Manifest
    } else if CONFIG_NAMES.contains(&name.as_str()) {
        Role::Config
    } else if is_docs(path, stem, ending) {
        Role::Docs
    } else if language(&name).is_some() || is_ui(path) {
        Role::Source
    } else if CONFIG_ENDINGS.contains(&ending) || name.starts_with('.') {
        Role::Config
    } else {
        Role::Asset
    }
}

/// Documents, pages of the manual (`curl.1`), notes for a release. What has a language is code, whatever its name.
fn is_docs(path: &RelPath, stem: &str, ending: &str) -> bool {
    let page = matches!(ending.as_bytes(), [b'1'..=b'9']);
    let named = || DOC_NAMES.contains(&stem) && !CONFIG_ENDINGS.contains(&ending);
    let note = || path.parts().rev().skip(1).any(|part| DOC_FOLDERS.contains(&part.to_lowercase().as_str()));
    DOC_ENDINGS.contains(&ending) || page || (language(path.name()).is_none() && (named() || note()))
}

/// Whether a file checks other code.
pub(crate) fn is_test(path: &RelPath) -> bool {
    let folder = path.parts().rev().skip(1).any(|part| TEST_FOLDERS.contains(&part.to_lowercase().as_str()));
    let name = path.name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let lower = stem.to_lowercase();
    let marked =
        lower.starts_with("test_") || lower.ends_with("_test") || lower.ends_with(".test") || lower.ends_with(".spec");
    let named = lower.ends_with("_spec")
        || lower.ends_with("_tests")
        || lower.ends_with(".cy")
        || lower == "tests"
        || lower == "conftest";
    folder || marked || named || stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec")
}

/// Whether people see it on a screen.
pub(crate) fn is_ui(path: &RelPath) -> bool {
    let name = path.name().to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let folders = ["components", "views", "templates", "screens", "pages", "layouts", "widgets", "ui"];
    UI_ENDINGS.contains(&ending)
        || path.parts().rev().skip(1).any(|part| folders.contains(&part.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        for (path, expected) in [
            ("src/lib.rs", Role::Source),
            ("src/parser_test.go", Role::Test),
            ("tests/data.json", Role::Test),
            ("web/Button.test.tsx", Role::Test),
            ("src/contest.py", Role::Source),
            ("README.md", Role::Docs),
            ("LICENSE", Role::Docs),
            ("RELEASE-NOTES", Role::Docs),
            ("doc/curl.1", Role::Docs),
            ("changelogs/fragments/a.yml", Role::Docs),
            ("install.sh", Role::Source),
            ("src/history.rs", Role::Source),
            ("t/t0001-init.sh", Role::Test),
            ("requirements.txt", Role::Manifest),
            ("app/package.json", Role::Manifest),
            ("CMakeLists.txt", Role::Config),
            ("config/app.yml", Role::Config),
            (".editorconfig", Role::Config),
            ("web/index.html", Role::Source),
            ("img/logo.png", Role::Asset),
            ("vendor/a/lib.rs", Role::Foreign),
            ("vendor/a/tests/lib.rs", Role::Test),
            ("vendor/a/README.md", Role::Docs),
            ("vendor/a/package.json", Role::Manifest),
        ] {
            assert_eq!(role(&RelPath::parse(path).unwrap(), None, None), expected, "{path}");
        }
    }
}
