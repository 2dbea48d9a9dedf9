//! What is mounted inside a project. No overlay can be laid over such a folder in a user namespace: it would have to show what the
//! mount covers.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The first mount inside a folder, if there is one.
pub(super) fn within(folder: &Path) -> Option<PathBuf> {
    find(&std::fs::read("/proc/self/mountinfo").ok()?, folder)
}

fn find(table: &[u8], folder: &Path) -> Option<PathBuf> {
    let lines = table.split(|byte| *byte == b'\n');
    let places = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(4)).map(unescaped);
    places.filter(|place| place.starts_with(folder) && place != folder).min()
}

/// A path as the table writes it: a blank, a tab, a line end and a backslash by their octal numbers.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let octal = match after {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] if *first == b'\\' => {
                Some((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'))
            }
            _ => None,
        };
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_inside_is_found_by_its_name() {
        let table = b"21 1 8:1 / / rw - ext4 /dev/sda rw\n22 21 0:5 / /home/me/a\\040b rw shared:1 - tmpfs none rw\n\
            23 22 0:6 / /home/me/a\\040b/c\\134\\011d rw - tmpfs none rw\n24 21 0:7 / /home/me/app-cache rw - tmpfs none rw\n";
        let cases = [
            ("/home/me", Some("/home/me/a b")),
            ("/home/me/a b", Some("/home/me/a b/c\\\td")),
            ("/home/me/a b/c\\\td", None),
            ("/home/me/app", None),
        ];
        for (folder, expected) in cases {
            assert_eq!(find(table, Path::new(folder)).as_deref(), expected.map(Path::new), "{folder}");
        }
    }
}
