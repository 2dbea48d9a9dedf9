//! A small sample of `tools/head-to-head`, so that the script keeps working and its promise is looked at every time.

use crate::world::EXACTA;
use std::process::Command;

#[test]
fn a_sample_of_the_table_has_no_torn_project_of_ours() {
    for tool in ["python3", "strace", "patch", "git"] {
        if Command::new(tool).arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "`{tool}` is needed for the head to head");
            return eprintln!("SKIPPED: the head to head needs `{tool}`");
        }
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/head-to-head");
    let output =
        Command::new(script).args(["--kills", "6", "--fails", "6", "--errors", "EIO", EXACTA]).output().unwrap();
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
