//! What the log vouches for, as arithmetic: hashes of records, the tree of all of them, the head of the log. Nothing here knows
//! where rows are stored; `record/` reads them, asks here whether they are the ones the log was written with, and writes them.

pub mod fields;
pub mod hash;
pub mod head;
pub mod log_state;
pub mod tree;
