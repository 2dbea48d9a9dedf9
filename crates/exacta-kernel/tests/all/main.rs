//! The kernel's tests, in one binary to keep linking short.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod assess;
mod attack;
mod bytes;
mod check;
mod constraint;
mod contract;
mod dependency;
mod dice;
mod diff;
mod diff_git;
mod diff_hostile;
mod diff_place;
mod diff_render;
mod import;
mod json;
mod parse;
mod path;
mod policy;
mod pure;
mod seal;
mod skips;
mod slips;
mod spine;
