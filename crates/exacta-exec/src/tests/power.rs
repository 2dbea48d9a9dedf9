//! Real power cuts: the file system is shut down without flushing its log, at any system call of a run, and mounted again.
//! Needs the super-user and loop devices: `cargo test -p exacta-exec --lib -- --ignored power::`.

use super::kill::{self, Point};
use super::project::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let Some(points) = kill::points("run") else { return };
    let Some(disk) = LoopDisk::new(kind) else {
        assert!(std::env::var_os("CI").is_none(), "{kind} on a loop device is needed for the power-cut tests");
        return eprintln!("SKIPPED: no {kind} on a loop device here");
    };
    for (index, point) in points.iter().enumerate() {
        let project = disk.mount().join(format!("project-{index}"));
        for (name, text, mode) in EVERYTHING {
            put(&project.join(name), text, mode);
        }
        call("sync", &["-f", project.to_str().unwrap()]);
        disk.cut_at(point, &project, index % 3 == 1);
        kill::settled(&project, &format!("power cut on {kind} at {point:?}"));
    }
    eprintln!("{} power cuts on {kind}: none torn", points.len());
}

/// A file system in a file.
struct LoopDisk {
    dir: tempfile::TempDir,
}

impl LoopDisk {
    fn new(kind: &str) -> Option<Self> {
        let disk = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(disk.mount()).unwrap();
        std::fs::File::create(disk.image()).unwrap().set_len(512 << 20).unwrap();
        let made = Command::new(format!("mkfs.{kind}")).arg("-q").arg(disk.image()).status();
        (made.is_ok_and(|status| status.success()) && disk.attach()).then_some(disk)
    }

    fn mount(&self) -> PathBuf {
        self.dir.path().join("mount")
    }

    fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    fn attach(&self) -> bool {
        let status = Command::new("mount").args(["-o", "loop"]).arg(self.image()).arg(self.mount()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Stops a run at a call, cuts the power, and comes back. A stray sync in between is what other programs do.
    fn cut_at(&self, point: &Point, project: &Path, stray_sync: bool) {
        let mut child = kill::start("run", project, &format!("{}:signal=STOP:when={}", point.0, point.1));
        let run = kill::wait_until_stopped(child.id());
        if stray_sync {
            call("sync", &["-f", project.to_str().unwrap()]);
        }
        // EXT4_GOING_FLAGS_NOLOGFLUSH, the same for xfs.
        let cut =
            "import fcntl,os,struct,sys; fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))";
        call("python3", &["-c", cut, self.mount().to_str().unwrap()]);
        if let Some(run) = run {
            // It may have come to its end, by the errors of a dead disk.
            let _ = Command::new("kill").args(["-KILL", &run.to_string()]).stderr(Stdio::null()).status();
        }
        child.wait().unwrap();
        // A thread that waits for the dead disk may take a moment to be gone.
        let unmount = || Command::new("umount").arg(self.mount()).stderr(Stdio::null()).status().unwrap().success();
        let gone = (0..200).any(|_| {
            unmount() || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                false
            }
        });
        assert!(gone && self.attach());
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.mount()).stderr(Stdio::null()).status();
    }
}

pub(super) fn call(program: &str, args: &[&str]) {
    assert!(Command::new(program).args(args).status().unwrap().success(), "{program} {args:?}");
}
