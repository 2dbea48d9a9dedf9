use super::*;

fn history(messages: &[(&str, &str)]) -> Vec<Commit> {
    let commit = |(at, (subject, body)): (usize, &(&str, &str))| Commit {
        id: format!("{:040x}", 0xabc_0000_u64 + at as u64 * 16).chars().rev().collect(),
        time: 0,
        subject: (*subject).to_owned(),
        body: (*body).to_owned(),
    };
    messages.iter().enumerate().map(commit).collect()
}

/// What the newest of two commits says about the other one.
fn said(subject: &str, body: &str) -> (bool, bool) {
    let older = ("parser: read numbers (#321)", "");
    let id = history(&[("", ""), older]).pop().unwrap().id;
    let fill = |text: &str| text.replace("SHA", &id[..12]);
    let labels = labels(&history(&[(&fill(subject), &fill(body)), older])).unwrap();
    (labels.regressions.contains_key(&1), labels.reverted.contains_key(&1))
}

#[test]
fn messages_name_the_cause() {
    for (subject, body) in [
        ("fix", "Fixes: SHA (\"parser: read numbers\")"),
        ("Fixed #1 -- x", "Regression in SHA."),
        ("url: fix", "Regression from SHA (shipped in 8.7.0)"),
        ("url: fix", "This broke in SHA."),
        ("x", "Broken since commit SHA."),
        ("Fix crash", "It was introduced by SHA"),
        ("x", "a bug introduced in commit SHA"),
        ("x", "this is a regression caused by #321"),
        ("x", "Oversight in commit SHA."),
    ] {
        assert_eq!(said(subject, body), (true, false), "{body}");
    }
}

#[test]
fn reverts_name_what_they_take_back() {
    assert_eq!(said("Revert \"x\"", "This reverts commit SHA."), (false, true));
    assert_eq!(said("Revert \"parser: read numbers (#321)\" (#400)", "it broke in SHA"), (false, true));
}

#[test]
fn other_mentions_say_nothing() {
    for (subject, body) in [
        ("x", "Unused since SHA"),
        ("x", "The option was introduced in SHA"),
        ("x", "Follow-up to SHA"),
        ("docs", "Bug #321 is explained"),
        ("Fix #321", ""),
    ] {
        assert_eq!(said(subject, body), (false, false), "{body}");
    }
}

#[test]
fn prose_is_told_by_its_place() {
    for (path, expected) in [
        ("README.md", true),
        ("doc/src/sgml/ref.xml", true),
        ("Documentation/git.c", true),
        ("po/de.po", true),
        ("src/docs.rs", false),
        ("src/tests/a.py", false),
        ("Makefile", false),
    ] {
        assert_eq!(is_prose(path), expected, "{path}");
    }
}
