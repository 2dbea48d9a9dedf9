//! Providers against servers that speak the published formats, and break them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod chat;
mod fault;
mod kinds;
mod shapes;
mod world;
