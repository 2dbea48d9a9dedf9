//! Joins the kernel, the store and the executor: one function per use case.

pub mod view;
