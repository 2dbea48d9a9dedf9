//! An ask for people: progress by stage, and what came of it where no plan did.

use crate::output::Output;
use exacta_app::ask::{ASK_EVENT, AskEvent, AskView, UsageView, VersionChange};
use exacta_kernel::text::visible_line;
use exacta_view::words::counted;
use serde_json::{Value, json};

/// Tells what happens: as JSON lines on standard output, or as text on standard error unless a JSON result was asked for.
pub struct Progress {
    events: bool,
    output: Output,
    usage: UsageView,
}

impl Progress {
    /// As the arguments say.
    pub fn new(events: bool, output: Output) -> Self {
        Self { events, output, usage: UsageView::default() }
    }

    /// Tells one event.
    pub fn tell(&mut self, event: &AskEvent) {
        if let AskEvent::Usage(usage) = event {
            self.usage = *usage;
        }
        if self.events {
            // Every byte that arrives is too much to tell.
            if !matches!(event, AskEvent::Arriving { .. }) {
                self.output.json(&line(event));
            }
        } else if !self.output.is_json()
            && let Some(text) = self.text(event)
        {
            self.output.aside_text(&text);
        }
    }

    fn text(&self, event: &AskEvent) -> Option<String> {
        let spent = self.usage.input.saturating_add(self.usage.output);
        let cost = self.usage.cost_usd.filter(|micro| *micro > 0).map_or_else(String::new, |micro| {
            format!(", {}.{:04} US dollars", micro / 1_000_000, micro % 1_000_000 / 100)
        });
        let spent = if spent == 0 { String::new() } else { format!("  ({spent} tokens{cost} so far)") };
        Some(match event {
            AskEvent::Stage { stage, doing } => format!("  {:<12}{}{spent}\n", stage.name(), visible_line(doing)),
            AskEvent::Retry { number, after_ms, code } => {
                format!("  {:<12}{code}: asking the same model again in {after_ms} ms ({number})\n", "")
            }
            AskEvent::Steps { steps } => {
                let line = |step: &exacta_app::ask::StepLine| {
                    format!("  {:<12}{} {}\n", "", short(&step.kind), visible_line(&step.target))
                };
                steps.iter().map(line).collect()
            }
            AskEvent::Step { number, of, target } => {
                format!("  {:<12}{number}/{of} {}{spent}\n", "", visible_line(target))
            }
            AskEvent::Check { name } => format!("  {:<12}running your check {}\n", "", visible_line(name)),
            AskEvent::Again(attempt) => {
                let first =
                    attempt.findings.first().map(|it| format!("{}: {}", it.code, it.message)).unwrap_or_default();
                format!("  {:<12}not accepted ({}), asking again: {}\n", "", attempt.n, visible_line(&first))
            }
            AskEvent::Arriving { .. } | AskEvent::Usage(_) => return None,
        })
    }
}

/// What was asked of whom, and what it took, in one line.
pub fn summary(view: &AskView) -> String {
    let UsageView { input, output, cost_usd } = view.usage;
    let by = view.model.as_ref().map_or_else(String::new, |model| {
        let version = model.version.as_ref().map_or_else(String::new, |version| format!(" ({version})"));
        format!("by {} ({}{version}); ", model.provider, model.model)
    });
    // What a model of the user's own machine costs is not worth a word.
    let cost = cost_usd
        .filter(|micro| *micro > 0)
        .map_or_else(String::new, |micro| format!(", {}.{:06} US dollars", micro / 1_000_000, micro % 1_000_000));
    let again = match view.attempts.len() {
        0 => String::new(),
        times => format!("; asked again {}", counted(times, "time")),
    };
    format!("{by}{input} tokens sent, {output} received{cost}{again}")
}

/// What came of it where no plan did: the context, and the steps.
pub fn lines(view: &AskView) -> Vec<String> {
    let mut rows = Vec::new();
    if let Some(intent) = &view.intent {
        rows.push(format!("{} with a confidence of {}", intent.kind, intent.confidence));
    }
    for limit in &view.constraints {
        let checked = if limit.checked { "checked" } else { "a person judges it" };
        rows.push(format!("  {} {} ({}, {checked})", limit.kind, limit.description, limit.source));
    }
    if let Some(context) = &view.context {
        rows.push(format!("{} files, about {} tokens", context.files.len(), context.tokens));
        rows.extend(
            context
                .files
                .iter()
                .map(|file| format!("  {:<8}{:<8}{:>7}  {}", file.why, file.form, file.bytes, file.path)),
        );
        rows.extend(context.left_out.iter().map(|path| format!("  not shown: {path}")));
    }
    for step in &view.steps {
        rows.push(format!("{} {} {}", step.id, short(&step.kind), step.target));
        rows.push(format!("    {}", step.description));
    }
    rows
}

/// What changed from one version of a plan to the next, file by file.
pub fn between(changes: &[VersionChange]) -> Vec<String> {
    let mut lines = vec!["since the version before:".to_owned()];
    for change in changes {
        let what = match change.change {
            "same" => "as before",
            "changed" => "changed",
            "added" => "new in this version",
            _ => "no longer changed",
        };
        lines.push(format!("  {}: {what}", change.path));
        lines.extend(change.diff.iter().flat_map(|diff| diff.lines()).skip(2).map(|line| format!("    {line}")));
    }
    lines
}

/// One letter, as in lists of changed files.
fn short(kind: &str) -> &str {
    match kind {
        "file_create" => "A",
        "file_modify" => "M",
        "file_delete" => "D",
        other => other,
    }
}

fn line(event: &AskEvent) -> Value {
    let mut line = json!({ "schema": ASK_EVENT });
    if let (Value::Object(line), Ok(Value::Object(fields))) = (&mut line, serde_json::to_value(event)) {
        line.extend(fields);
    }
    line
}
