//! The programs that the sandbox is made of: the system's own, wherever the caller's `PATH` leads.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where they are looked for, and nowhere else.
pub(super) const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// All of them: those that are started here, and those that the set-up starts by the same folders.
const NAMES: [&str; 11] =
    ["unshare", "sh", "mount", "bwrap", "chmod", "cp", "mkdir", "mknod", "sleep", "stat", "xargs"];

/// The programs by path.
pub(super) struct Tools {
    pub unshare: PathBuf,
    pub sh: PathBuf,
}

impl Tools {
    /// Finds them all, or says which is missing.
    pub fn find() -> Result<Self, String> {
        for name in NAMES {
            find(name)?;
        }
        Ok(Self { unshare: find("unshare")?, sh: find("sh")? })
    }

    /// The `PATH` that they run with.
    pub fn path() -> String {
        FOLDERS.join(":")
    }
}

fn find(name: &str) -> Result<PathBuf, String> {
    let found = FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
    let path = found.ok_or_else(|| format!("`{name}` is not installed in {}", FOLDERS.join(", ")))?;
    let facts = path.metadata().map_err(|error| format!("`{}` cannot be looked at: {error}", path.display()))?;
    if facts.uid() == 0 && facts.mode() & 0o022 == 0 && facts.is_file() {
        Ok(path)
    } else {
        Err(format!("`{}` is not the system's own: others than root can change it", path.display()))
    }
}
