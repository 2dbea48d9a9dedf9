//! One binary for all tests of the crate.

mod cases;
mod hostile;
mod plans;
