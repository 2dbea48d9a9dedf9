//! Translates: the Model Context Protocol, on two streams with a JSON message a line, or by HTTP with a message a request ([`http`]).
//!
//! Both eras of the protocol are spoken, request by request: the stateless one, in which every request says its version in `_meta`, and the one that
//! begins with `initialize`. What is offered is a [`Host`]'s: this crate knows no project, no plan and no policy, reads nothing but its input, and writes
//! nothing but messages. Lines, nesting and the number of calls that wait are bounded, so that its memory is.

mod answer;
mod host;
pub mod http;
mod line;
mod message;
mod server;
mod version;

pub use host::{
    About, Call, Called, Client, Failure, Host, Job, Prompt, PromptArgument, Resource, Template, Tool, ToolResult,
};
pub use line::{LONGEST, Line, Lines};
pub use message::{Fault, Id, Message, read};
pub use server::{Greeted, Server, serve};
pub use version::{INITIALIZED, STATELESS};
