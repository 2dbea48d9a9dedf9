//! Rows in one SQLite database, and nothing about what vouches for them.

pub mod connection;
pub mod db;
pub mod documents;
pub mod log;
pub mod nodes;
pub mod plans;
pub mod runs;
pub mod schema;
