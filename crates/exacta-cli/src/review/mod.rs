//! The full-screen review: a state machine without a terminal, a picture of it, and the terminal around both.
//!
//! [`state::Review`] takes keys and gives back what the person chose; [`draw::draw`] paints it; [`terminal`] connects them to
//! a real screen. Only the last knows that there is one.

pub mod draw;
mod input;
mod long;
mod pane;
pub mod state;
pub mod terminal;
mod walk;

pub use state::{Choice, Review, WORD};
