//! What a new version changed, for whoever asked for it.

use super::diff::plain;
use crate::html::Html;
use exacta_app::Compared;
use exacta_view::words::counted;

/// What changed since the version before, folded: the plan itself comes first.
pub fn versions(html: &mut Html, compared: Option<&Compared>) {
    let Some(compared) = compared else { return };
    html.tag("details", &[("class", "rest"), ("id", "versions")], |html| {
        let changes = compared.changes.as_deref();
        let differs = changes.map(|changes| changes.iter().filter(|change| change.change != "same").count());
        let words = match differs {
            Some(0) => "nothing".to_owned(),
            Some(files) => counted(files, "file"),
            None => "the two can no longer be compared".to_owned(),
        };
        html.leaf("summary", &[], &format!("Changed since version {}: {words}", compared.version));
        if let Some(asked) = &compared.asked {
            html.tag("p", &[("class", "words"), ("dir", "auto")], |html| {
                html.leaf("strong", &[], &format!("{} asked", asked.by)).text(": ").text(&asked.text);
            });
        }
        html.tag("p", &[], |html| {
            let words = format!("version {}", compared.version);
            html.leaf("a", &[("href", &format!("/plans/{}", compared.older))], &words);
            if changes.is_none() {
                html.text(": its files changed since, or its text was not kept");
            }
        });
        for change in changes.unwrap_or_default() {
            html.tag("article", &[("class", "step")], |html| {
                html.tag("header", &[("class", "file")], |html| {
                    html.leaf("h3", &[("dir", "auto")], &change.path);
                    html.leaf(
                        "span",
                        &[("class", "faint")],
                        match change.change {
                            "same" => "as before",
                            "changed" => "from what the older version makes of it to what this one does",
                            "added" => "new in this version",
                            _ => "no longer changed",
                        },
                    );
                });
                change.diff.iter().for_each(|diff| plain(html, diff));
            });
        }
    });
}
