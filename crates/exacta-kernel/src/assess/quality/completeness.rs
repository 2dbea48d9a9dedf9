//! Completeness: does the plan do what was asked, with everything that kind of request needs?

use super::words::{Worth, every, stem, telling, worth_of_request};
use super::{View, issue, issue_at};
use crate::assess::Issue;
use crate::assess::source::{Role, is_ui};
use crate::prelude::*;
use crate::proposal::{Action, Domain, IntentKind};
use crate::scan::change::FileChange;

/// Words that make documentation, settings or tests the thing that was asked for.
const OTHER_WORK: &[&str] = &[
    "document",
    "documentation",
    "docs",
    "readme",
    "changelog",
    "comment",
    "comments",
    "typo",
    "typos",
    "wording",
    "translation",
    "translations",
    "config",
    "configuration",
    "setting",
    "settings",
    "test",
    "tests",
    "testing",
    "coverage",
    "flaky",
    "spec",
    "license",
    "licence",
    "example",
    "examples",
    "dependency",
    "dependencies",
    "bump",
    "upgrade",
    "version",
    "workflow",
    "pipeline",
    "docker",
    "container",
    "image",
    "icon",
    "schema",
    "migration",
    "lint",
    "format",
    "localization",
    "text",
    "copy",
    "release",
];
/// Words that show that the fix is checked.
const CHECKS: &[&str] = &[
    "test",
    "tests",
    "tested",
    "regression",
    "reproduce",
    "reproduces",
    "verify",
    "verified",
    "spec",
    "assert",
    "coverage",
    "covers",
    "covered",
];
/// Words that name something people see.
const SCREEN: &[&str] = &[
    "button", "page", "screen", "dialog", "modal", "form", "menu", "sidebar", "toolbar", "tooltip", "layout", "ui",
    "theme", "dropdown", "checkbox", "banner", "widget", "navbar", "footer", "header",
];
/// Files that make a folder a project.
const PROJECT_FILES: &[&str] = &[
    "cmakelists.txt",
    "makefile",
    "mix.exs",
    "pubspec.yaml",
    "deno.json",
    "build.zig",
    "meson.build",
    "project.clj",
    "build.sbt",
    "package.swift",
    "dune-project",
    "stack.yaml",
    "index.html",
];
/// File names, without ending, that a program starts from.
const ENTRY_POINTS: &[&str] =
    &["main", "index", "program", "app", "lib", "__main__", "__init__", "server", "cli", "manage", "mod"];

pub(super) fn issues(view: &View<'_>) -> Vec<Issue> {
    let mut issues = request(view);
    let proposal = view.plan.proposal();
    if proposal.domain() == Domain::Files {
        named(view, &mut issues);
    }
    match proposal.intent.kind {
        IntentKind::CreateProject => create_project(view, &mut issues),
        IntentKind::AddFeature => add_feature(view, &mut issues),
        IntentKind::FixBug => fix_bug(view, &mut issues),
        IntentKind::BuildPackage => build_package(view, &mut issues),
        _ => {}
    }
    issues
}

/// Whether the request says enough to hold the plan against, and whether the plan speaks of it at all.
fn request(view: &View<'_>) -> Vec<Issue> {
    let text = &view.plan.proposal().intent.text;
    if worth_of_request(text) == Worth::Vague {
        let message = "the request says nothing that the steps could be held against";
        return vec![issue(3000, message, "say in `intent.text` what is wanted, where, and what is wrong or missing")];
    }
    let asked: BTreeSet<String> = telling(text).map(|word| stem(&word).to_owned()).collect();
    let spoken = || asked.iter().any(|word| covers(view, word));
    if asked.len() < 2 || !text.is_ascii() || spoken() {
        return Vec::new();
    }
    let hint = "describe in each step how it serves the request, or correct the targets";
    vec![issue(5000, "no step, path or changed line has a word of the request", hint)]
}

/// Whether the plan's words, paths or changed lines have a word that begins so.
fn covers(view: &View<'_>, wanted: &str) -> bool {
    let has =
        |text: &str| every(text).any(|word| word.starts_with(wanted) || (word.len() > 2 && wanted.starts_with(&word)));
    let proposal = view.plan.proposal();
    let words = view.steps().iter().any(|step| has(&step.description) || has(&step.target));
    words
        || proposal.assumptions.iter().any(|text| has(text))
        || view.changes.iter().flat_map(|change| &change.lines).any(|line| {
            let line = line.bytes.to_ascii_lowercase();
            memchr::memmem::find(&line, wanted.as_bytes()).is_some()
        })
}

/// Files and symbols that the request names.
fn named(view: &View<'_>, issues: &mut Vec<Issue>) {
    let intent = &view.plan.proposal().intent;
    let count = |len: usize| u32::try_from(len.max(1)).unwrap_or(u32::MAX);
    for file in
        intent.files.iter().filter(|file| !view.changes.iter().any(|change| change.path.as_str() == file.as_str()))
    {
        let message = format!("the request names `{file}`, but no step touches it");
        let mut missing = issue(
            4000 / count(intent.files.len()),
            message,
            "add a step for it, or leave it out of `intent.target.files`",
        );
        missing.path = Some(file.clone());
        issues.push(missing);
    }
    let holds = |change: &FileChange<'_>, symbol: &str| {
        [change.before, change.after]
            .iter()
            .flatten()
            .any(|content| memchr::memmem::find(content.bytes(), symbol.as_bytes()).is_some())
    };
    for symbol in &intent.symbols {
        let last = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol);
        if !view.changes.iter().any(|change| holds(change, last)) {
            let message = format!("the request names `{symbol}`, which is in none of the changed files");
            issues.push(issue(
                2000 / count(intent.symbols.len()),
                message,
                "change the file that holds it, or correct the name",
            ));
        }
    }
}

/// Project file, entry point, build configuration.
fn create_project(view: &View<'_>, issues: &mut Vec<Issue>) {
    let names: Vec<String> = view
        .changes
        .iter()
        .filter(|change| change.after.is_some())
        .map(|change| change.path.name().to_lowercase())
        .collect();
    let is_project = |name: &String| PROJECT_FILES.contains(&name.as_str()) || name.ends_with(".sln");
    let manifests = view.changes.iter().any(|change| change.role == Role::Manifest);
    if !manifests && !names.iter().any(is_project) {
        issues.push(issue(
            4000,
            "no project file",
            "create the file that names the project and its dependencies, such as `Cargo.toml` or `package.json`",
        ));
    }
    let starts = |name: &String| ENTRY_POINTS.contains(&name.split('.').next().unwrap_or_default());
    if !names.iter().any(starts) {
        issues.push(issue(
            3000,
            "no entry point",
            "create the file the program starts from, such as `src/main.rs` or `index.js`",
        ));
    }
    if !builds(view) && !names.iter().any(is_project) {
        issues.push(issue(
            2000,
            "nothing says how the project is built or run",
            "add build settings or scripts to the project file, or a build file",
        ));
    }
}

/// Manifests that build by themselves, or that have scripts or a build system.
fn builds(view: &View<'_>) -> bool {
    let has = |change: &FileChange<'_>, word: &[u8]| {
        change.after.is_some_and(|after| memchr::memmem::find(after.bytes(), word).is_some())
    };
    view.changes.iter().any(|change| match change.path.name() {
        "package.json" => has(change, b"\"scripts\""),
        "pyproject.toml" => has(change, b"[build-system]") || has(change, b"[tool."),
        "composer.json" => has(change, b"\"autoload\"") || has(change, b"\"scripts\""),
        "requirements.txt" | "Gemfile" => false,
        _ => change.role == Role::Manifest,
    }) || view.steps().iter().any(|step| step.action == Action::Build)
}

/// Logic, wiring, and a screen where there is one.
fn add_feature(view: &View<'_>, issues: &mut Vec<Issue>) {
    let other = asks_for(view, OTHER_WORK);
    let roles: BTreeSet<Role> = view.changes.iter().map(|change| change.role).collect();
    if !roles.contains(&Role::Source) && !other {
        // Settings alone can switch something on; notes and data cannot.
        let configured = [Role::Config, Role::Manifest, Role::Foreign].iter().any(|role| roles.contains(role));
        let points = if configured { 2000 } else { 5000 };
        issues.push(issue(
            points,
            "no source file changes, so nothing new can happen",
            "add the step that holds the logic",
        ));
    }
    let source: Vec<_> = view.changes.iter().filter(|change| change.role == Role::Source).collect();
    let existing = view.changes.iter().any(|change| change.before.is_some());
    if !existing && source.len() == 1 && !other {
        issues.push(issue(
            1500,
            "the new file is not wired into anything that exists",
            "add the step that calls, registers or exports it, or say why none is needed",
        ));
    }
    let shown = view.changes.iter().any(|change| is_ui(change.path));
    let has_screens = view.changes.iter().any(|change| {
        matches!(
            change.path.name().rsplit('.').next(),
            Some("ts" | "js" | "cs" | "swift" | "kt" | "dart" | "py" | "rb" | "php")
        )
    });
    if asks_for(view, SCREEN) && has_screens && !shown {
        issues.push(issue(
            2000,
            "the request names something people see, but no view, template or style changes",
            "add the step that shows it",
        ));
    }
}

/// Location, fix, regression check.
fn fix_bug(view: &View<'_>, issues: &mut Vec<Issue>) {
    let roles: BTreeSet<Role> = view.changes.iter().map(|change| change.role).collect();
    let fixes = [Role::Source, Role::Config, Role::Manifest, Role::Foreign, Role::Asset]
        .iter()
        .any(|role| roles.contains(role));
    if !fixes && !asks_for(view, OTHER_WORK) {
        issues.push(issue(
            5000,
            "nothing is fixed: only tests or documentation change",
            "add the step that changes the faulty file",
        ));
    }
    if roles.contains(&Role::Source) && !roles.contains(&Role::Test) && !is_checked(view) {
        issues.push(issue(
            2500,
            "no regression check",
            "add a test that fails without the fix, or say in a step how it is verified",
        ));
    }
}

/// Whether a test stands beside the code, or the words say how the fix is checked.
fn is_checked(view: &View<'_>) -> bool {
    let spoken = |text: &str| every(text).any(|word| CHECKS.contains(&word.as_str()));
    let proposal = view.plan.proposal();
    let markers = [&b"#[test]"[..], b"#[cfg(test)]", b"def test_", b"assert", b">>> "];
    view.steps().iter().any(|step| spoken(&step.description))
        || proposal.assumptions.iter().any(|text| spoken(text))
        || proposal.constraints.iter().any(|constraint| spoken(&constraint.description))
        || view
            .changes
            .iter()
            .flat_map(FileChange::added_lines)
            .any(|line| markers.iter().any(|marker| memchr::memmem::find(line.bytes, marker).is_some()))
}

/// Configuration, and no source change.
fn build_package(view: &View<'_>, issues: &mut Vec<Issue>) {
    let configured = view.changes.iter().any(|change| matches!(change.role, Role::Config | Role::Manifest));
    let built = view.steps().iter().any(|step| step.action == Action::Build);
    if !configured && !built {
        issues.push(issue(
            5000,
            "neither build configuration nor a build step",
            "add a step of type `build`, or the configuration the package needs",
        ));
    }
    for change in view.changes.iter().filter(|change| change.role == Role::Source) {
        let hint = "leave the source alone, or make it a plan of another intent";
        issues.push(issue_at(4000, "changes source code, which packaging does not need", hint, change.place(None)));
    }
}

/// Whether the request has one of these words.
fn asks_for(view: &View<'_>, words: &[&str]) -> bool {
    every(&view.plan.proposal().intent.text).any(|word| words.contains(&word.as_str()))
}
