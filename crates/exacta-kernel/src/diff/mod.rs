//! Unified diffs: strict reading, byte-exact application, rendering.
