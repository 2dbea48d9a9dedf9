//! Completeness: does the plan do what was asked, with everything that kind of request needs?

use super::asked::{BEHAVIOUR, SCREEN, asks_for, asks_for_other_work, is_asked_for, is_held};
use super::specificity::{ELISION_HINT, STUB_HINT, elided};
use super::words::{Worth, every, stem, telling, worth_of_request};
use super::{View, issue, issue_at, issue_of, lack, worded};
use crate::assess::Issue;
use crate::prelude::*;
use crate::proposal::{Action, Domain, IntentKind};
use crate::scan::change::FileChange;
use crate::scan::source::{Role, is_ui};

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
    let mut issues: Vec<Issue> = request(view).into_iter().collect();
    let proposal = view.plan.proposal();
    if proposal.domain() == Domain::Files {
        named(view, &mut issues);
        issues.extend(view.changes.iter().filter_map(hinted));
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
fn request(view: &View<'_>) -> Option<Issue> {
    let text = &view.plan.proposal().intent.text;
    if worth_of_request(text) == Worth::Vague {
        let message = "the request says nothing that the steps could be held against";
        let hint = "say in `intent.text` what is wanted, where, and what is wrong or missing";
        return Some(worded(issue(3000, message, hint)));
    }
    let asked: BTreeSet<String> = telling(text).map(|word| stem(&word).to_owned()).collect();
    let documents = is_asked_for(view) && roles(view).iter().all(|role| *role == Role::Docs);
    if asked.len() < 2 || !text.is_ascii() || documents || asked.iter().any(|word| is_spoken(view, word)) {
        return None;
    }
    let changed = view.changes.iter().flat_map(|change| &change.lines).map(|line| line.bytes);
    if hold(changed, &asked) {
        return None;
    }
    let contents = view.changes.iter().flat_map(|change| [change.before, change.after]).flatten();
    let (points, message) = if hold(contents.flat_map(|content| content.bytes().split(|byte| *byte == b'\n')), &asked) {
        (1500, "only lines that stay have a word of the request")
    } else {
        (5000, "no step, path or changed file has a word of the request")
    };
    Some(issue(points, message, "describe in each step how it serves the request, or correct the targets"))
}

/// Whether the plan's words or paths have a word that begins so.
pub(super) fn is_spoken(view: &View<'_>, wanted: &str) -> bool {
    let has =
        |text: &str| every(text).any(|word| word.starts_with(wanted) || (word.len() > 2 && wanted.starts_with(&word)));
    view.steps().iter().any(|step| has(&step.description) || has(&step.target))
        || view.plan.proposal().assumptions.iter().any(|text| has(text))
}

/// Whether one of the lines holds one of the words, whatever its case.
pub(super) fn hold<'l>(mut lines: impl Iterator<Item = &'l [u8]>, words: &BTreeSet<String>) -> bool {
    let finders: Vec<_> = words.iter().map(|word| memchr::memmem::Finder::new(word.as_bytes())).collect();
    let mut lower = Vec::new();
    lines.any(|line| {
        lower.clear();
        lower.extend(line.iter().map(u8::to_ascii_lowercase));
        finders.iter().any(|finder| finder.find(&lower).is_some())
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
        let mut missing = issue_of(
            "/intent/target/files",
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
            issues.push(issue_of(
                "/intent/target/symbols",
                2000 / count(intent.symbols.len()),
                message,
                "change the file that holds it, or correct the name",
            ));
        }
    }
}

/// A file of which a part is only hinted at.
fn hinted(change: &FileChange<'_>) -> Option<Issue> {
    let elided = elided(change)?;
    let points = if elided.lost { 4000 } else { 2000 };
    let (what, hint) = match elided.stub {
        true => ("a function has a body that does nothing yet", STUB_HINT),
        false => ("a part of the file is only hinted at", ELISION_HINT),
    };
    Some(issue_at(points, what, hint, change.place(elided.line)))
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
        issues.push(lack(
            4000,
            "no project file",
            "create the file that names the project and its dependencies, such as `Cargo.toml` or `package.json`",
        ));
    }
    let starts = |name: &String| ENTRY_POINTS.contains(&name.split('.').next().unwrap_or_default());
    if !names.iter().any(starts) {
        issues.push(lack(
            3000,
            "no entry point",
            "create the file the program starts from, such as `src/main.rs` or `index.js`",
        ));
    }
    if !builds(view) && !names.iter().any(is_project) {
        issues.push(lack(
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
    let (other, asked) = (asks_for_other_work(view), is_asked_for(view));
    let roles = roles(view);
    if is_prose(&roles) && !asked {
        issues.push(prose(view, "nothing new can happen: only documentation or tests change", "holds the logic"));
    } else if roles.len() == 1 && roles.contains(&Role::Config) && !asked && !is_held(view) {
        // Settings alone can switch something on.
        issues.push(lack(
            2000,
            "only settings change, so nothing new can happen unless it is there already",
            "add the step that holds the logic, or say in `intent.text` that it is about configuration",
        ));
    }
    let source: Vec<_> = view.changes.iter().filter(|change| change.role == Role::Source).collect();
    let existing = view.changes.iter().any(|change| change.before.is_some());
    if let [new] = &source[..]
        && !existing
        && !other
    {
        issues.push(issue_at(
            1500,
            "the new file is not wired into anything that exists",
            "add the step that calls, registers or exports it, or say why none is needed",
            new.place(None),
        ));
    }
    let shown = view.changes.iter().any(|change| is_ui(change.path));
    let has_screens = view.changes.iter().any(|change| {
        matches!(
            change.path.name().rsplit('.').next(),
            Some("ts" | "js" | "cs" | "swift" | "kt" | "dart" | "py" | "rb" | "php")
        )
    });
    if asks_for(view, SCREEN) && has_screens && !shown && !is_prose(&roles) {
        issues.push(lack(
            2000,
            "the request names something people see, but no view, template or style changes",
            "add the step that shows it",
        ));
    }
}

/// Location, fix, regression check.
fn fix_bug(view: &View<'_>, issues: &mut Vec<Issue>) {
    let roles = roles(view);
    if is_prose(&roles) && !is_asked_for(view) {
        issues.push(prose(view, "nothing is fixed: only documentation or tests change", "changes the faulty file"));
    }
    if let Some(fixed) = view.changes.iter().find(|change| change.role == Role::Source)
        && !roles.contains(&Role::Test)
        && !is_checked(view)
    {
        issues.push(issue_at(
            2500,
            "no regression check",
            "add a test that fails without the fix, or say in a step how it is verified",
            fixed.place(None),
        ));
    }
}

/// What the changed files are for.
fn roles(view: &View<'_>) -> BTreeSet<Role> {
    view.changes.iter().map(|change| change.role).collect()
}

/// Whether nothing changes but what people read and what checks code.
fn is_prose(roles: &BTreeSet<Role>) -> bool {
    !roles.is_empty() && roles.iter().all(|role| matches!(role, Role::Docs | Role::Test))
}

/// Documentation or tests alone: they can be all that was wanted, unless the request is about what a program does.
fn prose(view: &View<'_>, message: &str, step: &str) -> Issue {
    let points = if asks_for(view, BEHAVIOUR) { 5000 } else { 2500 };
    let hint = format!("add the step that {step}, or say in `intent.text` that documentation or tests are wanted");
    lack(points, message, hint)
}

/// Whether a test stands beside the code, or the words say how the fix is checked.
fn is_checked(view: &View<'_>) -> bool {
    let spoken = |text: &str| every(text).any(|word| CHECKS.contains(&word.as_str()));
    let proposal = view.plan.proposal();
    let markers = [&b"#[test]"[..], b"#[cfg(test)]", b"def test_", b"assert"];
    let checks = |line: &[u8]| {
        line.trim_ascii_start().starts_with(b">>> ")
            || markers.iter().any(|marker| memchr::memmem::find(line, marker).is_some())
    };
    view.steps().iter().any(|step| spoken(&step.description))
        || proposal.assumptions.iter().any(|text| spoken(text))
        || proposal.constraints.iter().any(|constraint| spoken(&constraint.description))
        || view.changes.iter().flat_map(FileChange::added_lines).any(|line| checks(line.bytes))
}

/// Configuration, and no source change.
fn build_package(view: &View<'_>, issues: &mut Vec<Issue>) {
    let configured = view.changes.iter().any(|change| matches!(change.role, Role::Config | Role::Manifest));
    let built = view.steps().iter().any(|step| step.action == Action::Build);
    if !configured && !built {
        issues.push(lack(
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
