//! The kernel's tests, in one binary to keep linking short.

mod diff;
mod diff_git;
mod policy;
mod seal;
