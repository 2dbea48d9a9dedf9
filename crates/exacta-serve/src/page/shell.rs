//! What is around every page: head, bar, and the files that come with it.

use crate::html::Html;

/// What every page knows.
#[derive(Debug, Clone)]
pub struct Around {
    /// The project's name: the last part of its folder.
    pub project: String,
    /// Its folder.
    pub folder: String,
    /// Whose session it is.
    pub approver: String,
    /// The profile in force, unless the policy is broken.
    pub profile: Option<&'static str>,
    /// How many plans wait.
    pub waiting: usize,
    /// What every form of this session carries.
    pub form_token: String,
    /// What is wrong with the record, the policy or a run: a person has to look.
    pub alarms: Vec<String>,
}

/// A file that comes with the page.
pub struct Asset {
    /// Its path.
    pub path: &'static str,
    /// What it is.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
}

const ASSETS: [Asset; 3] = [
    Asset { path: "/assets/page.css", kind: "text/css; charset=utf-8", text: include_str!("../../assets/page.css") },
    Asset {
        path: "/assets/page.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("../../assets/page.js"),
    },
    Asset { path: "/assets/icon.svg", kind: "image/svg+xml", text: include_str!("../../assets/icon.svg") },
];

/// The file of this path.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

impl Around {
    /// A whole document with this inside; `page` names what it is for the script.
    #[must_use]
    pub fn document(&self, page: &str, title: &str, inside: &Html) -> String {
        let mut html = Html::new();
        html.tag("html", &[("lang", "en")], |html| {
            head(html, &format!("{title} · Exacta"));
            html.tag("body", &[("data-page", page)], |html| {
                html.leaf("a", &[("class", "skip"), ("href", "#main")], "Skip to the content");
                self.bar(html);
                html.tag("main", &[("id", "main"), ("tabindex", "-1")], |html| {
                    self.alarms(html);
                    html.add(inside);
                });
                html.tag("div", &[("id", "live"), ("role", "status"), ("aria-live", "polite")], |_| {});
            });
        });
        html.into_document()
    }

    fn bar(&self, html: &mut Html) {
        html.tag("header", &[("class", "bar")], |html| {
            html.tag("nav", &[("aria-label", "Exacta")], |html| {
                html.tag("a", &[("href", "/"), ("class", "brand")], |html| {
                    html.text("Inbox");
                    if self.waiting > 0 {
                        html.text(" ").leaf("span", &[("class", "count")], &self.waiting.to_string());
                    }
                });
                html.leaf("a", &[("href", "/history")], "History");
            });
            html.leaf("span", &[("class", "project"), ("title", &self.folder), ("dir", "auto")], &self.project);
            html.tag("span", &[("class", "who")], |html| {
                if let Some(profile) = self.profile {
                    html.leaf("span", &[("class", "profile"), ("title", "the profile in force")], profile).text(" ");
                }
                html.text(&self.approver);
            });
        });
    }

    fn alarms(&self, html: &mut Html) {
        for alarm in &self.alarms {
            html.leaf("p", &[("class", "alarm"), ("role", "alert")], alarm);
        }
    }
}

/// A document for whoever has no session.
#[must_use]
pub fn bare(page: &str, title: &str, inside: &Html) -> String {
    let mut html = Html::new();
    html.tag("html", &[("lang", "en")], |html| {
        head(html, &format!("{title} · Exacta"));
        html.tag("body", &[("data-page", page)], |html| {
            html.tag("main", &[("id", "main"), ("class", "bare")], |html| {
                html.add(inside);
            });
        });
    });
    html.into_document()
}

fn head(html: &mut Html, title: &str) {
    html.tag("head", &[], |html| {
        html.void("meta", &[("charset", "utf-8")]);
        html.void("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
        html.void("meta", &[("name", "color-scheme"), ("content", "light dark")]);
        html.leaf("title", &[], title);
        html.void("link", &[("rel", "icon"), ("href", "/assets/icon.svg")]);
        html.void("link", &[("rel", "stylesheet"), ("href", "/assets/page.css")]);
        html.tag("script", &[("src", "/assets/page.js"), ("defer", "")], |_| {});
    });
}
