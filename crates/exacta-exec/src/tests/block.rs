//! Power cuts as the disk sees them: a run on a file system whose every block write is logged, then the disk as it was after
//! each of these writes, mounted, recovered and judged. Between two flushes a disk may also keep some writes and lose earlier
//! ones, so every state is tried a second time with a random choice of the writes that no flush has confirmed.
//!
//! `qemu-storage-daemon` keeps the log (`blklogwrites`) and exports the disk by FUSE. Needs the super-user. `cargo test` takes a sample
//! (`EXACTA_SEED` chooses it); everything: `cargo test -p exacta-exec --lib -- --ignored block::`.

use super::kill::{self, Random};
use super::power::{call, sync, unmount, unmounted};
use super::project::*;
use super::whole;
use crate::ProjectRoot;
use exacta_testkit::{LIMIT, Running, needs, succeeds};
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The unit of the log, in bytes.
const SECTOR: usize = 4096;

const FLUSH: u64 = 1;
const DISCARD: u64 = 4;

#[test]
fn a_sample_of_block_writes_on_ext4() {
    replay("a_sample_of_block_writes_on_ext4", "ext4", Some(10));
}

#[test]
#[ignore = "takes minutes and needs the super-user: after every block write, on ext4"]
fn every_block_write_on_ext4() {
    replay("every_block_write_on_ext4", "ext4", None);
}

#[test]
#[ignore = "takes minutes and needs the super-user: after every block write, on xfs"]
fn every_block_write_on_xfs() {
    replay("every_block_write_on_xfs", "xfs", None);
}

/// Runs once on a logged disk, and judges the disk after each of the run's writes, or after some of them.
fn replay(test: &str, kind: &str, some: Option<usize>) {
    if !whole::alone(&format!("tests::block::{test}"), some.is_none()) {
        return;
    }
    let disk = LoggedDisk::new(kind);
    let there = needs(disk.is_some(), &format!("{kind} on `qemu-storage-daemon`"));
    let Some(disk) = disk.filter(|_| there) else { return };
    let project = disk.mount().join("project");
    for (name, text, mode) in EVERYTHING {
        put(&project.join(name), text, mode);
    }
    sync(&project);
    let begin = disk.log().len();
    let root = ProjectRoot::open(&project).unwrap();
    run_in(&root, &everything(1), &mut |_| {}, &mut |_| Ok(())).unwrap();
    let done = disk.log().len();
    drop(root);
    sync(&project);
    let log = disk.log();
    let mut random = Random::new(5);
    let mut states: Vec<usize> = (begin..=log.len()).collect();
    if let Some(count) = some {
        states = (0..count).map(|_| states[random.below(states.len())]).chain([done]).collect();
    }
    for (_, &written) in whole::each(&format!("block writes on {kind}"), &states) {
        disk.judge(&log[..written], &mut |_| true, written >= done, &format!("{written} writes on {kind}"));
        let place = format!("{written} writes on {kind}, some of them lost");
        disk.judge(&log[..written], &mut |_| random.below(2) == 0, written >= done, &place);
    }
    eprintln!("{} states of a disk with {kind}, each with and without lost writes: none torn", states.len());
}

/// One entry of the log.
enum Entry {
    Write { at: u64, bytes: Vec<u8> },
    Discard { at: u64, length: usize },
    Flush,
}

/// A file system on a disk that logs.
struct LoggedDisk {
    dir: tempfile::TempDir,
    daemon: Running,
    /// How a copy of it is mounted beside it.
    options: &'static str,
}

impl LoggedDisk {
    fn new(kind: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        // The smallest that mkfs makes with a log.
        File::create(at("disk")).unwrap().set_len(if kind == "xfs" { 300 << 20 } else { 16 << 20 }).unwrap();
        if !succeeds(Command::new(format!("mkfs.{kind}")).arg("-q").arg(at("disk"))) {
            return None;
        }
        fs::copy(at("disk"), at("before")).unwrap();
        for name in ["log", "export"] {
            File::create(at(name)).unwrap();
        }
        for name in ["mount", "judged"] {
            fs::create_dir(at(name)).unwrap();
        }
        let mut command = Command::new("qemu-storage-daemon");
        for (name, node) in [("disk", "disk"), ("log", "log")] {
            let file = at(name).display().to_string();
            command.args(["--blockdev", &format!("driver=file,filename={file},node-name={node}")]);
        }
        let logger = format!("driver=blklogwrites,file=disk,log=log,log-sector-size={SECTOR},node-name=logger");
        let export = format!("type=fuse,id=export,node-name=logger,mountpoint={},writable=on", at("export").display());
        command.args(["--blockdev", &logger, "--export", &export]);
        let daemon = Running::try_start(command.stdout(Stdio::null()).stderr(Stdio::null())).ok()?;
        let options = if kind == "xfs" { "loop,nouuid" } else { "loop" };
        let mut disk = Self { dir, daemon, options };
        disk.attach().then_some(disk)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn mount(&self) -> PathBuf {
        self.at("mount")
    }

    /// Waits for the export, and mounts it.
    fn attach(&mut self) -> bool {
        let end = Instant::now() + LIMIT;
        while fs::metadata(self.at("export")).is_ok_and(|found| found.len() == 0) {
            if Instant::now() > end || self.daemon.ended().is_some() {
                return false;
            }
            thread::sleep(Duration::from_millis(10));
        }
        mount_loop("loop", &self.at("export"), &self.mount())
    }

    /// Everything that was written up to now.
    fn log(&self) -> Vec<Entry> {
        let bytes = fs::read(self.at("log")).unwrap();
        let mut entries = Vec::new();
        let mut rest = bytes.get(SECTOR..).unwrap_or_default();
        while rest.len() >= SECTOR {
            let word = |n: usize| u64::from_le_bytes(rest[n * 8..][..8].try_into().unwrap());
            let (at, length, flags) = (word(0) * SECTOR as u64, word(1) as usize * SECTOR, word(2));
            rest = &rest[SECTOR..];
            if flags & DISCARD != 0 {
                entries.push(Entry::Discard { at, length });
            } else if length > 0 {
                entries.push(Entry::Write { at, bytes: rest[..length].to_vec() });
                rest = &rest[length..];
            }
            if flags & FLUSH != 0 {
                entries.push(Entry::Flush);
            }
        }
        entries
    }

    /// The disk with these writes on it: after recovery nothing is torn, and what was reported as done is there. Of the writes that
    /// no flush has confirmed, `kept` chooses.
    fn judge(&self, log: &[Entry], kept: &mut dyn FnMut(&Entry) -> bool, done: bool, place: &str) {
        let image = self.at("image");
        call("cp", &["--sparse=always", self.at("before").to_str().unwrap(), image.to_str().unwrap()]);
        let file = File::options().write(true).open(&image).unwrap();
        let confirmed = log.iter().rposition(|entry| matches!(entry, Entry::Flush)).unwrap_or(0);
        for (index, entry) in log.iter().enumerate() {
            if index <= confirmed || kept(entry) {
                apply(&file, entry);
            }
        }
        drop(file);
        assert!(mount_loop(self.options, &image, &self.at("judged")), "{place}: cannot be mounted");
        let project = self.at("judged").join("project");
        kill::settled(&project, place);
        let found = tree(&project);
        assert!(unmounted(&self.at("judged")), "{place}: cannot be unmounted");
        assert!(!done || found == everything_done(), "{place}: reported as done, and lost");
    }
}

fn apply(file: &File, entry: &Entry) {
    match entry {
        Entry::Write { at, bytes } => file.write_all_at(bytes, *at).unwrap(),
        Entry::Discard { at, length } => file.write_all_at(&vec![0; *length], *at).unwrap(),
        Entry::Flush => {}
    }
}

fn mount_loop(options: &str, image: &Path, at: &Path) -> bool {
    succeeds(Command::new("mount").args(["-o", options]).arg(image).arg(at).stderr(Stdio::null()))
}

impl Drop for LoggedDisk {
    fn drop(&mut self) {
        unmount(&self.at("judged"), &[]);
        unmount(&self.mount(), &[]);
        self.daemon.kill();
        self.daemon.wait();
        unmount(&self.at("export"), &[]);
    }
}
