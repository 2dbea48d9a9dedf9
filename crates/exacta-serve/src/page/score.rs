//! Risk and quality as bars, each reason with a link to its line.

use super::diff::Places;
use crate::html::Html;
use exacta_view::rows::tone::{grade, level};
use exacta_view::{PlanView, QualityView, ReasonView, RiskView};

/// Both scores, factor by factor.
pub fn scores(html: &mut Html, view: &PlanView, places: &Places) {
    html.tag("div", &[("class", "scores")], |html| {
        if let Some(risk) = &view.risk {
            html.tag("section", &[("aria-labelledby", "risk")], |html| risk_bars(html, risk, places));
        }
        if let Some(quality) = &view.quality {
            html.tag("section", &[("aria-labelledby", "quality")], |html| quality_bars(html, quality, places));
        }
    });
}

fn risk_bars(html: &mut Html, risk: &RiskView, places: &Places) {
    html.leaf("h2", &[("id", "risk")], &format!("Risk {} of 100, {}", risk.score, level(risk.level)));
    if !risk.boundaries.is_empty() {
        html.leaf("p", &[("class", "alarm")], "SYSTEM-LEVEL: needs a person in every profile.");
        reasons(html, &risk.boundaries, places);
    }
    for factor in &risk.factors {
        let class = if factor.score == 0 { "none" } else { "warn" };
        let value = format!("{}/{}", factor.score, factor.max);
        bar(html, &factor.name.replace('_', " "), &value, share(factor.score, factor.max), class);
        reasons(html, &factor.reasons, places);
    }
}

fn quality_bars(html: &mut Html, quality: &QualityView, places: &Places) {
    html.leaf("h2", &[("id", "quality")], &format!("Quality {}, {}", quality.score, grade(quality.level)));
    for dimension in &quality.dimensions {
        let class = if dimension.issues.is_empty() { "good" } else { "warn" };
        let value = format!("{} of {} %", dimension.score, dimension.weight);
        bar(html, &dimension.name.replace('_', " "), &value, share(dimension.score.0, 10_000), class);
        if !dimension.issues.is_empty() {
            html.tag("ul", &[("class", "reasons")], |html| {
                for issue in &dimension.issues {
                    html.tag("li", &[], |html| {
                        html.text(&issue.message);
                        places.link(html, issue.path.as_deref(), issue.line);
                        html.leaf("span", &[("class", "faint")], &format!(" {}", issue.hint));
                    });
                }
            });
        }
    }
}

fn reasons(html: &mut Html, reasons: &[ReasonView], places: &Places) {
    if reasons.is_empty() {
        return;
    }
    html.tag("ul", &[("class", "reasons")], |html| {
        for reason in reasons {
            html.tag("li", &[], |html| {
                html.text(&reason.message);
                places.link(html, reason.path.as_deref(), reason.line);
                if reason.points > 0 {
                    html.leaf("span", &[("class", "faint")], &format!(" +{}", reason.points));
                }
            });
        }
    });
}

/// A bar with its name and value in words beside it: the drawing itself says nothing that the words do not.
fn bar(html: &mut Html, name: &str, value: &str, percent: u32, class: &'static str) {
    html.tag("div", &[("class", "score")], |html| {
        html.leaf("span", &[("class", "name")], name);
        let width = percent.to_string();
        html.tag(
            "svg",
            &[("viewBox", "0 0 100 6"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")],
            |html| {
                html.tag("rect", &[("class", "track"), ("width", "100"), ("height", "6")], |_| {});
                html.tag("rect", &[("class", class), ("width", &width), ("height", "6")], |_| {});
            },
        );
        html.leaf("span", &[("class", "value")], value);
    });
}

fn share(part: u32, whole: u32) -> u32 {
    (part.saturating_mul(100)).checked_div(whole).unwrap_or_default().min(100)
}
