//! A copy is made, or used again, and an agent runs in it.

use super::{UpdateView, error};
use crate::agent::AgentName;
use crate::app::App;
use crate::caller::Act;
use crate::clock::now;
use crate::error::{Error, Exit};
use exacta_agent::AgentError;
use exacta_agent::client::{self, Client};
use exacta_agent::copy::{copy, subtree};
use exacta_agent::place::{Held, Note, Place};
use exacta_agent::run::Sandbox;
use exacta_agent::run::network::{Allowed, Network, Rule};
use exacta_agent::tree::Name;
use exacta_agent::update::Take;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use rustix::fd::AsFd as _;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Names that are tried for a copy whose user gives none.
const TRIED: usize = 1000;

/// What an agent is started with.
#[derive(Debug, Clone)]
pub struct Start {
    /// The copy's name; left out, one is made from the program's.
    pub name: Option<AgentName>,
    /// What runs.
    pub command: Vec<OsString>,
    /// How much network it has.
    pub network: Network,
    /// Hosts beside.
    pub allow: Vec<String>,
    /// Paths that it sees beside: an ignored one of the project is copied.
    pub share: Vec<PathBuf>,
    /// Variables of the user's that it has beside.
    pub variables: Vec<String>,
}

/// A copy in which an agent can run.
#[derive(Debug)]
pub struct AgentCopy {
    place: Place,
    held: Held,
    project: PathBuf,
    hidden: Vec<PathBuf>,
    objects: Option<PathBuf>,
    shown: Vec<PathBuf>,
    client: Option<&'static Client>,
    allowed: Allowed,
    start: Start,
    /// Whether it was made just now.
    pub is_new: bool,
    /// What was left out because an ignore file lists it.
    pub ignored: Vec<String>,
    /// Why it has no repository although the project has one.
    pub no_git: Option<&'static str>,
    /// What was brought over, where it was there already.
    pub updated: Option<UpdateView>,
    /// Whether it was to speak to its provider, and nobody knows who that is.
    pub unknown_provider: bool,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEnded {
    /// Its exit code.
    pub code: i32,
    /// Whether it was ended by a signal to this process.
    pub cancelled: bool,
    /// Hosts that it asked for and did not reach, and how often.
    pub refused: Vec<(String, u64)>,
    /// Files of its home folder that it changed; they are gone.
    pub dropped: Vec<String>,
}

impl App {
    /// Makes a copy, or brings the one of this name to the project's present state. `tell` hears how many files are copied.
    ///
    /// # Errors
    /// If its agent runs already, or something cannot be copied.
    pub fn begin_agent(&self, start: Start, tell: &mut dyn FnMut(usize)) -> Result<AgentCopy, Error> {
        self.authorize(Act::Propose)?;
        let program = start.command.first().map(PathBuf::from).unwrap_or_default();
        let client = client::of(&program);
        let (allowed, unknown_provider) = allowed(&start, client)?;
        let (inner, shown) = self.shares(&start.share)?;
        let (place, held) = self.room(&start, &program)?;
        let mut begun = AgentCopy {
            project: self.root.path().to_owned(),
            hidden: self.home.folders(),
            objects: None,
            shown,
            client,
            allowed,
            is_new: !place.is_there(),
            ignored: Vec::new(),
            no_git: None,
            updated: None,
            unknown_provider,
            place,
            held,
            start,
        };
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let note = if begun.is_new { self.make(&mut begun, tell)? } else { self.renew(&mut begun)? };
        let folder = exacta_agent::hold(&begun.place.copy()).map_err(error)?;
        for share in &inner {
            subtree(self.root.folder(), folder.as_fd(), share, &mut |_| true).map_err(error)?;
        }
        begun.objects.clone_from(&note.objects);
        let note = Note { program: exacta_kernel::text::excerpt(&name, 64), ..note };
        begun.place.write(&note).map_err(error)?;
        Ok(begun)
    }

    fn make(&self, begun: &mut AgentCopy, tell: &mut dyn FnMut(usize)) -> Result<Note, Error> {
        let into = begun.place.begin(&begun.held).map_err(error)?;
        let copied = copy(self.root.folder(), self.root.path(), into.as_fd(), tell).map_err(error)?;
        begun.ignored = copied.ignored.iter().map(ToString::to_string).collect();
        begun.no_git = copied.no_git;
        let note = Note::new(now().to_string(), String::new(), copied.base);
        Ok(Note { objects: copied.objects, ..note })
    }

    fn renew(&self, begun: &mut AgentCopy) -> Result<Note, Error> {
        begun.updated = Some(self.update_place(&begun.place, Take::Neither)?);
        begun.place.note().map_err(error)
    }

    /// The copy of the name that was given, or a new one with a name like its program's.
    fn room(&self, start: &Start, program: &Path) -> Result<(Place, Held), Error> {
        let all = self.copies()?;
        if let Some(name) = &start.name {
            let place = Place::of(&all, name.as_str());
            let held = place.hold().map_err(error)?;
            return Ok((place, held));
        }
        let name = plain(program);
        for number in 1..=TRIED {
            let name = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            let place = Place::of(&all, &name);
            if place.is_there() {
                continue;
            }
            match place.hold() {
                Ok(held) => return Ok((place, held)),
                Err(AgentError::Busy(_)) => {}
                Err(other) => return Err(error(other)),
            }
        }
        Err(Error::new(Exit::Usage, "agent_busy", format!("there are {TRIED} copies called `{name}`"))
            .hint(hint![Remedy::AgentDrop, " removes one"]))
    }

    /// What is shared: of the project what is to be copied, of the machine what is to be shown.
    fn shares(&self, paths: &[PathBuf]) -> Result<(Vec<Name>, Vec<PathBuf>), Error> {
        let (mut inner, mut shown) = (Vec::new(), Vec::new());
        let project = self.root.path();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let closed: Vec<PathBuf> = self.home.folders().into_iter().chain(home).chain([project.to_owned()]).collect();
        for path in paths {
            let absolute = std::path::absolute(path).map_err(|_| unshared(path, "it is no path"))?;
            match absolute.strip_prefix(project) {
                Ok(rest) if rest.as_os_str().is_empty() => return Err(unshared(path, "it is the project")),
                Ok(rest) => inner.push(Name::from(rest.as_os_str().as_bytes())),
                Err(_) if closed.iter().any(|closed| closed.starts_with(&absolute)) => {
                    return Err(unshared(path, "your home folder, Exacta's own or the project are in it"));
                }
                Err(_) if self.home.folders().iter().any(|own| absolute.starts_with(own)) => {
                    return Err(unshared(path, "it is Exacta's own"));
                }
                Err(_) => shown.push(absolute),
            }
        }
        Ok((inner, shown))
    }
}

impl AgentCopy {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.place.name()
    }

    /// Runs the agent to its end. `own` is our own program, `folder` where the user is.
    ///
    /// # Errors
    /// If it cannot be confined; it is not run then.
    pub fn run(&self, own: &Path, folder: &Path, cancel: &AtomicBool) -> Result<AgentEnded, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        if home.as_deref().is_some_and(|home| home.starts_with(&self.project)) {
            let message = "your home folder is in the project, so it cannot be kept from the agent";
            return Err(Error::new(Exit::Usage, "agent_refused", message)
                .hint("run agents in a project below your home folder"));
        }
        self.place.fresh_home(&self.held).map_err(error)?;
        let base = match &home {
            Some(home) => client::furnish(self.client, home, &self.place.home()).map_err(error)?,
            None => exacta_agent::tree::Tree::default(),
        };
        let (copy, private) = (self.place.copy(), self.place.home());
        let variables = self.variables();
        let program = self.start.command.first().map(OsString::as_os_str).unwrap_or_default();
        let sandbox = Sandbox {
            project: &self.project,
            copy: &copy,
            home: &private,
            folder: if folder.starts_with(&self.project) { folder } else { &self.project },
            objects: self.objects.as_deref(),
            shown: &self.shown,
            hidden: &self.hidden,
            installed: installed(program),
            variables: &variables,
            own,
            allowed: &self.allowed,
            cancel,
        };
        let ended = sandbox.run(&self.start.command).map_err(error);
        let dropped = client::left(&base, &private).map_err(error);
        self.place.drop_home(&self.held).map_err(error)?;
        let (ended, dropped) = (ended?, dropped?);
        Ok(AgentEnded { code: ended.code, cancelled: ended.cancelled, refused: ended.refused, dropped })
    }

    /// The user's variables that the agent has: what a terminal needs, what its client reads, and what was named.
    fn variables(&self) -> Vec<(String, OsString)> {
        const TERMINAL: [&str; 4] = ["TERM", "COLORTERM", "NO_COLOR", "LC_CTYPE"];
        let takes = |name: &str| {
            TERMINAL.contains(&name)
                || self.client.is_some_and(|client| client.takes(name))
                || self.start.variables.iter().any(|named| named == name)
        };
        // Whoever commits in the copy has to be somebody.
        let identity =
            ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name.to_owned(), OsString::from(self.name())));
        let address = OsString::from(format!("{}@localhost", self.name()));
        let addresses = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name.to_owned(), address.clone()));
        let own =
            [("EXACTA_AGENT".to_owned(), OsString::from(self.name()))].into_iter().chain(identity).chain(addresses);
        let users = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        users.filter(|(name, _)| takes(name) && !name.starts_with("EXACTA_")).chain(own).collect()
    }
}

/// Whom an agent may speak to, and whether its provider is wanted and not known.
fn allowed(start: &Start, client: Option<&Client>) -> Result<(Allowed, bool), Error> {
    let mut rules = Vec::new();
    for host in &start.allow {
        rules.push(Rule::named(host).ok_or_else(|| {
            let host = exacta_kernel::text::excerpt(host, 64);
            Error::new(Exit::Usage, "agent_refused", format!("`{host}` is no host"))
                .hint("name a host, with a port where it is another than 80 and 443: `--allow localhost:11434`")
        })?);
    }
    if start.network == Network::Provider {
        rules.extend(client.into_iter().flat_map(|client| client.hosts).map(|host| Rule::known(host)));
        let set = std::env::vars().filter(|(name, _)| client.is_some_and(|client| client.takes(name)));
        rules.extend(set.filter_map(|(name, value)| Rule::of_address(&client::address(&name, &value)?)));
    }
    let unknown = start.network == Network::Provider && rules.is_empty();
    Ok((Allowed::new(start.network, rules, exacta_web::reserved), unknown))
}

fn unshared(path: &Path, why: &str) -> Error {
    let message = format!("`{}` cannot be shared with an agent: {why}", path.display());
    Error::new(Exit::Usage, "agent_refused", message).hint("share what it needs and nothing around it: `--share PATH`")
}

/// A name for a copy, like the program's.
fn plain(program: &Path) -> String {
    let name = program.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name: String =
        name.chars().filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-').take(40).collect();
    if name.is_empty() { "agent".to_owned() } else { name }
}

/// Where a program is, by the user's `PATH`.
#[expect(clippy::disallowed_methods, reason = "the user's own PATH; what is in the project is found there")]
fn installed(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_absolute());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_absolute() && path.is_file())
}
