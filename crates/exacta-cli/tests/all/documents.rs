//! The commands in the documents are run as they stand there, by a person at a terminal, and show what is shown there.

use crate::world::{Done, EXACTA, World};
use std::path::Path;

/// What a line of these begins with is for the reader's machine, not for a test.
const FOR_READERS: [&str; 3] = ["cargo ", "mkdir ", "tools/"];

/// A command and what is shown below it.
struct Example {
    command: String,
    shown: Vec<String>,
}

#[test]
fn commands_in_the_documents_do_what_is_shown() {
    let world = World::new();
    let mut count = 0;
    for document in ["README.md", "docs/cli.md", "docs/approvers.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
        for example in examples(&std::fs::read_to_string(path).unwrap()) {
            play(&world, document, &example);
            count += 1;
        }
    }
    assert!(count > 20, "the documents have fewer examples than they had: {count}");
}

#[test]
fn commands_about_autopilots_do_what_is_shown() {
    let world = World::begun();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/autopilot.md");
    let examples = examples(&std::fs::read_to_string(path).unwrap());
    assert!(examples.len() > 8, "the document has fewer examples than it had: {}", examples.len());
    examples.iter().for_each(|example| play(&world, "docs/autopilot.md", example));
}

/// Runs an example in the project; a person says yes to everything.
fn play(world: &World, document: &str, example: &Example) {
    let command = example.command.replace("PLAN", &newest(world)).replace(" NAME", " second");
    let command = command.replace("~/.config/exacta", &world.home().display().to_string());
    let folder = Path::new(EXACTA).parent().unwrap().display().to_string();
    let done = world.shell(&format!("PATH={folder}:$PATH; {command}")).converse(answer);
    // 30 says that a person has to decide, which `check` and `submit` say of every plan here.
    let expected = ["exacta check", "exacta submit", "exacta resubmit"].iter().any(|begin| command.starts_with(begin));
    assert_eq!(done.code, if expected { 30 } else { 0 }, "{document}: {command}\n{}", done.out);
    compare(&done, example, document);
}

/// Every line that is shown comes, in this order; `…` stands for anything.
fn compare(done: &Done, example: &Example, document: &str) {
    let out = done.out.replace('\r', "");
    let mut lines = out.lines();
    for shown in &example.shown {
        let found = lines.any(|line| fits(line.trim_end(), shown));
        assert!(found, "{document}: {}\n`{shown}` is not shown:\n{out}", example.command);
    }
}

fn fits(line: &str, shown: &str) -> bool {
    let mut rest = line;
    let parts: Vec<&str> = shown.split('…').collect();
    for (index, part) in parts.iter().enumerate() {
        match rest.find(part) {
            Some(at) if index > 0 || at == 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    parts.last() == Some(&"") || rest.is_empty()
}

/// What a person types when they see this.
fn answer(seen: &str) -> Option<String> {
    let typed = match seen {
        _ if seen.contains("new passphrase") || seen.contains("same again") || seen.contains("passphrase of") => {
            "correct horse\n"
        }
        _ if seen.contains("which profile") => "\n",
        _ if seen.contains("[y]es  [n]o ") => "y",
        _ if seen.contains("[y]es") && seen.ends_with("[?] ") => "y",
        // The review screen: its question, and before that its row of keys.
        _ if seen.contains("exactly") && seen.contains("\x1b[") => "y",
        _ if seen.contains("\x1b[?1049h") && seen.contains("? keys") => "a",
        _ => return None,
    };
    Some(typed.to_owned())
}

/// The picture at the top of the README is the screen that its plan is decided on.
#[test]
fn the_picture_in_the_readme_is_what_is_shown() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let between = |from: &str, to: &str| text.split_once(from).unwrap().1.split_once(to).unwrap().0;
    let world = World::begun();
    world.write("greet.py", "import sys\n\nname = \"world\"\nprint(\"hello\", name)\n");
    let plan = world.file("plan.json", between("cat > plan.json <<'END'\n", "END\n"));
    let mut terminal = world.terminal(&["run", &plan]);
    let screen = terminal.until("[?] ").replace('\r', "");
    terminal.send("n");
    terminal.end().expect(30);
    let pictured: Vec<&str> = between("```text\n", "```\n").lines().collect();
    let shown: Vec<&str> = screen.trim_start_matches('\n').lines().map(str::trim_end).collect();
    assert_eq!(shown.len(), pictured.len(), "{screen}");
    for (shown, pictured) in shown.iter().zip(pictured) {
        assert!(fits(shown, pictured), "{shown}\n{pictured}\n{screen}");
    }
}

/// The newest plan; anything where there is none.
fn newest(world: &World) -> String {
    let listed = world.run(&["list", "--limit", "1", "--json"]).json();
    listed["plans"][0]["plan_id"].as_str().unwrap_or("none").to_owned()
}

/// The commands in `sh` blocks, and those after a `$` in `console` blocks.
fn examples(text: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(form) = line.strip_prefix("```").filter(|form| ["sh", "console"].contains(form)) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut block = block.into_iter();
        while let Some(line) = block.next() {
            let command = if form == "sh" { Some(line) } else { line.strip_prefix("$ ") };
            match (command, found.last_mut()) {
                (Some(command), _) => {
                    let mut command = command.to_owned();
                    if command.ends_with("<<'END'") {
                        let text: Vec<&str> = block.by_ref().take_while(|line| *line != "END").collect();
                        command = format!("{command}\n{}\nEND", text.join("\n"));
                    }
                    found.push(Example { command, shown: Vec::new() });
                }
                (None, Some(Example { shown, .. })) => shown.push(line.to_owned()),
                (None, None) => panic!("`{line}` is the output of nothing"),
            }
        }
    }
    found.retain(|example| !FOR_READERS.iter().any(|begin| example.command.starts_with(begin)));
    found
}

#[test]
fn what_fits() {
    for (line, shown) in [("plan 019a  FixBug", "plan …  FixBug"), ("a", "a"), ("abc", "…"), ("risk 3 low", "risk …")]
    {
        assert!(fits(line, shown), "{line}, {shown}");
    }
    for (line, shown) in [("a plan x", "plan …"), ("ab", "a"), ("ab", "…a"), ("", "a")] {
        assert!(!fits(line, shown), "{line}, {shown}");
    }
}

/// The list of known attacks names tests that there are, so that none is lost unnoticed.
#[test]
fn every_test_that_holds_an_attack_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join("tests/attacks/README.md")).unwrap();
    let mut sources = String::new();
    read_sources(&root.join("crates"), &mut sources);
    let rows = list.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| no."));
    let tests = rows.filter_map(|row| row.rsplit('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let mut count = 0;
    for test in tests.filter(|name| name.contains('_') && !name.contains(['/', ':', '.'])) {
        assert!(sources.contains(&format!("fn {test}(")), "there is no test `{test}`");
        count += 1;
    }
    assert!(count > 40, "the list names fewer tests than it did: {count}");
}

fn read_sources(folder: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|end| end == "rs") {
            sources.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}
