//! From a proposal and what its targets are to the exact effects and the content hash.

use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::facts::{Facts, FileContent, Obstacle, Target, TargetFact};
use exacta_kernel::finding::Finding;
use exacta_kernel::hash::Digest;
use exacta_kernel::kept;
use exacta_kernel::parse::{parse, parse_kept};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::scan::added_secrets;
use exacta_kernel::seal::seal;
use serde_json::{Value, json};
use std::sync::Arc;

const DIFF: &str = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

fn facts(targets: Vec<(&str, Target)>) -> Facts {
    let mut facts = Facts::new();
    for (path, target) in targets {
        let fact = TargetFact { target, lookalikes: Vec::new(), folds: false };
        facts.insert(RelPath::parse(path).unwrap(), fact);
    }
    facts
}

fn file(text: &str) -> Target {
    Target::File(Arc::new(FileContent::new(text.as_bytes().to_vec(), 0o640)))
}

fn step(order: u64, kind: &str, target: &str, payload: Value) -> Value {
    let mut step = json!({
        "id": format!("s{order}"), "order": order, "type": kind, "target": target,
        "description": "a step", "dependencies": [],
    });
    for (key, value) in payload.as_object().unwrap() {
        step[key] = value.clone();
    }
    step
}

fn proposal(steps: &[Value]) -> String {
    json!({ "schema": "exacta.plan/1", "intent": { "type": "FixBug", "text": "mend it" }, "steps": steps }).to_string()
}

fn sealed(steps: &[Value], facts: &Facts) -> Plan {
    let text = proposal(steps);
    let proposal = parse(text.as_bytes()).unwrap_or_else(|refusal| panic!("{:#?}", refusal.findings));
    seal(proposal, facts).unwrap()
}

/// What the effects are, as text: `path: before -> after`.
fn effects(plan: &Plan) -> Vec<String> {
    let text = |content: Option<&Arc<FileContent>>| {
        content.map_or("absent".to_owned(), |file| format!("{:?}", String::from_utf8_lossy(file.bytes())))
    };
    let effects = plan.effects().iter();
    effects.map(|e| format!("{}: {} -> {}", e.path, text(e.before.as_ref()), text(e.after.as_ref()))).collect()
}

fn failures(plan: &Plan) -> Vec<&Finding> {
    plan.failures().iter().collect()
}

#[test]
fn steps_on_one_file_see_what_the_ones_before_them_left() {
    let steps = [
        step(2, "file_modify", "f", json!({ "edits": [{ "find": "2", "replace": "zwei" }] })),
        step(1, "file_modify", "f", json!({ "diff": DIFF })),
        step(3, "file_delete", "f", json!({})),
        step(4, "file_create", "f", json!({ "content": "new" })),
    ];
    let plan = sealed(&steps, &facts(vec![("f", file("one\ntwo\n"))]));
    assert_eq!(
        effects(&plan),
        [
            r#"f: "one\ntwo\n" -> "one\n2\n""#,
            r#"f: "one\n2\n" -> "one\nzwei\n""#,
            r#"f: "one\nzwei\n" -> absent"#,
            r#"f: absent -> "new""#,
        ]
    );
    let changes = plan.changes();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].before.as_ref().unwrap().mode(), 0o640);
    assert_eq!(changes[0].after.as_ref().unwrap().mode(), 0o644);
}

#[test]
fn a_failed_step_is_one_finding_with_its_place_and_hides_no_other_file() {
    let steps = [
        step(1, "file_modify", "f", json!({ "edits": [{ "find": "absent", "replace": "x" }] })),
        step(2, "file_modify", "f", json!({ "edits": [{ "find": "one", "replace": "x" }] })),
        step(3, "file_create", "g", json!({ "content": "g" })),
        step(4, "file_modify", "missing", json!({ "content": "x" })),
    ];
    let facts = facts(vec![("f", file("one\n")), ("g", Target::Absent), ("missing", Target::Absent)]);
    let plan = sealed(&steps, &facts);
    assert_eq!(effects(&plan), [r#"g: absent -> "g""#]);
    let found: Vec<_> =
        failures(&plan).iter().map(|f| (f.code.as_str(), f.step.clone(), f.path.clone(), f.pointer.clone())).collect();
    let place = |step: &str, path: &str, at: &str| (Some(step.to_owned()), Some(path.to_owned()), Some(at.to_owned()));
    let (step_1, step_4) = (place("s1", "f", "/steps/0/edits/0"), place("s4", "missing", "/steps/3"));
    assert_eq!(
        found,
        [("PLAN_DIFF_CONTEXT", step_1.0, step_1.1, step_1.2), ("PLAN_TARGET_MISSING", step_4.0, step_4.1, step_4.2),]
    );
}

#[test]
fn what_a_target_is_decides_the_code() {
    let blocked = |by| Target::Blocked { at: "d".to_owned(), by };
    let targets = [
        (Target::TooLarge { size: 1 << 40 }, "PLAN_TARGET_TOO_LARGE"),
        (Target::Symlink, "PLAN_PATH_OUTSIDE"),
        (Target::Directory { files: None }, "PLAN_TARGET_UNUSABLE"),
        (Target::Special, "PLAN_TARGET_UNUSABLE"),
        (Target::Unreadable { reason: "permission denied".to_owned() }, "PLAN_TARGET_UNUSABLE"),
        (blocked(Obstacle::Symlink), "PLAN_PATH_OUTSIDE"),
        (blocked(Obstacle::NotAFolder), "PLAN_PATH_INVALID"),
        (blocked(Obstacle::Mount), "PLAN_PATH_OUTSIDE"),
        (file("there already"), "PLAN_TARGET_EXISTS"),
    ];
    for (target, code) in targets {
        let plan = sealed(&[step(1, "file_create", "d/f", json!({ "content": "x" }))], &facts(vec![("d/f", target)]));
        let found: Vec<_> = failures(&plan).iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(found, [code]);
        assert_eq!(plan.effects(), []);
    }
    let unknown = sealed(&[step(1, "file_create", "f", json!({ "content": "x" }))], &Facts::new());
    assert_eq!(failures(&unknown)[0].code.as_str(), "PLAN_TARGET_UNUSABLE");
}

#[test]
fn the_base_is_the_state_before_that_step() {
    let base = |text: &str| Digest::of(text.as_bytes()).to_string();
    let first = json!({ "diff": DIFF, "base_sha256": base("one\ntwo\n") });
    let second = json!({ "edits": [{ "find": "2", "replace": "3" }], "base_sha256": base("one\n2\n") });
    let steps = [step(1, "file_modify", "f", first), step(2, "file_modify", "f", second)];
    let right = facts(vec![("f", file("one\ntwo\n"))]);
    assert_eq!(failures(&sealed(&steps, &right)), Vec::<&Finding>::new());
    let changed = facts(vec![("f", file("one\ntwo\nthree\n"))]);
    let plan = sealed(&steps, &changed);
    assert_eq!(failures(&plan).len(), 1);
    assert_eq!(failures(&plan)[0].code.as_str(), "PLAN_TARGET_CHANGED");
    assert_eq!(plan.effects(), []);
}

/// Lines that are added where they are already were added before; unless the file is the very one that the author saw.
#[test]
fn where_the_base_is_said_a_line_can_be_repeated() {
    let text = "one\ntwo\ntwo\n";
    let seal = |base: Option<&str>| {
        let diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n one\n two\n+two\n";
        let mut payload = json!({ "diff": diff });
        if let Some(base) = base {
            payload["base_sha256"] = json!(Digest::of(base.as_bytes()).to_string());
        }
        let plan = sealed(&[step(1, "file_modify", "f", payload)], &facts(vec![("f", file(text))]));
        failures(&plan).first().map(|finding| finding.code.as_str())
    };
    assert_eq!(seal(Some(text)), None);
    assert_eq!(seal(None), Some("PLAN_DIFF_CONTEXT"));
}

#[test]
fn the_content_hash_is_of_the_bytes_not_of_how_they_were_written_down() {
    let facts = facts(vec![("f", file("one\ntwo\n"))]);
    let hash = |payload| sealed(&[step(1, "file_modify", "f", payload)], &facts).content_hash();
    let by_diff = hash(json!({ "diff": DIFF }));
    assert_eq!(by_diff, hash(json!({ "edits": [{ "find": "two", "replace": "2" }] })));
    assert_eq!(by_diff, hash(json!({ "content": "one\n2\n" })));
    assert_ne!(by_diff, hash(json!({ "content": "one\n2" })));
    assert_ne!(by_diff, hash(json!({ "diff": DIFF, "base_sha256": Digest::of(b"one\ntwo\n").to_string() })));
    let executable =
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_ne!(by_diff, hash(json!({ "diff": executable })));
    // Payloads that cannot be turned into bytes still tell proposals apart.
    let absent = |find: &str| hash(json!({ "edits": [{ "find": find, "replace": "2" }] }));
    assert_ne!(absent("x"), absent("y"));
}

#[test]
fn the_content_hash_is_the_same_on_every_machine() {
    let with_mode = |mode| {
        let content = FileContent::new(b"one\ntwo\n".to_vec(), mode);
        let facts = facts(vec![("f", Target::File(Arc::new(content)))]);
        sealed(&[step(1, "file_modify", "f", json!({ "diff": DIFF }))], &facts).content_hash()
    };
    assert_eq!(with_mode(0o600), with_mode(0o664));
    assert_ne!(with_mode(0o644), with_mode(0o755));
    // Pinned: a change of this value is a change of the format.
    assert_eq!(with_mode(0o644).to_string(), "1deaec1b1666dc9c32541044c5ecaa949dcf591fbc637d5b1d27003aa6aa0098");
}

#[test]
fn the_content_hash_ignores_key_order_and_white_space() {
    let facts = facts(vec![("f", file("one\ntwo\n"))]);
    let hash = |text: &str| seal(parse(text.as_bytes()).unwrap(), &facts).unwrap().content_hash();
    let one = r#"{"schema":"exacta.plan/1","intent":{"type":"FixBug","text":"x"},"steps":[{"id":"s","order":1,
        "type":"file_modify","target":"f","description":"d","dependencies":[],"content":"x"}]}"#;
    let other = r#"{"steps":[{"content":"x","dependencies":[],"description":"d","target":"f","type":"file_modify",
        "order":1,"id":"s"}],"intent":{"text":"x","type":"FixBug"},  "schema":"exacta.plan/1"}"#;
    assert_eq!(hash(one), hash(other));
    assert_ne!(hash(one), hash(&one.replace("\"d\"", "\"e\"")));
}

/// A proposal of many steps is refused by its number of steps; until then it costs next to nothing.
#[test]
fn of_too_many_steps_only_the_first_are_turned_into_bytes() {
    let steps: Vec<Value> = (1..=2000)
        .map(|order| step(order, "file_modify", "f", json!({ "edits": [{ "find": "x", "replace": "xy" }] })))
        .collect();
    let plan = sealed(&steps, &facts(vec![("f", file("x"))]));
    assert_eq!(plan.effects().len(), 500, "as many as any policy allows");
}

/// Attack 8: a change that quotes a secret of its file is kept without it, and the plan derived from that is the same.
#[test]
fn attack_08_what_is_kept_of_a_change_quotes_no_secret_and_makes_the_same_plan() {
    let token = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
    let before = format!("one\nt = '{token}'\nthree\nfour");
    let facts = facts(vec![("f", file(&before))]);
    let diff = format!("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n t = '{token}'\n-three\n+3\n");
    let mode = format!("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n{diff}");
    let whole = format!(
        "--- a/f\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-one\n-t = '{token}'\n-three\n-four\n\\ No newline at end of file\n"
    );
    let cases = [
        ("file_modify", json!({ "edits": [{ "find": format!("t = '{token}'\n"), "replace": "" }] })),
        ("file_modify", json!({ "edits": [{ "find": "four", "replace": "4\n" }] })),
        ("file_modify", json!({ "diff": diff })),
        ("file_modify", json!({ "diff": mode })),
        ("file_modify", json!({ "content": before.replace("three", "é") })),
        ("file_delete", json!({ "diff": whole })),
    ];
    for (kind, payload) in cases {
        let steps = [step(1, kind, "f", payload)];
        let plan = sealed(&steps, &facts);
        assert!(plan.failures().is_empty(), "{steps:?}: {:?}", plan.failures());
        let text = kept::text(&plan, proposal(&steps).as_bytes()).unwrap().unwrap().into_owned();
        assert!(!String::from_utf8_lossy(&text).contains(&token), "{}", String::from_utf8_lossy(&text));
        let again = seal(parse_kept(&text).unwrap(), &facts).unwrap();
        assert_eq!((again.content_hash(), again.changes()), (plan.content_hash(), plan.changes()), "{steps:?}");
        // Kept once more, it stays as it is.
        assert_eq!(kept::text(&again, &text).unwrap().unwrap(), text);
        if kind == "file_modify" {
            assert!(parse(&text).is_err(), "nobody can send what the record keeps");
            let other = self::facts(vec![("f", file(&before.replace("one", "1")))]);
            let codes: Vec<_> = failures(&seal(parse_kept(&text).unwrap(), &other).unwrap())
                .iter()
                .map(|finding| finding.code.as_str())
                .collect();
            assert_eq!(codes, ["PLAN_TARGET_CHANGED"]);
        }
    }
}

/// Attack 58: what of a diff is of neither file is searched too: of a change it is not kept, and in a new file's diff it counts as
/// the proposal's own words.
#[test]
fn attack_58_no_secret_is_kept_in_the_heads_of_a_diff() {
    let token = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
    let facts = facts(vec![("f", file("hello\n"))]);
    for (kind, diff) in [
        ("file_modify", format!("--- a/f\n+++ b/f\t{token}\n@@ -1 +1 @@\n-hello\n+good day\n")),
        ("file_modify", format!("--- a/f\t{token}\n+++ b/f\n@@ -1 +1 @@\n-hello\n+good day\n")),
        ("file_modify", format!("--- a/f\n+++ b/f\n@@ -1 +1 @@ {token}\n-hello\n+good day\n")),
        ("file_delete", format!("--- a/f\n+++ /dev/null\t{token}\n@@ -1 +0,0 @@\n-hello\n")),
    ] {
        let steps = [step(1, kind, "f", json!({ "diff": diff }))];
        let plan = sealed(&steps, &facts);
        assert!(plan.failures().is_empty(), "{diff}: {:?}", plan.failures());
        let text = kept::text(&plan, proposal(&steps).as_bytes()).unwrap().unwrap().into_owned();
        assert!(!String::from_utf8_lossy(&text).contains(&token), "{}", String::from_utf8_lossy(&text));
        let again = seal(parse_kept(&text).unwrap(), &facts).unwrap();
        assert_eq!((again.content_hash(), again.changes()), (plan.content_hash(), plan.changes()), "{diff}");
    }
    let absent = self::facts(vec![("n", Target::Absent)]);
    let created = |heading: &str| {
        let index = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..ce013625030ba8dba906f756967f9e9ca394464a\n";
        let diff = format!("{index}--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@{heading}\n+hello\n");
        let plan = sealed(&[step(1, "file_create", "n", json!({ "diff": diff }))], &absent);
        assert!(plan.failures().is_empty(), "{:?}", plan.failures());
        added_secrets(&plan).iter().filter(|secret| secret.certain).count()
    };
    assert_eq!((created(&format!(" {token}")), created(" fn main()")), (1, 0));
}

/// What quotes no secret is kept as it came; of what is no plan nothing is kept that holds one.
#[test]
fn attack_08_only_what_must_be_is_kept_in_another_form() {
    let token = ["gh", "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"].concat();
    let steps = [step(1, "file_modify", "f", json!({ "diff": DIFF }))];
    let text = proposal(&steps);
    let plan = sealed(&steps, &facts(vec![("f", file("one\ntwo\n"))]));
    assert_eq!(kept::text(&plan, text.as_bytes()).unwrap().unwrap(), text.as_bytes());
    let steps = [step(1, "file_modify", "f", json!({ "edits": [{ "find": token, "replace": "" }] }))];
    let plan = sealed(&steps, &facts(vec![("f", file("one\n"))]));
    assert!(kept::text(&plan, proposal(&steps).as_bytes()).unwrap().is_none());
}

/// Item 25: a step's own constraint is about that step, and need not name it.
#[test]
fn a_steps_own_constraint_needs_no_target() {
    let own = |target: Value| {
        let mut constraint = json!({ "id": "c1", "type": "MUST_NOT", "scope": "step", "description": "delete files" });
        if !target.is_null() {
            constraint["target"] = target;
        }
        json!([constraint])
    };
    let outcome = |kind: &str, target: Value, payload: Value| {
        let mut first = step(1, kind, "f", payload);
        first["constraints"] = own(target);
        let other = step(2, "file_delete", "g", json!({}));
        let facts = facts(vec![("f", file("one\ntwo\n")), ("g", file("x\n"))]);
        let context = Context {
            facts: &facts,
            caps: &Caps::default(),
            constraints: &[],
            allowed: &Allowed::default(),
            generated: false,
        };
        match check(sealed(&[first, other], &facts), &context) {
            Ok(_) => Vec::new(),
            Err(invalid) => invalid.findings.iter().map(|finding| finding.code.as_str()).collect(),
        }
    };
    // It covers its own step, and no other: the second step may delete.
    for target in [Value::Null, json!("s1")] {
        assert_eq!(outcome("file_modify", target.clone(), json!({ "diff": DIFF })), [""; 0]);
        assert_eq!(outcome("file_delete", target, json!({})), ["PLAN_CONSTRAINT_VIOLATED"]);
    }
    // A constraint of the whole proposal still names its step, and a file's names its file.
    for (scope, own) in [("step", false), ("file", false), ("file", true)] {
        let constraint = json!([{ "id": "c1", "type": "MUST_NOT", "scope": scope, "description": "delete files" }]);
        let mut only = step(1, "file_delete", "f", json!({}));
        let mut text: Value = serde_json::from_str(&proposal(&[only.clone()])).unwrap();
        if own {
            only["constraints"] = constraint;
            text = serde_json::from_str(&proposal(&[only])).unwrap();
        } else {
            text["constraints"] = constraint;
        }
        assert!(parse(text.to_string().as_bytes()).is_err(), "{scope}");
    }
}
