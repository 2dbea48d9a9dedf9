//! Joins the kernel, the store and the executor: one function per use case.
//!
//! [`App`] is an opened project. What is stored is believed only as far as its hash and signatures go: before anything is shown
//! for approval or executed, the plan is derived again from its proposal and the world as it is now (`current`).
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests prepare their folders by path"))]

mod access;
mod agent;
mod app;
pub mod ask;
pub mod autopilot;
pub mod caller;
mod clock;
mod connected;
mod current;
mod decide;
mod declared;
pub mod doctor;
pub mod error;
mod execute;
pub mod explain;
mod git;
pub mod import;
mod in_force;
mod inbox;
mod init;
mod limits;
pub mod mail;
mod name;
mod notice;
mod pipeline;
mod profile;
pub mod project;
pub mod provider;
mod read;
mod record;
mod recorded;
mod run;
pub mod settings;
mod signer;
pub mod site;
mod submit;
pub mod token;
mod view;
mod wait;
mod withdraw;

pub use agent::AgentName;
pub use app::{App, Options};
pub use caller::{Caller, Scope};
pub use connected::connected;
pub use decide::wrong_status;
pub use declared::Declared;
pub use error::{Error, Exit};
pub use exacta_exec::Event as Progress;
pub use exacta_exec::sandbox::Ended as CheckEnd;
pub use exacta_home::HeldSession;
pub use execute::{Execution, already_run, waits};
pub use explain::explain;
pub use in_force::absent_projects;
pub use inbox::Waiting;
pub use init::{Configuration, MovedRecord};
pub use limits::LimitsView;
pub use profile::ProfileView;
pub use record::{safe_on_tampering, verifier_key, verify};
pub use run::checks::CheckEvent;
pub use site::{SiteView, SkillView};
pub use submit::{Request, check};
pub use token::TokenView;
pub use wait::{Patience, exit_of, is_over};
