//! `exacta site` and `exacta skill` from outside, on a real WordPress.

mod acts;
mod blog;
mod http;
mod places;
mod planner;
mod runs;
mod walk;
