//! Numeric limits. A policy may lower each of them and raise none.

use crate::prelude::*;
use serde::{Deserialize, Serialize};

macro_rules! caps {
    ($($(#[doc = $about:literal])* $name:ident: $type:ty = $least:literal..=$most:expr;)*) => {
        /// The limits in force. The default of each is the highest it can be.
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
                least: $least,
                most: $most,
            },)*];

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
                Self { $($name: $most,)* }
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
    /// The lowest that makes sense.
    pub least: u64,
    /// The default and the highest there is.
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

caps! {
    /// Steps in a file or autopilot plan.
    steps: u64 = 1..=10;
    /// Steps in a site plan.
    site_steps: u64 = 0..=12;
    /// Files a plan may touch.
    files: u64 = 1..=15;
    /// Dependencies of one step.
    dependencies: u64 = 0..=5;
    /// Bytes of one target.
    target_bytes: u64 = 1..=64 << 20;
    /// Tokens a plan may be estimated at.
    tokens: u64 = 1..=96_000;
    /// Seconds a plan stays usable.
    expiry_seconds: u64 = 1..=1800;
    /// Runs at the same time, over all profiles.
    runs: u32 = 1..=5;
    /// Pages a site plan may touch.
    pages: u64 = 0..=200;
    /// Tool calls of a site plan.
    tool_calls: u64 = 0..=40;
    /// Cost of a site plan, in hundredths of a US cent.
    cost: u64 = 0..=50_000;
}
