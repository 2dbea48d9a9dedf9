//! Numeric limits. The Safety Policy may lower each of them, and raise those whose maximum is above their default; a project's own
//! configuration only ever lowers them.

use crate::prelude::*;
use serde::{Deserialize, Serialize};

macro_rules! caps {
    ($($(#[doc = $about:literal])* $name:ident: $type:ty = $default:expr, $least:literal..=$most:expr;)*) => {
        /// The limits in force.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Caps {
            $($(#[doc = $about])* pub $name: $type,)*
        }

        impl Caps {
            /// What is known of each limit, in the order of the file.
            pub const ALL: &[Cap] = &[$(Cap {
                name: stringify!($name),
                about: concat!($($about),*),
                default: $default,
                least: $least,
                most: $most,
            },)*];

            /// Every limit as high as it can be: what lowers nothing.
            pub const MOST: Self = Self { $($name: $most,)* };

            /// The limit of this name.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($name) => Some(u64::from(self.$name)),)*
                    _ => None,
                }
            }

            /// Sets a limit that [`Caps::ALL`] knows and allows; anything else changes nothing.
            pub(super) fn set(&mut self, name: &str, value: u64) {
                match name {
                    $(stringify!($name) => self.$name = <$type>::try_from(value).unwrap_or(self.$name),)*
                    _ => {}
                }
            }

            /// The lower of each two limits.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self { $($name: self.$name.min(other.$name),)* }
            }
        }

        impl Default for Caps {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}

/// What is known of one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap {
    /// Its key in `[caps]`.
    pub name: &'static str,
    /// What it limits.
    pub about: &'static str,
    /// What holds where no policy says otherwise.
    pub default: u64,
    /// The lowest that the Safety Policy can set.
    pub least: u64,
    /// The highest that it can set.
    pub most: u64,
}

impl Cap {
    /// The limit of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Cap> {
        Caps::ALL.iter().find(|cap| cap.name == name)
    }

    /// The names of all limits.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Caps::ALL.iter().map(|cap| cap.name).collect()
    }
}

/// How a limit that stopped a plan can be raised, for a hint: its key, and who sets it.
#[must_use]
pub fn way(name: &str, value: u64) -> String {
    match Cap::find(name) {
        Some(cap) if value < cap.default => {
            format!(
                "`caps.{name}` was lowered to {value}, in `.exacta/config.toml` or in the Safety Policy (`policy set caps.{name} N`)"
            )
        }
        Some(cap) if value < cap.most => {
            format!(
                "or the operator raises `caps.{name}`, up to {}, in the Safety Policy: `policy set caps.{name} N`",
                cap.most
            )
        }
        _ => format!("`caps.{name}` cannot be raised above {value}"),
    }
}

caps! {
    /// Steps in a plan that a model made here.
    steps: u64 = 10, 1..=10;
    /// Steps in a plan that was submitted from outside; as `steps` where only that is given.
    submitted_steps: u64 = 10, 1..=500;
    /// Steps in a site plan.
    site_steps: u64 = 12, 0..=12;
    /// Files that a plan made here may touch.
    files: u64 = 15, 1..=15;
    /// Files that a plan submitted from outside may touch; as `files` where only that is given.
    submitted_files: u64 = 15, 1..=500;
    /// Dependencies of one step.
    dependencies: u64 = 5, 0..=5;
    /// Bytes of one target.
    target_bytes: u64 = 64 << 20, 1..=64 << 20;
    /// Bytes of a proposal that is submitted from outside.
    submitted_bytes: u64 = 8 << 20, 1..=64 << 20;
    /// Bytes of one step of such a proposal, as compact JSON.
    submitted_step_bytes: u64 = 1 << 20, 1..=64 << 20;
    /// Tokens a plan may be estimated at; one submitted from outside is confirmed above it, not refused.
    tokens: u64 = 96_000, 1..=96_000;
    /// Seconds a plan stays usable.
    expiry_seconds: u64 = 1800, 60..=86_400;
    /// Runs at the same time, over all profiles.
    runs: u32 = 5, 1..=5;
    /// Pages a site plan may touch.
    pages: u64 = 200, 0..=200;
    /// Tool calls of a site plan.
    tool_calls: u64 = 40, 0..=40;
    /// Cost of a site plan, in hundredths of a US cent.
    cost: u64 = 50_000, 0..=50_000;
}
