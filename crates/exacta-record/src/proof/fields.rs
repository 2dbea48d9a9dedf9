//! What a record's hash is made of: each field with its name and length, so that no two records read the same.

use exacta_kernel::hash::Digest;

/// The fields of a record, in a fixed order.
#[derive(Debug, Default)]
pub struct Fields(Vec<u8>);

impl Fields {
    /// Adds a text.
    pub fn text(self, name: &str, value: &str) -> Self {
        self.optional(name, Some(value))
    }

    /// Adds a text that may be absent, which is not the same as empty.
    pub fn optional(mut self, name: &str, value: Option<&str>) -> Self {
        self.put(name.as_bytes());
        self.0.push(u8::from(value.is_some()));
        self.put(value.unwrap_or_default().as_bytes());
        self
    }

    /// Adds a number that may be absent.
    pub fn number(mut self, name: &str, value: Option<i64>) -> Self {
        self.put(name.as_bytes());
        self.0.push(u8::from(value.is_some()));
        self.put(&value.unwrap_or_default().to_be_bytes());
        self
    }

    /// Adds something large, by its hash.
    pub fn large(self, name: &str, value: Option<&[u8]>) -> Self {
        self.hashes(name, value.map(Digest::of).as_slice())
    }

    /// Adds things by their hashes.
    pub fn hashes(mut self, name: &str, hashes: &[Digest]) -> Self {
        self.put(name.as_bytes());
        self.0.extend((hashes.len() as u64).to_be_bytes());
        hashes.iter().for_each(|hash| self.0.extend(hash.as_bytes()));
        self
    }

    /// The hash of all of it.
    pub fn hash(&self) -> Digest {
        Digest::of(&self.0)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_be_bytes());
        self.0.extend(bytes);
    }
}
