//! Patches of other tools become proposals that leave exactly the files they describe.

use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::import::{ImportError, Request, codex, git};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::{Content, Plan};
use exacta_kernel::proposal::IntentKind;
use exacta_kernel::seal::seal;
use std::collections::BTreeMap;
use std::sync::Arc;

type Files = BTreeMap<String, (String, u32)>;
type Importer = for<'l> fn(
    &[u8],
    &Request<'_>,
    &'l mut (dyn FnMut(&RelPath) -> Option<Content> + 'l),
) -> Result<String, ImportError>;

fn files(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| ((*path).to_owned(), ((*text).to_owned(), 0o644))).collect()
}

fn import(form: Importer, patch: &str, files: &Files) -> Result<String, ImportError> {
    let request = Request { intent: IntentKind::AddFeature, text: None };
    let content = |path: &RelPath| {
        let (text, mode) = files.get(path.as_str())?;
        Some(Arc::new(FileContent::new(text.clone().into_bytes(), *mode)))
    };
    form(patch.as_bytes(), &request, &mut { content })
}

/// The whole way: the patch, its proposal, the plan.
fn plan(form: Importer, patch: &str, files: &Files) -> Plan {
    let text = import(form, patch, files).unwrap_or_else(|error| panic!("{error}"));
    let proposal = parse(text.as_bytes()).unwrap_or_else(|refusal| panic!("{:#?}\n{text}", refusal.findings));
    let mut facts = Facts::new();
    for step in &proposal.steps {
        let path = RelPath::parse(&step.target).unwrap();
        let target = match files.get(&step.target) {
            Some((text, mode)) => Target::File(Arc::new(FileContent::new(text.clone().into_bytes(), *mode))),
            None => Target::Absent,
        };
        facts.insert(path, TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    seal(proposal, &facts).unwrap()
}

/// The files after the patch.
fn applied(form: Importer, patch: &str, before: &Files) -> Files {
    let plan = plan(form, patch, before);
    assert_eq!(plan.failures(), [], "{patch}");
    let mut after = before.clone();
    for change in plan.changes() {
        after.remove(change.path.as_str());
        if let Some(content) = change.after {
            let text = String::from_utf8(content.bytes().to_vec()).unwrap();
            after.insert(change.path.to_string(), (text, content.mode()));
        }
    }
    after
}

const SERIES: &str = "\
From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001
From: A Person <person@example.org>
Date: Sun, 15 Nov 2026 12:00:00 +0000
Subject: [PATCH 1/2] say hello to everyone,
 not only to the world

Some words.
---
 a.txt  | 2 +-
 b.txt  | 1 +
 2 files changed, 2 insertions(+), 1 deletion(-)
 create mode 100755 b.txt

diff --git a/a.txt b/a.txt
index 5626abf..814f4a4 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+1
 two
diff --git a/b.txt b/b.txt
new file mode 100755
index 0000000..257cc56
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+new
-- 
2.47.3

From 2222222222222222222222222222222222222222 Mon Sep 17 00:00:00 2001
Subject: [PATCH 2/2] more

---
diff --git a/a.txt b/a.txt
index 814f4a4..1111111 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 1
-two
+2
-- 
2.47.3

";

#[test]
fn a_series_of_mails_is_steps_in_order() {
    let before = files(&[("a.txt", "one\ntwo\n")]);
    let plan = plan(git, SERIES, &before);
    let proposal = plan.proposal();
    assert_eq!(proposal.intent.text, "say hello to everyone, not only to the world; more");
    let steps: Vec<_> =
        proposal.steps.iter().map(|s| (s.action.name(), s.target.as_str(), s.dependencies.join(","))).collect();
    let none = String::new();
    assert_eq!(
        steps,
        [
            ("file_modify", "a.txt", none.clone()),
            ("file_create", "b.txt", none),
            ("file_modify", "a.txt", "step-1".to_owned()),
        ]
    );
    let mut after = files(&[("a.txt", "1\n2\n")]);
    after.insert("b.txt".to_owned(), ("new\n".to_owned(), 0o755));
    assert_eq!(applied(git, SERIES, &before), after);
}

#[test]
fn a_rename_is_a_create_and_a_delete() {
    let before = files(&[("old name.txt", "one\ntwo\n")]);
    let pure =
        "diff --git a/old name.txt b/new.txt\nsimilarity index 100%\nrename from old name.txt\nrename to new.txt\n";
    assert_eq!(applied(git, pure, &before), files(&[("new.txt", "one\ntwo\n")]));
    let changed =
        format!("{pure}index 1..2 100644\n--- a/old name.txt\t\n+++ b/new.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    assert_eq!(applied(git, &changed, &before), files(&[("new.txt", "one\n2\n")]));
    let mut executable = before.clone();
    executable.get_mut("old name.txt").unwrap().1 = 0o755;
    let after = applied(git, pure, &executable);
    assert_eq!(after.get("new.txt"), Some(&("one\ntwo\n".to_owned(), 0o755)));
    assert!(matches!(import(git, pure, &Files::new()), Err(ImportError::Missing { .. })));
    let steps = plan(git, pure, &before);
    assert_eq!(steps.proposal().steps[1].dependencies, ["step-1"]);
}

#[test]
fn a_copy_is_a_create() {
    let before = files(&[("a", "one\n")]);
    let patch = "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n";
    assert_eq!(applied(git, patch, &before), files(&[("a", "one\n"), ("b", "one\n")]));
}

/// In one mail a copy or rename is of the file as it was before; in a series, as the mails before it left it.
#[test]
fn what_a_move_starts_from() {
    let before = files(&[("a", "one\n")]);
    let change = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let copy = "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n";
    assert_eq!(applied(git, &format!("{change}{copy}"), &before), files(&[("a", "1\n"), ("b", "one\n")]));
    let series = format!("From 1\n\n{change}-- \n2\n\nFrom 2\n\n{}-- \n2\n", copy.replace("copy", "rename"));
    assert_eq!(applied(git, &series, &before), files(&[("b", "1\n")]));
}

#[test]
fn files_without_hunks_and_odd_names() {
    let before = files(&[("m\u{fc}sli b/x", "one\n"), ("gone", "")]);
    let patch = "diff --git \"a/m\\303\\274sli b/x\" \"b/m\\303\\274sli b/x\"\nold mode 100644\nnew mode 100755\n\
        diff --git a/with space b/with space\nnew file mode 100644\nindex 0000000..e69de29\n\
        diff --git a/gone b/gone\ndeleted file mode 100644\nindex e69de29..0000000\n";
    let mut after = files(&[("with space", "")]);
    after.insert("m\u{fc}sli b/x".to_owned(), ("one\n".to_owned(), 0o755));
    assert_eq!(applied(git, patch, &before), after);
}

#[test]
fn plain_diffs_of_several_files() {
    let before = files(&[("a", "one\n"), ("src/b", "one\n")]);
    let patch = "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+1\n--- a/src/b\t2026-01-01\n+++ b/src/b\t2026-01-01\n@@ -1 +1 @@\n-one\n+2\n";
    assert_eq!(applied(git, patch, &before), files(&[("a", "1\n"), ("src/b", "2\n")]));
}

/// Lines that are not UTF-8 cannot stand in a proposal; where they are only context, they need not.
#[test]
fn context_that_is_not_utf_8_is_left_out() {
    let before = b"caf\xe9\none\ntwo\n\xff\nthree\nfour\n\xfe\n";
    let after = b"caf\xe9\none\n2\n\xff\n3\nfour\n\xfe\n";
    let path = RelPath::parse("f").unwrap();
    let content = |bytes: &[u8]| FileContent::new(bytes.to_vec(), 0o644);
    let patch = exacta_kernel::diff::render_exact(&path, Some(&content(before)), Some(&content(after)));
    let request = Request { intent: IntentKind::FixBug, text: Some("x") };
    let lookup = |_: &RelPath| Some(Arc::new(content(before)));
    let text = git(&patch, &request, &mut { lookup }).unwrap();
    let mut facts = Facts::new();
    let target = Target::File(Arc::new(content(before)));
    facts.insert(path.clone(), TargetFact { target, lookalikes: Vec::new(), folds: false });
    let plan = seal(parse(text.as_bytes()).unwrap(), &facts).unwrap();
    assert_eq!(plan.failures(), [], "{text}");
    assert_eq!(plan.changes()[0].after.as_deref(), Some(&content(after)));
    let chunks = "*** Begin Patch\n*** Update File: f\n@@\n-two\n+2\n@@\n-three\n+3\n*** End Patch\n";
    let text = codex(chunks.as_bytes(), &request, &mut { lookup }).unwrap();
    let plan = seal(parse(text.as_bytes()).unwrap(), &facts).unwrap();
    assert_eq!(plan.changes()[0].after.as_deref(), Some(&content(after)), "{text}");
    let changed = exacta_kernel::diff::render_exact(&path, Some(&content(before)), Some(&content(b"\xe9\n")));
    assert!(matches!(git(&changed, &request, &mut { lookup }), Err(ImportError::NotUtf8 { .. })));
}

#[test]
fn what_git_patches_are_refused_and_why() {
    let file = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n";
    let cases = [
        ("", "PLAN_DIFF_INVALID"),
        ("just some words\n", "PLAN_DIFF_INVALID"),
        (&format!("{file} two\n"), "PLAN_DIFF_INVALID"),
        (&format!("{file}some words\n"), "PLAN_DIFF_INVALID"),
        (&format!("{file}\n@@ -5 +5 @@\n-x\n+y\n"), "PLAN_DIFF_INVALID"),
        ("diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1 -1 +1 @@@\n- one\n -two\n++three\n", "PLAN_DIFF_INVALID"),
        ("diff --git a/a b/a\nindex 1..2 100644\nGIT binary patch\nliteral 0\n", "PLAN_DIFF_BINARY"),
        ("diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n", "PLAN_DIFF_SYMLINK"),
        ("diff --git a/a b/a\nindex 1..2 160000\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n", "PLAN_DIFF_SUBMODULE"),
        ("diff --git a/a b/b\nrename from a\n", "PLAN_DIFF_INVALID"),
        ("diff --git a/a b/../b\nrename from a\nrename to ../b\n", "PLAN_PATH_OUTSIDE"),
        ("--- a/a\n+++ b/b\n@@ -1 +1 @@\n-one\n+1\n", "PLAN_DIFF_INVALID"),
    ];
    for (patch, code) in cases {
        let error = import(git, patch, &files(&[("a", "one\n")])).expect_err(patch);
        assert_eq!(error.clone().into_finding().code.as_str(), code, "{error}\n{patch}");
    }
}

/// What is in the way of a change is said with the file's name.
#[test]
fn a_refused_file_is_named() {
    let binary = "diff --git a/x.dat b/x.dat\nindex 1..2 100644\nBinary files a/x.dat and b/x.dat differ\n";
    let finding = import(git, binary, &Files::new()).unwrap_err().into_finding();
    assert_eq!((finding.code.as_str(), finding.path.as_deref()), ("PLAN_DIFF_BINARY", Some("x.dat")));
    assert!(finding.message.starts_with("`x.dat`: "), "{}", finding.message);
}

/// A deletion needs no content, so a binary file can be deleted, however git writes it.
#[test]
fn a_binary_file_can_be_deleted() {
    let head = "diff --git a/x.dat b/x.dat\ndeleted file mode 100644\nindex 1234567..0000000\n";
    let plain = format!("{head}Binary files a/x.dat and /dev/null differ\n");
    let carried = format!(
        "{head}GIT binary patch\nliteral 0\nHcmV?d00001\n\nliteral 6\nNcmZQzWMXDvV*mgE01E&B\n\n\
         diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+1\n"
    );
    let before = files(&[("a", "one\n"), ("x.dat", "\0\u{1}")]);
    assert_eq!(applied(git, &plain, &before), files(&[("a", "one\n")]));
    assert_eq!(applied(git, &carried, &before), files(&[("a", "1\n")]));
    let text = import(git, &carried, &before).unwrap();
    assert!(text.contains("file_delete") && !text.contains("HcmV"), "{text}");
}

/// One folder before each name is a prefix, as `git apply` has it, if then all names agree.
#[test]
fn other_prefixes_than_a_and_b() {
    let before = files(&[("f/x y", "one\n"), ("gone", "z\n"), ("mode", "")]);
    let change = |old: &str, new: &str| {
        format!(
            "diff --git {old}f/x y {new}f/x y\nindex 1..2 100644\n--- {old}f/x y\t\n+++ {new}f/x y\t\n@@ -1 +1 @@\n-one\n+1\n"
        )
    };
    let mut after = before.clone();
    after.insert("f/x y".to_owned(), ("1\n".to_owned(), 0o644));
    for (old, new) in [("i/", "w/"), ("c/", "i/"), ("old/", "n/"), ("o/", "w/"), ("", "")] {
        assert_eq!(applied(git, &change(old, new), &before), after, "{old} {new}");
    }
    let rest = "diff --git c/new c/new\n".replace("c/new c", "c/new w")
        + "new file mode 100644\n--- /dev/null\n+++ w/new\n@@ -0,0 +1 @@\n+n\n\
           diff --git c/gone w/gone\ndeleted file mode 100644\n--- c/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n\
           diff --git c/mode w/mode\nold mode 100644\nnew mode 100755\n";
    let mut after = files(&[("f/x y", "one\n"), ("new", "n\n")]);
    after.insert("mode".to_owned(), (String::new(), 0o755));
    assert_eq!(applied(git, &rest, &before), after);
    for unlike in ["--- i/f/x\n+++ w/f/y\n@@ -1 +1 @@\n-one\n+1\n", "--- x/y/f\n+++ z/w/f\n@@ -1 +1 @@\n-one\n+1\n"] {
        assert!(import(git, unlike, &before).is_err(), "{unlike}");
    }
    let liar = "diff --git i/a w/a\n--- i/gone\n+++ w/gone\n@@ -1 +1 @@\n-z\n+1\n";
    assert_eq!(plan(git, liar, &before).failures()[0].code.as_str(), "PLAN_DIFF_PATH_MISMATCH");
}

#[test]
fn subjects_are_decoded_and_all_kept() {
    let file = "---\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n";
    let patch = format!(
        "From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 1/2] =?UTF-8?q?F=C3=BCge?=\n =?UTF-8?q?=20es_hinzu?=\nX: y\n\nSubject: no\n{file}-one\n+1\n-- \n2\n\n\
         From 2 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 2/2] and more\n\n{file}-1\n+2\n-- \n2\n"
    );
    let before = files(&[("a", "one\n")]);
    assert_eq!(plan(git, &patch, &before).proposal().intent.text, "Füge es hinzu; and more");
    let bare = file.strip_prefix("---\n").unwrap().to_owned() + "-one\n+1\n";
    assert_eq!(plan(git, &bare, &before).proposal().intent.text, "apply a patch of 1 step");
}

/// A patch of what is done already says so, instead of that it does not fit.
#[test]
fn a_change_that_is_there_already() {
    let changed = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let created = "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n";
    let files = files(&[("a", "one\n2\nthree\n"), ("n", "new\n")]);
    for patch in [changed, created] {
        let plan = plan(git, patch, &files);
        let [finding] = plan.failures() else { panic!("{:?}", plan.failures()) };
        assert!(finding.message.contains(" already"), "{}", finding.message);
        assert!(finding.hint.contains("git stash"), "{}", finding.hint);
    }
}

fn codex_patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

#[test]
fn codex_adds_changes_moves_and_deletes() {
    let before = files(&[("change", "one\ntwo\nthree\n"), ("move", "x\ny\n"), ("gone", "z\n")]);
    let patch = codex_patch(
        "*** Add File: new/file\n+hello\n+\n*** Update File: change\n@@\n one\n-two\n+2\n three\n\
         *** Update File: move\n*** Move to: moved/here\n@@\n-x\n+X\n*** Delete File: gone\n",
    );
    let after = files(&[("new/file", "hello\n\n"), ("change", "one\n2\nthree\n"), ("moved/here", "X\ny\n")]);
    assert_eq!(applied(codex, &patch, &before), after);
}

/// Quality sees no difference between a change in one form and in the other.
#[test]
fn both_forms_describe_their_steps_alike() {
    let before = files(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")]);
    let in_git = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n\
        diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n\
        diff --git a/d.txt b/d.txt\nnew file mode 100644\n--- /dev/null\n+++ b/d.txt\n@@ -0,0 +1 @@\n+four\n";
    let in_codex =
        codex_patch("*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** Add File: d.txt\n+four\n");
    let words = |form: Importer, patch: &str| {
        let plan = plan(form, patch, &before);
        let proposal = plan.proposal();
        let steps = proposal.steps.iter().map(|step| step.description.clone()).collect::<Vec<_>>();
        (proposal.intent.text.clone(), steps)
    };
    assert_eq!(words(codex, &in_codex), words(git, in_git));
    assert_eq!(words(codex, &in_codex).1[1], "delete `b.txt` as the patch says");
}

#[test]
fn codex_changes_land_in_one_place_or_nowhere() {
    let update = |chunks: &str| codex_patch(&format!("*** Update File: f\n{chunks}"));
    let twice = "fn a() {\n    x\n}\nfn b() {\n    x\n}\n";
    let fits = [
        ("one\ntwo\n", "-two\n+2\n", "one\n2\n"),
        ("one\ntwo\n", "@@\n one\n+1.5\n", "one\n1.5\ntwo\n"),
        (twice, "@@ fn b() {\n-    x\n+    y\n", "fn a() {\n    x\n}\nfn b() {\n    y\n}\n"),
        (twice, "@@ fn a() {\n-    x\n+    y\n", "fn a() {\n    y\n}\nfn b() {\n    x\n}\n"),
        (twice, "@@ fn a() {\n@@ fn b() {\n-    x\n+    y\n", "fn a() {\n    x\n}\nfn b() {\n    y\n}\n"),
        ("a\nb\na\n", "@@\n-a\n+A\n*** End of File\n", "a\nb\nA\n"),
        ("a\nb\nc\n", "@@\n-a\n+A\n@@\n-c\n+C\n", "A\nb\nC\n"),
        ("a\n", "@@\n+b\n", "a\nb\n"),
        ("a\r\nb\r\n", "@@\n a\n-b\n+c\n", "a\r\nc\r\n"),
        ("a\nb", "@@\n-a\n+A\n b\n", "A\nb"),
        ("a\nb", "@@\n-b\n+B\n", "a\nB\n"),
        ("a\n\nb\n", "@@\n a\n\n-b\n+c\n", "a\n\nc\n"),
    ];
    for (before, chunks, after) in fits {
        assert_eq!(applied(codex, &update(chunks), &files(&[("f", before)])), files(&[("f", after)]), "{chunks}");
    }
    let refused = [
        (twice, "@@\n-    x\n+    y\n", "more than one place: lines 2 and 5"),
        ("h\nx\nh\n", "@@ h\n-x\n+y\n", "more than one place: lines 1 and 3"),
        ("one\n", "@@\n-two\n+2\n", "does not occur"),
        ("one two\n", "@@\n-two\n+2\n", "does not occur"),
        ("one\n", "@@ nowhere\n-one\n+1\n", "does not occur"),
        ("one\n", "@@ one\n+two\n", "where in the file"),
        ("a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A\n", "does not occur"),
        ("one\n", "@@\n one\n", "changes nothing"),
        ("one\n", "@@\n", "no lines"),
        ("one\n", "@@\none\n", "begins with"),
        ("on\0e\n", "@@\n-one\n+1\n", "binary"),
    ];
    for (before, chunks, words) in refused {
        let error = import(codex, &update(chunks), &files(&[("f", before)])).expect_err(chunks);
        assert!(error.to_string().contains(words), "{error}\n{chunks}");
    }
}

#[test]
fn what_codex_patches_are_refused_and_why() {
    let cases = [
        ("", "`*** Begin Patch`"),
        ("*** Add File: a\n+x\n", "`*** Begin Patch`"),
        ("*** Begin Patch\n*** Add File: a\n+x\n", "`*** End Patch`"),
        ("*** Begin Patch\n*** End Patch\n", "no change"),
        ("*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n", "line 3"),
        ("*** Begin Patch\n*** Rename File: a\n*** End Patch\n", "line 2"),
        ("*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore\n", "after `*** End Patch`"),
        ("*** Begin Patch\n*** Add File: ../a\n+x\n*** End Patch\n", ".."),
        ("*** Begin Patch\n*** Update File: missing\n@@\n-x\n+y\n*** End Patch\n", "does not exist"),
    ];
    for (patch, words) in cases {
        let error = import(codex, patch, &Files::new()).expect_err(patch);
        assert!(error.to_string().contains(words), "{error}\n{patch}");
    }
}

/// Attack 32: what a patch deletes to make room comes first, of a rename too.
#[test]
fn a_patch_that_swaps_a_file_and_a_folder_deletes_first() {
    let before = files(&[("a", "one\n"), ("d/x", "two\n"), ("e", "three\n")]);
    let patch = "diff --git a/a/b b/a/b\nnew file mode 100644\n--- /dev/null\n+++ b/a/b\n@@ -0,0 +1 @@\n+new\n\
        diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\
        diff --git a/d/x b/d\nsimilarity index 100%\nrename from d/x\nrename to d\n\
        diff --git a/e b/e\n--- a/e\n+++ b/e\n@@ -1 +1 @@\n-three\n+four\n";
    let text = import(git, patch, &before).unwrap_or_else(|error| panic!("{error}"));
    let proposal: serde_json::Value = serde_json::from_str(&text).unwrap();
    let steps = proposal["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| (step["type"].as_str().unwrap(), step["target"].as_str().unwrap()));
    let expected = [
        ("file_delete", "a"),
        ("file_delete", "d/x"),
        ("file_create", "a/b"),
        ("file_create", "d"),
        ("file_modify", "e"),
    ];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
    assert_eq!(applied(git, patch, &before), files(&[("a/b", "new\n"), ("d", "two\n"), ("e", "four\n")]));
}
