//! The same plan and the same files give the same bytes: however often, on however many threads, in whatever surroundings.

use crate::story::three_steps;
use crate::world::{EXACTA, World, done};
use exacta_app::{Caller, Options, Request, check};
use exacta_testkit::output;
use std::collections::BTreeSet;
use std::process::Command;

const THREADS: usize = 8;
const RUNS: usize = 1_000;

/// INV-PLAN-4: the same plan has the same numbers, however often and wherever it is looked at.
#[test]
fn a_thousand_checks_on_several_threads() {
    let world = World::begun();
    let options =
        Options { project: Some(world.project()), home: Some(world.home()), exactly: false, caller: Caller::default() };
    let text = three_steps().to_string();
    let view = || {
        let view = check(&options, text.as_bytes(), &Request::default()).unwrap();
        serde_json::to_string(&view).unwrap()
    };
    let first = view();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..RUNS / THREADS).for_each(|_| assert_eq!(view(), first)));
        }
    });
}

#[test]
fn processes_in_different_surroundings() {
    let world = World::begun();
    let plan = world.file("plan.json", three_steps().to_string());
    let locales = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "ja_JP.EUC-JP"];
    let zones = ["UTC", "Asia/Kathmandu", "Pacific/Chatham", "nonsense"];
    for form in [&["check", "--json"][..], &["check"]] {
        let mut outputs = BTreeSet::new();
        for (index, locale) in locales.iter().enumerate() {
            for zone in zones {
                let mask = if index % 2 == 0 { "077" } else { "000" };
                let folder = if index % 2 == 0 { world.project() } else { world.project().join("src") };
                let mut shell = Command::new("sh");
                shell.args(["-c", "umask $0; exec \"$@\"", mask, EXACTA]).args(form).arg(&plan);
                shell.current_dir(folder).env_clear().env("EXACTA_HOME", world.home()).env("SEED", index.to_string());
                shell.envs([("LANG", *locale), ("LC_ALL", locale), ("TZ", zone), ("COLUMNS", "200")]);
                outputs.insert(done(output(&mut shell)).expect(30).out);
            }
        }
        assert_eq!(outputs.len(), 1, "{outputs:#?}");
    }
}
