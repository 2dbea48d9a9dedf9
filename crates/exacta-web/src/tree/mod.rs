//! A page as a tree of places with text in them, whatever it is written in.

mod bound;
mod html;
mod json;
mod link;
mod node;
mod xml;

pub(crate) use html::html;
pub(crate) use json::json;
pub(crate) use node::{Habit, Node, Since, Tree};
pub(crate) use xml::{Feed, feed, plain_text};
