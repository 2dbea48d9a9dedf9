//! The names that `std` would have brought in; every module of this `no_std` crate starts with them.
pub(crate) use alloc::{
    borrow::ToOwned,
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
