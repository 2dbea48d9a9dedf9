//! Files of other programs: read whole, replaced whole, never left half written.

use exacta_kernel::facts::FileContent;
use exacta_kernel::hash::Digest;
use exacta_kernel::path::RelPath;
use rustix::fs::{Mode, OFlags};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Larger files are nobody's configuration.
const LARGEST: u64 = 16 << 20;

/// One file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub path: PathBuf,
    /// Nothing if there was none.
    pub before: Option<Vec<u8>>,
    /// Nothing if there is to be none.
    pub after: Option<Vec<u8>>,
    /// Whether it is to be a program.
    pub is_program: bool,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// The system says no.
    #[error("cannot {verb} `{}`: {error}", path.display())]
    Io {
        /// What was tried.
        verb: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// What is in it cannot be understood, or is of the wrong kind.
    #[error("`{}` cannot be changed: {error}", path.display())]
    Broken {
        /// Which.
        path: PathBuf,
        /// Where and why.
        error: crate::edit::EditError,
    },
    /// It is no text.
    #[error("`{}` is not text in UTF-8", .0.display())]
    NotText(PathBuf),
    /// It is no file, or too large to be a configuration.
    #[error("`{}` is not a configuration file", .0.display())]
    NotAFile(PathBuf),
    /// It was kept for the way back, and is not as it was kept.
    #[error("`{}`, the file as it was, is gone or was changed", .0.display())]
    Lost(PathBuf),
    /// Somebody wrote it meanwhile.
    #[error("`{}` was changed meanwhile; nothing of it was overwritten", .0.display())]
    Changed(PathBuf),
    /// What was written about a connection cannot be read.
    #[error("`{}`, which says what `connect` wrote, cannot be read: {why}", path.display())]
    Ledger {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl Change {
    /// The difference, as people read it.
    #[must_use]
    pub fn diff(&self) -> String {
        let name = self.path.to_string_lossy();
        let Ok(path) = RelPath::parse(name.trim_start_matches('/')) else { return String::new() };
        let content = |bytes: &Option<Vec<u8>>| bytes.clone().map(|bytes| FileContent::new(bytes, 0o100_644));
        exacta_kernel::diff::render(&path, content(&self.before).as_ref(), content(&self.after).as_ref())
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// Writes it, if the file is still as it was. Folders that are missing are made; they are returned.
    ///
    /// # Errors
    /// If the file changed meanwhile, or cannot be written; then it is as it was.
    pub fn write(&self) -> Result<Vec<PathBuf>, FileFault> {
        if read(&self.path)? != self.before {
            return Err(FileFault::Changed(self.path.clone()));
        }
        match &self.after {
            Some(bytes) => put(&self.path, bytes, self.is_program),
            None => fs::remove_file(&self.path).map(|()| Vec::new()).map_err(fault("remove", &self.path)),
        }
    }
}

/// What is in a file; nothing if there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileFault> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault("read", path)(error)),
        Ok(meta) if !meta.is_file() || meta.len() > LARGEST => return Err(FileFault::NotAFile(path.to_owned())),
        Ok(_) => {}
    }
    fs::read(path).map(Some).map_err(fault("read", path))
}

/// The text in a file.
pub fn text(path: &Path, bytes: Option<&[u8]>) -> Result<String, FileFault> {
    let bytes = bytes.unwrap_or_default().to_vec();
    String::from_utf8(bytes).map_err(|_| FileFault::NotText(path.to_owned()))
}

/// The sum of what is in a file.
pub fn sum(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

/// Puts a file in the place of another, which keeps its mode; where a link leads elsewhere, it stays, and what it leads to is replaced.
pub fn put(path: &Path, bytes: &[u8], is_program: bool) -> Result<Vec<PathBuf>, FileFault> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().unwrap_or(Path::new("/"));
    let made = make(folder)?;
    let mode = match fs::metadata(&real) {
        Ok(meta) => meta.mode() & 0o7777,
        Err(_) if is_program => 0o755,
        Err(_) => 0o600,
    };
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let staged = folder.join(format!(".{name}.exacta-{}", std::process::id()));
    let written = stage(&staged, bytes, mode).and_then(|()| fs::rename(&staged, &real));
    if let Err(error) = written {
        // What could not be staged need not be there.
        drop(fs::remove_file(&staged));
        return Err(fault("write", path)(error));
    }
    Ok(made)
}

fn stage(staged: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = fs::File::from(rustix::fs::open(staged, flags, Mode::from_bits_truncate(0o600))?);
    file.write_all(bytes)?;
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Makes a folder with all above it; those that were missing, outermost first.
fn make(folder: &Path) -> Result<Vec<PathBuf>, FileFault> {
    let mut missing: Vec<PathBuf> = folder.ancestors().take_while(|path| !path.exists()).map(Path::to_owned).collect();
    missing.reverse();
    fs::create_dir_all(folder).map_err(fault("make", folder))?;
    Ok(missing)
}

/// Says what was tried with which file.
pub fn fault(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileFault {
    let path = path.to_owned();
    move |error| FileFault::Io { verb, path, error }
}
