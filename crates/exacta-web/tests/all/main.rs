//! Tests of what the web may be read of, and of what changed in it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests prepare their files by path and stop at the first surprise"
)]

mod hostile;
mod judging;
mod net;
mod series;
