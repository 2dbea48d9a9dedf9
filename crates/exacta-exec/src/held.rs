//! A target as a run holds it.

use crate::fs::{Attributes, Fs};

/// A file held open, and what it had besides bytes and mode when it was looked at first. As long as it is held, no other file
/// can have its inode number.
pub(crate) struct Held<F: Fs> {
    pub(crate) file: F::File,
    pub(crate) attributes: Attributes,
}
