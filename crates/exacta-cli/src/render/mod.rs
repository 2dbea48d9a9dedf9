//! What people read. Every surface shows the same [`exacta_view::Row`]s: `show` and the plain prompt print them, the review screen
//! draws them. Here they get columns and colours, and hints become commands.

pub mod ansi;
pub mod audit;
pub mod diff;
pub mod error;
pub mod layout;
pub mod log;
pub mod provider;
pub mod run;
pub mod setting;
pub mod status;
pub mod syntax;
pub mod ways;
