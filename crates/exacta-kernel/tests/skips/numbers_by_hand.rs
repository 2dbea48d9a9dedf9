//! Only `assess` makes risk and quality.
use exacta_kernel::assess::{BasisPoints, Grade, Level, Quality, Risk};

fn risk() -> Risk {
    Risk { score: 0, level: Level::Low, factors: Vec::new(), boundaries: Vec::new() }
}

fn quality() -> Quality {
    Quality { score: BasisPoints::ONE, level: Grade::Good, dimensions: Vec::new() }
}

fn main() {}
