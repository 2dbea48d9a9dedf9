//! A small sample of `tools/head-to-head`, so that the script keeps working and its promise is looked at every time.

use crate::world::EXACTA;
use exacta_testkit::{LIMIT, Running, program};
use std::process::{Command, Stdio};

#[test]
fn a_sample_of_the_table_has_no_torn_project_of_ours() {
    if !["python3", "strace", "patch", "git"].into_iter().all(program) {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/head-to-head");
    let mut command = Command::new(script);
    command.args(["--kills", "6", "--fails", "6", "--errors", "EIO", EXACTA]);
    let running = Running::start(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    // Some hundred processes.
    let output = running.finish_within(LIMIT * 3).unwrap();
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{table}\n{}", String::from_utf8_lossy(&output.stderr));
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split('|').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 2 + 2 * 3, "{table}");
    for ours in rows.iter().filter(|row| row[2] == "Exacta") {
        assert_eq!((ours[7], ours[8]), ("0", "0"), "{table}");
    }
    // The rivals are really disturbed: of six kills before changing calls some tear.
    assert!(rows.iter().any(|row| row[1] == "`kill -9`" && row[2] != "Exacta" && row[6] != "0"), "{table}");
}
