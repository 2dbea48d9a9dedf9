//! What the operator allows: the Safety Policy, a project's tightening of it, profiles, rules and caps.

pub mod caps;
pub mod profile;
