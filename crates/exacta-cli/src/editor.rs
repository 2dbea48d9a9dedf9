//! A text in the person's own editor.

use crate::fail;
use crate::interrupt::Orderly;
use crate::prompt::Person;
use exacta_app::{Error, Exit, Options, own_folders};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Has a person edit a text; the file that they see has this name. Nothing of it stays behind.
///
/// # Errors
/// Exit 30 without a person; and if the editor cannot be started or says that it failed.
pub fn edited(text: &str, name: &str, options: &Options) -> Result<String, Error> {
    let mut all = edited_all(&[(name, text)], options)?;
    all.pop().ok_or_else(|| Error::fault("internal", "the editor was given no file"))
}

/// Has a person edit several texts at once; the names are relative, and may have folders.
///
/// # Errors
/// As [`edited`].
pub fn edited_all(texts: &[(&str, &str)], options: &Options) -> Result<Vec<String>, Error> {
    Person::present()?;
    let place = own_folders(options)?.state.join("edit");
    let place = Place::make(&place).map_err(|error| fail::io(Exit::Fault, "make a place to edit in", &error))?;
    let files: Vec<PathBuf> = texts.iter().map(|(name, _)| place.0.join(name)).collect();
    for (file, (_, text)) in files.iter().zip(texts) {
        write(file, text).map_err(|error| fail::io(Exit::Fault, "write the file to edit", &error))?;
    }
    run(&files)?;
    files.iter().map(|file| read(file)).collect()
}

/// `VISUAL`, `EDITOR` or `vi`, which may have arguments of its own: a shell takes them apart, as git has it.
fn run(files: &[PathBuf]) -> Result<(), Error> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(std::env::var_os).find(|name| !name.is_empty());
    let editor = named.unwrap_or_else(|| OsString::from("vi"));
    // Keys such as Ctrl-C are the editor's.
    let _signals = Orderly::begin().map_err(|error| fail::io(Exit::Fault, "watch for signals", &error))?;
    let mut script = editor.clone();
    script.push(" \"$@\"");
    let status = Command::new("sh").arg("-c").arg(script).arg("sh").args(files).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(failed(&editor, "did not end well")),
        Err(error) => Err(failed(&editor, &format!("cannot be started: {error}"))),
    }
}

fn failed(editor: &OsString, what: &str) -> Error {
    let message = format!("the editor `{}` {what}: nothing was changed", editor.display());
    Error::new(Exit::Usage, "editor_failed", message).hint("name another one in `VISUAL` or `EDITOR`")
}

#[expect(clippy::disallowed_methods, reason = "a file of its own in a folder of its own")]
fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
    }
    let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(file)?;
    file.write_all(text.as_bytes())
}

#[expect(clippy::disallowed_methods, reason = "a file of its own in a folder of its own")]
fn read(file: &Path) -> Result<String, Error> {
    fs::read_to_string(file).map_err(|error| fail::io(Exit::Usage, "read what was edited", &error))
}

/// A folder that is gone when this is. It is the user's own: what lies in the folder for temporary files an agent in a sandbox of its own can often write,
/// and an editor follows the links that it puts there.
struct Place(PathBuf);

impl Place {
    #[expect(clippy::disallowed_methods, reason = "a folder of its own")]
    fn make(around: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().mode(0o700).recursive(true).create(around)?;
        let place = around.join(std::process::id().to_string());
        // Left by a process of this number that was killed.
        drop(fs::remove_dir_all(&place));
        fs::DirBuilder::new().mode(0o700).create(&place)?;
        Ok(Self(place))
    }
}

impl Drop for Place {
    #[expect(clippy::disallowed_methods, reason = "a folder of its own")]
    fn drop(&mut self) {
        // What cannot be removed is private, and goes with the next of the same number.
        drop(fs::remove_dir_all(&self.0));
    }
}
