//! The protocol, line by line: what is sent, and what comes back.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests read their cases by path, and stop at the first surprise"
)]

mod endurance;
mod host;
mod transcript;
