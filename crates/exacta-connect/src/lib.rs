//! Connects: what the programs of agents have to be told so that their changes become plans, and how to see whether they obey.
//!
//! [`Client`] names a program, [`wanted`] says what has to be in its configuration, [`Prepared`] is that as a change of files with a diff, and
//! [`Connection`] what was written, so that it can be taken away again to the byte. [`canary`] starts the program itself with a scripted model
//! on loopback and looks what it lets through: settings can only be believed as far as the program that reads them does.
//!
//! Everything here is in the user's own configuration, never in a project.
#![expect(clippy::disallowed_methods, reason = "the user's own configuration, which no project holds")]

pub mod canary;
mod client;
mod connection;
mod edit;
mod file;
pub mod hook;
mod prepare;
mod settings;

pub use client::{Client, Mode, Places};
pub use connection::{Connection, Undoing};
pub use edit::{Edit, EditError, Format};
pub use file::{Change, FileFault};
pub use prepare::{Prepared, prepare};
pub use settings::{Content, PARAGRAPH, Setup, Wanted, caveats, wanted};
