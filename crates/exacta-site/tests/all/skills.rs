//! Skills out of a real repository.

use exacta_site::sync_skills;
use exacta_testkit::{git, output};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

fn skill(id: &str) -> Value {
    json!({
        "skill_id": id, "version": "1.0.0", "description": "d", "tool_allowlist": ["content.create_page"], "safety_class": "write_draft",
        "caps": { "max_pages": 50, "max_tool_calls": 20, "max_steps": 8, "max_cost_usd": 2 },
    })
}

/// A repository with these files, and the name of its commit.
fn repository(files: &[(String, String)]) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let done = output(
            git()
                .current_dir(folder.path())
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(arguments),
        );
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    run(&["init", "-q"]);
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    run(&["add", "-A"]);
    run(&["commit", "-q", "--allow-empty", "-m", "skills"]);
    let commit = run(&["rev-parse", "HEAD"]);
    (folder, commit)
}

fn sync(folder: &Path, commit: &str) -> Result<exacta_site::Synced, exacta_kernel::skill::SkillError> {
    let scratch = tempfile::tempdir().unwrap();
    sync_skills(&format!("file://{}", folder.display()), commit, scratch.path())
}

#[test]
fn skills_of_a_commit() {
    let files = [
        ("skills/a.json".to_owned(), skill("wp.a").to_string()),
        ("skills/more/b.json".to_owned(), skill("wp.b").to_string()),
        ("skills/README.md".to_owned(), "no skill".to_owned()),
        ("other/c.json".to_owned(), "no skill".to_owned()),
    ];
    let (folder, commit) = repository(&files);
    let synced = sync(folder.path(), &commit).unwrap();
    assert_eq!(synced.skills.keys().collect::<Vec<_>>(), ["wp.a", "wp.b"]);
    assert_eq!(synced.skills["wp.b"].source.path, "skills/more/b.json");
    assert_eq!(synced, sync(folder.path(), &commit[..8]).unwrap(), "the same again, by a shorter name");
}

#[test]
fn all_or_nothing() {
    let many: Vec<(String, String)> =
        (0..201).map(|n| (format!("skills/{n}.json"), skill(&format!("wp.s{n}")).to_string())).collect();
    let with = |text: String| {
        vec![("skills/a.json".to_owned(), skill("wp.a").to_string()), ("skills/b.json".to_owned(), text)]
    };
    let unknown = skill("wp.b").to_string().replace("content.create_page", "rollback.apply");
    for (files, code) in [
        (with(unknown), "SKILL_UNKNOWN_TOOL"),
        (with("{".to_owned()), "SKILL_SCHEMA_INVALID"),
        (with(skill("wp.a").to_string()), "SKILL_SCHEMA_INVALID"),
        (with(format!("{}{}", skill("wp.b"), " ".repeat(300 << 10))), "SKILL_SYNC_CAP_EXCEEDED"),
        (many, "SKILL_SYNC_CAP_EXCEEDED"),
        (vec![("a.json".to_owned(), "{}".to_owned())], "SKILL_SOURCE_EMPTY"),
    ] {
        let (folder, commit) = repository(&files);
        let error = sync(folder.path(), &commit).unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }
}

#[test]
fn what_is_no_source() {
    let scratch = tempfile::tempdir().unwrap();
    let commit = "0".repeat(40);
    for (repo, commit, code) in [
        ("file:///nowhere", "main", "SKILL_COMMIT_REQUIRED"),
        ("file:///nowhere", "", "SKILL_COMMIT_REQUIRED"),
        ("file:///nowhere", commit.as_str(), "SKILL_INGEST_FETCH_FAILED"),
        ("file://nowhere", &commit, "SKILL_SOURCE_INVALID"),
        ("https://example.com/a/b", &commit, "SKILL_SOURCE_UNSUPPORTED"),
        ("ext::sh -c true", &commit, "SKILL_SOURCE_INVALID"),
        ("https://github.com/a", &commit, "SKILL_SOURCE_INVALID"),
        ("https://github.com/-a/b", &commit, "SKILL_SOURCE_INVALID"),
    ] {
        let error = sync_skills(repo, commit, scratch.path()).unwrap_err();
        assert_eq!(error.code, code, "{repo} {error}");
    }
    let (folder, _) = repository(&[("skills/a.json".to_owned(), skill("wp.a").to_string())]);
    assert_eq!(sync(folder.path(), &commit).unwrap_err().code, "SKILL_INGEST_FETCH_FAILED");
}
