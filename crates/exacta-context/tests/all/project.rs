//! A project on disk, made for a test.

use exacta_context::{Request, Selection, select};
use rustix::fd::AsFd as _;
use std::fs;
use std::path::Path;

pub struct Project {
    pub folder: tempfile::TempDir,
    pub cache: tempfile::TempDir,
}

impl Project {
    pub fn of(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(path, text)| project.write(path, text));
        project
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn select(&self, request: &Request<'_>) -> Selection {
        let (root, cache) = (fs::File::open(self.path()).unwrap(), fs::File::open(self.cache.path()).unwrap());
        select(root.as_fd(), Some(cache.as_fd()), request).unwrap()
    }

    pub fn ask(&self, text: &str) -> Selection {
        self.select(&Request { text, budget: 8000, ..Request::default() })
    }

    /// Makes every file look as old as the hills, so that its times alone vouch for it.
    pub fn settle(&self) {
        std::thread::sleep(std::time::Duration::from_millis(2100));
    }
}

/// The paths of a selection.
pub fn paths(selection: &Selection) -> Vec<&str> {
    selection.files.iter().map(|file| file.path.as_str()).collect()
}
