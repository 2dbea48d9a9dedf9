//! Reads the web, and changes nothing there: pages of hosts that the user named ([`get`]), what changed in them ([`monitor`]), and what they
//! tell ([`feed`]). It knows nothing of projects, records or autopilots; it blocks whoever calls it, for 15 seconds at most.

mod address;
mod body;
mod charset;
mod error;
pub mod feed;
mod fetch;
mod hosts;
mod http;
mod limits;
pub mod monitor;
mod noise;
mod page;
mod selector;
mod stream;
mod text;
mod tree;

pub use address::reserved;
pub use error::{TooLarge, WebError, WebErrorKind};
pub use fetch::get;
pub use hosts::Hosts;
pub use limits::{MAX_HEAD, MAX_HEADERS, MAX_PAGE, MAX_REDIRECTS, MAX_TIME, MAX_URL};
pub use page::{Got, Kind, Page, Validators};
pub use selector::SelectorError;
