//! What a command sees: the system's folders, the user's toolchains, the project; of the rest of the machine nothing.
//!
//! Folders are shown by name, never all but some: a socket, a key or a letter that nobody thought of is not there.

use crate::{credentials, way};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The system's folders, read-only.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/var/lib/gems",
    "/var/lib/ghc",
    "/sys/devices/system/cpu",
];

/// Folders below the home folder that hold toolchains and what they have fetched, read-only. The rest of it is empty.
const TOOLCHAINS: [&str; 37] = [
    ".asdf",
    ".bun",
    ".cabal",
    ".cache/go-build",
    ".cache/pip",
    ".cache/uv",
    ".cargo",
    ".deno",
    ".dotnet",
    ".elan",
    ".gem",
    ".ghcup",
    ".gradle",
    ".ivy2",
    ".julia",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2",
    ".nix-profile",
    ".npm",
    ".nuget",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".stack",
    ".volta",
    ".yarn",
    "go",
];

/// Variables that lead to a toolchain; shown like those in the home folder.
const HOMES: [&str; 2] = ["CARGO_HOME", "RUSTUP_HOME"];

/// Programs that every command finds, after those of the caller's own folders.
const PROGRAMS: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// A part of the file tree, as it will be in the sandbox.
#[derive(Debug, PartialEq, Eq)]
pub enum Mount {
    /// The system's or the user's own, read-only, by the path that leads to it.
    Shown {
        /// What is shown: without a link on the way, so that it cannot be exchanged for something else.
        real: PathBuf,
        /// Where.
        at: PathBuf,
    },
    /// A link as the system has it.
    Link(PathBuf, PathBuf),
    /// A folder to write to that goes away.
    Scratch(PathBuf),
    /// The project.
    Project,
    /// A folder that stands empty.
    Emptied(PathBuf),
    /// A file that stands empty.
    Blanked(PathBuf),
}

/// The view of a command, and the variables that fit it.
#[derive(Debug, Default)]
pub struct View {
    /// In the order in which they are made.
    pub mounts: Vec<Mount>,
    /// What the environment says.
    pub variables: Vec<(&'static str, OsString)>,
}

impl View {
    /// For a project, and what the operator shows beside it, seen by a caller with this environment, whose account has this home folder.
    #[must_use]
    pub fn new(
        project: &Path,
        reads: &[String],
        hidden: &[PathBuf],
        account: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let mut view = Self::default();
        view.show_system(project);
        let home = variable("HOME").map(PathBuf::from).filter(|home| view.can_be_home(home));
        if let Some(home) = &home {
            view.mounts.push(Mount::Scratch(home.clone()));
            TOOLCHAINS.iter().map(|name| home.join(name)).for_each(|folder| view.show(project, folder));
        }
        let reads = reads.iter().map(PathBuf::from);
        view.mounts.extend(reads.filter_map(|at| Some(Mount::Shown { real: way::past(project, &at)?, at })));
        let hidden: Vec<PathBuf> = hidden.iter().map(|folder| real(folder)).collect();
        // What `HOME` says is the caller's; whose keys are to be kept is the account's.
        let homes: Vec<PathBuf> = home.iter().cloned().chain(account).collect();
        let private = Private { closed: hidden.iter().cloned().chain([project.to_owned()]).collect(), homes: &homes };
        let apart = |folder: &Path| {
            way::past(project, folder).is_some_and(|real| private.is_apart(folder) && private.is_apart(&real))
        };
        for name in HOMES {
            if let Some(folder) = variable(name).map(PathBuf::from).filter(|folder| apart(folder)) {
                view.variables.push((name, folder.clone().into()));
                view.show(project, folder);
            }
        }
        view.show_programs(project, variable("PATH").as_deref(), apart);
        for name in ["LANG", "LC_ALL"] {
            view.variables.extend(variable(name).map(|value| (name, value)));
        }
        let cargo = variable("CARGO_HOME").map(PathBuf::from);
        let secrets = credentials::found(&homes, cargo.as_deref());
        view.hide(project, hidden.into_iter().chain(secrets));
        view.variables.push(("HOME", home.map_or_else(|| "/tmp".into(), OsString::from)));
        view
    }

    fn show_system(&mut self, project: &Path) {
        for path in SYSTEM.map(PathBuf::from) {
            match std::fs::read_link(&path) {
                Ok(target) => self.mounts.push(Mount::Link(target, path)),
                Err(_) => self.show(project, path),
            }
        }
    }

    /// Whether a folder can be a scratch folder beside those that are shown.
    fn can_be_home(&self, home: &Path) -> bool {
        home.is_absolute()
            && home.parent().is_some()
            && !self.is_seen(home)
            && !SYSTEM.iter().any(|it| Path::new(it).starts_with(home))
    }

    /// Shows a folder, unless the way to it is through the project.
    fn show(&mut self, project: &Path, at: PathBuf) {
        if self.is_seen(&at) {
            return;
        }
        if let Some(real) = way::past(project, &at).filter(|real| real.is_dir()) {
            self.mounts.push(Mount::Shown { real, at });
        }
    }

    fn is_seen(&self, path: &Path) -> bool {
        self.mounts.iter().any(|mount| match mount {
            Mount::Shown { at, .. } | Mount::Link(_, at) => path.starts_with(at),
            _ => false,
        })
    }

    /// The folders of the caller's `PATH` that nobody else can fill, the project least of all; and the system's.
    fn show_programs(&mut self, project: &Path, path: Option<&OsStr>, apart: impl Fn(&Path) -> bool) {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default() {
            if apart(&folder) && is_own(&folder) && !folders.contains(&folder) {
                self.show(project, folder.clone());
                folders.push(folder);
            }
        }
        let system = PROGRAMS.map(PathBuf::from).into_iter().filter(|folder| !folders.contains(folder));
        let system: Vec<PathBuf> = system.collect();
        folders.extend(system);
        self.variables.push(("PATH", std::env::join_paths(folders).unwrap_or_default()));
    }

    /// The project, and over everything what nobody is to see.
    fn hide(&mut self, project: &Path, all: impl Iterator<Item = PathBuf>) {
        let all: BTreeSet<PathBuf> = all.filter_map(|path| path.canonicalize().ok()).collect();
        let shown = self.mounts.iter().filter_map(|mount| match mount {
            Mount::Shown { real, at } => Some((at.clone(), real.clone())),
            _ => None,
        });
        let shown: Vec<_> = shown.chain([(project.to_owned(), project.to_owned())]).collect();
        // What is around the project before it, so that it is seen all the same.
        let (around, rest): (Vec<_>, Vec<_>) = all.iter().partition(|path| project.starts_with(path));
        self.mounts.extend(around.into_iter().flat_map(|path| over(path, &shown)));
        self.mounts.push(Mount::Project);
        self.mounts.extend(rest.into_iter().flat_map(|path| over(path, &shown)));
    }
}

/// What a caller's variable cannot show.
struct Private<'a> {
    /// The project, and what is hidden.
    closed: Vec<PathBuf>,
    homes: &'a [PathBuf],
}

impl Private<'_> {
    /// Whether a folder can be a toolchain's. One that is around a private one, or in it, is none, by whatever name.
    fn is_apart(&self, folder: &Path) -> bool {
        let secret = self.homes.iter().flat_map(|home| credentials::always(home));
        let inside = self.closed.iter().cloned().chain(secret).any(|it| folder.starts_with(it));
        let mut closed = self.closed.iter().chain(self.homes);
        let around = closed.any(|it| real(it).starts_with(folder) || it.starts_with(folder));
        folder.is_absolute() && !inside && !around && !credentials::is_named_so(folder) && !credentials::is_home(folder)
    }
}

/// What covers a path in each of the places where it is shown.
fn over(path: &Path, shown: &[(PathBuf, PathBuf)]) -> Vec<Mount> {
    let rests = shown.iter().filter_map(|(at, real)| Some((at, path.strip_prefix(real).ok()?)));
    let places = rests.map(|(at, rest)| if rest.as_os_str().is_empty() { at.clone() } else { at.join(rest) });
    places.map(|place| if path.is_dir() { Mount::Emptied(place) } else { Mount::Blanked(place) }).collect()
}

/// Where a path leads.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether only root and the user can put something into a folder.
fn is_own(folder: &Path) -> bool {
    let user = rustix::process::getuid().as_raw();
    folder
        .metadata()
        .is_ok_and(|facts| facts.is_dir() && facts.mode() & 0o022 == 0 && (facts.uid() == 0 || facts.uid() == user))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// A machine in a folder: a home folder with a toolchain outside of it, a project, a caller's `PATH`.
    fn seen(path: &[&str], home: &str, cargo: Option<&str>) -> (tempfile::TempDir, View) {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in [
            "account/.ssh",
            "account/.cargo/bin",
            "other/.ssh",
            "home/.ssh/keys",
            "home/.pyenv",
            "home/bin",
            "home/p/.venv/bin",
            "data/cargo/bin",
            "open/bin",
            "exacta/keys",
        ] {
            create_dir_all(at(folder)).unwrap();
        }
        write(at("data/cargo/credentials.toml"), "token").unwrap();
        symlink(at("data/cargo"), at("home/.cargo")).unwrap();
        symlink(at("home/p/.venv"), at("venv")).unwrap();
        set_permissions(at("open/bin"), std::fs::Permissions::from_mode(0o777)).unwrap();
        let path = std::env::join_paths(path.iter().map(|name| at(name))).unwrap();
        let view = View::new(&at("home/p"), &[], &[at("exacta")], Some(at("account")), |name| match name {
            "PATH" => Some(path.clone()),
            "HOME" => Some(at(home).into()),
            "CARGO_HOME" => cargo.map(|cargo| at(cargo).into()),
            _ => None,
        });
        (dir, view)
    }

    fn shows(view: &View, place: &Path) -> bool {
        view.mounts.iter().any(|mount| matches!(mount, Mount::Shown { at, .. } if at == place))
    }

    fn variable<'v>(view: &'v View, name: &str) -> Option<&'v OsString> {
        view.variables.iter().find(|(it, _)| *it == name).map(|(_, value)| value)
    }

    #[test]
    fn of_the_callers_path_only_what_nobody_else_can_fill() {
        let cases = [("home/bin", true), ("home/.cargo/bin", true), ("home/p/.venv/bin", false), ("venv/bin", false)];
        let odd = [("open/bin", false), ("absent", false), ("home", false), ("", false), ("../", false)];
        for (folder, stays) in cases.into_iter().chain(odd) {
            let (dir, view) = seen(&[folder], "home", None);
            let path: Vec<_> = std::env::split_paths(variable(&view, "PATH").unwrap()).collect();
            assert_eq!(path.contains(&dir.path().join(folder)), stays, "{folder}: {path:?}");
            assert!(path.ends_with(&PROGRAMS.map(PathBuf::from)), "{folder}: {path:?}");
        }
    }

    #[test]
    fn a_toolchain_is_seen_but_not_its_keys_wherever_it_is() {
        let (dir, view) = seen(&[], "home", None);
        let at = |name: &str| dir.path().join(name);
        assert!(shows(&view, &at("home/.cargo")));
        assert!(shows(&view, &at("home/.pyenv")));
        assert!(view.mounts.contains(&Mount::Blanked(at("home/.cargo/credentials.toml"))), "{:?}", view.mounts);
        assert!(!shows(&view, &at("home/.ssh")));
        let (dir, view) = seen(&[], "home", Some("data/cargo"));
        let keys = dir.path().join("data/cargo/credentials.toml");
        assert!(view.mounts.contains(&Mount::Blanked(keys)), "{:?}", view.mounts);
    }

    /// What is for credentials alone is covered; what a toolchain needs only if it holds one.
    #[test]
    fn attack_17_no_credential_of_a_toolchain_is_seen() {
        const FILES: [(&str, &str, bool); 14] = [
            (".cargo/config.toml", "[registries.corp]\ntoken = \"abc\"", true),
            (".cargo/config", "[build]\nlinker = \"clang\"", false),
            (".cabal/config", "username: me\npassword: hunter2", true),
            (".cabal/packages/index", "token = x", false),
            (".stack/upload/credentials.json", "{}", true),
            (".stack/config.yaml", "system-ghc: true", false),
            (".julia/servers/pkg.julialang.org/auth.toml", "access_token = 'abc'", true),
            (".julia/config/startup.jl", "ENV[\"GITHUB_TOKEN\"] = \"abc\"", true),
            (".gradle/init.d/corp.gradle", "credentials { password 'hunter2' }", true),
            (".gradle/init.d/mirror.gradle", "repositories { mavenLocal() }", false),
            (".gradle/gradle.properties", "a=b", true),
            (".m2/settings.xml", "<settings/>", true),
            (".nvm/versions/node/v20/etc/npmrc", "//registry/:_authToken=abc", true),
            ("go/pkg/mod/cache/vcs/1/config", "url = https://me:abc@example.com/a", true),
        ];
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        let project = home.join("p");
        create_dir_all(&project).unwrap();
        for (name, text, _) in FILES {
            create_dir_all(home.join(name).parent().unwrap()).unwrap();
            write(home.join(name), text).unwrap();
        }
        let view = View::new(&project, &[], &[], None, |name| (name == "HOME").then(|| home.clone().into()));
        for (name, _, hidden) in FILES {
            let file = home.join(name);
            let covered = view.mounts.iter().any(|mount| match mount {
                Mount::Blanked(place) | Mount::Emptied(place) => file.starts_with(place),
                _ => false,
            });
            assert_eq!(covered, hidden, "{name}: {:?}", view.mounts);
        }
    }

    #[test]
    fn a_variable_that_leads_to_more_than_a_toolchain_shows_nothing() {
        for cargo in
            ["home", "", "home/p", "home/p/.venv", "venv", "exacta", "exacta/keys", "home/.ssh", "home/.ssh/keys"]
        {
            let (dir, view) = seen(&[], "home", Some(cargo));
            assert!(!shows(&view, &dir.path().join(cargo)), "{cargo}");
            assert_eq!(variable(&view, "CARGO_HOME"), None, "{cargo}");
        }
    }

    /// Then the home folder's own secrets are covered in it.
    #[test]
    fn a_home_folder_may_be_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path().join(".ssh");
        create_dir_all(&keys).unwrap();
        let view = View::new(dir.path(), &[], &[], None, |name| (name == "HOME").then(|| dir.path().into()));
        let place = |mount| view.mounts.iter().position(|it| *it == mount).unwrap();
        assert!(place(Mount::Project) < place(Mount::Emptied(keys)));
    }

    /// By a link of the operator's, which ends in the project, and one in the project, which is the agent's.
    #[test]
    fn attack_46_what_the_project_leads_to_is_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in ["home", "p/.venv", "private", "data/cargo"] {
            create_dir_all(at(folder)).unwrap();
        }
        symlink(at("private"), at("p/.venv/bin")).unwrap();
        symlink(at("p/.venv"), at("venv")).unwrap();
        symlink(at("venv/bin"), at("home/.cargo")).unwrap();
        symlink(at("data/cargo"), at("home/.rustup")).unwrap();
        let reads = ["venv/bin", "data"].map(|name| at(name).display().to_string());
        let view = View::new(&at("p"), &reads, &[], None, |name| match name {
            "PATH" | "CARGO_HOME" => Some(at("venv/bin").into()),
            "HOME" => Some(at("home").into()),
            _ => None,
        });
        let shown = view.mounts.iter().filter_map(|mount| match mount {
            Mount::Shown { real, at } if at.starts_with(&base) => Some((real.clone(), at.clone())),
            _ => None,
        });
        let expected = [(at("data/cargo"), at("home/.rustup")), (at("data"), at("data"))];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert_eq!(variable(&view, "CARGO_HOME"), None);
    }

    /// Whoever calls has an environment of its own; the account's keys are the account's.
    #[test]
    fn attack_47_an_environment_cannot_show_an_accounts_keys() {
        let private = ["account", "account/.ssh", "other", "other/.ssh", ""];
        for folder in private {
            for home in ["absent", "home"] {
                let (dir, view) = seen(&[folder], home, Some(folder));
                assert!(!shows(&view, &dir.path().join(folder)), "{folder}");
                assert_eq!(variable(&view, "CARGO_HOME"), None, "{folder}");
            }
        }
        let (dir, view) = seen(&["account/.cargo/bin"], "absent", Some("account/.cargo"));
        assert!(shows(&view, &dir.path().join("account/.cargo")), "{:?}", view.mounts);
    }
}
