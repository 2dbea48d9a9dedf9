//! Git's index, as far as it says which files are tracked: versions 2 to 4.

use crate::tree::Name;
use std::collections::BTreeSet;

/// What an index lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tracked {
    /// Files and links.
    pub files: BTreeSet<Name>,
    /// Folders of other repositories.
    pub submodules: BTreeSet<Name>,
}

/// Where things are in an entry: times, device, inode; then the mode; then owner, size and the object; then flags.
const MODE: usize = 24;
const OBJECT: usize = 40;

/// A submodule's mode.
const SUBMODULE: u32 = 0o160_000;

/// The flag that says that two more bytes of flags follow.
const EXTENDED: u16 = 0x4000;

/// Reads an index whose objects have names of this length. What cannot be read lists nothing.
pub fn read(bytes: &[u8], object: usize) -> Tracked {
    entries(bytes, object).unwrap_or_default()
}

fn entries(bytes: &[u8], object: usize) -> Option<Tracked> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut tracked, mut at, mut last) = (Tracked::default(), 12, Vec::new());
    for _ in 0..number(8)? {
        let mode = number(at + MODE)?;
        let flags = at + OBJECT + object;
        let extended = u16::from_be_bytes(bytes.get(flags..flags + 2)?.try_into().ok()?) & EXTENDED != 0;
        let start = flags + 2 + if extended { 2 } else { 0 };
        let (name, end) = if version == 4 { shortened(bytes, start, &last)? } else { plain(bytes, start)? };
        let set = if mode == SUBMODULE { &mut tracked.submodules } else { &mut tracked.files };
        set.insert(Name::from(&name[..]));
        at = if version == 4 { end } else { at + (end - at).div_ceil(8) * 8 };
        last = name;
    }
    Some(tracked)
}

/// A name that ends with a NUL, and where what follows begins; entries are padded with one to eight of them.
fn plain(bytes: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    let rest = bytes.get(start..)?;
    let length = rest.iter().position(|byte| *byte == 0)?;
    Some((rest.get(..length)?.to_vec(), start + length + 1))
}

/// The same, as the name before it without its end, and another end.
fn shortened(bytes: &[u8], start: usize, last: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut cut, mut at) = (0_usize, start);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        cut = cut.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            break;
        }
        cut = cut.checked_add(1)?;
    }
    let (end, next) = plain(bytes, at)?;
    let mut name = last.get(..last.len().checked_sub(cut)?)?.to_vec();
    name.extend(end);
    Some((name, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_testkit::{git, output};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
    fn every_version_lists_what_git_lists() {
        let dir = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| {
            let done = output(git().args(args).current_dir(dir.path()));
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
            String::from_utf8(done.stdout).unwrap()
        };
        run(&["init", "-q"]);
        for name in ["a", "a-longer-name", "src/main.rs", "src/main.rs.bak", "ignored.log", "ä ö.txt"] {
            std::fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        std::fs::write(dir.path().join(".gitignore"), "*.log\n").unwrap();
        run(&["add", "-f", "."]);
        let object = run(&["hash-object", "a"]);
        run(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub/module", object.trim())]);
        for version in ["2", "3", "4"] {
            run(&["update-index", "--index-version", version]);
            if version == "3" {
                std::fs::write(dir.path().join("later"), "x").unwrap();
                run(&["add", "-N", "later"]);
            }
            let tracked = read(&std::fs::read(dir.path().join(".git/index")).unwrap(), 20);
            let listed = run(&["ls-files", "-z"]);
            let names: BTreeSet<Name> = tracked.files.iter().chain(&tracked.submodules).cloned().collect();
            let expected: BTreeSet<Name> =
                listed.split('\0').filter(|name| !name.is_empty()).map(|name| Name::from(name.as_bytes())).collect();
            assert_eq!(names, expected, "version {version}");
            assert_eq!(tracked.submodules.len(), 1);
        }
    }

    #[test]
    fn what_is_no_index_lists_nothing() {
        let cut: &[u8] = b"DIRC\0\0\0\x02\0\0\0\x01shorter than an entry";
        for bytes in [&b""[..], b"DIRC", cut, b"DIRC\0\0\0\x09\0\0\0\0"] {
            assert_eq!(read(bytes, 20), Tracked::default());
        }
    }
}
