//! A manifest or lock file before and after, of every kind that is read: never a panic, the same answer twice, the way back
//! takes away what the way there adds, and a constraint against new dependencies sees them all.
//!
//! The input is a byte that says which file, its content before up to a byte 0xFF, and its content after.
#![no_main]

use exacta_kernel::assess::assess;
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::constraint::State;
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::scan::DependencyKind;
use exacta_kernel::seal::seal;
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::sync::Arc;

const FILES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pyproject.toml",
    "requirements.txt",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "go.mod",
    "go.sum",
    "composer.json",
    "composer.lock",
    "Gemfile",
    "Gemfile.lock",
    "pom.xml",
    "build.gradle",
    "gradle/libs.versions.toml",
    "app.csproj",
    "requirements/base.in",
    "setup.cfg",
    "environment.yml",
    "pnpm-workspace.yaml",
    "deno.jsonc",
    "go.work",
    "gradle.lockfile",
    "packages.lock.json",
    "pubspec.yaml",
    "pubspec.lock",
    "vcpkg.json",
    "conanfile.txt",
    "Package.resolved",
];

fuzz_target!(|data: &[u8]| {
    let Some((which, data)) = data.split_first() else { return };
    let path = FILES[usize::from(*which) % FILES.len()];
    let at = data.iter().position(|byte| *byte == 0xff).unwrap_or(data.len());
    let after = String::from_utf8_lossy(data.get(at + 1..).unwrap_or_default());
    let Some(there) = changes(path, &data[..at], &after) else { return };
    // The way back takes away what the way there adds, if both can be read.
    let Some(back) = changes(path, after.as_bytes(), &String::from_utf8_lossy(&data[..at])) else { return };
    if std::str::from_utf8(&data[..at]).is_ok() && !unreadable(&there) && !unreadable(&back) {
        let names = |changes: &[Change], kind| -> Vec<String> {
            changes.iter().filter(|change| change.kind == kind).map(|change| change.name.clone()).collect()
        };
        assert_eq!(names(&there, DependencyKind::Added), names(&back, DependencyKind::Removed));
        assert_eq!(names(&there, DependencyKind::Removed), names(&back, DependencyKind::Added));
    }
});

struct Change {
    kind: DependencyKind,
    name: String,
    new_source: Option<String>,
}

fn unreadable(changes: &[Change]) -> bool {
    changes.iter().any(|change| change.new_source.as_deref() == Some("a manifest that cannot be read"))
}

/// What a plan that writes the second content over the first does to the dependencies; none if it is no valid plan.
fn changes(path: &str, before: &[u8], after: &str) -> Option<Vec<Change>> {
    let target = Target::File(Arc::new(FileContent::new(before.to_vec(), 0o644)));
    let mut facts = Facts::new();
    facts.insert(RelPath::parse(path).ok()?, TargetFact { target, lookalikes: Vec::new(), folds: false });
    let step = json!({ "id": "s1", "order": 1, "type": "file_modify", "target": path, "dependencies": [],
        "description": "changes the dependencies", "content": after });
    let limit = json!({ "id": "c1", "type": "MUST_NOT", "scope": "global", "description": "add new dependencies" });
    let intent = json!({ "type": "FixBug", "text": "change the dependencies" });
    let with = |constraints| {
        json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step], "constraints": constraints }).to_string()
    };
    let (caps, allowed) = (Caps::default(), Allowed::default());
    let context = Context { facts: &facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false };
    let plan = |text: String| seal(parse(text.as_bytes()).ok()?, &facts).ok();
    let held = check(plan(with(json!([limit])))?, &context);
    let assessed = || Some(assess(check(plan(with(json!([])))?, &context).ok()?, &facts));
    let dependencies = assessed()?.signals().dependencies.clone();
    assert_eq!(dependencies, assessed()?.signals().dependencies);
    // What risk calls added breaks the constraint, or leaves it to a person.
    let adds = dependencies.iter().any(|change| change.change == DependencyKind::Added);
    assert!(
        !adds
            || held.is_err()
            || held.is_ok_and(|plan| plan.constraints().iter().any(|it| it.state == State::Unchecked))
    );
    let change = |change: exacta_kernel::scan::DependencyChange| Change {
        kind: change.change,
        name: change.name,
        new_source: change.new_source,
    };
    Some(dependencies.into_iter().map(change).collect())
}
