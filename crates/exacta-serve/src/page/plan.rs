//! A plan: what it is, why a person is asked, what changes, what cannot be undone, and the acts; then all the rest.

use super::actions::{Forms, actions, hidden};
use super::bytes::Bytes;
use super::diff::{self, Layout, Places};
use super::score::scores;
use super::shell::Around;
use super::time;
use super::tree::tree;
use super::versions::versions;
use crate::hint::on_the_page;
use crate::html::Html;
use exacta_app::{Compared, Error};
use exacta_kernel::audit::Entry;
use exacta_kernel::lifecycle::Status;
use exacta_kernel::text::excerpt;
use exacta_kernel::time::Timestamp;
use exacta_view::rows::list::agent;
use exacta_view::rows::{ask, background, checks, tone};
use exacta_view::{Detail, Outcome, PlanDetail, PlanView, Row, Span, Tone};

/// How much of the proposer's words the title has, in characters.
const TITLE: usize = 160;

/// Titles with more characters than this are set smaller, so that the first change stays in the first view of a phone.
const LONG: usize = 80;

/// How many files are listed before the rest is folded.
const FILES: usize = 6;

/// What a plan's page is made of.
pub struct PlanPage<'a> {
    /// The plan.
    pub detail: &'a PlanDetail,
    /// What changed since the version that it answers.
    pub compared: Option<&'a Compared>,
    /// Its entries in the log.
    pub entries: &'a [Entry],
    /// Whether the passphrase is asked for.
    pub locked: bool,
    /// Whether diffs have two columns.
    pub split: bool,
    /// Which bytes of files that are no text are shown.
    pub bytes: Bytes,
    /// Why what was asked for was not done.
    pub error: Option<&'a Error>,
    /// Now.
    pub now: Timestamp,
}

/// The page of a plan.
#[must_use]
pub fn plan(around: &Around, page: &PlanPage<'_>) -> String {
    let (detail, view) = (page.detail, &page.detail.plan);
    let places = Places::of(view);
    let title = title(view);
    let mut html = Html::new();
    html.tag(
        "div",
        &[
            ("class", "plan"),
            ("id", "plan"),
            ("data-plan", view.plan_id.as_deref().unwrap_or_default()),
            ("data-hash", view.plan_hash.as_deref().unwrap_or_default()),
        ],
        |html| {
            head(html, view, &title, page.now);
            error(html, page.error);
            state(html, detail);
            why(html, detail);
            files(html, view);
            actions(html, detail, Forms { token: &around.form_token, locked: page.locked });
            versions(html, page.compared);
            changes(html, page, &places, &around.form_token);
            rest(html, page, &places);
        },
    );
    around.document("plan", &title, &html)
}

fn title(view: &PlanView) -> String {
    let words = view.detail.as_ref().map(|detail| detail.intent_text.trim()).unwrap_or_default();
    let first = words.lines().next().unwrap_or_default();
    match first {
        "" => format!("Plan {}", view.short_id.as_deref().unwrap_or_default()),
        first => excerpt(first, TITLE).to_string(),
    }
}

/// What it is, who proposes it, and the numbers in one line.
fn head(html: &mut Html, view: &PlanView, title: &str, now: Timestamp) {
    let class = if title.chars().count() > LONG { "long" } else { "short" };
    html.leaf("h1", &[("class", class), ("dir", "auto")], title);
    html.tag("p", &[("class", "chips")], |html| {
        if let Some(status) = view.status {
            chip(html, tone::status_tone(status), status.name().replace('_', " ").as_str());
        }
        if view.system_level {
            chip(html, Tone::Bad, "SYSTEM-LEVEL");
        }
        if let Some(risk) = &view.risk {
            chip(html, tone::level_tone(risk.level), &format!("risk {} {}", risk.score, tone::level(risk.level)));
        }
        if let Some(quality) = &view.quality {
            chip(html, tone::grade_tone(quality.level), &format!("quality {}", quality.score));
        }
        if let Some(detail) = &view.detail {
            chip(html, Tone::Plain, &detail.intent);
            if detail.version > 1 {
                chip(html, Tone::Plain, &format!("version {}", detail.version));
            }
            chip(html, Tone::Plain, &format!("by {}", proposer(detail)));
            let exact = detail.irreversible.is_empty();
            chip(
                html,
                if exact { Tone::Good } else { Tone::Bad },
                if exact { "undo: exact" } else { "undo: not all of it" },
            );
        }
        let usable = view.status.is_some_and(|status| !status.is_final());
        if let Some(at) = view.expires_at.as_ref().filter(|_| usable) {
            html.tag("span", &[("class", "chip")], |html| time::left(html, at, now));
        }
        if let Some(id) = &view.short_id {
            html.leaf("span", &[("class", "chip id"), ("title", view.plan_id.as_deref().unwrap_or_default())], id);
        }
    });
}

/// The credential, and the model it declares.
fn proposer(detail: &Detail) -> String {
    let model = detail.binding.as_ref().and_then(|binding| binding.pointer("/proposer/model/model")?.as_str());
    let by = detail.by.as_deref().unwrap_or("unknown");
    let by = agent(by).unwrap_or(by);
    model.map_or_else(|| by.to_owned(), |model| format!("{by} ({model})"))
}

fn chip(html: &mut Html, tone: Tone, words: &str) {
    html.leaf("span", &[("class", class(tone))], words).text(" ");
}

pub const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "chip good",
        Tone::Warn => "chip warn",
        Tone::Bad => "chip bad",
        Tone::Faint => "chip faint",
        _ => "chip",
    }
}

fn error(html: &mut Html, error: Option<&Error>) {
    let Some(error) = error else { return };
    html.tag("section", &[("class", "box bad"), ("role", "alert")], |html| {
        html.leaf("p", &[("class", "words"), ("dir", "auto")], &error.message);
        if let Some(hint) = &error.hint {
            html.leaf("p", &[("class", "faint")], &on_the_page(hint));
        }
    });
}

/// Where it stands, if it does not just wait: over, decided, or run.
fn state(html: &mut Html, detail: &PlanDetail) {
    if let Some(run) = &detail.run {
        let (_, name) = (run.tone(), run.word().replace('_', " "));
        let class = match run.tone() {
            Tone::Good => "box good",
            Tone::Warn => "box warn",
            Tone::Bad => "box bad",
            _ => "box",
        };
        html.tag("section", &[("class", class), ("id", "run"), ("data-run", &run.run_id)], |html| {
            html.leaf("h2", &[], &format!("Run {name}"));
            if let Some(reason) = &run.reason {
                html.leaf("p", &[("dir", "auto")], reason);
            }
            html.tag("ol", &[("class", "progress"), ("id", "progress")], |html| {
                if run.outcome == Outcome::Completed && !run.undone {
                    for step in &run.steps {
                        html.leaf("li", &[], &format!("{} {}", step.verb(), step.path));
                    }
                }
            });
            for kept in &run.kept {
                html.leaf("p", &[], &format!("kept: {kept}"));
            }
        });
        return;
    }
    let status = detail.plan.status;
    if let Some(reason) = detail.reason.as_ref().filter(|_| matches!(status, Some(Status::Expired | Status::Rejected)))
    {
        let word = if status == Some(Status::Expired) { "Expired" } else { "Rejected" };
        html.tag("section", &[("class", "box warn"), ("id", "over")], |html| {
            html.tag("p", &[("dir", "auto")], |html| {
                html.leaf("strong", &[], word).text(": ").text(reason);
            });
        });
    }
    if let Some(asked) = &detail.plan.changes_requested {
        html.tag("section", &[("class", "box warn")], |html| {
            html.tag("p", &[("dir", "auto")], |html| {
                html.leaf("strong", &[], &format!("{} asks for changes", asked.by)).text(": ").text(&asked.text);
            });
        });
    }
    if status == Some(Status::UserApproved) {
        let by = detail
            .approvals
            .iter()
            .filter(|approval| approval.invalid.is_none())
            .map(|approval| approval.approver.as_str());
        let by: Vec<&str> = by.collect();
        html.leaf("p", &[("class", "box good")], &format!("Approved by {}; it has not run.", by.join(", ")));
    }
}

/// Why a person is asked, what is only a part, what the checks said, and what cannot be undone.
fn why(html: &mut Html, detail: &PlanDetail) {
    let view = &detail.plan;
    let mut rows = if detail.live && view.status == Some(Status::Pending) { ask::reasons(view) } else { Vec::new() };
    rows.extend(view.detail.iter().flat_map(|detail| &detail.partial_of).map(ask::partial));
    rows.extend(checks::brief(view));
    rows.extend(ask::irreversible(view));
    if rows.is_empty() && view.findings.is_empty() {
        return;
    }
    html.tag("section", &[("class", "box why"), ("aria-label", "Why you are asked")], |html| {
        reasons(html, &rows, &[("dir", "auto")]);
        for finding in &view.findings {
            html.tag("p", &[("dir", "auto")], |html| {
                html.leaf("strong", &[], &finding.code).text(": ").text(&finding.message);
                html.leaf("span", &[("class", "faint")], &format!(" {}", finding.hint));
            });
        }
    });
}

/// Rows of reasons: a word that the row above begins with, too, is said once.
pub fn reasons(html: &mut Html, rows: &[Row], attributes: &[(&'static str, &str)]) {
    let mut before = None;
    for row in rows {
        let first = row.spans().first();
        let again = first.is_some() && first == before;
        html.tag("p", attributes, |html| match (again, first) {
            (true, Some(first)) => {
                html.leaf("span", &[("class", "again"), ("aria-hidden", "true")], &first.text);
                spans(html, row.spans().get(1..).unwrap_or_default());
            }
            _ => row_text(html, row),
        });
        before = first;
    }
}

/// A row of a view, with its tones.
pub fn row_text(html: &mut Html, row: &Row) {
    spans(html, row.spans());
}

fn spans(html: &mut Html, spans: &[Span]) {
    for span in spans {
        let words = if span.column.is_some() { format!("{} ", span.text) } else { span.text.clone() };
        match span.tone {
            Tone::Plain => html.text(&words),
            Tone::Strong => html.leaf("strong", &[], &words),
            Tone::Faint => html.leaf("span", &[("class", "faint")], &words),
            Tone::Good => html.leaf("span", &[("class", "good")], &words),
            Tone::Warn => html.leaf("strong", &[("class", "warn")], &words),
            Tone::Bad => html.leaf("strong", &[("class", "bad")], &words),
            _ => html.leaf("code", &[], &words),
        };
    }
}

/// The files by name with how much changes; the largest first where there are many.
fn files(html: &mut Html, view: &PlanView) {
    let Some(detail) = view.detail.as_ref().filter(|detail| !detail.steps.is_empty()) else { return };
    let (added, removed) = detail.steps.iter().fold((0, 0), |(a, r), step| (a + step.added, r + step.removed));
    let many = detail.steps.len() > FILES;
    let mut steps: Vec<_> = detail.steps.iter().collect();
    if many {
        steps.sort_by_key(|step| core::cmp::Reverse(step.added + step.removed));
    }
    let list = |html: &mut Html, steps: &[&exacta_view::StepView]| {
        html.tag("ul", &[("class", "files")], |html| {
            for step in steps {
                html.tag("li", &[], |html| {
                    let (letter, word) = diff::letter(&step.kind);
                    html.leaf("abbr", &[("class", "kind"), ("title", word)], letter);
                    html.leaf("a", &[("href", &format!("#step-{}", step.order)), ("dir", "auto")], &step.target);
                    diff::counts(html, step);
                });
            }
        });
    };
    html.tag("section", &[("class", "changes"), ("aria-label", "What changes")], |html| {
        let (first, others) = steps.split_at(steps.len().min(FILES));
        list(html, first);
        if !others.is_empty() {
            html.tag("details", &[], |html| {
                let (files, others) = (view.target_files.len(), others.len());
                html.tag("summary", &[], |html| {
                    html.text(&format!("and {others} more; {files} files, +{added} −{removed} lines in all "));
                    html.tag("span", &[("id", "viewed-count"), ("class", "faint")], |_| {});
                });
                tree(html, &detail.steps);
            });
        }
    });
}

/// The diffs, and the form that selects among them.
fn changes(html: &mut Html, page: &PlanPage<'_>, places: &Places, token: &str) {
    let view = &page.detail.plan;
    let Some(detail) = &view.detail else { return };
    let id = view.plan_id.as_deref().unwrap_or_default();
    let parts: usize =
        detail.steps.iter().filter_map(|step| step.diff.as_deref()).map(|diff| diff.matches("\n@@ ").count()).sum();
    let selectable = page.detail.live && view.status == Some(Status::Pending) && (detail.steps.len() > 1 || parts > 1);
    html.tag("div", &[("class", "tools")], |html| {
        if selectable {
            html.tag("label", &[("class", "switch")], |html| {
                html.void("input", &[("type", "checkbox"), ("id", "selecting"), ("data-key", "s")])
                    .text("Select parts");
            });
            html.tag(
                "form",
                &[("method", "post"), ("action", &format!("/plans/{id}/select")), ("id", "selection")],
                |html| {
                    hidden(html, "token", token);
                    html.leaf("button", &[("type", "submit")], "Make a plan of what is selected");
                },
            );
        }
        let (here, other, words) =
            if page.split { ("split", "unified", "One column") } else { ("unified", "split", "Two columns") };
        html.leaf("a", &[("class", "layout"), ("href", &format!("?diff={other}")), ("data-layout", here)], words);
    });
    let layout = if page.split { Layout::Split } else { Layout::Unified };
    for step in &detail.steps {
        diff::step(html, step, places, layout, selectable, page.bytes);
    }
}

/// Everything else, one act away.
fn rest(html: &mut Html, page: &PlanPage<'_>, places: &Places) {
    let view = &page.detail.plan;
    scores(html, view, places);
    html.tag("details", &[("class", "rest")], |html| {
        html.leaf("summary", &[], "Gates, constraints, binding, estimates");
        html.leaf("h2", &[], "Gates");
        html.tag("ul", &[("class", "rows")], |html| {
            for gate in &view.gates {
                html.tag("li", &[("dir", "auto")], |html| {
                    html.leaf("strong", &[], &gate.gate)
                        .text(&format!(" {}: ", tone::word(gate.verdict)))
                        .text(&gate.reason);
                    if let Some(rule) = &gate.rule {
                        html.leaf("span", &[("class", "faint")], &format!(" (rule {rule})"));
                    }
                });
            }
        });
        let constraints: Vec<_> = view.detail.iter().flat_map(|detail| &detail.constraints).collect();
        if !constraints.is_empty() {
            html.leaf("h2", &[], "Constraints");
            html.tag("ul", &[("class", "rows")], |html| {
                for constraint in constraints {
                    html.tag("li", &[("dir", "auto")], |html| {
                        html.leaf("strong", &[], &constraint.state)
                            .text(&format!(" {} ", constraint.kind))
                            .text(&constraint.description);
                        html.leaf(
                            "span",
                            &[("class", "faint")],
                            &format!(" ({}) {}", constraint.source, constraint.reason),
                        );
                    });
                }
            });
        }
        html.leaf("h2", &[], "What it was made against");
        html.tag("ul", &[("class", "rows")], |html| {
            for row in background::background(view) {
                html.tag("li", &[("dir", "auto")], |html| row_text(html, &row));
            }
        });
        if let Some(detail) = view.detail.as_ref().filter(|detail| {
            detail.intent_text.trim().chars().count() > TITLE || detail.intent_text.trim().contains('\n')
        }) {
            html.leaf("h2", &[], "The proposer's words");
            html.leaf("p", &[("class", "words"), ("dir", "auto")], &detail.intent_text);
        }
    });
    html.tag("details", &[("class", "rest")], |html| {
        html.leaf("summary", &[], &format!("History ({} entries in the log)", page.entries.len()));
        html.tag("ol", &[("class", "rows log")], |html| {
            for entry in page.entries {
                html.tag("li", &[("dir", "auto")], |html| {
                    time::ago(html, &entry.at.to_string(), page.now);
                    html.text(" ").leaf("strong", &[], &word(entry));
                    html.text(&format!(" by {} ", entry.actor)).text(&entry.reason);
                    html.leaf("span", &[("class", "faint")], &format!(" entry {}", entry.seq));
                });
            }
        });
    });
}

/// An event's name in words.
fn word(entry: &Entry) -> String {
    let name = serde_json::to_value(entry.event).ok().and_then(|name| name.as_str().map(|name| name.replace('_', " ")));
    name.unwrap_or_default()
}
