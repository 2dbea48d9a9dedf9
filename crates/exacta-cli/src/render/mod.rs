//! What people read. Every surface shows the same [`row::Row`]s: `show` and the plain prompt print them, the review screen
//! draws them.

pub mod ansi;
pub mod ask;
pub mod audit;
pub mod detail;
pub mod diff;
pub mod error;
pub mod list;
pub mod mark;
pub mod plan;
pub mod row;
pub mod run;
pub mod score;
pub mod setting;
pub mod status;
pub mod syntax;
pub mod ways;
