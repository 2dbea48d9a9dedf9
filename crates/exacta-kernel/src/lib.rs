//! Exacta's kernel: everything that decides, and nothing that acts.
//!
//! The crate is `no_std`, so the compiler keeps it pure: it cannot name a file, a clock, a thread, a random number or a
//! hash map. The outside enters only as [`facts`] and policy text; decisions with their reasons come out. The stages of the
//! pipeline are types, and each takes the type of the stage before it:
//!
//! ```text
//! text ─parse→ Proposal ─seal→ Plan ─check→ ValidPlan ─assess→ Assessment ─decide→ Decision ─approve→ Approval ─permit→ Permit
//! ```
#![no_std]
#![deny(clippy::float_arithmetic)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod prelude;

#[cfg(test)]
#[path = "../tests/all/dice.rs"]
mod dice;

pub mod action;
pub mod approval;
pub mod assess;
pub mod audit;
pub mod autopilot;
pub mod binding;
pub mod capability;
pub mod check;
pub mod constraint;
pub mod content_kind;
pub mod contract;
pub mod derive;
pub mod diff;
pub mod drift;
pub mod edit;
pub mod effect;
pub mod estimate;
pub mod facts;
pub mod finding;
pub mod gate;
pub mod hash;
pub mod hint;
pub mod id;
pub mod import;
pub mod json;
pub mod kept;
pub mod level;
pub mod lifecycle;
pub mod limit;
pub mod parse;
pub mod path;
pub mod permit;
pub mod places;
pub mod plan;
pub mod policy;
pub mod profile;
pub mod proposal;
pub mod provider;
pub mod scan;
pub mod schema;
mod schema_name;
pub mod seal;
pub mod secret;
mod shape;
pub mod site;
pub mod skill;
pub mod text;
pub mod time;
pub mod verdict;
pub mod web;
