//! What people read. Every surface shows the same [`row::Row`]s: `show` and the plain prompt print them, the review screen
//! draws them.

pub mod ansi;
pub mod diff;
pub mod error;
pub mod plan;
pub mod row;
pub mod score;
pub mod syntax;
