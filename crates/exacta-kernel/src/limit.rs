//! How long each field of a proposal may be, in bytes, and how many items a list may have.
//!
//! This is the one place that says so: the table of fields ([`crate::shape`]) names these, and both the decoder and the JSON
//! Schema are made from it. Whatever is remembered of a proposal is therefore small enough to be read back.

/// An id, the name of a type or tool, and each field of `model`.
pub const NAME: usize = 128;
/// The request in words.
pub const REQUEST: usize = 16 << 10;
/// What a step does, in words; also a parameter of a primitive that is one line of text.
pub const DESCRIPTION: usize = 4 << 10;
/// An assumption, or the words of a constraint.
pub const CLAUSE: usize = 2 << 10;
/// The target of a step or constraint, and a file or symbol that a request names.
pub const TARGET: usize = 1024;
/// The address of a page.
pub const URL: usize = 2 << 10;
/// A mail that is sorted.
pub const MAIL: usize = 1 << 20;
/// `inputs`, or a tool's `arguments`, as compact JSON.
pub const INPUTS: usize = 1 << 20;

/// The bytes of a new file that is no text, decoded.
pub const BINARY: usize = 5 << 20;
/// A step that carries such bytes, as compact JSON: base64 takes a third more.
pub const BINARY_STEP: u64 = 8 << 20;

/// Constraints in a whole proposal, those of its steps included.
pub const CONSTRAINTS: usize = 64;
/// Assumptions.
pub const ASSUMPTIONS: usize = 64;
/// Files, and symbols, that a request names: as many as the largest plan has.
pub const NAMED: usize = 500;
/// Ids in `dependencies` or `satisfies`; the policy's cap on dependencies is lower.
pub const IDS: usize = 64;
/// Sources of a brief, addresses of a mail, pages that are read.
pub const SOURCES: usize = 64;
