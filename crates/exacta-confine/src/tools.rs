//! The programs that the sandbox is made of: the system's own, wherever the caller's `PATH` leads.

use crate::obstacle::Obstacle;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Where they are looked for, and nowhere else.
pub const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// All of them, by the Debian packages that have them: those that are started here, and those that the set-up starts by the same folders.
const PACKAGES: [(&str, &[&str]); 6] = [
    ("bubblewrap", &["bwrap"]),
    ("coreutils", &["chmod", "cp", "mkdir", "mknod", "sleep", "stat"]),
    ("dash", &["sh"]),
    ("findutils", &["xargs"]),
    ("mount", &["mount"]),
    ("util-linux", &["unshare"]),
];

/// The programs by path.
#[derive(Debug)]
pub struct Tools {
    /// Makes namespaces.
    pub unshare: PathBuf,
    /// The shell.
    pub sh: PathBuf,
}

impl Tools {
    /// Finds them all.
    ///
    /// # Errors
    /// Which is missing.
    pub fn find() -> Result<Self, Obstacle> {
        for (package, names) in PACKAGES {
            names.iter().try_for_each(|name| find(name, package).map(drop))?;
        }
        Ok(Self { unshare: find("unshare", "util-linux")?, sh: find("sh", "dash")? })
    }

    /// The `PATH` that they run with.
    #[must_use]
    pub fn path() -> String {
        FOLDERS.join(":")
    }
}

/// Finds one, by the Debian package that has it.
///
/// # Errors
/// If it is missing, or others than root can change it.
pub fn find(name: &str, package: &str) -> Result<PathBuf, Obstacle> {
    let install = |why| Obstacle::new(why, format!("install the Debian package `{package}`"));
    let found = FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
    let path = found.ok_or_else(|| install(format!("`{name}` is not installed in {}", FOLDERS.join(", "))))?;
    let facts =
        path.metadata().map_err(|error| install(format!("`{}` cannot be looked at: {error}", path.display())))?;
    if facts.uid() == 0 && facts.mode() & 0o022 == 0 && facts.is_file() {
        Ok(path)
    } else {
        Err(foreign(&path, facts.uid()))
    }
}

/// Where nobody but root should be able to change a program.
fn foreign(path: &Path, owner: u32) -> Obstacle {
    let nobody = std::fs::read_to_string("/proc/sys/kernel/overflowuid").ok().and_then(|id| id.trim().parse().ok());
    let (why, help) = if nobody == Some(owner) {
        ("nobody knows whose it is in this user namespace", "run `exacta` outside of it, or have root mapped into it")
    } else {
        ("others than root can change it", "make it root's, and writable for nobody else")
    };
    Obstacle::new(format!("`{}` is not the system's own: {why}", path.display()), help)
}
