//! Python with packages of its own.

use crate::needs::needs;
use crate::running::succeeds;
use rustix::fs::{FlockOperation, flock};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A `python3` that finds these packages; `None` if they cannot be had here, which is said. They are installed once for all tests.
#[track_caller]
#[must_use]
pub fn python(packages: &[&str]) -> Option<Command> {
    with(packages, &format!("python-{}", packages.join("-")), &[])
}

/// The same with these packages alone, and nothing else that they name.
#[track_caller]
#[must_use]
pub fn python_alone(packages: &[&str]) -> Option<Command> {
    let first = packages.first().copied().unwrap_or_default().split('=').next().unwrap_or_default();
    with(packages, &format!("python-alone-{first}"), &["--no-deps"])
}

#[track_caller]
fn with(packages: &[&str], name: &str, how: &[&str]) -> Option<Command> {
    let folder = built().join(name);
    let there = install(&folder, packages, how);
    if !needs(there, &format!("`python3` with pip, and {} from PyPI", packages.join(", "))) {
        return None;
    }
    let mut python = Command::new("python3");
    python.env("PYTHONPATH", &folder).env("PYTHONDONTWRITEBYTECODE", "1");
    Some(python)
}

/// Where what tests build for themselves is kept.
fn built() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from).join("testkit")
}

/// Installs packages, one test at a time; whether they are there.
fn install(folder: &Path, packages: &[&str], how: &[&str]) -> bool {
    let whole = folder.join("whole");
    let (Some(above), true) = (folder.parent(), !packages.is_empty()) else { return false };
    if fs::create_dir_all(above).is_err() {
        return false;
    }
    let Ok(lock) = fs::File::create(folder.with_extension("lock")) else { return false };
    if flock(&lock, FlockOperation::LockExclusive).is_err() {
        return false;
    }
    if whole.exists() {
        return true;
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"]).arg(folder);
    pip.args(how).args(packages).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    succeeds(&mut pip) && fs::write(whole, b"").is_ok()
}
