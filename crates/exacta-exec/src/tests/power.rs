//! Real power cuts: the file system is shut down without flushing its log, at any system call of a run, and mounted again.
//! Needs the super-user and loop devices: `cargo test -p exacta-exec --lib -- --ignored --nocapture power::`.

use super::kill::{self, Hits, Point};
use super::project::*;
use super::whole;
use exacta_testkit::{needs, succeeds};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Where the memory is; a disk in it makes nobody wait, and is cut off as well as any other.
const MEMORY: &str = "/dev/shm";

#[test]
#[ignore = "takes minutes and needs the super-user: a power cut at every call, on ext4"]
fn every_power_cut_on_ext4() {
    cut_everywhere("ext4");
}

#[test]
#[ignore = "takes minutes and needs the super-user: a power cut at every call, on xfs"]
fn every_power_cut_on_xfs() {
    cut_everywhere("xfs");
}

fn cut_everywhere(kind: &str) {
    if !whole::alone(&format!("tests::power::every_power_cut_on_{kind}"), true) {
        return;
    }
    let Some(points) = kill::points("run") else { return };
    let disk = LoopDisk::new(kind);
    let there = needs(disk.is_some(), &format!("{kind} on a loop device"));
    let Some(mut disk) = disk.filter(|_| there) else { return };
    let mut hits = Hits::default();
    for (index, point) in whole::each(&format!("power cuts on {kind}"), &points) {
        let place = format!("power cut on {kind} at {point:?}");
        // A mount that cannot be ended says nothing about the run: then once more, on another disk.
        let cut = (0..3).any(|_| {
            let project = disk.project(index);
            let stopped = disk.cut_at(point, &project, index % 3 == 1);
            if let Some(stopped) = stopped {
                kill::settled(&project, &place);
                hits.count(stopped);
            }
            stopped.is_some() || {
                eprintln!("{place}: still busy, once more on a fresh disk");
                disk = LoopDisk::new(kind).unwrap();
                false
            }
        });
        assert!(cut, "{place}: the disk cannot be unmounted");
    }
    eprintln!("{} power cuts on {kind}: none torn", hits.enough());
}

/// A file system in a file.
struct LoopDisk {
    dir: tempfile::TempDir,
}

impl LoopDisk {
    fn new(kind: &str) -> Option<Self> {
        let memory = Path::new(MEMORY);
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let disk = Self { dir: tempfile::tempdir_in(parent).unwrap() };
        std::fs::create_dir(disk.mount()).unwrap();
        // Hardly more than mkfs demands.
        let size = if kind == "xfs" { 320 << 20 } else { 64 << 20 };
        std::fs::File::create(disk.image()).unwrap().set_len(size).unwrap();
        let made = succeeds(Command::new(format!("mkfs.{kind}")).arg("-q").arg(disk.image()));
        (made && disk.attach()).then_some(disk)
    }

    fn mount(&self) -> PathBuf {
        self.dir.path().join("mount")
    }

    fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    fn attach(&self) -> bool {
        succeeds(Command::new("mount").args(["-o", "loop"]).arg(self.image()).arg(self.mount()))
    }

    /// A fresh project on the disk, and nothing else.
    fn project(&self, index: usize) -> PathBuf {
        if let Some(last) = index.checked_sub(1) {
            let _ = std::fs::remove_dir_all(self.mount().join(format!("project-{last}")));
        }
        let project = self.mount().join(format!("project-{index}"));
        for (name, text, mode) in EVERYTHING {
            put(&project.join(name), text, mode);
        }
        sync(&project);
        project
    }

    /// Stops a run at a call, cuts the power, and comes back. A stray sync in between is what other programs do. Whether the run
    /// came to that call; `None` if the dead disk cannot be unmounted.
    fn cut_at(&self, point: &Point, project: &Path, stray_sync: bool) -> Option<bool> {
        let mut child = kill::start("run", project, &format!("{}:signal=STOP:when={}", point.0, point.1));
        let run = kill::wait_until_stopped(child.id());
        if stray_sync {
            sync(project);
        }
        // Without flushing the log; ext4 knows the call too.
        call("xfs_io", &["-x", "-c", "shutdown", self.mount().to_str().unwrap()]);
        if let Some(run) = run {
            // It may have come to its end, by the errors of a dead disk.
            let run = rustix::process::Pid::from_raw(run as i32).unwrap();
            let _ = rustix::process::kill_process(run, rustix::process::Signal::KILL);
        }
        child.wait();
        (unmounted(&self.mount()) && self.attach()).then_some(run.is_some())
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        unmount(&self.mount(), &["--lazy"]);
    }
}

/// Syncs the whole file system.
pub(super) fn sync(at: &Path) {
    rustix::fs::syncfs(std::fs::File::open(at).unwrap()).unwrap();
}

/// Whether a mount could be ended. A thread that waits for a dead disk, or a process that is just being killed, may take a
/// moment to be gone.
pub(super) fn unmounted(at: &Path) -> bool {
    (0..600).any(|_| {
        unmount(at, &[]) || {
            thread::sleep(Duration::from_millis(50));
            false
        }
    })
}

pub(super) fn unmount(at: &Path, how: &[&str]) -> bool {
    succeeds(Command::new("umount").args(how).arg(at).stderr(Stdio::null()))
}

pub(super) fn call(program: &str, args: &[&str]) {
    assert!(succeeds(Command::new(program).args(args)), "{program} {args:?}");
}
