//! What the command line shows and does.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests"
)]

mod adopt;
mod agent;
mod agents;
mod answer;
mod ask;
mod autopilot;
mod bad_input;
mod browser;
mod bytes;
mod cancel;
mod checked;
mod clock;
mod connect;
mod crowd;
mod custom;
mod day;
mod determinism;
mod distrust;
mod documents;
mod edit;
mod explain;
mod growth;
mod head_to_head;
mod help;
mod history;
mod hook;
mod inbox;
mod injection;
mod json;
mod kill;
mod kinds;
mod local_model;
mod mail;
mod mcp;
mod memory;
mod names;
mod notice;
mod passphrase;
mod provider;
mod race;
mod reference;
mod releases;
mod remedies;
mod render;
mod review;
mod schema;
mod schemathesis;
mod screens;
mod serve;
mod serve_disk;
mod serve_kept;
mod serve_kill;
mod serve_load;
mod serve_pages;
mod serve_projects;
mod serve_revoked;
mod serve_tls;
mod setting;
mod signed;
mod site;
mod story;
mod swap;
mod templates;
mod terminal;
mod trouble;
mod unruly;
mod views;
mod watch;
mod world;
