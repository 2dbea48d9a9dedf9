//! Where no agent's edit may lead though it is outside the project: the user's own Exacta folders, and other Exacta projects.

use crate::error::Error;
use crate::options::Options;
use exacta_confine::way;
use exacta_home::Home;
use exacta_record::Presence;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// What a path leads into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OffLimits {
    /// A folder of Exacta's own: settings, keys, what is remembered.
    Own(PathBuf),
    /// Another project, whose own plans change it.
    Project(PathBuf),
}

impl fmt::Display for OffLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(folder) => write!(f, "`{}` is Exacta's own, for no agent to edit", folder.display()),
            Self::Project(root) => {
                write!(f, "`{}` is another project of Exacta's, which only its own plans change", root.display())
            }
        }
    }
}

/// What a path leads into that is not for an agent's edit; nothing where Exacta has no say.
///
/// # Errors
/// If the user's own folder cannot be read, or nobody can tell where the path leads.
pub fn off_limits(options: &Options, path: &Path) -> Result<Option<OffLimits>, Error> {
    let (home, project) = (options.home()?, options.root()?);
    let places = places(path)?;
    let mut own = home.folders();
    own.push(home.system().to_owned());
    let is_in = |folder: &Path| places.iter().any(|place| place.starts_with(folder));
    if let Some(folder) = own.iter().find(|folder| is_in(folder) || is_in(&real(folder))) {
        return Ok(Some(OffLimits::Own(folder.clone())));
    }
    let outside =
        places.iter().filter(|place| !place.starts_with(&project)).flat_map(|place| place.ancestors().skip(1));
    let other = first_project(&home, outside.filter(|folder| !project.starts_with(folder)))?;
    Ok(other.map(OffLimits::Project))
}

/// The project that the way to a file leads through, where somebody else could read it or have it lead elsewhere.
///
/// # Errors
/// If the user's own folder cannot be read, or nobody can tell where the path leads.
pub fn project_on_the_way(options: &Options, path: &Path) -> Result<Option<PathBuf>, Error> {
    project_around(&options.home()?, path)
}

pub(crate) fn project_around(home: &Home, path: &Path) -> Result<Option<PathBuf>, Error> {
    first_project(home, places(path)?.iter().flat_map(|place| place.ancestors().skip(1)))
}

/// The first of some folders that is a project: one that is known, or in which something is recorded.
fn first_project<'a>(home: &Home, mut folders: impl Iterator<Item = &'a Path>) -> Result<Option<PathBuf>, Error> {
    let known: Vec<PathBuf> = home.known_projects()?.into_iter().map(|known| known.root).collect();
    let is_root = |folder: &&Path| {
        known.iter().any(|root| root == folder)
            || !matches!(exacta_record::presence(folder), Ok(Presence::Nothing | Presence::Folder))
    };
    Ok(folders.find(is_root).map(Path::to_owned))
}

/// Whether a path leads through a folder, by whatever names and links.
///
/// # Errors
/// If nobody can tell where it leads.
pub fn leads_through(path: &Path, folder: &Path) -> Result<bool, Error> {
    let folder = real(folder);
    Ok(places(path)?.iter().any(|place| place.starts_with(&folder)))
}

/// Every place that a path leads through: as the system follows it, and as a program does that takes `..` out of the text first.
fn places(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for path in [path.to_owned(), plain(path)] {
        let trail = way::trail(&path)
            .ok_or_else(|| Error::fault("path_unclear", format!("nobody can tell where `{}` leads", path.display())))?;
        all.push(path);
        all.extend(trail);
    }
    Ok(all)
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn real(folder: &Path) -> PathBuf {
    way::trail(folder).and_then(|mut trail| trail.pop()).unwrap_or_else(|| folder.to_owned())
}
