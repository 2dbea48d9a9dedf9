//! Remembers: the user's own folder.
pub mod home;
