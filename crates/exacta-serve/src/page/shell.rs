//! What is around every page: head, bar, and the files that come with it.

use crate::html::Html;

/// What every page knows.
#[derive(Debug, Clone)]
pub struct Around {
    /// The project that the page is about, unless it is about all.
    pub project: Option<Project>,
    /// Every project of the server.
    pub projects: Vec<Project>,
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

/// A project of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: String,
    /// The last part of its folder.
    pub name: String,
    /// Its folder.
    pub folder: String,
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
                html.tag("footer", &[("class", "foot")], |html| {
                    html.leaf("a", &[("href", "/reference")], "For programs");
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
            let all = format!("{} projects", self.projects.len());
            let here = self.project.as_ref().map(|here| (here.name.as_str(), here.folder.as_str()));
            let (name, folder) = here.unwrap_or((&all, ""));
            html.leaf("span", &[("class", "project"), ("title", folder), ("dir", "auto")], name);
            html.tag("span", &[("class", "who")], |html| {
                if let Some(profile) = self.profile {
                    html.leaf("span", &[("class", "profile"), ("title", "the profile in force")], profile).text(" ");
                }
                html.text(&self.approver);
            });
        });
    }

    /// Whether a plan's project has to be named.
    pub(super) fn has_several(&self) -> bool {
        self.projects.len() > 1
    }

    /// Ways to the plans of one project, where there are several.
    pub(super) fn choose_project(&self, html: &mut Html, path: &str) {
        if !self.has_several() {
            return;
        }
        html.tag("nav", &[("class", "projects"), ("aria-label", "Projects")], |html| {
            let current = |is: bool| if is { "page" } else { "false" };
            html.leaf("a", &[("href", path), ("aria-current", current(self.project.is_none()))], "All");
            for project in &self.projects {
                let (here, way) = (self.project.as_ref() == Some(project), format!("{path}?project={}", project.id));
                let attributes = [("href", way.as_str()), ("aria-current", current(here)), ("dir", "auto")];
                html.leaf("a", &attributes, &project.name);
            }
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
