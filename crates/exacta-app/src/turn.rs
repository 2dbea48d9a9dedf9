//! The edits of one turn of an agent, as its program's hooks tell them: collected where nothing of them is visible, each on what the ones before
//! it left, and submitted as one plan when the turn ends. What is collected is only bytes; whether they may be written is decided like anything else.

use crate::app::App;
use crate::declared::Declared;
use crate::error::{Error, Exit};
use crate::options::Options;
use crate::submit::Request;
use exacta_exec::ProjectRoot;
use exacta_exec::look::TARGET_CAP;
use exacta_kernel::diff::{Kind, Said, materialise_on};
use exacta_kernel::facts::{FileContent, Target};
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::import;
use exacta_kernel::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::IntentKind;
use exacta_view::PlanView;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is kept is of this form.
const SCHEMA: &str = "exacta.turn/1";

/// One edit, as an agent's tool makes it. Paths are relative to the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEdit {
    /// The whole file.
    Whole {
        /// The file.
        path: String,
        /// Its new content.
        text: String,
    },
    /// A piece of text in the place of another.
    Replace {
        /// The file.
        path: String,
        /// What is there; empty for a new file.
        find: String,
        /// What comes there.
        with: String,
        /// Everywhere, and not in exactly one place.
        all: bool,
    },
    /// A patch that begins with `*** Begin Patch`.
    Patch(String),
}

/// The edits of a turn so far. Nobody else reads or writes them as long as it lives.
pub struct Turn {
    root: ProjectRoot,
    folder: PathBuf,
    kept: Kept,
    _lock: File,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    schema: String,
    files: BTreeMap<String, Staged>,
}

/// One file as it is to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Staged {
    /// As the first edit found it; nothing if it was not there.
    base: Option<Digest>,
    /// As it is to be; nothing if it is to be gone.
    after: Option<Digest>,
    mode: u32,
}

impl Turn {
    /// The turn of a session of an agent's in this project.
    ///
    /// # Errors
    /// If the project or the user's folder cannot be used, or what was kept cannot be read.
    #[expect(clippy::disallowed_methods, reason = "the user's own folder")]
    pub fn open(options: &Options, agent: &str, session: &str) -> Result<Self, Error> {
        let root = crate::project::open(&options.root()?)?;
        let name = Digest::of(format!("{agent}\0{session}\0{}", root.path().display()).as_bytes()).to_string();
        let folder = options.home()?.state().join("turns").join(name);
        private(&folder).map_err(|error| unusable(&folder, &error))?;
        let lock = File::options().create(true).truncate(false).write(true).mode(0o600).open(folder.join("lock"));
        let lock = lock.map_err(|error| unusable(&folder, &error))?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|errno| unusable(&folder, &errno.into()))?;
        let kept = match fs::read(folder.join("turn.json")) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(&folder, &error.into()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Kept { schema: SCHEMA.to_owned(), files: BTreeMap::new() }
            }
            Err(error) => return Err(unusable(&folder, &error)),
        };
        Ok(Self { root, folder, kept, _lock: lock })
    }

    /// Makes an edit, on what the edits before it left. Says which files it is of.
    ///
    /// # Errors
    /// If it does not fit; then nothing is collected.
    pub fn edit(&mut self, edits: &[TurnEdit]) -> Result<Vec<String>, Error> {
        let mut made: BTreeMap<RelPath, Option<FileContent>> = BTreeMap::new();
        for edit in edits {
            for (path, after) in self.after(edit, &made)? {
                made.insert(path, after);
            }
        }
        for (path, after) in &made {
            self.keep(path, after.as_ref())?;
        }
        self.save()?;
        Ok(made.keys().map(ToString::to_string).collect())
    }

    /// Where the bytes of a file are that were collected, if there are any.
    #[must_use]
    pub fn staged(&self, path: &str) -> Option<PathBuf> {
        let after = self.kept.files.get(path)?.after?;
        Some(self.folder.join(after.to_string()))
    }

    /// Submits all edits as one plan, and forgets them; nothing if there are none.
    ///
    /// # Errors
    /// As [`App::submit`]; then they are kept.
    pub fn submit(self, app: &mut App, by: &str, declared: Declared) -> Result<Option<PlanView>, Error> {
        let steps = self.steps()?;
        if steps.is_empty() {
            self.forget();
            return Ok(None);
        }
        let names: Vec<&str> = self.kept.files.keys().map(String::as_str).collect();
        let shown = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(8);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let intent = json!({ "type": "AddFeature", "text": format!("Edits of one turn by {by}: {shown}{more}") });
        let proposal = json!({ "schema": "exacta.plan/1", "intent": intent, "steps": steps }).to_string();
        let view = app.submit(proposal.as_bytes(), &Request { declared, ..Request::default() })?;
        self.forget();
        Ok(Some(view))
    }

    /// What an edit makes of each file that it is of.
    fn after(
        &self,
        edit: &TurnEdit,
        made: &BTreeMap<RelPath, Option<FileContent>>,
    ) -> Result<Vec<(RelPath, Option<FileContent>)>, Error> {
        match edit {
            TurnEdit::Whole { path, text } => {
                let path = relative(path)?;
                let mode = self.now(&path, made)?.map_or(0o100_644, |before| before.mode());
                Ok(vec![(path, Some(FileContent::new(text.clone().into_bytes(), mode)))])
            }
            TurnEdit::Replace { path, find, with, all } => {
                let path = relative(path)?;
                let before = self.now(&path, made)?;
                let after = replaced(path.as_str(), before.as_ref(), find, with, *all)?;
                Ok(vec![(path, Some(after))])
            }
            TurnEdit::Patch(text) => self.patched(text, made),
        }
    }

    /// What a patch makes of each file, step by step.
    fn patched(
        &self,
        text: &str,
        made: &BTreeMap<RelPath, Option<FileContent>>,
    ) -> Result<Vec<(RelPath, Option<FileContent>)>, Error> {
        let request = import::Request { intent: IntentKind::AddFeature, text: Some("a patch") };
        let mut lookup = |path: &RelPath| self.now(path, made).ok().flatten().map(Arc::new);
        let proposal = import::codex(text.as_bytes(), &request, &mut lookup)
            .map_err(|error| misfit(error.to_string()).hint(error.hint().to_owned()))?;
        let proposal: Value = serde_json::from_str(&proposal)?;
        let mut after: Vec<(RelPath, Option<FileContent>)> = Vec::new();
        for step in proposal.get("steps").and_then(Value::as_array).into_iter().flatten() {
            let word = |name: &str| step.get(name).and_then(Value::as_str);
            let path = relative(word("target").unwrap_or_default())?;
            let kind = match word("type") {
                Some("file_create") => Kind::Create,
                Some("file_delete") => Kind::Delete,
                _ => Kind::Modify,
            };
            let payload = parse::payload(step);
            let said = Said { executable: word("mode").map(|mode| mode == "100755"), ..Said::default() };
            let known = after.iter().rev().find(|(known, _)| *known == path).map(|(_, content)| content.clone());
            let before = match known {
                Some(content) => content,
                None => self.now(&path, made)?,
            };
            let content = materialise_on(said, kind, payload.as_ref(), &path, before.as_ref());
            let content = content.map_err(|error| misfit(format!("`{path}`: {error}")))?;
            after.push((path, content));
        }
        Ok(after)
    }

    /// A file as the edits so far leave it.
    fn now(&self, path: &RelPath, made: &BTreeMap<RelPath, Option<FileContent>>) -> Result<Option<FileContent>, Error> {
        if let Some(content) = made.get(path) {
            return Ok(content.clone());
        }
        match self.kept.files.get(path.as_str()) {
            Some(staged) => self.bytes(staged),
            None => self.there(path),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the user's own folder")]
    fn bytes(&self, staged: &Staged) -> Result<Option<FileContent>, Error> {
        let Some(after) = staged.after else { return Ok(None) };
        let bytes = fs::read(self.folder.join(after.to_string())).map_err(|error| unusable(&self.folder, &error))?;
        if Digest::of(&bytes) != after {
            return Err(unusable(&self.folder, &std::io::ErrorKind::InvalidData.into()));
        }
        Ok(Some(FileContent::new(bytes, staged.mode)))
    }

    /// A file as it is in the project.
    fn there(&self, path: &RelPath) -> Result<Option<FileContent>, Error> {
        match self.root.fact(path, TARGET_CAP).target {
            Target::File(content) => Ok(Some((*content).clone())),
            Target::Absent => Ok(None),
            _ => Err(misfit(format!("`{path}` is no file that could be edited"))),
        }
    }

    fn keep(&mut self, path: &RelPath, after: Option<&FileContent>) -> Result<(), Error> {
        let base = match self.kept.files.get(path.as_str()) {
            Some(staged) => staged.base,
            None => self.there(path)?.map(|content| content.sha256()),
        };
        if let Some(after) = after {
            put(&self.folder, &after.sha256().to_string(), after.bytes())?;
        }
        let mode = after.map_or(0o100_644, FileContent::mode);
        self.kept.files.insert(path.to_string(), Staged { base, after: after.map(FileContent::sha256), mode });
        Ok(())
    }

    fn save(&self) -> Result<(), Error> {
        put(&self.folder, "turn.json", &serde_json::to_vec(&self.kept)?)
    }

    /// One step a file that is to be other than it was.
    fn steps(&self) -> Result<Vec<Value>, Error> {
        let mut steps = Vec::new();
        for (path, staged) in self.kept.files.iter().filter(|(_, staged)| staged.base != staged.after) {
            let (kind, words) = match (staged.base, staged.after) {
                (None, _) => ("file_create", format!("create `{path}`")),
                (Some(_), None) => ("file_delete", format!("delete `{path}`")),
                (Some(_), Some(_)) => ("file_modify", format!("change `{path}` as the agent edited it")),
            };
            let mut step = Map::new();
            step.insert("type".to_owned(), json!(kind));
            step.insert("target".to_owned(), json!(path));
            step.insert("description".to_owned(), json!(words));
            if let Some(content) = self.bytes(staged)? {
                let text = std::str::from_utf8(content.bytes()).map_err(|_| misfit(format!("`{path}` is no text")))?;
                step.insert("content".to_owned(), json!(text));
            }
            if let Some(base) = staged.base {
                step.insert("base_sha256".to_owned(), json!(base));
            }
            steps.push(Value::Object(step));
        }
        Ok(steps)
    }

    #[expect(clippy::disallowed_methods, reason = "the user's own folder")]
    fn forget(self) {
        // What cannot be removed is submitted again with the next turn, where it changes nothing.
        drop(fs::remove_file(self.folder.join("turn.json")));
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// One piece of text for another.
fn replaced(path: &str, before: Option<&FileContent>, find: &str, with: &str, all: bool) -> Result<FileContent, Error> {
    let Some(before) = before else {
        return match find {
            "" => Ok(FileContent::new(with.as_bytes().to_vec(), 0o100_644)),
            _ => Err(misfit(format!("`{path}` is not there"))),
        };
    };
    let text = std::str::from_utf8(before.bytes()).map_err(|_| misfit(format!("`{path}` is no text")))?;
    let after = match (find, text.matches(find).count()) {
        ("", _) if text.is_empty() => with.to_owned(),
        ("", _) => return Err(misfit(format!("`{path}` is there already: say which text is to be replaced"))),
        (_, 0) => return Err(misfit(format!("the text to replace is not in `{path}`"))),
        (_, 1) => text.replacen(find, with, 1),
        _ if all => text.replace(find, with),
        (_, count) => return Err(misfit(format!("the text to replace is {count} times in `{path}`"))),
    };
    Ok(FileContent::new(after.into_bytes(), before.mode()))
}

fn relative(path: &str) -> Result<RelPath, Error> {
    RelPath::parse(path)
        .map_err(|error| misfit(format!("`{}`: {}", exacta_kernel::text::excerpt(path, 120), error.message)))
}

fn misfit(message: String) -> Error {
    Error::new(Exit::Denied, "edit_misfit", message).hint("read the file again, and make the edit fit")
}

fn unusable(folder: &Path, error: &std::io::Error) -> Error {
    Error::fault("turn_unusable", format!("the edits of this turn cannot be kept in `{}`: {error}", folder.display()))
        .hint(hint![Remedy::Doctor, " shows what is wrong"])
}

/// Makes a folder that only the user sees.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
fn private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file whole.
#[expect(clippy::disallowed_methods, reason = "the user's own folder")]
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let staged = folder.join(format!("{name}.new"));
    let written = fs::write(&staged, bytes).and_then(|()| fs::rename(&staged, folder.join(name)));
    written.map_err(|error| unusable(folder, &error))
}
