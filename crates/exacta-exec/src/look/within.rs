//! What is in a folder that stands where a file is to be.

use crate::handle::{is_mount, kind, open_beneath, stat_in};
use exacta_kernel::path::RelPath;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, OFlags};

/// No plan deletes more, so there is no need to look further.
const MOST: usize = 1000;

/// The files in a folder and in its folders, sorted; `None` if anything else is in it, an empty folder too, or too much.
pub(super) fn files(above: &OwnedFd, path: &RelPath) -> Option<Vec<RelPath>> {
    let mut files = Vec::new();
    gather(above, path, &mut files)?;
    files.sort();
    Some(files)
}

fn gather(above: &OwnedFd, path: &RelPath, files: &mut Vec<RelPath>) -> Option<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let folder = open_beneath(above, path.name(), flags).ok()?;
    let mut is_empty = true;
    for entry in rustix::fs::Dir::new(open_beneath(&folder, ".", flags).ok()?).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name().to_str().ok()?;
        if matches!(name, "." | "..") {
            continue;
        }
        is_empty = false;
        let inner = RelPath::parse(&format!("{path}/{name}")).ok()?;
        let found = stat_in(&folder, name).ok()?;
        match kind(&found) {
            _ if is_mount(folder.as_fd(), &found).ok()? || files.len() >= MOST => return None,
            FileType::RegularFile => files.push(inner),
            FileType::Directory => gather(&folder, &inner, files)?,
            _ => return None,
        }
    }
    (!is_empty).then_some(())
}
