//! Every use case on a real project, with a real record and real keys.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests"
)]

mod agents;
mod ask;
mod begin;
mod callers;
mod checks;
mod cost;
mod drift;
mod effects;
mod fall;
mod forgery;
mod place;
mod secrets;
mod story;
mod undo;
mod unrecorded;
