//! Reaches the user's WordPress sites, and nothing else. Blocks its caller.
//!
//! [`Client`] asks and believes little: an answer counts only if it is JSON of that very site. [`probe`](probe()) says what a user can do there, as
//! a [`Manifest`]. [`Page`] is a page as it is, to the byte. [`Pages`] performs approved acts on pages for `exacta-effect`: whatever an answer
//! says, the page itself decides whether an act happened.

mod address;
mod call;
mod client;
mod error;
mod images;
mod kses;
mod manifest;
mod page;
mod pages;
mod predict;
mod probe;
mod read;
mod reading;
mod revision;
mod role;
mod saved;
mod sync;

pub use address::{AddressError, SiteUrl};
pub use call::{BadCall, Call, Op};
pub use client::{Account, Client, Patience};
pub use error::SiteError;
pub use images::{Images, Noted};
pub use kses::elements_lost;
pub use manifest::{Manifest, PageRights};
pub use page::Page;
pub use pages::Pages;
pub use predict::{Drafted, NoDraft, Request, draft_call};
pub use probe::{Trouble, probe, probe_again};
pub use read::{Snapshot, environment, inventory, seo};
pub use role::role;
pub use sync::{Synced, sync_skills};
