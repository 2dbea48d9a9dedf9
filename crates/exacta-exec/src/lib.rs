//! Acts: the only crate that changes the world, and only with a permit.
//!
//! Everything is reached by handle beneath a [`ProjectRoot`], never by a path string, so a symbolic link swapped in at any
//! moment leads nowhere. [`ProjectRoot::facts`] is how the kernel learns what the targets are.

mod error;
mod handle;
pub mod look;
mod root;
pub mod sandbox;

pub use error::IoError;
pub use root::ProjectRoot;
