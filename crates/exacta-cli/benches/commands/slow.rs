//! What a durable run costs where a sync takes its time. On some disks a sync is a matter of a third of a millisecond, on most it
//! is one to ten; strace lets each one, of both sides, take so much longer.

use crate::{Place, medians, report, time, write_sync_rename};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// With this first argument the benchmark is the loop that it measures against, in the project named next.
const LOOP: &str = "--loop";
const ROUNDS: usize = 9;

/// The loop, if this process was started to be it.
pub fn is_the_loop() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(first), Some(project)) = (arguments.next(), arguments.next()) else { return false };
    if first != LOOP {
        return false;
    }
    write_sync_rename(Path::new(&project));
    true
}

/// Both sides with syncs that take this much longer each.
pub fn slow_disk() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("| execute on slower disks | not measured: needs strace | | | |");
        return;
    }
    for milliseconds in [1, 2, 5] {
        let (mut ours, mut loops) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let place = Place::new(0);
            let id = place.approved(&place.change().0);
            let arguments = ["execute", &id].map(OsStr::new);
            ours.push(slowed(&place, milliseconds, crate::EXACTA.as_ref(), &arguments));
            let other = Place::new(0);
            let itself = std::env::current_exe().unwrap();
            let arguments = [LOOP.as_ref(), other.project.as_os_str()];
            loops.push(slowed(&other, milliseconds, itself.as_os_str(), &arguments));
        }
        report(
            &format!("execute, 10 files, durable, syncs {milliseconds} ms slower"),
            "write, sync and rename them, one journal record",
            medians((ours, loops)),
        );
    }
}

fn slowed(place: &Place, milliseconds: u32, program: &OsStr, arguments: &[&OsStr]) -> Duration {
    let delay = format!("inject=fsync,fdatasync:delay_exit={}", milliseconds * 1000);
    let mut command = Command::new("strace");
    command.args(["-f", "--seccomp-bpf", "-qqq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", &delay]);
    command.arg(program).args(arguments).current_dir(&place.project).env("EXACTA_HOME", &place.home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    time(|| assert!(command.status().unwrap().success()))
}
