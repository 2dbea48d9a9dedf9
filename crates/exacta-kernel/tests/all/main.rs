//! The kernel's tests, in one binary to keep linking short.

mod policy;
//! All tests of the kernel from the outside, in one binary.

mod diff;
