//! What of a project may be shown to a model at all, by its name and size.
//!
//! The list of what is never shown cannot be widened by anything in the project. It is held against every part of a path, without
//! regard to case, so that a folder of secrets hides what is in it.

use exacta_kernel::path::RelPath;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The largest file that is shown: 100 KB.
pub const FILE_CAP: u64 = 100_000;
/// The most that is shown in all: 500 KB.
pub const TOTAL_CAP: u64 = 500_000;

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Programs, scripts, templates, styles.
    Code,
    /// Configuration and manifests.
    Settings,
    /// Text for people.
    Document,
    /// Tables, lock files, expected output.
    Data,
}

/// Why a file is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Barred {
    /// An ignore file says so.
    Ignored,
    /// Its name says that it holds secrets, or it belongs to git or Exacta.
    Denied,
    /// Nobody listed this kind of file.
    UnknownKind,
    /// Over [`FILE_CAP`].
    TooLarge,
    /// Not text in UTF-8.
    Binary,
    /// A link, a device, or on another file system.
    NotAFile,
    /// There is no such file, or it cannot be read.
    Unreadable,
    /// The budget or [`TOTAL_CAP`] has no room for it.
    NoRoom,
}

impl Barred {
    /// The reason in words, to follow the path.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Ignored => "an ignore file lists it",
            Self::Denied => "its name says that it holds secrets or belongs to a tool",
            Self::UnknownKind => "this kind of file is not shown to models",
            Self::TooLarge => "it is larger than 100 KB",
            Self::Binary => "it is not text in UTF-8",
            Self::NotAFile => "it is not a regular file of this project",
            Self::Unreadable => "it does not exist or cannot be read",
            Self::NoRoom => "the budget has no room for it",
        }
    }
}

/// The kind of a file, unless its path bars it.
pub(crate) fn class(path: &RelPath) -> Result<Class, Barred> {
    if path.is_protected() || path.parts().any(is_denied) {
        return Err(Barred::Denied);
    }
    let name = path.name();
    let known = table();
    let by_extension =
        || name.rsplit_once('.').and_then(|(_, extension)| known.get(extension.to_ascii_lowercase().as_str()));
    known.get(name).or_else(by_extension).copied().ok_or(Barred::UnknownKind)
}

/// Whether a part of a path says that secrets are in it.
pub(crate) fn is_denied(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
    let example = ["example", "sample", "template", "dist"].contains(&extension);
    matches!(extension, "pfx" | "pem" | "p12" | "key" | "jks" | "keystore" | "kdbx" | "ppk" | "asc" | "gpg")
        || matches!(
            part.as_str(),
            ".ssh" | ".gnupg" | ".aws" | ".kube" | ".netrc" | ".npmrc" | ".pypirc" | ".htpasswd" | ".pgpass"
        )
        || ((part == ".env" || part.starts_with(".env.")) && !example)
        || ["secrets", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].iter().any(|start| part.starts_with(start))
        || part.contains("credential")
}

/// Whether these bytes are text that a model can read.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Barred> {
    if memchr::memchr(0, bytes).is_some() {
        return Err(Barred::Binary);
    }
    std::str::from_utf8(bytes).map_err(|_| Barred::Binary)
}

fn table() -> &'static BTreeMap<&'static str, Class> {
    static TABLE: OnceLock<BTreeMap<&'static str, Class>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let lines = include_str!("../data/classes.txt").lines().filter_map(|line| line.split_once(':'));
        let rows = lines.filter_map(|(class, names)| {
            let class = match class {
                "code" => Class::Code,
                "settings" => Class::Settings,
                "document" => Class::Document,
                "data" => Class::Data,
                _ => return None,
            };
            Some(names.split_whitespace().map(move |name| (name, class)))
        });
        rows.flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_what_may_be_shown() {
        let cases = [
            ("src/main.rs", Ok(Class::Code)),
            ("a/Makefile", Ok(Class::Code)),
            ("Cargo.toml", Ok(Class::Settings)),
            ("README", Ok(Class::Document)),
            ("x.JSON", Ok(Class::Settings)),
            (".env.example", Ok(Class::Settings)),
            (".env", Err(Barred::Denied)),
            (".env.local", Err(Barred::Denied)),
            ("secrets/a.rs", Err(Barred::Denied)),
            ("src/Secrets.py", Err(Barred::Denied)),
            ("aws_credentials.json", Err(Barred::Denied)),
            ("tls/server.PEM", Err(Barred::Denied)),
            (".ssh/config", Err(Barred::Denied)),
            (".git/config", Err(Barred::Denied)),
            ("sub/.GIT/config.toml", Err(Barred::Denied)),
            (".exacta/config.toml", Err(Barred::Denied)),
            ("a.exe", Err(Barred::UnknownKind)),
            ("unknown", Err(Barred::UnknownKind)),
        ];
        for (path, expected) in cases {
            assert_eq!(class(&RelPath::parse(path).unwrap()), expected, "{path}");
        }
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let text = include_str!("../data/classes.txt");
        let names =
            text.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, names)| names.split_whitespace());
        let all: Vec<&str> = names.collect();
        assert_eq!(all.len(), table().len(), "a name is listed twice");
        assert!(all.len() > 200);
    }
}
