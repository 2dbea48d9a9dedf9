//! Attack 51: a setting is in force exactly if the log has an entry of it, whichever call of the system fails on the way.

use crate::world::{EXACTA, World};
use exacta_testkit::output;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

/// The calls with which the settings, the database, the pin and the log are written.
const CALLS: [&str; 5] = ["fsync", "fdatasync", "pwrite64", "rename", "write"];

/// What is in force, and how many entries the log has of it.
fn stands(world: &World) -> ([String; 3], [usize; 3]) {
    let shown = |args: &[&str]| world.run(args).expect(0);
    let settings = [
        shown(&["profile", "current", "--json"]).json()["chosen"].to_string(),
        shown(&["policy", "show", "--json"]).json()["sha256"].to_string(),
        shown(&["approver", "list", "--json"]).out,
    ];
    let log = fs::read_to_string(world.project().join(".exacta/audit.log")).unwrap();
    let count = |event: &str| {
        let events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone());
        events.filter(|found| found == event).count()
    };
    (settings, ["profile_changed", "policy_changed", "approver_changed"].map(count))
}

#[test]
fn attack_51_a_setting_is_in_force_exactly_with_its_entry() {
    if !exacta_testkit::program("strace") {
        return;
    }
    let mut failed = 0;
    for call in CALLS {
        for nth in 1..=5 {
            let world = World::begun();
            let policy = world.project().with_file_name("policy.toml");
            fs::write(&policy, "version = \"1\"\nceiling = \"FULL-AUTO\"\n").unwrap();
            let policy = policy.to_str().unwrap();
            for args in [
                &["profile", "set", "DEV"] as &[&str],
                &["policy", "set", policy],
                &["approver", "add", "bob", "--no-passphrase"],
            ] {
                let (before, entries_before) = stands(&world);
                let mut command = Command::new("strace");
                command.args([
                    "-f",
                    "-qq",
                    "-o",
                    "/dev/null",
                    "-e",
                    &format!("inject={call}:error=EIO:when={nth}"),
                    EXACTA,
                ]);
                command.args(args).args(["--approver-key", &world.key()]);
                let ended =
                    output(command.current_dir(world.project()).env("EXACTA_HOME", world.home()).stdin(Stdio::null()));
                // Finishes what was left of the entry.
                world.run(&["recover"]).expect(0);
                let (after, entries_after) = stands(&world);
                let place = format!("{args:?}, {call} {nth}: {ended:?}");
                for n in 0..3 {
                    assert_eq!(before[n] != after[n], entries_before[n] != entries_after[n], "{place}");
                }
                failed += u32::from(!ended.status.success());
            }
        }
    }
    assert!(failed > 0, "no call failed");
}
