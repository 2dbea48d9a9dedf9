//! Where credentials are kept: what no command sees, also where it is in a folder that is shown.
//!
//! A file that is made for credentials is never shown. One that toolchains need, and in which a credential can stand, is shown only
//! if none does: it is read as `KEY VALUE` by the line, in whatever language.

use std::path::{Path, PathBuf};

/// Of the home folder, whatever it is in: a toolchain's folder, or the project, where that is the home folder.
const HOME: [&str; 91] = [
    ".aws",
    ".azure",
    ".bash_history",
    ".boto",
    ".bundle/config",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".composer/auth.json",
    ".config/chromium",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/dart/pub-credentials.json",
    ".config/doctl",
    ".config/exacta",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/pip",
    ".config/pnpm/rc",
    ".config/pypoetry/auth.toml",
    ".config/rclone",
    ".docker",
    ".dotnet/corefx/cryptography",
    ".gem/credentials",
    ".git-credentials",
    ".gnupg",
    ".gradle/daemon",
    ".gradle/develocity",
    ".gradle/enterprise",
    ".gradle/gradle.properties",
    ".hex",
    ".ivy2/.credentials",
    ".ivy2/.sbtcredentials",
    ".ivy2/credentials",
    ".julia/logs",
    ".julia/servers",
    ".kube",
    ".lesshst",
    ".local/share/gem/credentials",
    ".local/share/keyrings",
    ".local/share/uv/credentials",
    ".local/state/exacta",
    ".m2/settings-security.xml",
    ".m2/settings-security4.xml",
    ".m2/settings.xml",
    ".mozilla",
    ".my.cnf",
    ".mysql_history",
    ".mylogin.cnf",
    ".netrc",
    ".node_repl_history",
    ".npm/_logs",
    ".npmrc",
    ".nuget/NuGet",
    ".nuget/config",
    ".opam/plugins/opam-publish",
    ".password-store",
    ".pgpass",
    ".pip/pip.conf",
    ".psql_history",
    ".pub-cache/credentials.json",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".sbt/.credentials",
    ".sbt/credentials",
    ".ssh",
    ".stack/upload",
    ".subversion/auth",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".thunderbird",
    ".vault-token",
    ".yarnrc",
    ".yarnrc.yml",
    ".zsh_history",
    // What a package manager is told for every user of an installation.
    ".asdf/installs/nodejs/*/etc/npmrc",
    ".local/share/fnm/node-versions/*/installation/etc/npmrc",
    ".local/share/mise/installs/node/*/etc/npmrc",
    ".local/share/mise/installs/python/*/pip.conf",
    ".local/share/pnpm/global/*/.npmrc",
    ".nvm/versions/node/*/etc/npmrc",
    ".pyenv/versions/*/pip.conf",
    ".rbenv/versions/*/etc/gemrc",
    ".rvm/gems/*/credentials",
    ".volta/tools/image/node/*/etc/npmrc",
    ".yarn/berry/.yarnrc.yml",
];

/// Of the home folder, where a credential stands in it.
const HOME_CONFIGURATION: [&str; 19] = [
    ".asdf/installs/python/*/pip.conf",
    ".bun/install/global/bunfig.toml",
    ".cabal/config",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git/db/*/config",
    ".deno/config.json",
    ".ghcup/config.yaml",
    ".gradle/init.d/*",
    ".gradle/init.gradle",
    ".gradle/init.gradle.kts",
    ".julia/config/*",
    ".m2/toolchains.xml",
    ".opam/config",
    ".rustup/settings.toml",
    ".stack/config.yaml",
    ".stack/global-project/stack.yaml",
    "go/pkg/mod/cache/vcs/*/config",
];

/// Of a folder that `CARGO_HOME` names.
const CARGO: [&str; 2] = ["credentials", "credentials.toml"];
const CARGO_CONFIGURATION: [&str; 3] = ["config", "config.toml", "git/db/*/config"];

/// Of the system's folders. To a user who is root outside, permissions are no barrier.
const SYSTEM: [&str; 24] = [
    "/etc/NetworkManager",
    "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d",
    "/etc/docker",
    "/etc/exacta",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/letsencrypt",
    "/etc/netplan",
    "/etc/nix/netrc",
    "/etc/npmrc",
    "/etc/openvpn",
    "/etc/pki/tls/private",
    "/etc/rancher",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/wireguard",
    "/etc/wpa_supplicant",
    "/usr/etc/npmrc",
    "/usr/local/etc/npmrc",
];

/// Of the system's, where a credential stands in it.
const SYSTEM_CONFIGURATION: [&str; 4] = ["/etc/environment", "/etc/gitconfig", "/etc/nix/nix.conf", "/etc/pip.conf"];

/// How much of a configuration is read; a larger one is not shown.
const READ: u64 = 1 << 20;

/// What a key is called under which a credential stands.
const WORDS: [&str; 9] =
    ["token", "passw", "passphrase", "secret", "credential", "apikey", "api_key", "api-key", "private_key"];

/// Those of a home folder that are always hidden, whether they are there or not.
pub(crate) fn always(home: &Path) -> impl Iterator<Item = PathBuf> {
    HOME.iter().filter(|name| !name.contains('*')).map(|name| home.join(name))
}

/// Whether a folder is, or is in, one that is called like a place of credentials in a home folder, such as `.ssh`: anybody's.
pub(crate) fn is_named_so(folder: &Path) -> bool {
    folder.iter().any(|part| names().any(|name| part == name))
}

/// Whether such places are in a folder: then it is a home folder, anybody's, and no toolchain's.
pub(crate) fn is_home(folder: &Path) -> bool {
    names().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// What stands in a home folder itself.
fn names() -> impl Iterator<Item = &'static str> {
    HOME.into_iter().filter(|name| !name.contains('/'))
}

/// All that is there: of the home folders, of Cargo's where it is elsewhere, and of the system.
pub(crate) fn found(homes: &[PathBuf], cargo: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut add = |base: &Path, files: &[&str], configurations: &[&str]| {
        found.extend(files.iter().flat_map(|name| expand(base, name)));
        found.extend(configurations.iter().flat_map(|name| expand(base, name)).filter(|path| has_credential(path)));
    };
    for home in homes {
        add(home, &HOME, &HOME_CONFIGURATION);
    }
    if let Some(cargo) = cargo {
        add(cargo, &CARGO, &CARGO_CONFIGURATION);
    }
    add(Path::new("/"), &SYSTEM, &SYSTEM_CONFIGURATION);
    found
}

/// The paths that a name stands for, in which `*` is any name.
fn expand(base: &Path, name: &str) -> Vec<PathBuf> {
    let Some((before, after)) = name.split_once('*') else { return vec![base.join(name)] };
    let after = after.trim_start_matches('/');
    let entries = std::fs::read_dir(base.join(before)).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    if after.is_empty() { paths.collect() } else { paths.flat_map(|path| expand(&path, after)).collect() }
}

/// Whether a credential stands in a file; one that cannot be read through counts as if it did.
fn has_credential(path: &Path) -> bool {
    let facts = path.metadata();
    if facts.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return false;
    }
    let readable = facts.is_ok_and(|facts| facts.is_file() && facts.len() <= READ);
    match std::fs::read(path).ok().filter(|_| readable) {
        Some(bytes) => String::from_utf8_lossy(&bytes).lines().any(is_credential),
        None => true,
    }
}

/// Whether a line says a credential: a value under the name of one, or a user within an address.
fn is_credential(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let in_address = |rest: &str| rest.split(['/', '"', '\'', ' ']).next().is_some_and(|host| host.contains('@'));
    if line.split("://").skip(1).any(in_address) {
        return true;
    }
    // What provides credentials is a program's name.
    let named = |key: &str| WORDS.iter().any(|word| key.contains(word)) && !key.contains("provider");
    let (key, value) = match line.find(['=', ':', '>']) {
        Some(at) => line.split_at(at),
        None => line.trim().split_once(char::is_whitespace).unwrap_or((&line, "")),
    };
    named(key) && value.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attack_17_a_line_with_a_credential_is_known() {
        let yes = [
            "token = \"abc\"",
            "[registries.corp] \ntoken=x",
            "CARGO_REGISTRIES_CORP_TOKEN=abc",
            "password: hunter2",
            "-- password: hunter2",
            "  <password>hunter2</password>",
            "password 'hunter2'",
            "credentials { username = \"a\"; password = \"b\" }",
            "maven { url \"https://me:hunter2@example.com/maven\" }",
            "index = \"https://me@example.com/index\"",
            "ENV[\"JULIA_PKG_TOKEN\"] = \"abc\"",
            "access-tokens = github.com=abc",
            "\turl = https://x-access-token:abc@github.com/a/b",
            "API_KEY=abc",
        ];
        let no = [
            "-- password:",
            "username:",
            "token = \"\"",
            "global-credential-providers = [\"cargo:token\"]",
            "linker = \"clang\"",
            "url = \"https://example.com/@scope/name\"",
            "[credential]",
            "author = \"me <me@example.com>\"",
            "",
        ];
        for text in yes {
            assert!(text.lines().any(is_credential), "{text}");
        }
        for text in no {
            assert!(!text.lines().any(is_credential), "{text}");
        }
    }

    #[test]
    fn attack_17_a_star_is_any_name() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a/1/etc", "a/2/etc", "b"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let mut found = expand(dir.path(), "a/*/etc/npmrc");
        found.sort();
        assert_eq!(found, ["a/1/etc/npmrc", "a/2/etc/npmrc"].map(|name| dir.path().join(name)));
        assert_eq!(expand(dir.path(), "none/*"), Vec::<PathBuf>::new());
    }
}
