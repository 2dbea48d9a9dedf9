//! `exacta site` and `exacta skill` from outside, on a real WordPress.

mod acts;
pub mod blog;
mod http;
mod places;
mod planner;
mod runs;
mod walk;
