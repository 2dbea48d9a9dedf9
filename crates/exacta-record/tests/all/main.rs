//! All of the crate's integration tests, in one binary to keep linking short.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests talk to their children and say what they skip")]

mod change;
mod crash;
mod document;
mod forgery;
mod journal;
mod name;
mod pin;
mod project;
mod promise;
mod race;
mod refuse;
mod schema;
mod speed;
mod verify;
