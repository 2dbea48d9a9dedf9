//! A temporary project and work to do in it.

use crate::area::{EXEC, OVER};
use crate::mark::Mark;
use crate::tests::drive::{Between, execute};
use crate::work::FileWork;
use crate::{Event, JournalKey, ProjectRoot, Receipts, RunError, RunOptions};
use exacta_kernel::facts::FileContent;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId, RunId};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(super) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

pub(super) fn run_id(number: u32) -> RunId {
    RunId::parse(&format!("019a2f3e-7c1d-7e2a-9b4f-{number:012x}")).unwrap()
}

/// Where a mark of a run lies.
pub(super) fn marked(number: u32, mark: Mark) -> String {
    let folder = if Mark::OVER.contains(&mark) { OVER } else { EXEC };
    format!("{folder}/{}", mark.name(&JournalKey::default(), &run_id(number)))
}

pub(super) fn content(text: &str, mode: u32) -> Option<Arc<FileContent>> {
    Some(Arc::new(FileContent::new(text.as_bytes().to_vec(), mode)))
}

pub(super) fn change(at: &str, before: Option<Arc<FileContent>>, after: Option<Arc<FileContent>>) -> Change {
    Change { path: path(at), before, after }
}

pub(super) fn work(number: u32, mut changes: Vec<Change>) -> FileWork {
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    FileWork {
        run_id: run_id(number),
        plan_id: PlanId::parse("019a2f3e-7c1d-7e2a-9b4f-000000000001").unwrap(),
        correlation_id: CorrelationId::parse("019a2f3e-7c1d-7e2a-9b4f-000000000002").unwrap(),
        plan_hash: Digest::of(b"plan"),
        undoes: None,
        adopts: false,
        changes,
    }
}

/// The same work backwards.
pub(super) fn undo(number: u32, done: &FileWork) -> FileWork {
    let back = |change: &Change| Change {
        path: change.path.clone(),
        before: change.after.clone(),
        after: change.before.clone(),
    };
    FileWork { undoes: Some(done.run_id.clone()), ..work(number, done.changes.iter().map(back).collect()) }
}

/// The same work, where what it does lies in the project already.
pub(super) fn adopting(done: FileWork) -> FileWork {
    FileWork { adopts: true, ..done }
}

/// What someone else does in the project.
pub(super) type Act<'a> = &'a dyn Fn(&Project);

/// What lies in a project apart from `.exacta`, with mode; files with their bytes.
pub(super) type Tree = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

pub(super) struct Project {
    pub(super) dir: tempfile::TempDir,
    pub(super) root: ProjectRoot,
}

impl Project {
    pub(super) fn new(files: &[(&str, &str, u32)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text, mode) in files {
            put(&dir.path().join(name), text, *mode);
        }
        let root = ProjectRoot::open(dir.path()).unwrap();
        Self { dir, root }
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn tree(&self) -> Tree {
        tree(self.dir.path())
    }

    /// The names in `.exacta/exec`: of open runs, and of those that are over.
    pub(super) fn traces(&self) -> Vec<String> {
        let names = |folder: &str| {
            let entries = std::fs::read_dir(self.at(folder)).into_iter().flatten();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
        };
        let mut all: Vec<String> = names(EXEC).into_iter().filter(|name| name != "locks" && name != "over").collect();
        all.extend(names(OVER).into_iter().filter(|name| !name.starts_with("tally")));
        all.sort();
        all
    }

    /// Makes a run that is done look as if it had died just before: its journal is the commit record again.
    pub(super) fn reopen(&self, number: u32) {
        std::fs::rename(self.at(&marked(number, Mark::Done)), self.at(&marked(number, Mark::Commit))).unwrap();
    }

    pub(super) fn run(&self, work: &FileWork) -> Result<Receipts, RunError> {
        self.run_with(work, &mut |_| {}, &mut |_| Ok(()))
    }

    pub(super) fn run_with(
        &self,
        work: &FileWork,
        observer: &mut dyn FnMut(Event),
        before_commit: &mut dyn FnMut(&[Change]) -> Result<(), crate::Objection>,
    ) -> Result<Receipts, RunError> {
        run_in(&self.root, work, observer, before_commit)
    }
}

pub(super) fn run_in(
    root: &ProjectRoot,
    work: &FileWork,
    observer: &mut dyn FnMut(Event),
    before_commit: &mut dyn FnMut(&[Change]) -> Result<(), crate::Objection>,
) -> Result<Receipts, RunError> {
    let cancel = AtomicBool::new(false);
    let mut options = RunOptions { cancel: &cancel, wait: Duration::ZERO, observer };
    let disk = root.disk()?;
    execute(&disk, work, Between { enter: &mut || true, check: before_commit }, &mut options)
}

/// Puts a file there, with the folders it needs; one called `in` is closed to others, so that its mode is not what the umask leaves.
pub(super) fn put(at: &Path, text: &str, mode: u32) {
    let folder = at.parent().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    if folder.ends_with("in") {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o710)).unwrap();
    }
    std::fs::write(at, text).unwrap();
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(super) fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let at = entry.unwrap().path();
            let name = at.strip_prefix(root).unwrap().to_owned();
            let meta = std::fs::symlink_metadata(&at).unwrap();
            if name == Path::new(".exacta") {
                continue;
            }
            let mode = meta.permissions().mode() & 0o7777;
            if meta.is_dir() {
                found.insert(name, (mode, None));
                todo.push(at);
            } else if meta.is_symlink() {
                let to = std::fs::read_link(&at).unwrap().into_os_string().into_encoded_bytes();
                found.insert(name, (0, Some(to)));
            } else {
                found.insert(name, (mode, Some(std::fs::read(&at).unwrap())));
            }
        }
    }
    found
}

/// One of everything: modify, change of mode, create, create in new folders, delete, a file that gives way to a folder, and a folder
/// that gives way to a file.
pub(super) fn everything(number: u32) -> FileWork {
    work(
        number,
        vec![
            change("a.txt", content("old a\n", 0o644), content("new a\n", 0o644)),
            change("bin/tool", content("#!/bin/sh\n", 0o644), content("#!/bin/sh\n", 0o755)),
            change("new.txt", None, content("", 0o600)),
            change("new/deep/er.txt", None, content("deep\n", 0o644)),
            change("old/gone.txt", content("gone\n", 0o640), None),
            change("page", content("a file\n", 0o644), None),
            change("page/one.txt", None, content("in a folder\n", 0o644)),
            change("shelf", None, content("a file now\n", 0o644)),
            change("shelf/in/b.txt", content("b\n", 0o600), None),
        ],
    )
}

pub(super) const EVERYTHING: [(&str, &str, u32); 6] = [
    ("a.txt", "old a\n", 0o644),
    ("bin/tool", "#!/bin/sh\n", 0o644),
    ("old/gone.txt", "gone\n", 0o640),
    ("page", "a file\n", 0o644),
    ("shelf/in/b.txt", "b\n", 0o600),
    ("other", "untouched\n", 0o444),
];

/// How [`EVERYTHING`] looks after [`everything`].
pub(super) fn everything_done() -> Tree {
    done_already().tree()
}

/// A project in which somebody did [`everything`].
pub(super) fn done_already() -> Project {
    let done = Project::new(&[
        ("a.txt", "new a\n", 0o644),
        ("bin/tool", "#!/bin/sh\n", 0o755),
        ("new.txt", "", 0o600),
        ("new/deep/er.txt", "deep\n", 0o644),
        ("page/one.txt", "in a folder\n", 0o644),
        ("shelf", "a file now\n", 0o644),
        ("other", "untouched\n", 0o444),
    ]);
    std::fs::create_dir(done.at("old")).unwrap();
    done
}
