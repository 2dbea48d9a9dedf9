//! The key that journals are sealed with.
//!
//! Journals lie in the project, where the agents we guard against can write. A journal that was not sealed with this key, which
//! lies in the user's own folder, is never acted upon: recovery gets nobody an effect that was not permitted.

use exacta_kernel::hash::{Digest, keyed_hash};

/// A secret of the user's, for one project.
#[derive(Clone, Default)]
pub struct JournalKey([u8; 32]);

impl JournalKey {
    /// A key from 32 secret bytes.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// The seal of some bytes: HMAC-SHA-256.
    pub(crate) fn seal(&self, bytes: &[u8]) -> Digest {
        keyed_hash(&self.0, bytes)
    }
}

impl std::fmt::Debug for JournalKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 1, whose key of 20 bytes is padded with zeros as ours would be.
    #[test]
    fn is_hmac() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let seal = JournalKey::new(key).seal(b"Hi There").to_string();
        assert_eq!(seal, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }
}
