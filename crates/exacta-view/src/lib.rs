//! Shows: plans, diffs, scores, reasons and runs, made once from what the kernel found. The terminal, the page and JSON only draw them.
//!
//! There are two layers. The views ([`PlanView`], [`RunView`], [`Ways`], …) are data, serialised as they are, and [`schema`] publishes
//! their shape. [`rows`] makes sentences of them: rows of pieces with a [`Tone`], and [`diff::Diff`] the hunks of a change. Nothing here
//! knows how wide a screen is or what colour a tone has. [`command`] names the command of a remedy, for every surface that sends people to a terminal.

mod answer;
mod bytes;
mod changes;
mod checks;
pub mod command;
pub mod diff;
pub mod emphasis;
pub mod face;
mod make;
pub mod mark;
mod next;
mod plan;
mod published;
mod record;
mod report;
pub mod row;
pub mod rows;
pub mod schema;
mod score;
mod ways;
pub mod words;

pub use answer::{Answer, AnswerView};
pub use bytes::{BinaryView, Hex};
pub use changes::ChangesRequested;
pub use checks::{CheckState, CheckView, ChecksView};
pub use face::With;
pub use make::{Judged, Registered};
pub use next::{Next, Rights, Who};
pub use plan::{ConstraintView, Detail, PartialView, PlanView, StepView};
pub use published::PLAN_VIEW;
pub use record::{
    ApprovalView, Outcome, PlanDetail, PlanLine, ReceiptView, Recovery, RunView, StatusView, Summary, UndoFile,
    UndoView,
};
pub use report::{FileReport, Found, Report, RunReport, Standing, State};
pub use row::{Row, Span, Tone};
pub use score::{
    CapabilityView, DimensionView, EstimatesView, FactorView, FindingView, GateView, IssueView, QualityView,
    ReasonView, RiskView,
};
pub use ways::{Explained, Loss, Obstacle, ProfileAnswer, StepName, Ways, Without};
