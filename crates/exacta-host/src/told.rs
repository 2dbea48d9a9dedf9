//! What goes on, in words for an agent.

use exacta_app::{CheckEnd, CheckEvent, Progress};
use exacta_kernel::text::{excerpt, visible_line};

/// As much of a line that a check prints is told.
const PRINTED: usize = 500;

/// A step of a run.
pub fn step(event: &Progress) -> String {
    match event {
        Progress::StepStaged { path } => format!("ready: {}", visible_line(path.as_str())),
        Progress::Committing => "everything is verified; committing".to_owned(),
        Progress::StepDone { path } => format!("done: {}", visible_line(path.as_str())),
        Progress::RollingBack { cause } => format!("putting everything back: {}", visible_line(cause)),
    }
}

/// The operator's checks, and what they print, line by line.
pub fn check(event: &CheckEvent<'_>, tell: &mut dyn FnMut(&str)) {
    match event {
        CheckEvent::Started(command) => tell(&format!("check {}", visible_line(&command.name))),
        CheckEvent::Output(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| tell(&excerpt(line, PRINTED)));
        }
        CheckEvent::Ended(report) => tell(&format!("check {}: {}", visible_line(&report.name), ended(&report.ended))),
    }
}

fn ended(ended: &CheckEnd) -> String {
    match ended {
        CheckEnd::Passed => "passed".to_owned(),
        CheckEnd::Failed(code) => format!("failed with exit code {code}"),
        CheckEnd::Killed(signal) => format!("ended by signal {signal}"),
        CheckEnd::TimedOut => "took too long".to_owned(),
        CheckEnd::Cancelled => "stopped".to_owned(),
    }
}
