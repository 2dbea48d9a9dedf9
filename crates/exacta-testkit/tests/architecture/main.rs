//! What `ARCHITECTURE.md` claims of the code, held against the code.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests read the sources by path and stop at the first surprise"
)]

mod callers;
mod codes;
mod commands;
mod errors;
mod modules;
mod rules;
mod sources;
mod walks;
