//! Commands that pass over git's hooks by `--no-verify`, an option that other programs have too.

use crate::diff::ChangeKind;
use crate::prelude::*;
use crate::scan::change::FileChange;

/// What is found.
pub(super) const PASSED_OVER: &str = "passes over git's hooks";
const OPTION: &str = "--no-verify";
/// How many lines above a line may be part of its command.
const CONTINUED: usize = 8;

/// Commands of other programs to which the option means something of their own.
const OTHERS: &[(&str, &[&str])] = &[
    ("cargo", &["publish", "package", "release"]),
    ("npm", &["publish", "pack"]),
    ("pnpm", &["publish", "pack"]),
    ("yarn", &["publish", "pack"]),
    ("helm", &["package", "push", "pull", "install", "upgrade"]),
];

/// Whether the added line at `index` has the option, and its command is git's or might be.
pub(super) fn passed_over(change: &FileChange<'_>, index: usize) -> bool {
    let Some(line) = change.lines.get(index) else { return false };
    if memchr::memmem::find(line.bytes, OPTION.as_bytes()).is_none() {
        return false;
    }
    let above = change.lines.get(..index).unwrap_or_default().iter().rev().take(CONTINUED);
    let continued =
        above.take_while(|line| line.kind == ChangeKind::Added && line.bytes.trim_ascii_end().ends_with(b"\\"));
    let mut above: Vec<&[u8]> = continued.map(|line| line.bytes).collect();
    above.reverse();
    is_gits(&String::from_utf8_lossy(&above.concat()), &String::from_utf8_lossy(line.bytes))
}

/// The same of a line, and of those above that it continues.
fn is_gits(above: &str, line: &str) -> bool {
    let whole = |at: &usize| !line.get(at + OPTION.len()..).is_some_and(|rest| rest.starts_with(joins));
    let found = line.match_indices(OPTION).map(|(at, _)| at).filter(whole);
    found.into_iter().any(|at| {
        let before = format!("{above}{}", line.get(..at).unwrap_or_default()).to_lowercase();
        let command = before.rsplit([';', '|', '&']).next().unwrap_or_default();
        let words: Vec<&str> = command.split(|c: char| !c.is_alphanumeric()).collect();
        let other = |(program, verbs): &(&str, &[&str])| {
            words.contains(program) && verbs.iter().any(|verb| words.contains(verb))
        };
        words.contains(&"git") || words.contains(&"commit") || !OTHERS.iter().any(other)
    })
}

fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_git_or_nobody_knows() {
        for (above, line) in [
            ("", "git commit --no-verify -m wip"),
            ("", "git push --no-verify"),
            ("", "git -C sub merge --no-verify topic"),
            ("", "GIT AM --no-verify < patch"),
            ("", "execFileSync('git', ['commit', '--no-verify'])"),
            ("", "cargo publish --no-verify && git push --no-verify"),
            ("", "cargo publish; $VCS push --no-verify"),
            ("", "git commit -m 'cargo publish' --no-verify"),
            ("", "npm run commit -- --no-verify"),
            ("", "npm run release -- --no-verify"),
            ("git commit \\\n", "  --no-verify"),
            ("", "        .arg(\"--no-verify\")"),
            ("", "FLAGS=--no-verify"),
        ] {
            assert!(is_gits(above, line), "{line}");
        }
    }

    #[test]
    fn of_other_programs() {
        for (above, line) in [
            ("", "cargo publish --no-verify"),
            ("", "      - run: cargo package --no-verify -p git"),
            ("", "git tag v1 && cargo publish --no-verify"),
            ("", "    p.cargo(\"publish --no-verify --token sekrit\")"),
            ("", "    cargo_process(\"package -v --no-verify\")"),
            ("", "helm upgrade app ./chart --no-verify"),
            ("", "npm publish --no-verify"),
            ("cargo publish -p kernel \\\n", "  --no-verify"),
            ("", "aws s3 ls --no-verify-ssl"),
            ("", "lerna publish --no-verify-access"),
        ] {
            assert!(!is_gits(above, line), "{line}");
        }
    }
}
