//! Successive releases of small packages as git repositories: fetched by the package managers, kept in the build folder.

use crate::history::run;
use exacta_testkit::{LIMIT, Running, needs, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Packages whose releases differ in small ways, and in odd ones: their clients, names, versions.
const PACKAGES: [(Client, &str, &[&str]); 6] = [
    (Client::Cargo, "strsim", &["0.8.0", "0.9.3", "0.10.0", "0.11.0", "0.11.1"]),
    (Client::Cargo, "scopeguard", &["0.3.3", "1.0.0", "1.1.0", "1.2.0"]),
    (Client::Cargo, "humantime", &["1.2.0", "1.3.0", "2.0.0", "2.1.0"]),
    (Client::Npm, "minimist", &["1.2.5", "1.2.6", "1.2.7", "1.2.8"]),
    (Client::Npm, "isarray", &["1.0.0", "2.0.1", "2.0.5"]),
    (Client::Pip, "colorama", &["0.4.1", "0.4.3", "0.4.5", "0.4.6"]),
];

#[derive(Clone, Copy, PartialEq)]
enum Client {
    Cargo,
    Npm,
    Pip,
}

/// One repository for each package, one commit for each release. `None` where there is no network; in CI there must be one.
/// Cargo is always there; the others must be in CI.
pub(crate) fn fetched() -> Option<Vec<TempDir>> {
    let mut repositories = Vec::new();
    for (client, name, versions) in PACKAGES {
        if !client.is_there() {
            continue;
        }
        let folders: Result<Vec<PathBuf>, String> =
            versions.iter().map(|version| client.fetch(name, version)).collect();
        match folders {
            Ok(folders) => repositories.push(repository(&folders)),
            Err(error) => return needs(false, &format!("releases of `{name}`: {error}")).then_some(repositories),
        }
    }
    Some(repositories)
}

impl Client {
    fn is_there(self) -> bool {
        match self {
            Self::Cargo => true,
            Self::Npm => program("npm"),
            Self::Pip => program("pip3"),
        }
    }

    /// The unpacked release, from the build folder if it was fetched before.
    fn fetch(self, name: &str, version: &str) -> Result<PathBuf, String> {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("releases");
        fs::create_dir_all(&all).map_err(|error| error.to_string())?;
        let kept = all.join(format!("{name}-{version}"));
        if kept.is_dir() {
            return Ok(kept);
        }
        let fresh = TempDir::new_in(&all).map_err(|error| error.to_string())?;
        let unpacked = match self {
            Self::Cargo => cargo(fresh.path(), name, version),
            Self::Npm => npm(fresh.path(), name, version),
            Self::Pip => pip(fresh.path(), name, version),
        }?;
        // Another test may have been faster.
        match fs::rename(&unpacked, &kept) {
            Err(_) if !kept.is_dir() => Err(format!("cannot keep {}", kept.display())),
            _ => Ok(kept),
        }
    }
}

fn cargo(at: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    let manifest = format!(
        "[workspace]\n[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\n{name} = \"={version}\"\n"
    );
    fs::write(at.join("Cargo.toml"), manifest).and_then(|()| fs::write(at.join("lib.rs"), "")).map_err(told)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    well(Command::new(cargo).args(["vendor", "--quiet", "--versioned-dirs", "all"]).current_dir(at))?;
    let folder = at.join("all").join(format!("{name}-{version}"));
    // The client's own, not the package's.
    fs::remove_file(folder.join(".cargo-checksum.json")).map_err(told)?;
    Ok(folder)
}

fn npm(at: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    well(Command::new("npm").args(["pack", "--silent", &format!("{name}@{version}")]).current_dir(at))?;
    let archive = format!("{name}-{version}.tgz");
    well(Command::new("tar").args(["--no-same-owner", "-xzf", &archive]).current_dir(at))?;
    Ok(at.join("package"))
}

fn pip(at: &Path, name: &str, version: &str) -> Result<PathBuf, String> {
    let package = format!("{name}=={version}");
    well(
        Command::new("pip3")
            .args(["download", "--quiet", "--no-deps", "--only-binary", ":all:", &package])
            .current_dir(at),
    )?;
    fs::create_dir(at.join("unpacked")).map_err(told)?;
    let wheels = fs::read_dir(at).map_err(told)?.flatten().map(|entry| entry.path());
    let wheel = wheels.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl"));
    well(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel.ok_or("no wheel")?).arg(at.join("unpacked")))?;
    Ok(at.join("unpacked"))
}

fn told(error: std::io::Error) -> String {
    error.to_string()
}

/// Once more where it fails: networks do.
fn well(command: &mut Command) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    once(command).or_else(|_| once(command))
}

fn once(command: &mut Command) -> Result<Output, String> {
    let running = Running::try_start(command).map_err(|error| format!("{command:?}: {error}"))?;
    let output = running.finish_within(LIMIT / 2)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(output) } else { Err(format!("{command:?}: {said}")) }
}

/// A repository with one commit for each folder.
fn repository(folders: &[PathBuf]) -> TempDir {
    let repository = TempDir::new().unwrap();
    let git = |tree: &Path, args: &[&str]| {
        let mut command = exacta_testkit::git();
        command.arg("--git-dir").arg(repository.path().join(".git")).arg("--work-tree").arg(tree);
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.org"]);
        run(command.args(args).current_dir(tree));
    };
    git(repository.path(), &["init", "-q"]);
    fs::write(repository.path().join(".git/info/attributes"), "* !text !eol !crlf !filter !ident\n").unwrap();
    for folder in folders {
        git(folder, &["add", "-A", "-f", "."]);
        let name = folder.file_name().unwrap().to_str().unwrap();
        let subject = format!("release {name} with the fixes and additions since the release before it");
        git(folder, &["commit", "-q", "-m", &subject]);
    }
    repository
}
