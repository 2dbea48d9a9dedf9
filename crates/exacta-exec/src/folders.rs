//! The folders that targets are in, held open for as long as a run needs them.

use crate::error::IoError;
use crate::fs::Fs;
use crate::journal::Folder;
use exacta_kernel::path::RelPath;
use rustix::io::Errno;
use std::collections::BTreeMap;

/// Folders by path; the project root has none. Once opened, a folder is the same whatever happens to its path.
pub(crate) struct Folders<'fs, F: Fs> {
    fs: &'fs F,
    held: BTreeMap<Option<RelPath>, F::Dir>,
}

impl<'fs, F: Fs> Folders<'fs, F> {
    pub(crate) const fn new(fs: &'fs F) -> Self {
        Self { fs, held: BTreeMap::new() }
    }

    /// The folder a target is in, or `None` if there is no such folder.
    pub(crate) fn of(&mut self, target: &RelPath) -> Result<Option<F::Dir>, IoError> {
        self.get(target.parent())
    }

    /// A folder, or `None` if there is no such folder.
    pub(crate) fn get(&mut self, path: Option<RelPath>) -> Result<Option<F::Dir>, IoError> {
        if let Some(dir) = self.held.get(&path) {
            return Ok(Some(dir.clone()));
        }
        match self.fs.open_dir(&self.fs.root(), path.as_ref().map_or(".", RelPath::as_str)) {
            Ok(dir) => {
                self.held.insert(path, dir.clone());
                Ok(Some(dir))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(IoError { call: "open folder", path: shown(path.as_ref()), errno }),
        }
    }

    /// A folder that is held already.
    pub(crate) fn held(&self, path: Option<&RelPath>) -> Option<&F::Dir> {
        self.held.get(&path.cloned())
    }

    /// A folder, made if it is missing, with those above it.
    pub(crate) fn make(&mut self, path: Option<RelPath>) -> Result<F::Dir, IoError> {
        self.make_with(path, 0o777)
    }

    fn make_with(&mut self, path: Option<RelPath>, mode: u32) -> Result<F::Dir, IoError> {
        if let Some(dir) = self.get(path.clone())? {
            return Ok(dir);
        }
        let Some(path) = path else {
            return Err(IoError { call: "open folder", path: shown(None), errno: Errno::NOENT });
        };
        let above = self.make(path.parent())?;
        match self.fs.make_dir(&above, path.name(), mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(IoError { call: "make folder", path: path.to_string(), errno }),
        }
        let dir = self.fs.open_dir(&above, path.name()).map_err(IoError::of("open folder", path.as_str()))?;
        self.held.insert(Some(path), dir.clone());
        Ok(dir)
    }

    /// Makes folders that are missing, outer ones first, each with the mode that is said. Where something else is, nothing is made.
    pub(crate) fn make_all(&mut self, folders: &[Folder]) -> Result<(), IoError> {
        for Folder { path, mode } in folders {
            match self.make_with(Some(path.clone()), mode.map_or(0o777, |mode| mode & 0o777)) {
                Ok(dir) => self.set_mode(&dir, path, *mode)?,
                Err(error) if error.is_obstacle() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives a folder its mode if nothing is in it yet: it was made just now, or by a run that died before it came to this.
    fn set_mode(&self, dir: &F::Dir, path: &RelPath, mode: Option<u32>) -> Result<(), IoError> {
        let Some(mode) = mode else { return Ok(()) };
        let io = |call| IoError::of(call, path.as_str());
        let now = self.fs.stat_dir(dir).map_err(io("look at"))?;
        if now.mode == mode || !self.fs.list(dir).map_err(io("list"))?.is_empty() {
            return Ok(());
        }
        let folder = self.fs.open(dir, ".").map_err(io("open folder"))?;
        self.fs.set_mode(&folder, mode).map_err(io("set the mode of"))
    }

    /// Removes folders that are empty, inner ones first; those that are not, stay.
    pub(crate) fn remove_empty<'p>(
        &mut self,
        paths: impl DoubleEndedIterator<Item = &'p RelPath>,
    ) -> Result<(), IoError> {
        for path in paths.rev() {
            let above = match self.get(path.parent()) {
                Ok(Some(above)) => above,
                Ok(None) => continue,
                Err(error) if error.is_obstacle() => continue,
                Err(error) => return Err(error),
            };
            match self.fs.remove_dir(&above, path.name()) {
                Ok(()) => drop(self.held.remove(&Some(path.clone()))),
                Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                Err(errno) => return Err(IoError { call: "remove folder", path: path.to_string(), errno }),
            }
        }
        Ok(())
    }

    /// Makes the names in every folder held durable, each once.
    pub(crate) fn sync(&self) -> Result<(), IoError> {
        let dirs: Vec<&F::Dir> = self.held.values().collect();
        self.fs.sync_dirs(&dirs).map_err(|(index, errno)| {
            let path = self.held.keys().nth(index).and_then(Option::as_ref);
            IoError { call: "sync", path: shown(path), errno }
        })
    }

    /// The folders held that are no longer what their paths lead to.
    pub(crate) fn moved(&self) -> Result<Vec<Option<RelPath>>, IoError> {
        let mut now = Folders::new(self.fs);
        let mut all = Vec::new();
        for (path, dir) in &self.held {
            let path_shown = shown(path.as_ref());
            let id = |dir| self.fs.stat_dir(dir).map(|stat| stat.id).map_err(IoError::of("look at", &path_shown));
            let moved = match now.get(path.clone()) {
                Ok(Some(found)) => id(&found)? != id(dir)?,
                Ok(None) => true,
                Err(error) if error.is_obstacle() => true,
                Err(error) => return Err(error),
            };
            if moved {
                all.push(path.clone());
            }
        }
        Ok(all)
    }
}

fn shown(path: Option<&RelPath>) -> String {
    path.map_or_else(|| ".".to_owned(), RelPath::to_string)
}
