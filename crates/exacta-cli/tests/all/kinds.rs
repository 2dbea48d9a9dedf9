//! attack 20: whatever lies in `.exacta/` in the place of what belongs there, every command ends, none goes through it to another
//! place, and whoever follows the hints gets out.

use crate::story::fix;
use crate::world::{Done, World};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

const ENTRIES: [&str; 15] = [
    "",
    ".gitignore",
    "lock",
    ".tmp",
    "plans",
    "audit-log",
    "exec",
    "exec/locks",
    "state.db",
    "state.db-wal",
    "state.db-shm",
    "state.db-journal",
    "audit.log",
    "checkpoint",
    "config.toml",
];

const KINDS: [&str; 9] = [
    "missing",
    "file",
    "folder",
    "link to a file",
    "link to a folder",
    "pipe",
    "socket",
    "unreadable",
    "other name of a file",
];

/// More hints than these are a circle.
const HINTS: usize = 5;

#[test]
fn every_wrong_kind_has_a_way_out() {
    let world = World::begun();
    let plan = world.file("plan.json", fix().to_string());
    let id = world.run(&["submit", &plan, "--json"]).json()["plan_id"].as_str().unwrap().to_owned();
    let hash = world.run(&["show", &id, "--json"]).json()["plan_hash"].as_str().unwrap().to_owned();
    world.run(&["approve", &id, "--hash", &hash, "--approver-key", &world.key()]).expect(0);
    let (victim, folder) = (world.path().join("victim"), world.path().join("victims"));
    fs::create_dir(&folder).unwrap();
    for place in [world.home(), world.project()] {
        copy(&place, &kept(&place));
    }
    for entry in ENTRIES {
        for kind in KINDS {
            for place in [world.home(), world.project()] {
                fs::remove_dir_all(&place).unwrap();
                copy(&kept(&place), &place);
            }
            fs::write(&victim, "the victim's own text\n").unwrap();
            put(&world.project().join(".exacta").join(entry), kind, &victim, &folder);
            let story = follow(&world, &id, &plan);
            assert!(story.is_ok(), "{kind} `{entry}`: {story:#?}");
            assert_eq!(fs::read_to_string(&victim).unwrap(), "the victim's own text\n", "{kind} `{entry}`");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{kind} `{entry}`");
        }
    }
}

fn kept(place: &Path) -> PathBuf {
    place.with_extension("kept")
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// Puts something of a kind in a place.
fn put(at: &Path, kind: &str, victim: &Path, folder: &Path) {
    let at = PathBuf::from(at.to_str().unwrap().trim_end_matches('/'));
    if kind == "unreadable" {
        if at.exists() {
            fs::set_permissions(&at, fs::Permissions::from_mode(0o000)).unwrap();
        }
        return;
    }
    if at.is_dir() {
        fs::remove_dir_all(&at).unwrap();
    } else if at.exists() {
        fs::remove_file(&at).unwrap();
    }
    match kind {
        "missing" => {}
        "file" => fs::write(&at, "something else\n").unwrap(),
        "folder" => fs::create_dir_all(at.join("inner")).unwrap(),
        "link to a file" => symlink(victim, &at).unwrap(),
        "link to a folder" => symlink(folder, &at).unwrap(),
        "pipe" => mknodat(CWD, &at, FileType::Fifo, Mode::RWXU, 0).unwrap(),
        "socket" => drop(UnixListener::bind(&at).unwrap()),
        _ => fs::hard_link(victim, &at).unwrap(),
    }
}

/// Executes the plan, doing whatever the hints say; how far that went, if it did not end well.
fn follow(world: &World, id: &str, plan: &str) -> Result<(), Vec<String>> {
    let mut story = Vec::new();
    for _ in 0..HINTS {
        let done = told(world, &["execute", id, "--json"], &mut story);
        if done.code == 0 {
            return Ok(());
        }
        let mut hint = hint(&done);
        if hint.contains("exacta audit verify") {
            let done = told(world, &["audit", "verify", "--json"], &mut story);
            if done.code == 0 {
                return Err(story);
            }
            hint = self::hint(&done);
        }
        if hint.contains("exacta init --new-record") {
            told(world, &["init", "--new-record", "--approver-key", &world.key(), "--json"], &mut story);
            let done = told(world, &["submit", plan, "--json"], &mut story);
            return if done.code == 30 { Ok(()) } else { Err(story) };
        }
        if hint.contains("exacta resubmit") {
            let done = told(world, &["resubmit", id, "--json"], &mut story);
            return if done.code == 30 { Ok(()) } else { Err(story) };
        }
        if hint.contains("or remove it") || hint.contains("without the file") {
            let file = world.project().join(".exacta/config.toml");
            let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir_all(&file));
        } else if let Some(moved) = hint.split('`').find_map(|word| word.strip_prefix("mv ")) {
            let (from, to) = moved.split_once(' ').unwrap();
            fs::rename(from, to).unwrap();
        } else {
            return Err(story);
        }
    }
    Err(story)
}

fn told(world: &World, args: &[&str], story: &mut Vec<String>) -> Done {
    let done = world.run(args);
    assert!(!done.err.contains("internal fault"), "{done:?}");
    story.push(format!("{args:?}: {} {} {}", done.code, done.out, done.err));
    done
}

fn hint(done: &Done) -> String {
    done.json()["error"]["hint"].as_str().unwrap_or_default().to_owned()
}
