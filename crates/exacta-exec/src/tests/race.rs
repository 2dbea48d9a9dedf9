//! Others at work in the project while runs go on: an attacker who swaps folders for links, an editor who saves.

use super::project::*;
use crate::RunError;
use exacta_testkit::LIMIT;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

#[test]
fn a_folder_swapped_for_a_link_leads_nowhere() {
    swap_folders(2_000);
}

#[test]
#[ignore = "takes minutes: 200 000 swaps"]
fn a_folder_swapped_for_a_link_200_000_times_leads_nowhere() {
    swap_folders(200_000);
}

/// While runs change `d/f`, `d` is swapped with a link to a folder outside: nothing there is ever touched.
fn swap_folders(swaps: usize) {
    let outside = tempfile::tempdir().unwrap();
    put(&outside.path().join("f"), "0\n", 0o644);
    let project = Project::new(&[("d/f", "0\n", 0o644)]);
    symlink(outside.path(), project.at("link")).unwrap();
    let (swapped, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut done = [0, 0];
    let begin = Instant::now();
    thread::scope(|scope| {
        let _end = AtLast(&over);
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, project.at("d"), CWD, project.at("link"), RenameFlags::EXCHANGE).unwrap();
                swapped.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut number = 1;
        let mut now = "0\n".to_owned();
        // Until enough was swapped, and runs have met it both ways.
        while swapped.load(Ordering::Relaxed) < swaps || done.contains(&0) {
            assert!(begin.elapsed() < LIMIT * 6, "{swapped:?} swaps, {done:?} runs");
            let next = format!("{number}\n");
            let work = work(
                number,
                vec![
                    change("d/f", content(&now, 0o644), content(&next, 0o644)),
                    change(&format!("d/n{number}"), None, content("new\n", 0o644)),
                ],
            );
            match project.run(&work) {
                Ok(_) => {
                    now = next;
                    done[0] += 1;
                }
                Err(error @ (RunError::NeedsAttention { .. } | RunError::Kept { .. })) => panic!("{error:?}"),
                Err(_) => done[1] += 1,
            }
            number += 1;
        }
    });
    let names: Vec<_> = fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["f"]);
    assert_eq!(fs::read(outside.path().join("f")).unwrap(), b"0\n");
    eprintln!("{swapped:?} swaps: {} runs done, {} refused", done[0], done[1]);
}

/// Tells whoever waits for it, also when the test fails.
struct AtLast<'a>(&'a AtomicBool);

impl Drop for AtLast<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An editor saves by renaming at some moment of a run: afterwards its bytes are in the file.
#[test]
fn an_editor_that_saves_keeps_its_bytes() {
    for round in 0..60_u32 {
        let project = Project::new(&[("f", "old\n", 0o644), ("g", "old\n", 0o644)]);
        let go = AtomicBool::new(false);
        let outcome = thread::scope(|scope| {
            let _end = AtLast(&go);
            scope.spawn(|| {
                put(&project.at("swap"), "saved\n", 0o644);
                while !go.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                for _ in 0..round * 200 {
                    std::hint::spin_loop();
                }
                fs::rename(project.at("swap"), project.at("f")).unwrap();
            });
            let modify = |at: &str| change(at, content("old\n", 0o644), content("new\n", 0o644));
            let observer = &mut |event| go.store(event == crate::Event::Committing, Ordering::Relaxed);
            project.run_with(&work(1, vec![modify("f"), modify("g")]), observer, &mut |_| Ok(()))
        });
        assert_eq!(fs::read_to_string(project.at("f")).unwrap(), "saved\n", "{outcome:?}");
        let rest = fs::read_to_string(project.at("g")).unwrap();
        match outcome {
            Ok(_) => assert_eq!(rest, "new\n"),
            Err(RunError::Kept { kept }) => assert_eq!((rest.as_str(), kept), ("old\n", vec!["f".to_owned()])),
            Err(error) => panic!("{error:?}"),
        }
    }
}
