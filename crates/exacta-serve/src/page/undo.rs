//! What undoing a run would do, and the act.

use super::actions::{Forms, hidden, passphrase};
use super::diff::plain;
use super::shell::Around;
use crate::html::Html;
use exacta_view::UndoView;

/// The page that asks whether a run is to be undone.
#[must_use]
pub fn undo(around: &Around, view: &UndoView, forms: Forms<'_>) -> String {
    let mut html = Html::new();
    html.leaf("h1", &[], "Undo this run?");
    html.leaf(
        "p",
        &[],
        "Every file is put back exactly as it was before the run. The undo is recorded, and can itself be undone.",
    );
    html.tag(
        "form",
        &[
            ("method", "post"),
            ("action", &format!("/runs/{}/undo", view.run_id)),
            ("class", "ask"),
            ("data-decide", ""),
        ],
        |html| {
            hidden(html, "token", forms.token);
            hidden(html, "undo_hash", &view.undo_hash);
            if forms.locked {
                passphrase(html);
            }
            html.leaf("button", &[("type", "submit"), ("class", "primary"), ("data-act", "undo")], "Undo it");
            html.leaf("a", &[("class", "button"), ("href", &format!("/plans/{}", view.plan_id))], "Leave it");
        },
    );
    for file in &view.files {
        html.tag("article", &[("class", "step")], |html| {
            html.tag("header", &[("class", "file")], |html| {
                html.leaf("h3", &[("dir", "auto")], &file.path);
            });
            plain(html, &file.diff);
        });
    }
    around.document("undo", "Undo", &html)
}
