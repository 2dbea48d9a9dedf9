//! Every hostile message is read within two seconds and 256 MiB, measured from outside.

use crate::mails::large;
use crate::reading::{is_inert, shown};
use exacta_mail::message::read;
use exacta_testkit::{output, program};
use std::process::{Command, Stdio};

/// Set for the process that is measured: the message that it reads.
const CHILD: &str = "EXACTA_MAIL_READ";

/// Runs a program, and prints the seconds that it computed, so that nobody else's work counts, its largest memory in KiB, and what it printed.
const MEASURE: &str = "import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, done.returncode, flush=True)
sys.stdout.buffer.write(done.stdout)";

/// Not a test of its own: what the measured process does.
#[test]
fn child() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let message = read(&std::fs::read(path).unwrap());
    assert!(is_inert(&message));
    println!("{}", shown(&message));
}

#[test]
fn no_message_costs_more_than_its_length() {
    if !program("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mail");
    let (mut slowest, mut largest) = ((0.0, ""), (0, ""));
    for (name, bytes, word) in large() {
        std::fs::write(&path, &bytes).unwrap();
        let mut measure = Command::new("python3");
        measure.args(["-c", MEASURE]).arg(std::env::current_exe().unwrap());
        measure.args(["--exact", "hostile::child", "--nocapture"]).env(CHILD, &path).stdin(Stdio::null());
        let told = output(&mut measure);
        let told = String::from_utf8(told.stdout).unwrap();
        let (line, text) = told.split_once('\n').unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(text.contains(word), "{name}: {}", text.chars().take(2_000).collect::<String>());
        let (seconds, kibibytes): (f64, u64) = (words[0].parse().unwrap(), words[1].parse().unwrap());
        assert_eq!(words[2], "0", "{name}");
        assert!(seconds <= 2.0, "{name}: {seconds} s");
        assert!(kibibytes <= 256 << 10, "{name}: {kibibytes} KiB");
        slowest = if seconds > slowest.0 { (seconds, name) } else { slowest };
        largest = if kibibytes > largest.0 { (kibibytes, name) } else { largest };
    }
    println!("slowest: {} ({:.2} s); largest: {} ({} MiB)", slowest.1, slowest.0, largest.1, largest.0 >> 10);
}
