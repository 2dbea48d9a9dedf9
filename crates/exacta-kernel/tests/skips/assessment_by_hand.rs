//! Only `assess` makes an `Assessment`.
use exacta_kernel::assess::{Assessment, Quality, Risk};
use exacta_kernel::check::ValidPlan;
use exacta_kernel::estimate::Estimates;

fn skip(plan: ValidPlan, risk: Risk, quality: Quality, estimates: Estimates) -> Assessment {
    Assessment { plan, risk, quality, estimates }
}

fn main() {}
