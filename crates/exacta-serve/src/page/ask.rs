//! A request in words becomes a plan: the box to ask in, and how an ask goes.

use super::actions::hidden;
use super::shell::Around;
use crate::hint::on_the_page;
use crate::html::Html;
use exacta_app::Error;
use exacta_app::ask::Needs;

/// How an ask goes.
pub struct AskPage<'a> {
    /// Names it.
    pub id: &'a str,
    /// What was asked for.
    pub text: &'a str,
    /// What it did so far.
    pub stages: &'a [String],
    /// What a person has to say before it goes on.
    pub question: Option<&'a Needs>,
    /// Why nothing came of it.
    pub failed: Option<&'a Error>,
}

/// The box in the inbox, folded: most people come to decide.
pub fn ask_box(html: &mut Html, around: &Around) {
    html.tag("details", &[("class", "rest"), ("id", "asking")], |html| {
        html.leaf("summary", &[], "Ask for a plan");
        html.tag("form", &[("method", "post"), ("action", "/ask"), ("class", "ask")], |html| {
            hidden(html, "token", &around.form_token);
            html.tag("label", &[], |html| {
                html.text("What is to be done, and where");
                html.tag("textarea", &[("name", "text"), ("rows", "3"), ("dir", "auto"), ("required", "")], |_| {});
            });
            let here = around.project.as_ref().or(around.projects.first());
            if around.has_several() {
                html.tag("label", &[], |html| {
                    html.text("Project");
                    html.tag("select", &[("name", "project")], |html| {
                        for project in &around.projects {
                            let chosen = [("value", project.id.as_str()), ("selected", "")];
                            let known = if here == Some(project) { &chosen[..] } else { chosen.split_at(1).0 };
                            html.leaf("option", known, &project.name);
                        }
                    });
                });
            } else if let Some(project) = here {
                hidden(html, "project", &project.id);
            }
            html.leaf("button", &[("type", "submit")], "Ask");
            html.leaf(
                "p",
                &[("class", "faint")],
                "The AI provider that you set up is asked; what it makes is judged like any other plan, and waits for you.",
            );
        });
    });
}

/// How an ask goes, and what it needs.
#[must_use]
pub fn ask(around: &Around, page: &AskPage<'_>) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], "Asking for a plan");
    html.leaf("p", &[("class", "words"), ("dir", "auto")], page.text);
    html.tag("div", &[("id", "ask"), ("data-ask", page.id)], |html| {
        html.tag("ol", &[("class", "progress"), ("id", "progress")], |html| {
            for stage in page.stages {
                html.leaf("li", &[("dir", "auto")], stage);
            }
        });
        match (page.question, page.failed) {
            (Some(needs), _) => question(html, around, page.id, needs),
            (None, Some(error)) => failed(html, error),
            (None, None) => {
                html.leaf("p", &[("class", "faint")], "Its plan is shown here as soon as there is one.");
                html.tag("form", &[("method", "post"), ("action", &format!("/asks/{}/cancel", page.id))], |html| {
                    hidden(html, "token", &around.form_token);
                    html.leaf("button", &[("type", "submit")], "Cancel");
                    html.text(" ").leaf("a", &[("class", "button"), ("href", "")], "Look again");
                });
            }
        }
    });
    around.document("ask", "Asking for a plan", &html)
}

fn question(html: &mut Html, around: &Around, id: &str, needs: &Needs) {
    html.tag("section", &[("class", "box warn"), ("aria-label", "A question")], |html| {
        html.leaf("p", &[("class", "words"), ("dir", "auto")], &needs.question);
        html.tag("form", &[("method", "post"), ("action", &format!("/asks/{id}/answer")), ("class", "ask")], |html| {
            hidden(html, "token", &around.form_token);
            for candidate in &needs.candidates {
                html.leaf("button", &[("type", "submit"), ("name", "answer"), ("value", candidate)], candidate);
            }
            if needs.candidates.is_empty() {
                html.tag("label", &[], |html| {
                    html.text("Answer");
                    html.void("input", &[("name", "answer"), ("autocomplete", "off"), ("required", "")]);
                });
                html.leaf("button", &[("type", "submit")], "Go on");
            }
        });
    });
}

fn failed(html: &mut Html, error: &Error) {
    html.tag("section", &[("class", "box bad"), ("role", "alert")], |html| {
        html.leaf("p", &[("class", "words"), ("dir", "auto")], &error.message);
        if let Some(hint) = &error.hint {
            html.leaf("p", &[("class", "faint")], &on_the_page(hint));
        }
    });
    html.tag("p", &[], |html| {
        html.leaf("a", &[("href", "/")], "Back to the inbox");
    });
}
