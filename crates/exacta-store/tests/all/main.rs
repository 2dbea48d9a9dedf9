//! All of the crate's integration tests, in one binary to keep linking short.

mod home;
