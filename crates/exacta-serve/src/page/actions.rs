//! What a person can do with a plan: one form for each act, so that all work without a script.

use crate::html::Html;
use exacta_kernel::assess::Level;
use exacta_kernel::lifecycle::Status;
use exacta_view::{Outcome, PlanDetail};

/// The word that a plan of high risk is approved with.
pub const DELIBERATE: &str = "approve";

/// What the forms need to know.
#[derive(Debug, Clone, Copy)]
pub struct Forms<'a> {
    /// What every form of the session carries.
    pub token: &'a str,
    /// Whether the passphrase is asked for.
    pub locked: bool,
}

/// Whether approving it takes a second act.
#[must_use]
pub fn is_grave(detail: &PlanDetail) -> bool {
    detail.plan.system_level || detail.plan.risk.as_ref().is_some_and(|risk| risk.level == Level::High)
}

/// The bar of acts; nothing where there is nothing to do.
pub fn actions(html: &mut Html, detail: &PlanDetail, forms: Forms<'_>) {
    let Some(id) = detail.plan.plan_id.as_deref() else { return };
    let hash = detail.plan.plan_hash.as_deref().unwrap_or_default();
    let pending = detail.live && detail.plan.status == Some(Status::Pending);
    let approved = detail.live && detail.plan.status.is_some_and(Status::is_approved) && detail.run.is_none();
    let again = approved && !(detail.counts() && detail.drifts.is_empty());
    let run = detail.run.as_ref();
    let undoable = run.is_some_and(|run| run.outcome == Outcome::Completed && !run.undone);
    let over = detail.plan.status == Some(Status::Expired);
    let about = About { id, hash, forms };
    html.tag("section", &[("class", "actions"), ("aria-label", "Decide")], |html| {
        if pending || again {
            about.approve(html, is_grave(detail));
            about.act(html, "reject", "Reject…", "r", |html| {
                field(html, "reason", "Why, for the record and the proposer", false);
            });
        }
        if pending {
            about.act(html, "revise", "Request changes…", "c", |html| {
                field(html, "text", "What should be different", true);
                place(html);
            });
        }
        if approved && !again {
            about.plain(html, "run", "Run", "primary");
        }
        if approved {
            about.act(html, "withdraw", "Withdraw…", "w", |html| field(html, "reason", "Why", false));
        }
        if let Some(run) = run.filter(|_| undoable) {
            html.leaf("a", &[("class", "button"), ("href", &format!("/runs/{}/undo", run.run_id))], "Undo…");
        }
        if run.is_some_and(|run| run.outcome == Outcome::Running) {
            about.plain(html, "cancel", "Cancel the run", "");
        }
        if over || undoable {
            about.plain(html, "resubmit", "Submit again", "");
        }
    });
}

struct About<'a> {
    id: &'a str,
    hash: &'a str,
    forms: Forms<'a>,
}

impl About<'_> {
    /// Approve, and approve and run: one click where the key is ready and the risk is not high, else what is missing is asked for first.
    fn approve(&self, html: &mut Html, grave: bool) {
        if !self.forms.locked && !grave {
            return self.form(html, "approve", &[("class", "inline"), ("data-decide", "")], |html| {
                buttons(html);
            });
        }
        html.tag("details", &[("class", "act approve"), ("data-key", "a")], |html| {
            html.leaf("summary", &[("class", "button primary"), ("data-approve", "")], "Approve…");
            self.form(html, "approve", &[("class", "ask"), ("data-decide", "")], |html| {
                self.passphrase(html);
                if grave {
                    let label = format!("This plan is of high risk. Type `{DELIBERATE}` to approve it all the same");
                    html.tag("label", &[], |html| {
                        html.text(&label);
                        html.void(
                            "input",
                            &[
                                ("name", "word"),
                                ("autocomplete", "off"),
                                ("required", ""),
                                ("pattern", DELIBERATE),
                                ("spellcheck", "false"),
                            ],
                        );
                    });
                }
                buttons(html);
            });
        });
    }

    /// An act that takes words, and the passphrase where it is not known.
    fn act(&self, html: &mut Html, name: &'static str, label: &str, key: &'static str, inside: impl FnOnce(&mut Html)) {
        html.tag("details", &[("class", "act"), ("data-key", key)], |html| {
            html.leaf("summary", &[("class", "button")], label);
            self.form(html, name, &[("class", "ask"), ("data-decide", "")], |html| {
                inside(html);
                self.passphrase(html);
                html.leaf("button", &[("type", "submit")], label.trim_end_matches('…'));
            });
        });
    }

    /// An act that takes nothing.
    fn plain(&self, html: &mut Html, name: &'static str, label: &str, class: &'static str) {
        self.form(html, name, &[("class", "inline")], |html| {
            html.leaf("button", &[("type", "submit"), ("class", class), ("data-act", name)], label);
        });
    }

    fn form(
        &self,
        html: &mut Html,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        inside: impl FnOnce(&mut Html),
    ) {
        let action = format!("/plans/{}/{name}", self.id);
        let mut all: Vec<(&'static str, &str)> = vec![("method", "post"), ("action", &action)];
        all.extend(attributes);
        html.tag("form", &all, |html| {
            hidden(html, "token", self.forms.token);
            hidden(html, "plan_hash", self.hash);
            inside(html);
        });
    }

    fn passphrase(&self, html: &mut Html) {
        if self.forms.locked {
            passphrase(html);
        }
    }
}

/// Where the passphrase is typed; it is remembered for ten minutes, in the server's memory alone.
pub fn passphrase(html: &mut Html) {
    html.tag("label", &[], |html| {
        html.text("Passphrase of your key (kept for 10 minutes)");
        html.void("input", &[("type", "password"), ("name", "passphrase"), ("autocomplete", "off"), ("required", "")]);
    });
}

/// A value that goes with a form unseen.
pub fn hidden(html: &mut Html, name: &'static str, value: &str) {
    html.void("input", &[("type", "hidden"), ("name", name), ("value", value)]);
}

fn buttons(html: &mut Html) {
    html.leaf(
        "button",
        &[("type", "submit"), ("class", "primary"), ("name", "run"), ("value", "0"), ("data-act", "approve")],
        "Approve",
    );
    html.leaf("button", &[("type", "submit"), ("name", "run"), ("value", "1"), ("data-act", "run")], "Approve and run");
}

fn field(html: &mut Html, name: &'static str, label: &str, required: bool) {
    html.tag("label", &[], |html| {
        html.text(label);
        let mut attributes = vec![("name", name), ("rows", "2"), ("dir", "auto")];
        if required {
            attributes.push(("required", ""));
        }
        html.tag("textarea", &attributes, |_| {});
    });
}

fn place(html: &mut Html) {
    html.tag("label", &[], |html| {
        html.text("Where, such as src/config.py:12 (optional)");
        html.void("input", &[("name", "at"), ("autocomplete", "off"), ("data-at", "")]);
    });
}
