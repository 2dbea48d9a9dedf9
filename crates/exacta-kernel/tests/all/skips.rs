//! No stage of the spine can be skipped: each file in `tests/skips` tries to, and does not compile.

/// INV-GATE: there is no way to a permit but through every stage.
#[test]
fn no_stage_can_be_skipped() {
    trybuild::TestCases::new().compile_fail("tests/skips/*.rs");
}
