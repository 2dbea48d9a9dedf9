//! Our diffs against git's: what we write, `git apply` applies; what `git diff` writes, we apply; to the same bytes.

use exacta_kernel::diff::{Kind, line_changes, materialise, render, render_exact, stat};
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::Payload;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

type State = Option<FileContent>;

/// Names that git quotes, ends with a tab, or leaves alone. Each change of a batch gets one.
const NAMES: [&str; 8] =
    ["plain", "with space.txt", "a/b/c", "a b/d e", "m\u{fc}sli.txt", "quo\"te", "b/x", "dev/null"];

fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "c",
        "",
        " ",
        "\ttab",
        "\u{e9}t\u{e9}",
        "cr\r",
        "-- minus",
        "++ plus",
        "@@ -1 +1 @@",
        "\\ No newline at end of file",
        "diff --git a/x b/x",
        "\u{feff}bom",
    ])
}

fn text(lines: &[&str], feed: bool) -> Vec<u8> {
    let mut text = lines.join("\n");
    if feed && !lines.is_empty() {
        text.push('\n');
    }
    text.into_bytes()
}

fn file(lines: &[&str], feed: bool, executable: bool) -> State {
    Some(FileContent::new(text(lines, feed), if executable { 0o755 } else { 0o644 }))
}

/// Lines, where to cut, what to put there: most changes are small, as real ones are.
fn change() -> impl Strategy<Value = (State, State)> {
    let lines = prop::collection::vec(line(), 0..40);
    let cuts =
        prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3, prop::collection::vec(line(), 0..3)), 0..4);
    (lines, cuts, any::<[bool; 4]>(), 0..10).prop_map(|(lines, cuts, [feed, feed_after, executable, chmod], kind)| {
        let mut after = lines.clone();
        for (at, removed, added) in cuts {
            let at = at.index(after.len() + 1);
            let end = (at + removed).min(after.len());
            after.splice(at..end, added);
        }
        let before = file(&lines, feed, executable);
        match kind {
            0 => (None, before),
            1 => (before, None),
            2 => (before, file(&after, feed_after, executable != chmod)),
            _ => (before, file(&after, feed_after, executable)),
        }
    })
}

fn batch() -> impl Strategy<Value = Vec<(RelPath, State, State)>> {
    prop::collection::vec(change(), NAMES.len()).prop_map(|changes| {
        let names = NAMES.iter().map(|name| RelPath::parse(name).unwrap());
        let changes = names.zip(changes).map(|(path, (before, after))| (path, before, after));
        changes.filter(|(_, before, after)| before != after).collect()
    })
}

fn write(folder: &Path, path: &RelPath, state: &State) {
    let file = folder.join(path.as_str());
    match state {
        None => drop(fs::remove_file(&file)),
        Some(content) => {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, content.bytes()).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(content.mode())).unwrap();
        }
    }
}

fn look(folder: &Path, path: &RelPath) -> State {
    let file = folder.join(path.as_str());
    let bytes = fs::read(&file).ok()?;
    // Like git, only the executable bit; the rest is the umask's.
    let executable = fs::metadata(&file).unwrap().permissions().mode() & 0o100 != 0;
    Some(FileContent::new(bytes, if executable { 0o755 } else { 0o644 }))
}

fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    use std::io::{Seek as _, Write as _};
    let mut stdin = tempfile::tempfile().unwrap();
    stdin.write_all(input).and_then(|()| stdin.rewind()).unwrap();
    let mut git = exacta_testkit::git();
    git.args(["-c", "core.fileMode=true", "-c", "core.safecrlf=false"]).args(arguments).current_dir(folder);
    git.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap()).stdin(stdin);
    let output = exacta_testkit::output(&mut git);
    if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

const fn kind(before: &State, after: &State) -> Kind {
    match (before, after) {
        (None, _) => Kind::Create,
        (_, None) => Kind::Delete,
        _ => Kind::Modify,
    }
}

/// Cuts the output of `git diff` before each file.
fn per_file(patch: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = patch.match_indices("\ndiff --git ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.push(patch.len());
    starts.windows(2).map(|pair| &patch[pair[0]..pair[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn git_applies_what_we_write(batch in batch()) {
        let folder = tempfile::tempdir().unwrap();
        let mut patch = Vec::new();
        for (path, before, after) in &batch {
            write(folder.path(), path, before);
            patch.extend(render_exact(path, before.as_ref(), after.as_ref()));
        }
        if !patch.is_empty() {
            let applied = git(folder.path(), &["apply", "--whitespace=nowarn"], &patch);
            prop_assert!(applied.is_ok(), "{applied:?}\n{}", String::from_utf8_lossy(&patch));
        }
        for (path, _, after) in &batch {
            prop_assert_eq!(&look(folder.path(), path), after, "{}\n{}", path, String::from_utf8_lossy(&patch));
        }
    }

    #[test]
    fn we_apply_what_git_writes(batch in batch()) {
        let folder = tempfile::tempdir().unwrap();
        for (path, before, _) in &batch {
            write(folder.path(), path, before);
        }
        git(folder.path(), &["init", "-q"], b"").unwrap();
        git(folder.path(), &["add", "-A"], b"").unwrap();
        for (path, before, after) in &batch {
            write(folder.path(), path, after);
            if before.is_none() {
                git(folder.path(), &["add", "-N", path.as_str()], b"").unwrap();
            }
        }
        let patch = String::from_utf8(git(folder.path(), &["diff", "--no-renames"], b"").unwrap()).unwrap();
        let mut sorted = batch;
        sorted.sort_by(|a, b| a.0.as_str().as_bytes().cmp(b.0.as_str().as_bytes()));
        let diffs = if patch.is_empty() { Vec::new() } else { per_file(&patch) };
        prop_assert_eq!(diffs.len(), sorted.len(), "{}", patch);
        for ((path, before, after), diff) in sorted.iter().zip(diffs) {
            let payload = Payload::Diff(diff.to_owned());
            let found = materialise(kind(before, after), Some(&payload), path, before.as_ref());
            prop_assert_eq!(found.as_ref().ok(), Some(after), "{:?}\n{}", found, diff);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_we_write_we_apply_and_taking_it_back_gives_the_old_bytes((before, after) in change()) {
        prop_assume!(before != after);
        let path = RelPath::parse("some/file").unwrap();
        for (from, to) in [(&before, &after), (&after, &before)] {
            let diff = String::from_utf8(render_exact(&path, from.as_ref(), to.as_ref())).unwrap();
            let found = materialise(kind(from, to), Some(&Payload::Diff(diff.clone())), &path, from.as_ref());
            prop_assert_eq!(found.as_ref().ok(), Some(to), "{:?}\n{}", found, diff);
        }
    }

    #[test]
    fn the_changed_lines_are_the_difference((before, after) in change()) {
        let changes = line_changes(before.as_ref(), after.as_ref());
        prop_assert_eq!(&changes, &line_changes(before.as_ref(), after.as_ref()), "the same every time");
        let (added, removed) = stat(before.as_ref(), after.as_ref());
        prop_assert_eq!(changes.len() as u64, added + removed);
        for change in changes {
            let content = match change.kind {
                exacta_kernel::diff::ChangeKind::Added => after.as_ref(),
                exacta_kernel::diff::ChangeKind::Removed => before.as_ref(),
            };
            let line = content.unwrap().bytes().split(|byte| *byte == b'\n').nth(usize::try_from(change.line).unwrap() - 1);
            prop_assert_eq!(line, Some(change.bytes));
        }
    }

    #[test]
    fn nothing_hides_in_what_people_see(before in ".*", after in ".*") {
        let state = |text: &str| Some(FileContent::new(text.as_bytes().to_vec(), 0o644));
        let shown = render(&RelPath::parse("f").unwrap(), state(&before).as_ref(), state(&after).as_ref());
        prop_assert_eq!(exacta_kernel::text::hidden(&shown).next(), None, "{}", shown);
    }
}

/// A hunk of a file: where, how much context before and after, how many lines go, and what comes.
type Cut = (prop::sample::Index, usize, usize, usize, Vec<&'static str>);

fn letters(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "", "ab"]), count)
}

fn cut() -> impl Strategy<Value = Cut> {
    (any::<prop::sample::Index>(), 0_usize..4, 0_usize..4, 0_usize..3, letters(0..3))
}

/// A diff of the file whose hunks have as much context as each cut says, with right numbers. Cuts that overlap are left out.
fn cut_diff(file: &[&str], cuts: &[Cut]) -> Option<String> {
    let mut places: Vec<(usize, &Cut)> = cuts.iter().map(|cut| (cut.0.index(file.len() + 1), cut)).collect();
    places.sort_by_key(|(at, _)| *at);
    let mut diff = "--- a/f\n+++ b/f\n".to_owned();
    let (mut free, mut grown, mut hunks) = (0, 0_isize, 0);
    for (at, (_, lead, trail, gone, come)) in places {
        let (start, end) = (at.saturating_sub(*lead), (at + gone).min(file.len()));
        let stop = (end + trail).min(file.len());
        let (old, new) = (stop - start, stop - start + come.len() - (end - at));
        if start < free || (end == at && come.is_empty()) || file[at..end] == come[..] {
            continue;
        }
        let first = |count: usize, line: usize| if count == 0 { line } else { line + 1 };
        let new_start = start.checked_add_signed(grown).unwrap();
        diff += &format!("@@ -{},{old} +{},{new} @@\n", first(old, start), first(new, new_start));
        diff.extend(file[start..at].iter().map(|line| format!(" {line}\n")));
        diff.extend(file[at..end].iter().map(|line| format!("-{line}\n")));
        diff.extend(come.iter().map(|line| format!("+{line}\n")));
        diff.extend(file[end..stop].iter().map(|line| format!(" {line}\n")));
        (free, hunks) = (stop, hunks + 1);
        grown += come.len().cast_signed() - (end - at).cast_signed();
    }
    (hunks > 0).then_some(diff)
}

/// Whether the old lines of some hunk occur in no place or more than one, or there are none; or its new lines are there already,
/// and it has no context on the side where it adds.
fn is_doubtful(file: &[&str], diff: &str) -> bool {
    diff.split("@@\n").skip(1).any(|hunk| {
        let hunk = hunk.split("@@ ").next().unwrap();
        let side = |other: char| hunk.lines().filter(move |line| !line.starts_with(other)).map(|line| &line[1..]);
        let (old, new): (Vec<&str>, Vec<&str>) = (side('+').collect(), side('-').collect());
        let open = hunk.starts_with('+') || hunk.lines().next_back().is_some_and(|line| line.starts_with('+'));
        let is_there = open && file.windows(new.len().max(1)).any(|lines| lines == new);
        old.is_empty() || is_there || file.windows(old.len()).filter(|lines| *lines == old).count() != 1
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(exacta_testkit::seed()),
        ..ProptestConfig::default()
    })]

    /// Hunks whose context was cut at either side, of files that may have changed since.
    #[test]
    fn what_we_take_git_takes_to_the_same_bytes_and_what_git_takes_we_take_unless_it_is_in_doubt(
        file in letters(0..12),
        cuts in prop::collection::vec(cut(), 1..3),
        since in prop::option::of((any::<prop::sample::Index>(), 0_usize..2, letters(0..3))),
    ) {
        let Some(diff) = cut_diff(&file, &cuts) else { return Ok(()) };
        let mut now = file;
        if let Some((at, gone, come)) = since {
            let at = at.index(now.len() + 1);
            now.splice(at..(at + gone).min(now.len()), come);
        }
        let path = RelPath::parse("f").unwrap();
        let before = Some(FileContent::new(text(&now, true), 0o644));
        let ours = materialise(Kind::Modify, Some(&Payload::Diff(diff.clone())), &path, before.as_ref());
        let theirs = |extra: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), &path, &before);
            let arguments = [&["apply", "--whitespace=nowarn"], extra].concat();
            git(folder.path(), &arguments, diff.as_bytes()).map(|_| look(folder.path(), &path))
        };
        // Without context at an end, git takes a hunk for the end of the file unless told otherwise; we never do.
        let (strict, loose) = (theirs(&[]), theirs(&["--unidiff-zero"]));
        let said = format!("{now:?}\n{diff}\n{ours:?}\n{strict:?}\n{loose:?}");
        match ours {
            Ok(after) => prop_assert!(strict == Ok(after.clone()) || loose == Ok(after), "not as git: {said}"),
            Err(_) => prop_assert!(strict.is_err() || is_doubtful(&now, &diff), "refused against git: {said}"),
        }
    }
}

/// A file with a NUL is text to nobody else, but its bytes can be written down all the same.
#[test]
fn git_applies_what_we_write_of_a_binary_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = RelPath::parse("data.bin").unwrap();
    let before = Some(FileContent::new(b"\0\xff\xfe\n\x80".to_vec(), 0o644));
    write(folder.path(), &path, &before);
    git(folder.path(), &["apply"], &render_exact(&path, before.as_ref(), None)).unwrap();
    assert_eq!(look(folder.path(), &path), None);
    let shown = render(&path, before.as_ref(), None);
    let (by_git, by_us) = shown.split_once("\\ ").unwrap();
    assert_eq!(
        by_git,
        "diff --git a/data.bin b/data.bin\ndeleted file mode 100644\nBinary files a/data.bin and /dev/null differ\n"
    );
    assert!(by_us.starts_with("what goes: data, 5 bytes, SHA-256 "), "{by_us}");
}
