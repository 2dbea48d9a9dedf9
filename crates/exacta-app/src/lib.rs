//! Joins the kernel, the store and the executor: one function per use case.

pub mod error;
pub mod project;
pub mod view;

pub use error::{Error, Exit};
