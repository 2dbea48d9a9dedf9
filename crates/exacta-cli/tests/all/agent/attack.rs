//! `exacta agent` under an attacker: every script of `tests/cases/attack`, with everything in it that an attacker could know. What it reached is looked for
//! from outside ([`Ground`]); and the same scripts without the sandbox reach something each, so that one that can reach nothing is found.

use super::ground::{Ground, git_after};
use crate::world::EXACTA;
use exacta_testkit::{output, seed};
use std::fs;
use std::path::Path;

/// One way to attack.
struct Attack {
    /// What is attacked: the name of its file.
    item: String,
    name: String,
    script: String,
    /// Whether it needs a terminal.
    terminal: bool,
    /// Why it cannot be tried without the sandbox.
    alone: Option<String>,
}

/// Every attack, item by item.
fn attacks() -> Vec<Attack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/attack");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut attacks = Vec::new();
    for file in files {
        let item = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&file).unwrap();
        for variant in text.split("### ").skip(1) {
            let (name, script) = variant.split_once('\n').unwrap();
            let noted =
                |note: &str| script.lines().find_map(|line| line.strip_prefix(note)).map(|why| why.trim().to_owned());
            let (terminal, alone) = (noted("#terminal").is_some(), noted("#alone:"));
            attacks.push(Attack {
                item: item.clone(),
                name: name.to_owned(),
                script: script.to_owned(),
                terminal,
                alone,
            });
        }
    }
    attacks
}

/// What an attack reached; inside `exacta agent`, or as the user alone.
fn tried(ground: &mut Ground, attack: &Attack, at: usize, confined: bool) -> Vec<String> {
    // That it came to its end is seen by a sum that the script does not hold.
    let script = format!("{}\necho TRIED-$((40 + 2))\n", ground.knowing(&attack.script));
    let name = format!("attack-{at}");
    let agent = ["agent", "--json", "--leave-rest", "--share", EXACTA, "--name", &name, "--", "sh", "-c", &script];
    let printed = if attack.terminal {
        on_a_terminal(ground, &script, &name, confined)
    } else {
        let mut command =
            if confined { ground.command(EXACTA, &agent) } else { ground.command("sh", &["-c", &script]) };
        let done = output(&mut command);
        [done.stderr, done.stdout].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
    };
    assert!(printed.contains("TRIED-42"), "{}: {}: it did not come to its end: {printed}", attack.item, attack.name);
    let shown = if confined { plans(ground, &printed) } else { String::new() };
    let mut broken = ground.broken(&format!("{printed}\n{shown}"));
    broken.extend((printed.contains("got=[INJ")).then(|| "characters came into the terminal".to_owned()));
    // Who works in the project itself changes it, of course.
    let project = ground.copied.world.project().display().to_string();
    broken.retain(|what| confined || !what.contains(&project));
    if attack.item.contains("git") {
        git_after(ground);
        let after = ground.broken("");
        broken.extend(after.into_iter().filter(|what| what.contains("/outside/")));
        ground.settle();
    }
    broken
}

/// The plan that came of it, with its diffs.
fn plans(ground: &Ground, printed: &str) -> String {
    let result = printed.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()).next_back();
    let id = result.and_then(|result| Some(result["plan"]["plan_id"].as_str()?.to_owned()));
    id.map(|id| ground.copied.run(&["show", &id, "--json", "--with", "diff"]).out).unwrap_or_default()
}

fn on_a_terminal(ground: &Ground, script: &str, name: &str, confined: bool) -> String {
    let file = ground.copied.world.path().join("script.sh");
    fs::write(&file, script).unwrap();
    let what = if confined { format!("{EXACTA} agent --leave-rest --name {name} -- ") } else { String::new() };
    let (home, file) = (ground.copied.user(), file.display().to_string());
    let line = format!(
        "HOME={} {what}sh -c \"$(cat {file})\"; timeout --foreground 2 sh -c 'read -r x; echo \"got=[$x]\"'; echo over",
        home.display()
    );
    ground.copied.world.shell(&line).end().out
}

/// Tries attacks one after the other, and tells of each whether it was held.
fn held(chosen: &[&Attack]) {
    let Some(mut ground) = Ground::new() else { return };
    let mut failed = Vec::new();
    for (at, attack) in chosen.iter().enumerate() {
        let broken = tried(&mut ground, attack, at, true);
        let verdict = if broken.is_empty() { "held" } else { "BROKEN" };
        eprintln!(
            "{verdict} {}: {}{}",
            attack.item,
            attack.name,
            broken.iter().map(|what| format!("\n    {what}")).collect::<String>()
        );
        failed.extend((!broken.is_empty()).then(|| format!("{}: {}: {broken:?}", attack.item, attack.name)));
    }
    eprintln!("{} attacks, {} held", chosen.len(), chosen.len() - failed.len());
    assert!(failed.is_empty(), "{failed:#?}");
    ground.copied.run(&["audit", "verify"]).expect(0);
    assert!(!ground.copied.world.project().join(".exacta/plans/x.json").exists());
}

/// One of each kind, another one with each seed.
#[test]
fn an_attacker_reaches_nothing() {
    let all = attacks();
    let mut chosen: Vec<&Attack> = Vec::new();
    let mut items: Vec<&str> = all.iter().map(|attack| attack.item.as_str()).collect();
    items.dedup();
    assert!(items.len() >= 15, "{items:?}");
    for (at, item) in items.iter().enumerate() {
        let of: Vec<&Attack> = all.iter().filter(|attack| attack.item == *item).collect();
        assert!(of.len() >= 3, "{item}: at least three of each");
        chosen.push(of[(usize::try_from(seed() % 997).unwrap() + at) % of.len()]);
    }
    held(&chosen);
}

#[test]
#[ignore = "minutes; `tools/prove agents` runs it"]
fn every_attacker_reaches_nothing() {
    held(&attacks().iter().collect::<Vec<_>>());
}

/// An attack that reaches nothing without the sandbox shows nothing by reaching nothing within it.
#[test]
#[ignore = "minutes, and as the super-user; `tools/prove agents` runs it"]
fn every_attack_reaches_something_where_nobody_is_confined() {
    let mut idle = Vec::new();
    for (at, attack) in attacks().iter().enumerate().filter(|(_, attack)| attack.alone.is_none()) {
        let Some(mut ground) = Ground::new() else { return };
        let broken = tried(&mut ground, attack, at, false);
        eprintln!("{}: {}: {}", attack.item, attack.name, broken.first().map_or("nothing", String::as_str));
        idle.extend(broken.is_empty().then(|| format!("{}: {}", attack.item, attack.name)));
    }
    assert!(idle.is_empty(), "{idle:#?}");
}
