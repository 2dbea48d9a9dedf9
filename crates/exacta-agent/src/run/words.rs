//! The words of `bwrap` for an agent: what it sees, and where.

use super::Sandbox;
use crate::copy::OBJECTS;
use exacta_confine::view::{Mount, View};
use exacta_confine::{Words, account, way};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How much an agent may write to each folder in memory, in bytes.
const SCRATCH: u64 = 4 << 30;

/// The same for folders that stand empty in the place of others.
const EMPTY: u64 = 1 << 20;

/// Where the first program is.
pub const PROGRAM: &str = "/run/exacta/exacta";

/// Folders of the home folder that programs write to all the time: the agent has its own.
const OWN: [&str; 2] = [".cache", ".npm"];

/// All of them, up to what is started; and the folders that may be written to.
pub fn words(sandbox: &Sandbox<'_>, filter: i32) -> (Vec<OsString>, Vec<PathBuf>) {
    let mut words = Words::default();
    words.add(["--dev", "/dev", "--proc", "/proc"]);
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        words.empty(folder, SCRATCH);
    }
    // Whoever is root outside is root to `/proc/sys` inside too, whatever capabilities are dropped.
    words.add(["--remount-ro", "/dev", "--remount-ro", "/proc"]);
    words.empty("/run", EMPTY);
    let variable = |name: &str| std::env::var_os(name);
    let reads: Vec<String> = sandbox.shown.iter().map(|path| path.display().to_string()).collect();
    let view = View::new(sandbox.project, &reads, sandbox.hidden, account::home(), variable);
    let home = view.mounts.iter().find_map(|mount| match mount {
        Mount::Scratch(home) => Some(home.clone()),
        _ => None,
    });
    for mount in &view.mounts {
        match mount {
            Mount::Shown { at, .. } if is_own(home.as_deref(), at) => {}
            Mount::Shown { real, at } => words.bind("--ro-bind", real, at),
            Mount::Link(target, path) => words.bind("--symlink", target, path),
            Mount::Scratch(folder) => words.bind("--bind", sandbox.home, folder),
            Mount::Emptied(folder) if is_own(home.as_deref(), folder) => {}
            Mount::Emptied(folder) => words.empty(folder, EMPTY),
            Mount::Blanked(file) if is_own(home.as_deref(), file) => {}
            Mount::Blanked(file) => words.bind("--ro-bind", "/dev/null", file),
            Mount::Project => words.bind("--bind", sandbox.copy, sandbox.project),
        }
    }
    let shows =
        |path: &Path| view.mounts.iter().any(|mount| matches!(mount, Mount::Shown { at, .. } if path.starts_with(at)));
    if let Some(program) =
        sandbox.installed.as_deref().and_then(|path| installed(sandbox.project, path)).filter(|path| !shows(path))
    {
        words.bind("--ro-bind", &program, &program);
    }
    words.bind("--ro-bind", sandbox.own, PROGRAM);
    if let Some(objects) = sandbox.objects {
        words.bind("--ro-bind", objects, OBJECTS);
    }
    words.add(["--remount-ro", "/"]);
    let user = rustix::process::getuid().as_raw().to_string();
    let group = rustix::process::getgid().as_raw().to_string();
    words.add(["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]);
    words.add(["--cap-drop", "ALL", "--uid", &user, "--gid", &group, "--seccomp", &filter.to_string(), "--clearenv"]);
    for (name, value) in &view.variables {
        words.bind("--setenv", name, value);
    }
    for (name, value) in sandbox.variables {
        words.bind("--setenv", name, value);
    }
    words.add(["--setenv", "TMPDIR", "/tmp", "--chdir"]);
    words.push(sandbox.folder);
    let writes = [sandbox.project.to_owned()].into_iter().chain(home);
    let scratch = ["/tmp", "/var/tmp", "/dev"].map(PathBuf::from);
    (words.list(), writes.chain(scratch).collect())
}

fn is_own(home: Option<&Path>, path: &Path) -> bool {
    home.is_some_and(|home| OWN.iter().any(|name| path.starts_with(home.join(name))))
}

/// What is shown of a program that is in none of the folders that are shown: the packages it is among, or the file alone. Never by a way
/// through the project.
fn installed(project: &Path, program: &Path) -> Option<PathBuf> {
    let real = way::past(project, program)?;
    let mut above = real.ancestors().filter(|folder| folder.ends_with("node_modules"));
    Some(above.by_ref().last().map_or_else(|| real.clone(), Path::to_owned))
}
