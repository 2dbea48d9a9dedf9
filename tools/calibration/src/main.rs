//! Measures the scores on the history of real projects: do risky commits score higher, and are ordinary ones let through?
//!
//! `docs/calibration.md` says how, and what came out.
#![expect(clippy::disallowed_methods, reason = "a measurement in folders of its own")]

mod auc;
mod chance;
mod error;
mod git;
mod label;
mod report;
mod sample;
mod score;

use clap::Parser;
use error::Error;
use sample::{Extent, Taken};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Scores commits of git repositories as plans and reports how well the scores tell good from bad
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder for report.md, report.json and rows.jsonl
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    extent: Extent,
    /// Bare repositories or .git folders, with their whole history
    #[arg(required = true)]
    repositories: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let scorer = score::Scorer::new()?;
    let mut taken = Vec::new();
    for path in &arguments.repositories {
        let mut repo = git::Repo::open(path)?;
        let one = sample::take(&mut repo, &scorer, arguments.extent)?;
        let _ = writeln!(
            std::io::stderr(),
            "{}: {} regressions, {} reverted, {} ordinary",
            one.name,
            one.regressions.groups.len(),
            one.reverted.groups.len(),
            one.ordinary.len()
        );
        taken.push(one);
    }
    let report = report::report(&taken, arguments.extent);
    std::fs::create_dir_all(&arguments.out)?;
    std::fs::write(arguments.out.join("report.json"), serde_json::to_vec_pretty(&report)?)?;
    std::fs::write(arguments.out.join("report.md"), report.markdown())?;
    rows(&arguments.out.join("rows.jsonl"), &taken)
}

/// Every commit that was looked at, for those who want to look closer.
fn rows(path: &Path, taken: &[Taken]) -> Result<(), Error> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for one in taken {
        for (study, groups) in [("regression", &one.regressions.groups), ("reverted", &one.reverted.groups)] {
            for (group, (case, controls)) in groups.iter().enumerate() {
                let rows = std::iter::once((case, true)).chain(controls.iter().map(|row| (row, false)));
                for (row, is_case) in rows {
                    let line = serde_json::json!({
                        "repository": one.name, "study": study, "group": group, "case": is_case, "row": row,
                    });
                    writeln!(out, "{line}")?;
                }
            }
        }
        for row in &one.ordinary {
            writeln!(out, "{}", serde_json::json!({ "repository": one.name, "study": "ordinary", "row": row }))?;
        }
    }
    Ok(out.flush()?)
}
