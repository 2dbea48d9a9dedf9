//! What undoing a run would do, and the act.

use super::actions::{Forms, hidden, passphrase};
use super::shell::Around;
use crate::html::Html;
use exacta_view::UndoView;
use exacta_view::diff::{Diff, Kind};

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
            for hunk in &Diff::of(&file.diff).hunks {
                html.tag("section", &[("class", "hunk")], |html| {
                    html.leaf("div", &[("class", "hunk-head")], &hunk.head);
                    html.tag("table", &[("class", "diff")], |html| {
                        for line in &hunk.lines {
                            let (class, sign) = match line.kind {
                                Kind::Added => ("added", "+"),
                                Kind::Removed => ("removed", "−"),
                                _ => ("kept", " "),
                            };
                            html.tag("tr", &[], |html| {
                                html.tag("td", &[("class", class)], |html| {
                                    html.leaf("span", &[("class", "sign")], sign);
                                    html.leaf("code", &[], &line.text);
                                });
                            });
                        }
                    });
                });
            }
        });
    }
    around.document("undo", "Undo", &html)
}
