//! The first stage: every target held by handle, found as the plan expects it, and fit to be changed without loss.

use crate::area::{Area, Names, shown};
use crate::bytes::{Seen, is, state};
use crate::error::{Drifted, IoError, RunError};
use crate::folders::Folders;
use crate::fs::{Attributes, Fs, Kind, Stat};
use crate::held::Held;
use crate::journal::Folder;
use crate::look::TARGET_CAP;
use crate::work::FileWork;
use exacta_kernel::facts::{FileContent, FileState};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Change;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Targets that are as expected.
pub(crate) struct Prepared<'a, F: Fs> {
    pub(super) area: Area<'a, F>,
    pub(super) work: &'a FileWork,
    pub(super) folders: Folders<'a, F>,
    /// Of each change, the old file.
    pub(super) old: Vec<Option<Held<F>>>,
    /// Of each change, the new file, once it lies ready.
    pub(super) new: Vec<Option<Held<F>>>,
    /// Folders to be made, outer ones first.
    pub(super) missing: Vec<RelPath>,
    /// Folders that give way to a file, outer ones first.
    pub(super) gone: Vec<Folder>,
}

impl<'a, F: Fs> Prepared<'a, F> {
    /// Opens and checks every target.
    pub(crate) fn check(area: Area<'a, F>, work: &'a FileWork) -> Result<Self, RunError> {
        let fs = area.fs;
        let folders = Folders::new(fs);
        let (old, new) = (Vec::new(), Vec::new());
        let device = fs.stat_dir(&area.dir).map_err(IoError::of("look at", crate::area::EXEC))?.id.device;
        let mut prepared = Self { area, work, folders, old, new, missing: Vec::new(), gone: Vec::new() };
        let mut drifted = Vec::new();
        let mut round = Round {
            owner: fs.stat_dir(&fs.root()).map_err(IoError::of("look at", "."))?.owner,
            device,
            fit: None,
            missing: BTreeSet::new(),
        };
        for change in &work.changes {
            permitted(change)?;
            match prepared.open(change, &mut round)? {
                Found::Old(held) => prepared.old.push(Some(held)),
                Found::Nothing => prepared.old.push(None),
                Found::Other(found) => drifted.push(Drifted { path: change.path.clone(), found: found.to_owned() }),
            }
        }
        prepared.missing = if work.adopts { Vec::new() } else { round.missing.into_iter().collect() };
        if drifted.is_empty() { Ok(prepared) } else { Err(RunError::Drifted { targets: drifted }) }
    }

    /// Every target again, on the handles held: the last look before the commit.
    pub(super) fn recheck(&self, cancel: &AtomicBool) -> Result<(), RunError> {
        if cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        let mut drifted = Vec::new();
        for (change, old) in self.work.changes.iter().zip(&self.old) {
            let found = self.changed(change, old.as_ref())?;
            drifted.extend(found.map(|found| Drifted { path: change.path.clone(), found: found.to_owned() }));
        }
        if !drifted.is_empty() {
            return Err(RunError::Drifted { targets: drifted });
        }
        let moved = self.folders.moved()?;
        if moved.is_empty() {
            return self.recheck_new();
        }
        let is_moved =
            |path: &RelPath| moved.iter().any(|folder| folder.as_ref().is_none_or(|folder| path.is_beneath(folder)));
        let targets = self.work.changes.iter().map(|change| &change.path).filter(|path| is_moved(path));
        let drifted =
            |path: &RelPath| Drifted { path: path.clone(), found: "has its folder moved just now".to_owned() };
        Err(RunError::Drifted { targets: targets.map(drifted).collect() })
    }

    /// How a target differs from what was found first.
    fn changed(&self, change: &Change, old: Option<&Held<F>>) -> Result<Option<&'static str>, IoError> {
        const CHANGED: Option<&str> = Some("was changed just now");
        let io = |errno| IoError { call: "look at", path: change.path.to_string(), errno };
        let dir = match self.folders.held(change.path.parent().as_ref()) {
            Some(dir) => dir.clone(),
            // It was missing, and may be there by now, or something else in its place.
            None => match Folders::new(self.area.fs).of(&change.path) {
                Ok(Some(dir)) => dir,
                Ok(None) => return Ok(None),
                // What is there is a target itself, and looked at as that.
                Err(error) if change.path.parent().is_some_and(|folder| self.gives_way(&folder, &error)) => {
                    return Ok(None);
                }
                Err(error) if error.is_obstacle() => return Ok(Some("has something else in the place of its folder")),
                Err(error) => return Err(error),
            },
        };
        let expected = self.work.expected(change);
        let (held, before, now) = match (old, expected, self.area.fs.stat_in(&dir, change.path.name())) {
            (None, _, Err(Errno::NOENT)) => return Ok(None),
            (None, None, Ok(now)) if now.kind == Kind::Folder && self.holds_adopted(&change.path) => return Ok(None),
            (None, _, Ok(now)) if now.kind == Kind::Folder && self.is_gone(&change.path) => return Ok(None),
            (Some(held), Some(before), Ok(now)) => (held, before, now),
            (_, _, Err(errno)) if errno != Errno::NOENT => return Err(io(errno)),
            _ => return Ok(CHANGED),
        };
        Ok(match self.still(held, &now, before).map_err(io)? {
            Still::Same => None,
            Still::OtherAttributes => Some("has another owner, group, attribute or access rule since just now"),
            Still::Other => CHANGED,
        })
    }

    /// Every new file again, by its name and on the handle held, bytes and all: until the commit record it lies where others can
    /// write, and a check can take minutes. Its time of change would not do: it is as coarse as the system's clock.
    fn recheck_new(&self) -> Result<(), RunError> {
        let names = Names(&self.work.run_id);
        for (step, (change, new)) in self.work.changes.iter().zip(&self.new).enumerate() {
            let (Some(held), Some(after)) = (new, &change.after) else { continue };
            let name = names.file(step);
            let io = |errno| IoError { call: "look at", path: shown(&name), errno };
            let still = match self.area.fs.stat_in(&self.area.dir, &name) {
                Ok(now) => self.still(held, &now, after).map_err(io)?,
                Err(Errno::NOENT) => Still::Other,
                Err(errno) => return Err(io(errno).into()),
            };
            if still != Still::Same {
                let cause = format!(
                    "the new file of `{}`, `{}`, was changed by another program before the commit",
                    change.path,
                    shown(&name)
                );
                return Err(RunError::RolledBack { cause });
            }
        }
        Ok(())
    }

    /// Whether a file held is what `now` is of, has no other name, and is as it was.
    fn still(&self, held: &Held<F>, now: &Stat, content: &FileContent) -> Result<Still, Errno> {
        let fs = self.area.fs;
        let stat = fs.stat(&held.file)?;
        if stat.id != now.id || stat.links != 1 || !is(fs, &held.file, &stat, content)? {
            return Ok(Still::Other);
        }
        let same = fs.attributes(&held.file, &stat)? == held.attributes;
        Ok(if same { Still::Same } else { Still::OtherAttributes })
    }

    /// What is where a change is to be made.
    fn open(&mut self, change: &Change, round: &mut Round) -> Result<Found<F>, RunError> {
        let path = &change.path;
        let expected = self.work.expected(change);
        let Some(dir) = self.folder(path, &mut round.missing)? else {
            return Ok(if expected.is_none() { Found::Nothing } else { Found::Other("is gone") });
        };
        self.fit_folder(&dir, path, round)?;
        let fs = self.area.fs;
        let io = |call| IoError::of(call, path.as_str());
        let found = match fs.stat_in(&dir, path.name()) {
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(io("look at")(errno).into()),
            Ok(stat) if stat.mount => return Err(refused(path, "another file system begins there")),
            Ok(stat) => Some(stat.kind),
        };
        let before = match (found, expected) {
            (None, None) => return Ok(Found::Nothing),
            (Some(Kind::File), Some(before)) => before,
            (None, Some(_)) => return Ok(Found::Other("is gone")),
            (Some(Kind::File), None) => return Ok(Found::Other("exists now")),
            (Some(Kind::Folder), None) if self.holds_adopted(path) => return Ok(Found::Nothing),
            (Some(Kind::Folder), None) if !self.work.adopts && self.empties(&dir, path)? => return Ok(Found::Nothing),
            (Some(Kind::Folder), _) => return Ok(Found::Other("is a folder now")),
            (Some(Kind::Symlink), _) => return Ok(Found::Other("is a symbolic link now")),
            (Some(Kind::Special), _) => return Ok(Found::Other("is a device, socket or pipe now")),
        };
        let file = fs.open(&dir, path.name()).map_err(io("open"))?;
        let stat = fs.stat(&file).map_err(io("look at"))?;
        if !is(fs, &file, &stat, before).map_err(io("read"))? {
            let seen = state(fs, &file).map_err(io("read"))?;
            return Ok(Found::Other(difference(&FileState::of(Some(before)), &seen)));
        }
        if let Some(reason) = unfit(&stat, fs.user(), round.owner) {
            return Err(refused(path, reason));
        }
        let attributes = fs.attributes(&file, &stat).map_err(io("read the attributes of"))?;
        match attributes.bound_to_content() {
            Some(name) => Err(refused(path, format!("its attribute `{name}` holds for its present content only"))),
            None => Ok(Found::Old(Held { file, attributes })),
        }
    }

    /// The folder of a target; what is missing of its way is noted, and the nearest folder above is held.
    fn folder(&mut self, path: &RelPath, missing: &mut BTreeSet<RelPath>) -> Result<Option<F::Dir>, RunError> {
        let found = self.find(path.parent()).map_err(|error| blocked(path, error))?;
        if found.is_some() {
            return Ok(found);
        }
        let mut above = path.parent();
        while let Some(folder) = above {
            if self.find(Some(folder.clone())).map_err(|error| blocked(path, error))?.is_some() {
                return Ok(None);
            }
            above = folder.parent();
            missing.insert(folder);
        }
        self.folders.get(None)?;
        Ok(None)
    }

    /// A folder, or `None` if there is none yet: also where a file is in its place that this work deletes.
    pub(super) fn find(&mut self, path: Option<RelPath>) -> Result<Option<F::Dir>, IoError> {
        match (self.folders.get(path.clone()), path) {
            (Err(error), Some(path)) if self.gives_way(&path, &error) => Ok(None),
            (found, _) => found,
        }
    }

    /// Whether a folder could not be opened because of a file that this work deletes, or adopts.
    fn gives_way(&self, folder: &RelPath, error: &IoError) -> bool {
        let deletes = |change: &Change| change.before.is_some() && change.after.is_none();
        let is_in_place = |change: &Change| if self.work.adopts { change.after.is_some() } else { deletes(change) };
        error.errno == Errno::NOTDIR
            && self.work.changes.iter().any(|change| is_in_place(change) && folder.is_beneath(&change.path))
    }

    /// Whether this work adopts files beneath a path, so that a folder is expected there.
    fn holds_adopted(&self, path: &RelPath) -> bool {
        let beneath = |change: &Change| change.path.is_beneath(path) && change.path != *path;
        self.work.adopts && self.work.changes.iter().any(|change| change.after.is_some() && beneath(change))
    }

    fn is_gone(&self, path: &RelPath) -> bool {
        self.gone.iter().any(|folder| folder.path == *path)
    }

    /// Whether a folder has nothing in it but what this work deletes, so that it can give way to a file. It and its folders are noted.
    fn empties(&mut self, above: &F::Dir, path: &RelPath) -> Result<bool, RunError> {
        let fs = self.area.fs;
        let io = |call| IoError::of(call, path.as_str());
        let dir = fs.open_dir(above, path.name()).map_err(io("open folder"))?;
        let names = fs.list(&dir).map_err(io("list"))?;
        let (stat, ours) = (fs.stat_dir(&dir).map_err(io("look at"))?, self.plain_folder(&self.area.dir, path)?);
        if stat.frozen || self.plain_folder(&dir, path)? != ours {
            return Err(refused(path, "the folder there has an owner, group, attributes or access rules of its own"));
        }
        self.gone.push(Folder { path: path.clone(), mode: Some(stat.mode) });
        for name in &names {
            let Ok(inner) = RelPath::parse(&format!("{path}/{name}")) else { return Ok(false) };
            let found = fs.stat_in(&dir, name).map_err(io("look at"))?;
            let deleted = |change: &Change| change.path == inner && change.after.is_none();
            let goes = match found.kind {
                _ if found.mount => false,
                Kind::File => self.work.changes.iter().any(deleted),
                Kind::Folder => self.empties(&dir, &inner)?,
                Kind::Symlink | Kind::Special => false,
            };
            if !goes {
                return Ok(false);
            }
        }
        Ok(!names.is_empty())
    }

    /// What a folder has besides its names and its mode.
    fn plain_folder(&self, dir: &F::Dir, path: &RelPath) -> Result<Attributes, IoError> {
        let fs = self.area.fs;
        let file = fs.open(dir, ".").map_err(IoError::of("open folder", path.as_str()))?;
        let stat = fs.stat(&file).map_err(IoError::of("look at", path.as_str()))?;
        fs.attributes(&file, &stat).map_err(IoError::of("read the attributes of", path.as_str()))
    }

    fn fit_folder(&self, dir: &F::Dir, path: &RelPath, round: &mut Round) -> Result<(), RunError> {
        if round.fit == Some(path.parent()) {
            return Ok(());
        }
        let folder = self.area.fs.stat_dir(dir).map_err(IoError::of("look at the folder of", path.as_str()))?;
        if folder.frozen {
            return Err(refused(path, "its folder is immutable or append-only"));
        }
        if !self.area.fs.may_change(dir).map_err(IoError::of("look at the folder of", path.as_str()))? {
            return Err(refused(path, "its folder may not be written to"));
        }
        if folder.id.device != round.device {
            return Err(refused(path, "its folder is on another file system than `.exacta`"));
        }
        round.fit = Some(path.parent());
        Ok(())
    }
}

/// What is where a change is to be made.
enum Found<F: Fs> {
    /// The old file, as expected.
    Old(Held<F>),
    /// Nothing, as expected.
    Nothing,
    /// Something else; how it differs.
    Other(&'static str),
}

/// How a file is that was looked at before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Still {
    Same,
    OtherAttributes,
    Other,
}

/// What is the same for all targets, and what is gathered on the way from one to the next.
struct Round {
    /// Whose the project is.
    owner: u32,
    /// What `.exacta` is on.
    device: (u32, u32),
    /// The last folder that was found fit; targets are sorted, so it is mostly the next one's too.
    fit: Option<Option<RelPath>>,
    missing: BTreeSet<RelPath>,
}

pub(super) fn refused(path: &RelPath, reason: impl Into<String>) -> RunError {
    RunError::Refused { path: path.clone(), reason: reason.into() }
}

/// What can be told from the change alone.
fn permitted(change: &Change) -> Result<(), RunError> {
    let path = &change.path;
    if path.is_protected() {
        return Err(refused(path, "it belongs to Exacta or to git"));
    }
    for content in [&change.before, &change.after].into_iter().flatten() {
        if content.size() > TARGET_CAP {
            return Err(refused(path, "it is larger than 64 MiB"));
        }
        if content.mode() & 0o6000 != 0 {
            return Err(refused(path, "its mode lends the rights of its owner or group"));
        }
    }
    match &change.after {
        Some(after) if after.mode() & 0o400 == 0 => Err(refused(path, "its owner could not read it back")),
        _ => Ok(()),
    }
}

/// What would be lost if this file were replaced.
fn unfit(file: &Stat, user: u32, project_owner: u32) -> Option<&'static str> {
    if file.links != 1 {
        return Some("it has other names (hard links), which would no longer be the same file");
    }
    if file.frozen {
        return Some("it is immutable or append-only");
    }
    if file.owner != user && file.owner != project_owner {
        return Some("it belongs to another user");
    }
    None
}

/// How a file differs from what was expected.
fn difference(expected: &FileState, seen: &Seen) -> &'static str {
    match (expected, seen) {
        (FileState::File { sha256, mode, .. }, Seen::State(FileState::File { sha256: now, mode: now_mode, .. })) => {
            match (sha256 == now, mode == now_mode) {
                (false, false) => "has other content and another mode now",
                (true, false) => "has another mode now",
                (_, true) => "has other content now",
            }
        }
        _ => "is something else now",
    }
}

fn blocked(path: &RelPath, error: IoError) -> RunError {
    match error.errno {
        Errno::LOOP => refused(path, format!("`{}` is reached through a symbolic link", error.path)),
        Errno::NOTDIR => refused(path, format!("`{}` is not a folder", error.path)),
        Errno::XDEV => refused(path, format!("`{}` is on another file system", error.path)),
        _ => error.into(),
    }
}
