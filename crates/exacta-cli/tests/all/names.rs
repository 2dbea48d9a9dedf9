//! How plans are named (attack 5), and that every list says of a plan what `show` says (attack 22).

use crate::story::fix;
use crate::world::{Done, World, done};
use exacta_testkit::output;
use serde_json::{Value, json};

fn plain(world: &World, args: &[&str]) -> Done {
    done(output(&mut world.plain(args)))
}

fn submit(world: &World, plan: &Value, code: i32) -> String {
    let done = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(code);
    done.json()["plan_id"].as_str().unwrap().to_owned()
}

fn code(done: &Done) -> String {
    done.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_person_types_the_short_id_and_reads_with_it() {
    let world = World::begun();
    let first = submit(&world, &fix(), 30);
    let second = submit(&world, &fix(), 30);
    let plans = world.run(&["list", "--json"]).expect(0).json()["plans"].clone();
    let short = |id: &str| {
        let plan = plans.as_array().unwrap().iter().find(|plan| plan["plan_id"] == id).unwrap();
        plan["short_id"].as_str().unwrap().to_owned()
    };
    let shown = |name: &str| world.run(&["show", name, "--json"]).expect(0).json();
    for id in [&first, &second] {
        let short = short(id);
        assert!(short.len() >= 4 && short.chars().all(|c| "0123456789abcdefghjkmnpqrstvwxyz".contains(c)), "{short}");
        assert_eq!(shown(&short)["plan_id"], json!(id));
        assert_eq!(shown(&short)["short_id"], json!(short));
        assert_eq!(shown(&id[..30])["plan_id"], json!(id), "the beginning of the id");
        assert!(!id.starts_with(&short), "the time is no name: {short}");
    }
    assert_eq!(shown("@")["plan_id"], json!(second));
    assert_eq!(shown("@-1")["plan_id"], json!(first));
    for name in ["@-2", "@x", "@1", "zzzzzzzzzzz", "abc", ""] {
        plain(&world, &["show", name]).expect(2);
    }
    let table = world.run(&["list"]).expect(0).out;
    assert!(table.contains(&short(&first)) && table.contains(&short(&second)), "{table}");
    let mut terminal = world.terminal(&["approve", &short(&first)]);
    terminal.wait_for("there").wait_for("[?]").send("y");
    terminal.end().expect(0);
    assert_eq!(shown(&first)["status"], "user_approved");
    assert_eq!(shown(&second)["status"], "pending");
}

#[test]
fn attack_05_with_a_key_only_the_whole_id_and_the_hash_count() {
    let world = World::begun();
    let id = submit(&world, &fix(), 30);
    let view = world.run(&["show", &id, "--json"]).expect(0).json();
    let (short, hash) = (view["short_id"].as_str().unwrap(), view["plan_hash"].as_str().unwrap());
    let key = world.key();
    for name in [short, "@", &id[..13], &id[..35]] {
        for verb in [&["approve", name, "--hash", hash][..], &["reject", name], &["revise", name, "smaller"]] {
            let refused = plain(&world, &[verb, &["--approver-key", &key, "--json"]].concat()).expect(2);
            assert_eq!(code(&refused), "plan_id_not_whole", "{verb:?}: {}", refused.out);
        }
    }
    let refused = plain(&world, &["approve", &id, "--approver-key", &key, "--json"]).expect(2);
    assert_eq!(code(&refused), "hash_required");
    assert!(refused.out.contains(&format!("--hash {hash}")), "the hint has the hash to pass: {}", refused.out);
    assert_eq!(world.run(&["show", &id, "--json"]).expect(0).json()["status"], "pending");
    plain(&world, &["approve", &id, "--hash", hash, "--approver-key", &key]).expect(0);
    world.run(&["execute", short]).expect(0);
    for args in [&["undo"][..], &["undo", short], &["undo", "@"]] {
        let refused = plain(&world, &[args, &["--approver-key", &key, "--json"]].concat()).expect(2);
        assert_eq!(code(&refused), "run_id_not_whole", "{args:?}: {}", refused.out);
    }
    plain(&world, &["undo", &id, "--approver-key", &key]).expect(0);
}

type End = fn(&World);

/// What a plan expires by, done to a project.
const ENDS: [(&str, End); 4] = [
    ("a target changed", |world| world.write("greet.txt", "somebody else\n")),
    ("a target is gone", |world| std::fs::remove_file(world.project().join("greet.txt")).unwrap()),
    ("the configuration changed", |world| world.write(".exacta/config.toml", "[caps]\nexpiry_seconds = 600\n")),
    ("the session ended", |world| std::fs::remove_dir_all(world.home().join("state/sessions")).unwrap()),
];

#[test]
fn attack_22_lists_say_what_show_says() {
    for (what, end) in ENDS {
        let world = World::begun();
        let pending = submit(&world, &fix(), 30);
        let approved = submit(&world, &fix(), 30);
        world.run(&["approve", &approved, "--approver-key", &world.key()]).expect(0);
        let entries = || world.run(&["audit", "list", "--limit", "1000", "--json"]).expect(0).json()["entries"].clone();
        let before = entries();
        let told = |status: &str| -> Vec<Value> {
            let lines = world.run(&["list", "--status", status, "--json"]).expect(0).json()["plans"].clone();
            lines.as_array().unwrap().iter().map(|line| line["plan_id"].clone()).collect()
        };
        assert_eq!((told("pending"), told("user_approved")), (vec![json!(pending)], vec![json!(approved)]), "{what}");
        end(&world);
        for id in [&pending, &approved] {
            assert_eq!(world.run(&["show", id, "--json"]).expect(0).json()["status"], "expired", "{what}");
        }
        assert_eq!((told("pending"), told("user_approved")), (vec![], vec![]), "{what}");
        assert_eq!(told("expired"), [json!(approved), json!(pending)], "{what}");
        let listed = world.run(&["list", "--json"]).expect(0).json()["plans"].clone();
        assert!(listed.as_array().unwrap().iter().all(|plan| plan["status"] == "expired"), "{what}: {listed}");
        let status = world.run(&["status", "--json"]).json();
        assert_eq!((&status["pending"], &status["approved"]), (&json!([]), &json!([])), "{what}");
        plain(&world, &["show", "@"]).expect(2);
        assert_eq!(entries(), before, "{what}: nobody who only reads changes anything");
    }
}
