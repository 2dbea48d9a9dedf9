//! What is in a folder: every file, link and empty folder by its name, and what each is.

use exacta_kernel::hash::Digest;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A path beneath a held folder, as the file system has it: bytes, `/` between the parts. Written as text with `%` and two digits for
/// what is no text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Name(Vec<u8>);

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// A regular file. Of its mode, what a plan can say.
    File {
        /// Of its bytes.
        sha256: Digest,
        /// In bytes.
        size: u64,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// A symbolic link, and where it leads.
    Link {
        /// As it is written in it.
        to: Name,
    },
    /// A folder with nothing in it.
    EmptyFolder,
    /// A pipe, a socket, a device.
    Special,
    /// Something that cannot be read; of a folder, all that is in it.
    Unreadable,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// By name.
    pub entries: BTreeMap<Name, Entry>,
    /// Folders that are repositories of their own.
    #[serde(default)]
    pub nested: BTreeSet<Name>,
}

impl Tree {
    /// Whether something is in a repository of its own.
    #[must_use]
    pub fn is_nested(&self, name: &Name) -> bool {
        self.nested.iter().any(|folder| name.is_beneath(folder))
    }
}

impl Name {
    /// A name in a folder; of an empty one, the name itself.
    #[must_use]
    pub fn join(&self, part: &[u8]) -> Self {
        if self.0.is_empty() { Self(part.to_vec()) } else { Self([&self.0, &b"/"[..], part].concat()) }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// As a path.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// As text, if it is text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Whether it is in this folder, however deep.
    #[must_use]
    pub fn is_beneath(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0[..]).is_some_and(|rest| rest.starts_with(b"/"))
    }

    /// The folder it is in; none at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let at = self.0.iter().rposition(|byte| *byte == b'/')?;
        Some(Self(self.0.get(..at)?.to_vec()))
    }

    /// Its last part.
    #[must_use]
    pub fn last(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        let mut text = Self::new();
        for chunk in name.0.utf8_chunks() {
            text.push_str(&chunk.valid().replace('%', "%25"));
            chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
        }
        text
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
        while let Some((first, after)) = rest.split_first() {
            let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
            bytes.push(byte.unwrap_or(*first));
            rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
        }
        Self(bytes)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&exacta_kernel::text::excerpt(&String::from_utf8_lossy(&self.0), 200))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_comes_back_from_what_is_written_of_it() {
        let names: [&[u8]; 7] = [b"a/b", b"%", b"100%25", b"\xff\xfe/x", "ä %C3 ü".as_bytes(), b"a\nb", b""];
        for name in names {
            let name = Name::from(name);
            let text = String::from(name.clone());
            assert_eq!(Name::from(text.clone()), name, "{text}");
        }
    }

    #[test]
    fn beneath_is_by_whole_parts() {
        let name = |text: &str| Name::from(text.as_bytes());
        assert!(name("a/b/c").is_beneath(&name("a/b")));
        assert!(!name("a/bc").is_beneath(&name("a/b")));
        assert!(!name("a/b").is_beneath(&name("a/b")));
        assert_eq!(name("a/b/c").parent(), Some(name("a/b")));
        assert_eq!((name("a").parent(), name("a/b").last()), (None, &b"b"[..]));
    }
}
