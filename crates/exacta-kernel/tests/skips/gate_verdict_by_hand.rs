//! Only a gate gives its verdict.
use exacta_kernel::gate::{Gate, GateVerdict, Verdict};

fn speak() -> GateVerdict {
    GateVerdict { gate: Gate::Security, verdict: Verdict::Allow, rule: None, reason: String::new() }
}

fn main() {}
