//! Something went wrong, or there is no session yet.

use super::shell::{Around, bare};
use crate::hint::on_the_page;
use crate::html::Html;
use exacta_app::Error;

/// Why something was not done, and what helps; for whoever has a session or not.
#[must_use]
pub fn message(around: Option<&Around>, title: &str, error: &Error) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], title);
    html.tag("section", &[("class", "box bad"), ("role", "alert")], |html| {
        html.leaf("p", &[("dir", "auto"), ("class", "words")], &error.message);
        for place in &error.places {
            html.leaf("p", &[("class", "words")], place);
        }
        if let Some(hint) = &error.hint {
            html.leaf("p", &[("class", "faint")], &on_the_page(hint));
        }
    });
    html.tag("p", &[], |html| {
        html.leaf("a", &[("href", "/")], "Back to the inbox");
    });
    match around {
        Some(around) => around.document("message", title, &html),
        None => bare("message", title, &html),
    }
}

/// The page behind the one-time link. Opening it changes nothing, so that nobody who only looks at a link uses it up.
#[must_use]
pub fn opening(link: &str, approver: &str) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], "Review plans");
    html.leaf("p", &[], &format!("This opens the review page of {approver} in this browser. The link works once."));
    html.tag("form", &[("method", "post"), ("action", "/open"), ("data-open", "")], |html| {
        html.void("input", &[("type", "hidden"), ("name", "link"), ("value", link)]);
        html.leaf("button", &[("class", "primary"), ("type", "submit")], "Open the review page");
    });
    bare("open", "Review plans", &html)
}
