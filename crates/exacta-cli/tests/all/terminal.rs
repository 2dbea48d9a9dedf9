//! What happens at a terminal, with a person at it.

use crate::story::{fix, three_steps};
use crate::world::World;
use exacta_testkit::{sandbox, succeeds};
use std::process::Command;

fn submitted(world: &World) -> String {
    submitted_plan(world, &fix())
}

fn submitted_plan(world: &World, plan: &serde_json::Value) -> String {
    let done = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(30);
    done.json()["plan_id"].as_str().unwrap().to_owned()
}

fn status(world: &World, id: &str) -> String {
    world.run(&["show", id, "--json"]).expect(0).json()["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_person_says_yes() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("+there").wait_for("[?]").send("y");
    terminal.end().expect(0);
    assert_eq!(status(&world, &id), "user_approved");
}

#[test]
fn anything_else_is_a_no() {
    let world = World::begun();
    let id = submitted(&world);
    for answer in ["\n", "\r", " ", "a", "\x1b[A", "yes", "e"] {
        let mut terminal = world.terminal(&["approve", &id]);
        terminal.wait_for("Approve?").wait_for("[?] ").send(answer);
        terminal.wait_for("[?] ").send("n");
        let done = terminal.end().expect(30);
        assert!(done.out.contains("you said no"), "{answer:?}: {}", done.out);
    }
    assert_eq!(status(&world, &id), "pending");
}

/// Whoever types ahead has not seen what they would approve.
#[test]
fn keys_typed_before_the_plan_was_drawn_do_not_count() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.shell(&format!("echo typing; sleep 1; {} approve {id}", crate::world::EXACTA));
    terminal.wait_for("typing").send("yyyyyyyy").wait_for("[?] ").send("n");
    terminal.end().expect(30);
    assert_eq!(status(&world, &id), "pending");
}

/// All that matters of a small change is on a screen of 80×24, in the order that a decision needs; no hash, no session.
#[test]
fn a_small_change_is_decided_on_one_screen() {
    let world = World::begun();
    let path = world.file("plan.json", fix().to_string());
    let mut terminal = world.terminal(&["run", &path]);
    let screen = terminal.until("[?] ");
    let at = |part: &str| screen.find(part).unwrap_or_else(|| panic!("{part}\n{screen}"));
    let order = ["M greet.txt  +1 -1", "-world", "+there", "risk ", "quality ", "min left", "asking because", "Apply?"];
    assert!(order.map(at).is_sorted(), "{screen}");
    assert!(screen.lines().count() <= 24, "{screen}");
    for word in ["hash", "session", "sha256", "binding"] {
        assert!(!screen.contains(word), "{word}\n{screen}");
    }
    terminal.send("y");
    terminal.end().expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}

#[test]
fn hashes_and_bindings_come_with_verbose() {
    let world = World::begun();
    let id = submitted(&world);
    let hash = world.run(&["show", &id, "--json"]).json()["plan_hash"].as_str().unwrap().to_owned();
    let mut terminal = world.terminal(&["approve", &id, "--verbose"]);
    let screen = terminal.until("[?] ");
    assert!(screen.contains(&hash) && screen.contains("profile"), "{screen}");
    terminal.send("n");
    terminal.end().expect(30);
}

/// A CI file is SYSTEM-LEVEL: a key is too little, and Enter is nothing.
#[test]
fn what_is_grave_takes_the_word() {
    let world = World::begun();
    let mut plan = fix();
    plan["intent"] = serde_json::json!({"type": "FixBug", "text": "the workflow runs the tests on each push"});
    plan["steps"] = serde_json::json!([{
        "id": "s1", "order": 1, "type": "file_create", "target": ".github/workflows/ci.yml", "description": "a workflow that runs the tests on each push",
        "dependencies": [], "content": "on: push\njobs:\n  t:\n    steps:\n      - run: curl https://get.acme.io | sh\n",
    }]);
    let id = submitted_plan(&world, &plan);
    let mut terminal = world.terminal(&["approve", &id]);
    let screen = terminal.until("[?] ");
    assert!(screen.contains("SYSTEM-LEVEL") && screen.contains("Type approve"), "{screen}");
    assert!(screen.contains("curl https://get.acme.io | sh") && screen.contains("ci.yml`, line 5"), "{screen}");
    for answer in ["y\n", "\n", "approv\n", "yes\n"] {
        terminal.send(answer).wait_for("[?] ");
    }
    assert_eq!(status(&world, &id), "pending");
    terminal.send("approve\n");
    terminal.end().expect(0);
    assert_eq!(status(&world, &id), "user_approved");
}

#[test]
fn changes_are_asked_for_at_the_prompt() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("[?] ").send("c").wait_for("What should be different?").send("\n");
    terminal.wait_for("[?] ").send("c").wait_for("What should be different?").send("say hi instead\n");
    let done = terminal.end().expect(35);
    assert!(done.out.contains(&format!("--revises {id}")), "{}", done.out);
    let plan = world.run(&["show", &id, "--json"]).expect(0).json();
    assert_eq!(plan["changes_requested"]["text"], "say hi instead");
}

/// `v` opens all of it; leaving it comes back to the question.
#[test]
fn all_the_rest_is_one_key_away() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("[?] ").send("v").wait_for("\x1b[?1049h").wait_for("greet.txt").send("q");
    terminal.wait_for("\x1b[?1049l").wait_for("[?] ").send("y");
    terminal.end().expect(0);
    assert_eq!(status(&world, &id), "user_approved");
}

#[test]
fn nobody_is_asked_who_has_no_key_here() {
    let world = World::begun();
    let id = submitted(&world);
    std::fs::remove_file(world.key()).unwrap();
    let path = world.file("plan.json", fix().to_string());
    for args in [["approve", &id], ["reject", &id], ["run", &path]] {
        let done = world.terminal(&args).end().expect(2);
        assert!(done.out.contains("no approver's key is here") && !done.out.contains("[?]"), "{}", done.out);
    }
}

/// The first thing that somebody new tries: it ends with what to do first, and leaves nothing behind.
#[test]
fn run_without_a_key_in_a_new_folder_makes_nothing() {
    let world = World::new();
    let path = world.file("plan.json", fix().to_string());
    let done = world.terminal(&["run", &path]).end().expect(2);
    assert!(done.out.contains("`exacta init` makes your first key") && !done.out.contains("expired"), "{}", done.out);
    assert!(!world.project().join(".exacta").exists(), "a project was made");
}

#[test]
fn control_c_at_a_question_decides_nothing() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("[?]").send("\x03");
    terminal.end().expect(30);
    assert_eq!(status(&world, &id), "pending");
}

#[test]
fn answers_from_a_pipe_do_not_count_even_with_a_terminal_around() {
    let world = World::begun();
    let id = submitted(&world);
    let line = format!("yes | {} approve {id}", crate::world::EXACTA);
    let terminal = world.shell(&line);
    let done = terminal.end();
    assert!(done.out.contains("no terminal"), "{}", done.out);
    assert_eq!(status(&world, &id), "pending");
}

#[test]
fn a_passphrase_is_asked_for_and_not_shown() {
    let world = World::new();
    let mut terminal = world.terminal(&["init", "--approver", "tester", "--profile", "SAFE"]);
    terminal.wait_for("new passphrase").send("correct horse\n");
    terminal.wait_for("the same again").send("correct horse\n");
    let done = terminal.end().expect(0);
    assert!(!done.out.contains("correct horse"), "{}", done.out);
    let id = submitted(&world);
    let mut terminal = world.terminal(&["approve", &id]);
    terminal.wait_for("[?]").send("y");
    terminal.wait_for("passphrase of `tester`").send("wrong\n");
    terminal.wait_for("passphrase of `tester`").send("correct horse\n");
    terminal.end().expect(0);
    assert_eq!(status(&world, &id), "user_approved");
}

/// A passphrase is remembered for the terminal it was given at, and for no other.
#[test]
fn another_terminal_asks_for_the_passphrase_again() {
    let world = World::new();
    let mut terminal = world.terminal(&["init", "--approver", "tester", "--profile", "SAFE"]);
    terminal.wait_for("new passphrase").send("correct horse\n");
    terminal.wait_for("the same again").send("correct horse\n");
    terminal.end().expect(0);
    let [first, second, third] = [submitted(&world), submitted(&world), submitted(&world)];
    let exacta = crate::world::EXACTA;
    let mut terminal = world.shell(&format!("{exacta} approve {first} && echo next; {exacta} approve {second}"));
    terminal.wait_for("[?]").send("y");
    terminal.wait_for("passphrase of `tester`").send("correct horse\n");
    terminal.wait_for("next").wait_for("[?]").send("y");
    let done = terminal.end().expect(0);
    assert!(!done.out.contains("passphrase"), "{}", done.out);
    let mut terminal = world.terminal(&["approve", &third]);
    terminal.wait_for("[?]").send("y");
    terminal.wait_for("passphrase of `tester`").send("\x03");
    terminal.end().expect(30);
    assert_eq!(status(&world, &third), "pending");
}

/// Trying a passphrase takes a while, and people type on.
#[test]
fn nothing_typed_between_two_passphrases_is_shown() {
    let world = World::new();
    let mut terminal = world.terminal(&["init", "--approver", "tester", "--profile", "SAFE"]);
    terminal.wait_for("new passphrase").send("correct horse\n");
    terminal.wait_for("the same again").send("wrong horse\n");
    terminal.wait_for("not the same").wait_for("new passphrase").send("correct horse\n");
    terminal.wait_for("the same again").send("correct horse\n");
    terminal.end().expect(0);
    let id = submitted(&world);
    let line = format!(
        "trap : INT; {} approve {id}; code=$?; stty -a | grep -wo -e '-\\?echo'; exit $code",
        crate::world::EXACTA
    );
    for keys in ["correct horse\n", "\x03"] {
        let mut terminal = world.shell(&line);
        terminal.wait_for("[?]").send("y");
        terminal.wait_for("passphrase of `tester`").send("wrong\n").wait_for("\n").send(keys);
        if keys != "\x03" {
            terminal.wait_for("passphrase of `tester`").send("\x03");
        }
        let done = terminal.end().expect(30);
        assert!(!done.out.contains("horse") && done.out.trim_end().ends_with("\necho"), "{}", done.out);
        assert_eq!(status(&world, &id), "pending");
    }
}

#[test]
fn the_review_screen_approves_with_two_keys() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["review", &id]);
    terminal.wait_for("greet.txt").send("a");
    terminal.wait_for("exactly").send("y");
    let done = terminal.end().expect(0);
    assert!(done.out.contains("\x1b[?1049l"), "the screen is left as it was found");
    assert_eq!(status(&world, &id), "user_approved");
}

#[test]
fn on_the_review_screen_some_steps_become_a_plan_of_their_own() {
    let world = World::begun();
    let whole = submitted_plan(&world, &three_steps());
    let mut terminal = world.terminal(&["review", &whole]);
    terminal.wait_for("greet.txt").send(" s");
    terminal.wait_for("\x1b[?1049l").wait_for("\x1b[?1049h").wait_for("greet.txt");
    let part = world.run(&["list", "--limit", "1", "--json"]).expect(0).json()["plans"][0].clone();
    let part = part["plan_id"].as_str().unwrap().to_owned();
    assert_ne!(part, whole);
    terminal.send("a").wait_for("exactly").send("y");
    terminal.end().expect(0);
    assert_eq!((status(&world, &part).as_str(), status(&world, &whole).as_str()), ("user_approved", "expired"));
}

#[test]
fn some_steps_are_shown_again_before_they_are_approved() {
    let world = World::begun();
    let whole = submitted_plan(&world, &three_steps());
    let mut terminal = world.terminal(&["approve", &whole, "--steps", "s1"]);
    terminal.wait_for("+there").wait_for("[?]").send("y");
    terminal.end().expect(0);
    assert_eq!(status(&world, &whole), "expired");
}

#[test]
fn the_review_screen_pauses_and_rejects() {
    let world = World::begun();
    let id = submitted(&world);
    let mut terminal = world.terminal(&["review"]);
    terminal.wait_for("greet.txt").send("q");
    terminal.end().expect(30);
    assert_eq!(status(&world, &id), "pending");
    let mut terminal = world.terminal(&["review"]);
    terminal.wait_for("greet.txt").send("r");
    terminal.wait_for("Why?").send("not now\r");
    terminal.end().expect(0);
    assert_eq!(status(&world, &id), "rejected");
}

#[test]
fn a_signal_leaves_the_screen_as_it_was_found() {
    let world = World::begun();
    let id = submitted(&world);
    let number = world.path().join("process");
    let line = format!("echo $$ >{}; exec {} review {id}", number.display(), crate::world::EXACTA);
    let mut terminal = world.shell(&line);
    terminal.wait_for("\x1b[?1049h").wait_for("greet.txt");
    let number = std::fs::read_to_string(number).unwrap();
    assert!(succeeds(Command::new("kill").args(["-TERM", number.trim()])));
    let done = terminal.end().expect(30);
    assert!(done.out.contains("\x1b[?1049l"), "{:?}", done.out);
    assert_eq!(status(&world, &id), "pending");
}

#[test]
fn init_asks_for_the_profile_once() {
    let world = World::new();
    let args = ["init", "--approver", "tester", "--no-passphrase"];
    // Whoever was there first could not be asked.
    world.pipe(&["submit", "-"], fix().to_string().as_bytes()).expect(30);
    world.run(&args).expect(0);
    let mut terminal = world.terminal(&["init"]);
    // Only what the ceiling allows is offered.
    terminal.wait_for("which profile").send("full-auto\n");
    terminal.wait_for("type SAFE or DEV").wait_for("which profile").send("dev\n");
    terminal.end().expect(0);
    assert_eq!(world.run(&["profile", "current", "--json"]).expect(0).json()["in_force"], "DEV");
    let again = world.terminal(&args).end().expect(0);
    assert!(!again.out.contains("which profile"), "{}", again.out);
}

#[test]
fn run_asks_and_executes() {
    let world = World::begun();
    let path = world.file("plan.json", fix().to_string());
    let mut terminal = world.terminal(&["run", &path]);
    terminal.wait_for("Apply?").wait_for("[?]").send("y");
    terminal.end().expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    let mut terminal = world.terminal(&["undo"]);
    terminal.wait_for("-there").wait_for("[y]es").send("y");
    terminal.end().expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

/// `run` holds a session of its own: what it did not carry out ends with it, and the record says so at once.
#[test]
fn a_run_that_a_person_refuses_expires_its_plan() {
    let world = World::begun();
    let path = world.file("plan.json", fix().to_string());
    for answer in ["n", "\x03"] {
        let mut terminal = world.terminal(&["run", &path]);
        terminal.wait_for("[?]").send(answer);
        let done = terminal.end().expect(30);
        let plan = world.run(&["list", "--limit", "1", "--json"]).expect(0).json()["plans"][0].clone();
        let id = plan["plan_id"].as_str().unwrap();
        assert!(done.out.contains(&format!("exacta resubmit {id}")), "{}", done.out);
        assert_eq!((status(&world, id).as_str(), plan["status"].as_str()), ("expired", Some("expired")));
        let late = world.run(&["approve", id, "--approver-key", &world.key()]).expect(40);
        assert!(late.err.contains(&format!("`exacta resubmit {id}`")), "{}", late.err);
        world.run(&["resubmit", id]).expect(30);
    }
    assert_eq!(world.run(&["status", "--json"]).expect(0).json()["pending"].as_array().unwrap().len(), 2);
    world.run(&["audit", "verify"]).expect(0);
}

#[test]
fn control_c_during_a_run_cancels_it() {
    if !sandbox() {
        return;
    }
    let world = World::begun();
    let root = world.project().canonicalize().unwrap();
    let policy = format!(
        "version = \"slow\"\n[[projects.\"{}\".checks]]\nargv = [\"sh\", \"-c\", \"echo waiting; sleep 600\"]\n",
        root.display()
    );
    let policy = world.file("policy.toml", policy);
    world.run(&["policy", "set", &policy, "--approver-key", &world.key()]).expect(0);
    let id = submitted(&world);
    world.run(&["approve", &id, "--approver-key", &world.key()]).expect(0);
    let mut terminal = world.terminal(&["execute", &id]);
    terminal.wait_for("\n  \u{2502} waiting").send("\x03");
    let done = terminal.end().expect(50);
    assert!(done.out.contains("as it was"), "{}", done.out);
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

#[test]
fn in_the_demo_the_person_decides() {
    let world = World::new();
    let mut terminal = world.terminal(&["demo"]);
    terminal.wait_for("which steps do you approve?").send("test\n");
    terminal.wait_for("depends on").wait_for("which steps").send("round\n");
    terminal.wait_for("[y]es").send("y");
    let done = terminal.end().expect(0);
    assert!(done.out.contains("byte for byte") && !done.out.contains("(played)"), "{}", done.out);
}

#[test]
fn the_demo_is_interrupted_without_a_trace() {
    let world = World::new();
    let mut terminal = world.terminal(&["demo"]);
    terminal.wait_for("which steps do you approve?").send("\x03");
    terminal.end().expect(50);
    let left = std::fs::read_dir(world.path()).unwrap().filter_map(Result::ok);
    let stages = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("exacta-demo-"));
    assert_eq!(stages.count(), 0);
}

/// The commonest flow: an agent's plan waits, a person accepts and runs it. One command, and every key is counted.
#[test]
fn accepting_what_waits_takes_one_command_and_at_most_ten_keys() {
    let world = World::begun();
    let id = submitted(&world);
    let folder = std::path::Path::new(crate::world::EXACTA).parent().unwrap().display();
    let mut terminal = world.shell(&format!("PATH={folder}:$PATH PS1='ready> ' sh -i"));
    let mut keys = 0;
    for (sign, typed) in [("ready> ", "exacta\r"), ("+there", "x"), ("exactly", "y")] {
        terminal.wait_for(sign);
        keys += typed.len();
        terminal.send(typed);
    }
    terminal.wait_for("completed").wait_for("ready> ").send("exit\r");
    terminal.end();
    assert!(keys <= 10, "{keys}");
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
    assert_eq!(status(&world, &id), "user_approved");
}

#[test]
fn alone_it_shows_what_waits_and_reviews_one_after_the_other() {
    let world = World::begun();
    let older = submitted(&world);
    let newer = submitted_plan(&world, &three_steps());
    let mut terminal = world.terminal(&[]);
    let list = terminal.until("\x1b[?1049h");
    for part in ["1 file, +1 -1", "risk ", "s ago", "min left", "asking because", "the greeting names the wrong place"]
    {
        assert!(list.contains(part), "{part}\n{list}");
    }
    terminal.wait_for("greet.txt").send("r").wait_for("Why?").send("no\r");
    terminal.wait_for("\x1b[?1049h").wait_for("+there").send("a").wait_for("exactly").send("y");
    terminal.end().expect(0);
    assert_eq!([status(&world, &newer), status(&world, &older)], ["rejected", "user_approved"]);
    let done = world.terminal(&[]).end().expect(0);
    assert!(done.out.contains("nothing waits for you"), "{}", done.out);
}

#[test]
fn alone_without_a_terminal_it_only_lists() {
    let world = World::begun();
    let id = submitted(&world);
    let done = world.run(&[]).expect(30);
    assert!(
        done.out.contains("asking because") && done.err.contains("exacta approve PLAN"),
        "{}{}",
        done.out,
        done.err
    );
    assert_eq!(world.run(&["--json"]).expect(0).json()["plans"][0]["plan_id"], id);
    assert_eq!(status(&world, &id), "pending");
}

/// Of what follows a piped patch, nothing is an answer, whenever it comes.
#[test]
fn bytes_behind_a_piped_patch_are_no_answer() {
    let world = World::begun();
    let patch = "diff --git a/greet.txt b/greet.txt\n--- a/greet.txt\n+++ b/greet.txt\n@@ -1,2 +1,2 @@\n hello\n-world\n+there\n";
    let file = world.file("change.patch", patch);
    let exacta = crate::world::EXACTA;
    for behind in ["yes | head -c 100000", "printf 'y\\ny\\napprove\\n'", "sleep 1; printf y"] {
        let line = format!("{{ cat {file}; {behind}; }} | {exacta} run - --text 'greet there'");
        let done = world.shell(&line).converse(|seen| seen.contains("[?] ").then(|| "n".to_owned()));
        assert!([10, 30].contains(&done.code), "{behind}: {done:?}");
        assert_eq!(world.read("greet.txt"), "hello\nworld\n", "{behind}");
    }
}

/// The review opens what is looked at in the person's editor, and comes back to it.
#[test]
fn the_review_opens_an_editor_and_goes_on() {
    let world = World::begun();
    let id = submitted(&world);
    let kept = world.path().join("seen.diff");
    let editor = world.file("editor.sh", format!("cp \"$1\" {}; echo changed >> \"$1\"\n", kept.display()));
    let mut terminal = world.shell(&format!("EDITOR='sh {editor}' {} review {id}", crate::world::EXACTA));
    terminal.wait_for("\x1b[?1049h").wait_for("+there").send("e").wait_for("\x1b[?1049l").wait_for("\x1b[?1049h");
    terminal.wait_for("+there").send("a").wait_for("exactly").send("y");
    terminal.end().expect(0);
    assert!(std::fs::read_to_string(kept).unwrap().contains("+there"));
    assert_eq!(status(&world, &id), "user_approved");
    assert_eq!(world.read("greet.txt"), "hello\nworld\n");
}

/// Standard input may carry the patch; the answer is read from the terminal, and there must be one to show the plan on.
#[test]
fn a_patch_is_piped_in_and_the_terminal_is_asked() {
    let world = World::begun();
    let patch = "diff --git a/greet.txt b/greet.txt\n--- a/greet.txt\n+++ b/greet.txt\n@@ -1,2 +1,2 @@\n hello\n-world\n+there\n";
    let file = world.file("change.patch", patch);
    let exacta = crate::world::EXACTA;
    // A screen that nobody sees is no terminal.
    let unseen = world.shell(&format!("cat {file} | {exacta} run - --text 'greet there' 2>/dev/null")).end();
    assert_eq!((unseen.code, world.read("greet.txt").as_str()), (30, "hello\nworld\n"), "{}", unseen.out);
    let mut terminal = world.shell(&format!("cat {file} | {exacta} run - --text 'greet there'"));
    terminal.wait_for("+there").wait_for("Apply?").wait_for("[?] ").send("v");
    terminal.wait_for("\x1b[?1049h").wait_for("greet.txt").send("q").wait_for("\x1b[?1049l").wait_for("[?] ").send("y");
    terminal.end().expect(0);
    assert_eq!(world.read("greet.txt"), "hello\nthere\n");
}
