//! What differs in the work tree from what is committed: what a plan can carry, and what it cannot, by name.

use crate::app::App;
use crate::committed::{Base, Head, repository, unreadable};
use crate::error::{Error, Exit};
use exacta_agent::tree::Name;
use exacta_agent::walk::{Kept, Told, walk_by};
use exacta_context::git::attributes::Attributes;
use exacta_context::git::index::{Entry, Index};
use exacta_context::git::{Committed, FileMode, Repository, hex};
use exacta_context::ignored::Rules;
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::facts::{FileContent, Target};
use exacta_kernel::import::{self, FileChange, ImportError};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Content;
use rustix::fs::{FileType, Stat};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most changed files that are looked at: no policy allows a plan of more.
const MOST: usize = 500;

/// A change that no plan carries. It stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCarried {
    /// Where it is, with nothing hidden in it.
    pub path: String,
    /// Why, after the path.
    pub why: &'static str,
}

/// What differs.
pub(super) struct Gathered {
    /// By path: what is committed, and what lies there.
    pub changes: Vec<FileChange>,
    /// What no plan carries.
    pub rest: Vec<NotCarried>,
    /// What is committed of these files.
    pub head: Head,
}

/// What was found on the way through the work tree.
#[derive(Default)]
struct Found {
    things: BTreeMap<Name, Stat>,
    nested: BTreeSet<Name>,
    closed: BTreeSet<Name>,
    ignored: BTreeSet<Name>,
}

/// What became of one file.
enum Fate {
    Same,
    Change(FileChange),
    Rest(&'static str),
    /// Something else is staged.
    Staged,
}

/// What is needed to look at one file after the other.
struct Looking<'a> {
    app: &'a App,
    repository: Repository,
    index: Index,
    attributes: Attributes<'a>,
    /// Whether git turns line ends round, for the user or in this repository.
    turns_line_ends: bool,
    /// Whether the work tree says which files can be executed.
    has_modes: bool,
    largest: usize,
}

impl App {
    /// What differs in these places from what is committed, or everywhere.
    pub(super) fn gather(&self, paths: &[PathBuf]) -> Result<Gathered, Error> {
        let wanted = paths.iter().map(|path| self.beneath(path)).collect::<Result<Vec<Name>, Error>>()?;
        let is_wanted = |name: &Name| {
            wanted.is_empty() || wanted.iter().any(|at| at.bytes().is_empty() || name == at || name.is_beneath(at))
        };
        let mut repository = repository(&self.root)?;
        let commit = repository.head();
        let files = commit.map(|commit| repository.files(&commit)).transpose().map_err(unreadable)?.unwrap_or_default();
        let index = repository.index().map_err(unreadable)?;
        let found = self.walk(&repository, &files, &index)?;
        let names: BTreeSet<Name> =
            files.keys().map(|name| Name::from(&name[..])).chain(found.things.keys().cloned()).collect();
        let conflicts: Vec<String> = index
            .conflicts
            .iter()
            .map(|name| Name::from(&name[..]))
            .filter(|name| is_wanted(name))
            .map(|name| shown(&name))
            .collect();
        if !conflicts.is_empty() {
            return Err(Error::new(Exit::Usage, "adopt_conflict", "a merge left conflicts that nobody has settled")
                .places(conflicts)
                .hint("settle them first, or name other files and folders"));
        }
        let mut looking = Looking::of(self, repository, index)?;
        let (mut changes, mut rest, mut staged, mut base) = (Vec::new(), Vec::new(), Vec::new(), Base::new());
        for name in names.iter().filter(|name| is_wanted(name) && !found.hides(name)) {
            match looking.fate(name, files.get(name.bytes()), found.things.get(name)) {
                Fate::Same => {}
                Fate::Rest(why) => rest.push(NotCarried { path: shown(name), why }),
                Fate::Staged => staged.push(shown(name)),
                Fate::Change(change) => {
                    let committed = change.before.as_ref().map(|before| Arc::new(as_committed(before)));
                    base.insert(change.path.clone(), committed);
                    changes.push(change);
                }
            }
            if changes.len() > MOST {
                return Err(too_many());
            }
        }
        for folder in found.nested.iter().filter(|name| is_wanted(name) && !files.contains_key(name.bytes())) {
            rest.push(NotCarried { path: shown(folder), why: "is another repository" });
        }
        for name in found.closed.iter().filter(|name| is_wanted(name)) {
            rest.push(NotCarried { path: shown(name), why: "cannot be read, nor what is in it" });
        }
        rest.sort_by(|a, b| a.path.cmp(&b.path));
        if !staged.is_empty() {
            return Err(other_staged(staged));
        }
        for place in &wanted {
            let holds = |path: &str| {
                place.bytes().is_empty()
                    || place.bytes() == path.as_bytes()
                    || Name::from(path.as_bytes()).is_beneath(place)
            };
            let meant =
                changes.iter().any(|change| holds(change.path.as_str())) || rest.iter().any(|rest| holds(&rest.path));
            if !meant {
                return Err(nothing_there(
                    place,
                    found.ignored.iter().any(|name| name == place || place.is_beneath(name)),
                ));
            }
        }
        if changes.is_empty() {
            return Err(nothing(&rest));
        }
        Ok(Gathered { changes, rest, head: Head { commit: commit.map(|id| hex(&id)), base } })
    }

    /// What lies in the work tree and is not ignored, or is tracked all the same.
    fn walk(
        &self,
        repository: &Repository,
        files: &BTreeMap<Vec<u8>, Committed>,
        index: &Index,
    ) -> Result<Found, Error> {
        let tracked = files.keys().chain(index.entries.keys()).map(|name| Name::from(&name[..]));
        let kept = Kept { names: tracked.collect(), all: false };
        let user = format!("{}\n{}", crate::git::user_lines("core.excludesfile", "ignore"), repository.exclude());
        let rules = Rules::of_project(self.root.folder(), &user);
        let mut found = Found::default();
        let walked = walk_by(self.root.folder(), rules, &kept, &mut |told| {
            match told {
                Told::Thing(item) => drop(found.things.insert(item.name.clone(), item.facts)),
                Told::Nested(name) => drop(found.nested.insert(name.clone())),
                Told::Ignored(name) => drop(found.ignored.insert(name.clone())),
                Told::Unreadable(name) => drop(found.closed.insert(name.clone())),
                Told::Folder(_) | Told::Empty(_) => {}
            }
            Ok(())
        });
        walked.map_err(crate::copies::error)?;
        Ok(found)
    }

    /// A path that the user named, beneath the project.
    fn beneath(&self, path: &Path) -> Result<Name, Error> {
        let mut clean = PathBuf::new();
        for part in path.components() {
            match part {
                std::path::Component::ParentDir => drop(clean.pop()),
                std::path::Component::CurDir => {}
                part => clean.push(part),
            }
        }
        let inner = clean.strip_prefix(self.root.path()).map_err(|_| {
            let message = format!("`{}` is not in the project `{}`", path.display(), self.root.path().display());
            Error::new(Exit::Usage, "path_outside", message).hint("name files and folders of this project")
        })?;
        Ok(Name::from(inner.as_os_str().as_bytes()))
    }
}

impl Found {
    /// Whether a name is in another repository, or in a folder that nobody can look into.
    fn hides(&self, name: &Name) -> bool {
        self.nested.iter().chain(&self.closed).any(|folder| name.is_beneath(folder))
    }
}

impl<'a> Looking<'a> {
    fn of(app: &'a App, repository: Repository, index: Index) -> Result<Self, Error> {
        let settings: Vec<(String, String)> =
            crate::git::user_settings().into_iter().chain(repository.settings()).collect();
        let last =
            |key: &str| settings.iter().rfind(|(name, _)| name == key).map(|(_, value)| value.to_ascii_lowercase());
        let user = crate::git::user_lines("core.attributesfile", "attributes");
        let largest = usize::try_from(app.in_force()?.policy.caps().submitted_step_bytes).unwrap_or(usize::MAX);
        Ok(Self {
            app,
            attributes: Attributes::of(app.root.folder(), &user, &repository.attributes()),
            turns_line_ends: last("core.autocrlf").is_some_and(|value| value == "true"),
            has_modes: last("core.filemode").is_none_or(|value| value != "false"),
            repository,
            index,
            largest,
        })
    }

    fn fate(&mut self, name: &Name, committed: Option<&Committed>, there: Option<&Stat>) -> Fate {
        let entry = self.index.entries.get(name.bytes()).cloned();
        if entry.as_ref().is_some_and(|entry| entry.unwatched)
            || committed.is_some_and(|it| it.mode == FileMode::Submodule)
        {
            return Fate::Same;
        }
        let kind = there.map(|stat| FileType::from_raw_mode(stat.st_mode));
        if committed.is_some_and(|it| it.mode == FileMode::Link) || kind == Some(FileType::Symlink) {
            return self.link(name, committed, kind);
        }
        match (committed, kind) {
            (None, None) => return Fate::Same,
            // Nothing that git would track.
            (None, Some(kind)) if kind != FileType::RegularFile => return Fate::Same,
            (Some(_), Some(kind)) if kind != FileType::RegularFile => {
                return Fate::Rest("is a pipe, a socket or a device");
            }
            _ => {}
        }
        let staged = entry.filter(|entry| !entry.to_add);
        if let (Some(committed), Some(stat), Some(entry)) = (committed, there, &staged)
            && is_as(entry, committed)
            && self.index.is_untouched(entry, stat)
        {
            return Fate::Same;
        }
        match self.change(name, committed, there.is_some()) {
            Ok(None) => Fate::Same,
            Err(why) => Fate::Rest(why),
            Ok(Some(change)) if self.is_other_staged(staged.as_ref(), committed, change.after.as_ref()) => Fate::Staged,
            Ok(Some(change)) => Fate::Change(change),
        }
    }

    /// A link is carried by no plan. One that is as it is committed is no change.
    fn link(&mut self, name: &Name, committed: Option<&Committed>, kind: Option<FileType>) -> Fate {
        let is = |it: &Committed| it.mode == FileMode::Link && kind == Some(FileType::Symlink);
        let target = rustix::fs::readlinkat(self.app.root.folder(), name.path(), Vec::new()).ok();
        let same = committed.filter(|it| is(it)).and_then(|it| self.repository.blob(&it.id));
        if same.is_some() && same.as_deref() == target.as_ref().map(|target| target.as_bytes()) {
            return Fate::Same;
        }
        Fate::Rest("is or was a symbolic link")
    }

    /// How a file differs from what is committed, if it does; or why no plan carries that.
    fn change(
        &mut self,
        name: &Name,
        committed: Option<&Committed>,
        is_there: bool,
    ) -> Result<Option<FileChange>, &'static str> {
        let path = name.text().and_then(|text| RelPath::parse(text).ok());
        let path = path.filter(|path| !path.is_protected()).ok_or("has a name that no plan may have")?;
        let now = match is_there.then(|| self.app.root.fact(&path, TARGET_CAP).target) {
            None => None,
            Some(Target::File(content)) => Some(content),
            Some(Target::TooLarge { .. }) => return Err("is larger than a step of a plan may be"),
            Some(_) => return Err("cannot be read"),
        };
        let before = match committed {
            None => None,
            Some(committed) => Some(self.before(committed, now.as_ref())?),
        };
        match (&before, &now) {
            (Some(before), Some(now)) if before.bytes() == now.bytes() && before.mode() == now.mode() => {
                return Ok(None);
            }
            (None, None) => return Ok(None),
            _ => {}
        }
        if let Some(why) = self.attributes.converts(path.as_str()) {
            return Err(why);
        }
        let has_cr = |content: &Content| content.bytes().windows(2).any(|pair| pair == b"\r\n");
        if self.turns_line_ends && now.as_ref().is_some_and(has_cr) {
            return Err("is kept by git with other line ends (`core.autocrlf`)");
        }
        if before.is_none() && path.check_new().is_err() {
            return Err("has a name that no plan may have");
        }
        if [&before, &now].into_iter().flatten().any(|content| content.is_binary()) && now.is_some() {
            return Err("is no text");
        }
        let change = FileChange { path, before, after: now };
        match import::size(&change) {
            Ok(size) if size > self.largest => Err("is larger than a step of a plan may be"),
            Ok(_) => Ok(Some(change)),
            Err(ImportError::NotUtf8 { .. }) => Err("has changed lines that are not UTF-8"),
            Err(_) => Err("changes in a way that no step can express"),
        }
    }

    /// What is committed of a file, with the mode that it would have if it lay there.
    fn before(&mut self, committed: &Committed, now: Option<&Content>) -> Result<Content, &'static str> {
        let bytes = self
            .repository
            .blob(&committed.id)
            .ok_or("is committed, but what is committed is not here or too large")?;
        let executable = committed.mode == FileMode::Executable;
        let mode = match now {
            Some(now) if !self.has_modes => now.mode(),
            Some(now) => now.made_executable(executable).mode(),
            None if executable => 0o755,
            None => 0o644,
        };
        Ok(Arc::new(FileContent::new(bytes, mode)))
    }

    /// Whether something is staged that is neither what is committed nor what lies there.
    fn is_other_staged(
        &mut self,
        staged: Option<&Entry>,
        committed: Option<&Committed>,
        now: Option<&Content>,
    ) -> bool {
        match (staged, committed) {
            (None, None) => false,
            // It is staged that it goes.
            (None, Some(_)) => now.is_some(),
            (Some(entry), Some(committed)) if is_as(entry, committed) => false,
            (Some(entry), _) => {
                let bytes = self.repository.blob(&entry.id);
                let executable = entry.mode == FileMode::Executable;
                !now.is_some_and(|now| bytes.as_deref() == Some(now.bytes()) && now.is_executable() == executable)
            }
        }
    }
}

fn is_as(entry: &Entry, committed: &Committed) -> bool {
    (entry.id, entry.mode) == (committed.id, committed.mode)
}

/// With a mode as git knows it.
fn as_committed(content: &FileContent) -> FileContent {
    FileContent::new(content.bytes().to_vec(), if content.is_executable() { 0o755 } else { 0o644 })
}

fn shown(name: &Name) -> String {
    exacta_kernel::text::excerpt(&name.to_string(), 200)
}

fn too_many() -> Error {
    let message = format!("more than {MOST} files differ from what is committed, and no plan may have more");
    Error::new(Exit::Usage, "adopt_too_many", message).hint("name some of the files and folders")
}

fn other_staged(files: Vec<String>) -> Error {
    let message = "what is staged is neither what is committed nor what lies in the work tree";
    Error::new(Exit::Usage, "adopt_staged", message)
        .places(files)
        .hint("stage what lies there (`git add FILE`) or nothing (`git restore --staged FILE`), or name other files")
}

fn nothing_there(place: &Name, ignored: bool) -> Error {
    let why = if ignored { "is ignored" } else { "has nothing that differs from what is committed" };
    let message = format!("`{}` {why}", shown(place));
    Error::new(Exit::Usage, "adopt_nothing", message).hint("`git status` shows what differs")
}

fn nothing(rest: &[NotCarried]) -> Error {
    let message = if rest.is_empty() {
        "nothing in the work tree differs from what is committed"
    } else {
        "no plan can carry what differs from what is committed"
    };
    let places = rest.iter().map(|rest| format!("{} {}", rest.path, rest.why)).collect();
    Error::new(Exit::Usage, "adopt_nothing", message).places(places).hint("`git status` shows what differs")
}
