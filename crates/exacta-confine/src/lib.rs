//! Confines: what a program that is not trusted sees of the machine, and which system calls it may make.
//!
//! Both sandboxes are made of these parts: that of the operator's checks (`exacta-exec`) and that of agents (`exacta-agent`). A [`view`] says
//! which folders are shown and which variables are set, [`filter`] which calls are answered, [`tools`] finds the system's own programs, and an
//! [`obstacle::Obstacle`] says why a machine cannot do it. Nothing is started here.
#![expect(
    clippy::disallowed_methods,
    reason = "the system's and the user's own folders; what is in a project is never followed"
)]

pub mod account;
mod credentials;
pub mod filter;
pub mod obstacle;
pub mod tools;
pub mod view;
pub mod way;
mod words;

pub use words::Words;
