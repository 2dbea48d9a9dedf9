//! What waits for a person, and what there was.

use super::ask::ask_box;
use super::plan::reasons;
use super::shell::Around;
use super::time;
use crate::html::Html;
use exacta_app::Waiting;
use exacta_kernel::time::Timestamp;
use exacta_view::PlanLine;
use exacta_view::rows::list::agent;
use exacta_view::rows::tone;

/// What is in the inbox.
pub struct Inbox<'a> {
    /// Plans that wait for a person, newest first, each with its project's name.
    pub waiting: &'a [(&'a str, Waiting)],
    /// Those that may run.
    pub approved: &'a [(&'a str, PlanLine)],
    /// Whether a model of the user's can be asked for one.
    pub can_ask: bool,
}

/// Plans that wait for a person, newest first, and what runs or may run.
#[must_use]
pub fn inbox(around: &Around, inbox: &Inbox<'_>, now: Timestamp) -> String {
    let Inbox { waiting, approved, can_ask } = *inbox;
    let mut html = Html::new();
    html.leaf("h1", &[], "Waiting for you");
    around.choose_project(&mut html, "/");
    if waiting.is_empty() {
        html.leaf(
            "p",
            &[("class", "faint empty")],
            "Nothing waits for a decision. This page notices when something does.",
        );
    }
    html.leaf("button", &[("id", "notify"), ("type", "button"), ("hidden", "")], "Notify me in this browser");
    html.tag("ul", &[("class", "cards"), ("id", "inbox")], |html| {
        for (project, plan) in waiting {
            html.tag("li", &[("class", "card")], |html| {
                card(html, around, project, &plan.line, now);
                reasons(html, &plan.why, &[("class", "why"), ("dir", "auto")]);
            });
        }
    });
    if !approved.is_empty() {
        html.leaf("h2", &[], "Approved, not yet run");
        lines(&mut html, around, approved, now);
    }
    if can_ask {
        ask_box(&mut html, around);
    }
    around.document("inbox", "Inbox", &html)
}

/// All plans, newest first.
#[must_use]
pub fn history(around: &Around, plans: &[(&str, PlanLine)], shown: u32, more: bool, now: Timestamp) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], "History");
    around.choose_project(&mut html, "/history");
    if plans.is_empty() {
        html.leaf("p", &[("class", "faint empty")], "There are no plans yet.");
    }
    lines(&mut html, around, plans, now);
    if more {
        html.tag("p", &[], |html| {
            let project = around.project.as_ref().filter(|_| around.has_several());
            let project = project.map_or_else(String::new, |project| format!("&project={}", project.id));
            let next = format!("/history?show={}{project}", shown.saturating_mul(2).min(2000));
            html.leaf("a", &[("class", "button"), ("href", &next)], "Show older ones");
        });
    }
    around.document("history", "History", &html)
}

fn lines(html: &mut Html, around: &Around, plans: &[(&str, PlanLine)], now: Timestamp) {
    html.tag("ul", &[("class", "cards")], |html| {
        for (project, plan) in plans {
            html.tag("li", &[("class", "card")], |html| card(html, around, project, plan, now));
        }
    });
}

fn card(html: &mut Html, around: &Around, project: &str, plan: &PlanLine, now: Timestamp) {
    let summary = &plan.summary;
    let words = summary.text.as_deref().or(summary.intent.as_deref()).filter(|words| !words.is_empty());
    html.tag("a", &[("class", "title"), ("href", &format!("/plans/{}", plan.plan_id)), ("dir", "auto")], |html| {
        html.text(words.unwrap_or("a plan without words"));
    });
    html.tag("p", &[("class", "chips")], |html| {
        if around.has_several() {
            html.leaf("span", &[("class", "chip strong"), ("dir", "auto")], project).text(" ");
        }
        let tone = plan.outcome.map_or_else(|| tone::status_tone(plan.status), |outcome| outcome.tone(plan.undone));
        html.leaf("span", &[("class", super::plan::class(tone))], &plan.word().replace('_', " ")).text(" ");
        if summary.system_level {
            html.leaf("span", &[("class", "chip bad")], "SYSTEM-LEVEL").text(" ");
        }
        if let Some(risk) = summary.risk_score {
            html.leaf("span", &[("class", risk_class(risk))], &format!("risk {risk}")).text(" ");
        }
        if let Some(quality) = summary.quality_score {
            html.leaf("span", &[("class", "chip")], &format!("quality {quality}")).text(" ");
        }
        let files = if summary.files == 1 { "1 file".to_owned() } else { format!("{} files", summary.files) };
        html.leaf("span", &[("class", "chip")], &files).text(" ");
        if let Some(by) = &summary.by {
            html.leaf("span", &[("class", "chip")], &format!("by {}", agent(by).unwrap_or(by))).text(" ");
        }
        html.tag("span", &[("class", "chip")], |html| time::ago(html, &plan.created_at, now)).text(" ");
        if !plan.status.is_final() && plan.outcome.is_none() {
            html.tag("span", &[("class", "chip")], |html| time::left(html, &plan.expires_at, now)).text(" ");
        }
        html.leaf("span", &[("class", "chip id")], &plan.short_id);
    });
    if let Some(asked) = &plan.changes_requested {
        html.leaf(
            "p",
            &[("class", "faint"), ("dir", "auto")],
            &format!("{} asks for changes: {}", asked.by, asked.text),
        );
    }
}

const fn risk_class(risk: u32) -> &'static str {
    match risk {
        0..=30 => "chip good",
        31..=65 => "chip warn",
        _ => "chip bad",
    }
}
