//! Nobody changes the numbers of an assessment, or moves them to another plan.
use exacta_kernel::assess::Assessment;

fn lower(mut assessment: Assessment) -> Assessment {
    assessment.risk.score = 0;
    assessment
}

fn exchange(mut assessment: Assessment, other: Assessment) -> Assessment {
    assessment.plan = other.plan;
    assessment
}

fn copy(assessment: &Assessment) -> Assessment {
    assessment.clone()
}

fn main() {}
