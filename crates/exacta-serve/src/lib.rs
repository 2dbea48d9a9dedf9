//! Speaks: the review page and the HTTP interface of one user's projects, on this machine.
//!
//! Every route is a row of one table ([`mod@routes`]), and every request goes through one gate ([`gate`]): who asks, by which credential, from which
//! page. What a caller may do is the application's to decide; a handler opens a project for that caller, calls one use case, and shows what
//! came of it. Handlers are plain functions on a bounded number of threads; only what waits is asynchronous.

mod acts;
mod admit;
mod answer;
mod api;
mod asking;
mod asks;
mod body;
mod calls;
mod credential;
mod eyes;
mod gate;
mod going;
mod hint;
mod html;
mod kept;
mod limits;
mod live;
mod mcp;
mod openapi;
mod page;
mod pages;
mod place;
mod problem;
mod request;
mod route;
mod routes;
mod runs;
mod server;
mod session;
mod socket;
mod state;
mod timer;
mod tls;
mod told;
mod v1;
mod watch;
mod work;

pub use route::Method;
pub use routes::{RouteView, routes};
pub use server::{Bound, Settings, bind};
pub use tls::TlsFiles;
