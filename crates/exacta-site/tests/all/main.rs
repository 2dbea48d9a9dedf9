//! With a real WordPress: what is said of it, and that nothing is lost and nothing is torn, whatever goes wrong.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod cost;
mod drafts;
mod kill;
mod matrix;
mod person;
mod probe;
mod site;
mod skills;
mod spine;
