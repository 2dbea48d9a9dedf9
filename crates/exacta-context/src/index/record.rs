//! What is remembered of one file: nothing that could be read back as its text.

use crate::gate;
use crate::walk::Seen;
use crate::words::{self, Kind};
use exacta_kernel::hash::Digest;
use exacta_source::Mapper;

/// The most that is remembered of a file's imports, in bytes.
const IMPORTS: usize = 4096;

/// What is remembered of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// Of its bytes; none if it was too large to be read, or is not text.
    pub digest: Option<Digest>,
    /// Its words with their counts, sorted. See [`words`].
    pub words: Box<[u32]>,
    /// The names that it defines as keys of [`Kind::Name`], sorted, each once.
    pub defines: Box<[u32]>,
    /// What it imports, line by line.
    pub imports: Box<str>,
}

impl Record {
    /// Reads a file that is text.
    pub fn read(seen: &Seen, bytes: &[u8], mapper: &mut Mapper) -> Self {
        let mut keys = Vec::with_capacity(bytes.len() / 3);
        path_words(seen, &mut keys);
        if gate::text(bytes).is_err() {
            return Self { words: words::counted(keys).into(), ..Self::default() };
        }
        let kind = |whole| if whole { Kind::Whole } else { Kind::Text };
        words::runs(bytes, |run| words::parts(run, |part, whole| keys.push(words::key(kind(whole), part))));
        let (mut defines, mut imports) = (Vec::new(), String::new());
        if let Some(map) = mapper.map(seen.path.name(), bytes) {
            keys.extend(map.references.iter().map(|name| words::key(Kind::Name, name.as_bytes())));
            for definition in &map.definitions {
                defines.push(words::key(Kind::Name, definition.name.as_bytes()));
                words::parts(definition.name.as_bytes(), |part, _| keys.push(words::key(Kind::Defined, part)));
            }
            for import in map.imports {
                let line = import.split_whitespace().collect::<Vec<_>>().join(" ");
                if imports.len() + line.len() < IMPORTS {
                    imports.push_str(&line);
                    imports.push('\n');
                }
            }
        }
        defines.sort_unstable();
        defines.dedup();
        Self {
            digest: Some(Digest::of(bytes)),
            words: words::counted(keys).into(),
            defines: defines.into(),
            imports: imports.into(),
        }
    }

    /// What is known of a file that is not read.
    pub fn unread(seen: &Seen) -> Self {
        let mut keys = Vec::new();
        path_words(seen, &mut keys);
        Self { words: words::counted(keys).into(), ..Self::default() }
    }
}

fn path_words(seen: &Seen, keys: &mut Vec<u32>) {
    let (folders, name) = seen.path.as_str().rsplit_once('/').unwrap_or(("", seen.path.as_str()));
    for (kind, text) in [(Kind::Folder, folders), (Kind::File, name)] {
        words::runs(text.as_bytes(), |run| words::parts(run, |part, _| keys.push(words::key(kind, part))));
    }
}
