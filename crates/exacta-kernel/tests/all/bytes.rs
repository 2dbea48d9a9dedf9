//! New files that are no text: who is asked, what is SYSTEM-LEVEL, how they are shown and carried.

use exacta_kernel::assess::assess;
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::content_kind::ContentKind;
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::Finding;
use exacta_kernel::gate::{Circumstances, Decision, Verdict, decide};
use exacta_kernel::import::{FileChange, Request, git, tree};
use exacta_kernel::parse::{Size, parse, parse_within};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::{Content, Plan};
use exacta_kernel::policy::Policy;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::policy::project::ProjectConfig;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_kernel::proposal::IntentKind;
use exacta_kernel::seal::seal;
use exacta_testkit::Running;
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const REQUEST: Request<'_> = Request { intent: IntentKind::AddFeature, text: None };

fn proposal(target: &str, payload: &Value) -> Value {
    let mut step = json!({
        "type": "file_create", "target": target, "description": "add the picture that the page shows at its top",
    });
    payload.as_object().unwrap().iter().for_each(|(name, value)| step[name] = value.clone());
    let intent = json!({ "type": "AddFeature", "text": "show a picture at the top of the page" });
    json!({ "schema": "exacta.plan/1", "intent": intent, "steps": [step] })
}

fn absent(target: &str) -> Facts {
    let mut facts = Facts::new();
    let fact = TargetFact { target: Target::Absent, lookalikes: Vec::new(), folds: false };
    facts.insert(RelPath::parse(target).unwrap(), fact);
    facts
}

fn plan(target: &str, payload: &Value) -> Plan {
    let text = proposal(target, payload).to_string();
    seal(parse(text.as_bytes()).unwrap_or_else(|it| panic!("{:#?}", it.findings)), &absent(target)).unwrap()
}

/// A private key behind a NUL, in base64.
fn key() -> String {
    let body = "MIIEowIBAAKCAQEAaB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0d\n".repeat(12);
    let key = format!("\0\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n");
    let text = tree(
        &[FileChange { path: RelPath::parse("a").unwrap(), before: None, after: some(key.as_bytes(), 0o644) }],
        &REQUEST,
    );
    let text: Value = serde_json::from_str(&text.unwrap()).unwrap();
    text["steps"][0]["content_base64"].as_str().unwrap().to_owned()
}

/// In the loosest profile of the loosest policy.
fn judged(target: &str, payload: &Value) -> Decision {
    let facts = absent(target);
    let context = Context {
        facts: &facts,
        caps: &Caps::default(),
        constraints: &[],
        allowed: &Allowed::default(),
        generated: false,
    };
    let valid = check(plan(target, payload), &context).unwrap_or_else(|it| panic!("{:#?}", it.findings));
    let safety = SafetyPolicy::parse("ceiling = 'FULL-AUTO'", "safety-policy.toml").unwrap();
    let project = ProjectConfig::parse("", "config.toml").unwrap();
    let policy = Policy::combine(safety, project, Profile::FullAuto).unwrap();
    let ordinary =
        Circumstances { has_build_command: true, checks_off: false, made: None, connected: false, oversize: None };
    decide(assess(valid, &facts), &policy, &ordinary)
}

fn reasons(decision: &Decision) -> String {
    decision.verdicts().gates().iter().map(|gate| format!("{:?} {}\n", gate.verdict, gate.reason)).collect()
}

#[test]
fn a_person_is_asked_in_every_profile_and_a_program_is_system_level() {
    // Whether it is SYSTEM-LEVEL; the verdict in FULL-AUTO.
    let cases = [
        ("img/logo.png", json!({ "content_base64": PNG }), false, Verdict::Confirm),
        ("img/logo.png", json!({ "content_base64": PNG, "mode": "100755" }), true, Verdict::Confirm),
        // An ELF file, whatever it is called; a script with a byte that is no text; a Java archive.
        ("img/logo.png", json!({ "content_base64": "f0VMRgIBAQA=" }), true, Verdict::Confirm),
        ("tools/run", json!({ "content_base64": "IyEvYmluL3NoCmVjaG8g6QoA" }), true, Verdict::Confirm),
        ("lib/tool.jar", json!({ "content_base64": "UEsDBBQAAAAAAA==" }), true, Verdict::Confirm),
        // Latin-1 and UTF-16 texts are no programs, but they are not read as text either.
        ("notes.txt", json!({ "content_base64": "Y2Fm6Q==" }), false, Verdict::Confirm),
        ("notes.txt", json!({ "content_base64": "//5oAGkA" }), false, Verdict::Confirm),
        // Text is as it was.
        ("notes.txt", json!({ "content": "hello, and welcome to the notes\n" }), false, Verdict::Allow),
        // What looks like a secret between other bytes, and a private key.
        (
            "data.bin",
            json!({ "content_base64": "AApnaHBfMTZDN2U0MkYyOTJjNjkxMkU3NzEwYzgzODM0N0FlMTc4QjRhCgA=" }),
            false,
            Verdict::Confirm,
        ),
        ("data.bin", json!({ "content_base64": key() }), false, Verdict::Deny),
    ];
    for (target, payload, system_level, verdict) in cases {
        let decision = judged(target, &payload);
        let found = (!decision.assessment().risk().boundaries().is_empty(), decision.verdict());
        assert_eq!(found, (system_level, verdict), "{target} {payload}\n{}", reasons(&decision));
    }
}

#[test]
fn git_mode_beside_every_payload_but_a_diff() {
    let mode = |payload: Value| plan("run.sh", &payload).effects()[0].after.as_ref().unwrap().mode();
    assert_eq!(mode(json!({ "content": "#!/bin/sh\n", "mode": "100755" })), 0o755);
    assert_eq!(mode(json!({ "content": "#!/bin/sh\n", "mode": "100644" })), 0o644);
    assert_eq!(mode(json!({ "content": "#!/bin/sh\n" })), 0o644);
    let after = |bits: u32, payload: Value| {
        let mut text = proposal("run.sh", &payload);
        text["steps"][0]["type"] = json!("file_modify");
        let mut facts = Facts::new();
        let target = Target::File(Arc::new(FileContent::new(b"one\n".to_vec(), bits)));
        let fact = TargetFact { target, lookalikes: Vec::new(), folds: false };
        facts.insert(RelPath::parse("run.sh").unwrap(), fact);
        let plan = seal(parse(text.to_string().as_bytes()).unwrap(), &facts).unwrap();
        match plan.failures() {
            [] => Ok(plan.effects()[0].after.as_ref().unwrap().mode()),
            [failure, ..] => Err(failure.code.as_str()),
        }
    };
    let edits = json!([{ "find": "one", "replace": "two" }]);
    assert_eq!(after(0o640, json!({ "edits": edits, "mode": "100755" })), Ok(0o750));
    assert_eq!(after(0o750, json!({ "edits": edits, "mode": "100644" })), Ok(0o640));
    assert_eq!(after(0o4711, json!({ "edits": edits, "mode": "100755" })), Ok(0o4711));
    assert_eq!(after(0o640, json!({ "content": "two\n" })), Ok(0o640));
    // The mode alone is a change; the mode that it has is none.
    assert_eq!(after(0o644, json!({ "content": "one\n", "mode": "100755" })), Ok(0o755));
    assert_eq!(after(0o644, json!({ "content": "one\n", "mode": "100644" })), Err("PLAN_DIFF_INVALID"));
}

/// The hash is of what is left, not of how it was written.
#[test]
fn the_same_file_has_the_same_hash_however_it_is_sent() {
    let hash = |payload: Value| plan("run.sh", &payload).content_hash();
    let diff = "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+x\n";
    assert_eq!(hash(json!({ "content": "x\n", "mode": "100755" })), hash(json!({ "diff": diff })));
    assert_ne!(hash(json!({ "content": "x\n", "mode": "100755" })), hash(json!({ "content": "x\n" })));
    assert_ne!(hash(json!({ "content_base64": "AA==" })), hash(json!({ "content_base64": "AAE=" })));
}

#[test]
fn a_step_with_bytes_may_be_larger_than_others() {
    let bytes = |size: usize| "A".repeat(size.div_ceil(3) * 4);
    let of = |payload: Value, size: Size| {
        let text = proposal("a.bin", &payload).to_string();
        parse_within(text.as_bytes(), size).map(|_| ()).map_err(|it| it.findings[0].code.as_str())
    };
    assert_eq!(of(json!({ "content_base64": bytes(5 << 20) }), Size::DEFAULT), Err("PLAN_PAYLOAD_INVALID"));
    assert_eq!(of(json!({ "content_base64": bytes((5 << 20) - 2) }), Size::DEFAULT), Ok(()));
    assert_eq!(of(json!({ "content": "A".repeat(2 << 20) }), Size::DEFAULT), Err("PLAN_TOO_LARGE"));
    // What an operator lowered counts for bytes, too.
    let low = Size { step: 1 << 10, ..Size::DEFAULT };
    assert_eq!(of(json!({ "content_base64": bytes(3 << 10) }), low), Err("PLAN_TOO_LARGE"));
}

#[test]
fn what_is_shown_of_it() {
    let shown = plan("img/logo.png", &json!({ "content_base64": PNG })).effects()[0].render();
    insta::assert_snapshot!(shown);
}

fn in_git(folder: &std::path::Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut git = exacta_testkit::git();
    git.args(["-c", "core.fileMode=true", "-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
    git.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(&mut git);
    running.stdin().unwrap().write_all(input).unwrap();
    let output = running.finish();
    assert!(output.status.success(), "git {arguments:?}");
    output.stdout
}

fn some(bytes: &[u8], mode: u32) -> Option<Content> {
    Some(Arc::new(FileContent::new(bytes.to_vec(), mode)))
}

/// The file that a plan of this one change leaves.
fn left(text: &str, target: &str) -> FileContent {
    let plan = seal(parse(text.as_bytes()).unwrap_or_else(|it| panic!("{:#?}", it.findings)), &absent(target)).unwrap();
    let of_target = |finding: &&Finding| finding.path.as_deref() == Some(target);
    assert_eq!(plan.failures().iter().find(of_target), None);
    let effect = plan.effects().iter().find(|effect| effect.path.as_str() == target).unwrap();
    effect.after.as_deref().unwrap().clone()
}

/// What git writes of a new file is read, and what is written here git applies.
#[test]
fn patches_go_to_git_and_come_from_it() {
    let noise: Vec<u8> = (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cases: [(&[u8], u32); 5] =
        [(b"\0", 0o644), (b"a\0b\n", 0o755), (&noise, 0o644), (&[0; 70_000], 0o644), (b"\xff\xfeh\0i\0", 0o644)];
    for (bytes, mode) in cases {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let path = RelPath::parse("d/new file.bin").unwrap();
        let content = FileContent::new(bytes.to_vec(), mode);
        let ours = exacta_kernel::diff::render_exact(&path, None, Some(&content));
        in_git(here, &["init", "-q"], b"");
        in_git(here, &["apply", "--index"], &ours);
        assert_eq!(std::fs::read(here.join("d/new file.bin")).unwrap(), bytes);
        let theirs = in_git(here, &["diff", "--cached", "--binary"], b"");
        for patch in [&ours, &theirs] {
            let text = git(patch, &REQUEST, &mut |_: &RelPath| None).unwrap();
            assert!(text.contains("content_base64"), "{text}");
            assert_eq!(left(&text, "d/new file.bin"), content);
        }
        let gone = exacta_kernel::diff::render_exact(&path, Some(&content), None);
        in_git(here, &["apply", "--index"], &gone);
        assert!(!here.join("d/new file.bin").exists());
        in_git(here, &["apply", "--index", "-R"], &gone);
        assert_eq!(std::fs::read(here.join("d/new file.bin")).unwrap(), bytes);
    }
}

#[test]
fn a_patch_of_bytes_that_git_calls_text_becomes_text() {
    let patch = b"diff --git a/a b/a\nnew file mode 100644\nindex 0000000..ce01362\nGIT binary patch\nliteral 6\nNcmXSVPcIVn_jEoS8_}\n";
    // Whatever attributes say, the content decides; damaged bytes are refused, not guessed.
    let error = git(patch, &REQUEST, &mut |_: &RelPath| None).unwrap_err();
    assert_eq!(error.into_finding().code.as_str(), "PLAN_DIFF_INVALID");
    let folder = tempfile::tempdir().unwrap();
    in_git(folder.path(), &["init", "-q"], b"");
    std::fs::write(folder.path().join("a"), "hello\n").unwrap();
    std::fs::write(folder.path().join(".git/info/attributes"), "a binary\n").unwrap();
    in_git(folder.path(), &["add", "a"], b"");
    let theirs = in_git(folder.path(), &["diff", "--cached", "--binary"], b"");
    assert!(String::from_utf8_lossy(&theirs).contains("GIT binary patch"));
    let text = git(&theirs, &REQUEST, &mut |_: &RelPath| None).unwrap();
    assert!(text.contains("+hello") && !text.contains("base64"), "{text}");
    // Bytes that are not those the patch names.
    let wrong = String::from_utf8(theirs).unwrap().replace(
        "index 0000000000000000000000000000000000000000..ce",
        "index 0000000000000000000000000000000000000000..cf",
    );
    let error = git(wrong.as_bytes(), &REQUEST, &mut |_: &RelPath| None).unwrap_err();
    assert!(error.to_string().contains("`index` line"), "{error}");
}

#[test]
fn what_binary_patches_are_refused_and_why() {
    let new = "diff --git a/a b/a\nnew file mode 100644\nindex 0..1\n";
    for (patch, code) in [
        (format!("{new}Binary files /dev/null and b/a differ\n"), "PLAN_DIFF_BINARY"),
        (format!("{new}GIT binary patch\ndelta 6\nNcmXSVPcIVn_jEoS8_}}\n\n"), "PLAN_DIFF_BINARY"),
        (format!("{new}GIT binary patch\nliteral 5242881\nHcmV?d00001\n\n"), "PLAN_PAYLOAD_INVALID"),
        (format!("{new}GIT binary patch\nliteral 7\nHcmV?d00001\n\n"), "PLAN_DIFF_INVALID"),
        (format!("{new}GIT binary patch\nHcmV?d00001\n\n"), "PLAN_DIFF_INVALID"),
        (format!("{new}GIT binary patch\n"), "PLAN_DIFF_INVALID"),
        (new.replace("100644", "120000") + "GIT binary patch\nliteral 0\nHcmV?d00001\n\n", "PLAN_DIFF_SYMLINK"),
        (new.replace("100644", "160000") + "GIT binary patch\nliteral 0\nHcmV?d00001\n\n", "PLAN_DIFF_SUBMODULE"),
        (new.replace("100644", "104755") + "GIT binary patch\nliteral 0\nHcmV?d00001\n\n", "PLAN_DIFF_INVALID"),
        (
            "diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n".to_owned(),
            "PLAN_DIFF_BINARY",
        ),
    ] {
        let error = git(patch.as_bytes(), &REQUEST, &mut |_: &RelPath| None).expect_err(&patch);
        assert_eq!(error.clone().into_finding().code.as_str(), code, "{error}\n{patch}");
    }
}

/// A new file in another charset, as git writes it, line by line.
#[test]
fn a_new_file_in_another_charset() {
    let patch = b"diff --git a/a b/a\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+caf\xe9\n+x\n";
    let text = git(patch, &REQUEST, &mut |_: &RelPath| None).unwrap();
    assert!(text.contains("content_base64"), "{text}");
    assert_eq!(left(&text, "a"), FileContent::new(b"caf\xe9\nx\n".to_vec(), 0o755));
}

/// A picture that is moved is deleted and created; so is a text in another charset.
#[test]
fn a_renamed_file_that_is_no_text() {
    let rename = b"diff --git a/a b/c\nsimilarity index 100%\nrename from a\nrename to c\n";
    for bytes in [&b"\0\x01\x02"[..], b"caf\xe9\n"] {
        let text = git(rename, &REQUEST, &mut |_: &RelPath| some(bytes, 0o755)).unwrap();
        let proposal = parse(text.as_bytes()).unwrap();
        let kinds: Vec<(&str, &str)> =
            proposal.steps.iter().map(|step| (step.action.name(), step.target.as_str())).collect();
        assert_eq!(kinds, [("file_create", "c"), ("file_delete", "a")]);
        assert_eq!(left(&text, "c"), FileContent::new(bytes.to_vec(), 0o755));
    }
    let changed =
        b"diff --git a/a b/c\nsimilarity index 90%\nrename from a\nrename to c\nGIT binary patch\ndelta 1\nA\n\n";
    assert!(git(changed, &REQUEST, &mut |_: &RelPath| some(b"\0", 0o644)).is_err());
}

#[test]
fn what_an_agent_made_in_its_copy() {
    let change = |before: Option<Content>, after: Option<Content>| {
        tree(&[FileChange { path: RelPath::parse("a").unwrap(), before, after }], &REQUEST)
    };
    let text = change(None, some(b"\x89PNG\0", 0o755)).unwrap();
    assert_eq!(left(&text, "a"), FileContent::new(b"\x89PNG\0".to_vec(), 0o755));
    let large = change(None, some(&vec![0; (5 << 20) + 1], 0o644)).unwrap_err();
    assert_eq!(large.into_finding().code.as_str(), "PLAN_PAYLOAD_INVALID");
}

#[test]
fn kinds_are_named_in_words() {
    let path = RelPath::parse("a").unwrap();
    let kind = ContentKind::of(&path, &FileContent::new(b"%PDF-1.7\0".to_vec(), 0o644));
    assert_eq!((kind.name, kind.program), ("PDF document", false));
}
