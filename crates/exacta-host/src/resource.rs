//! What an agent can read: its plans, their diffs, the format of a proposal, and what limits every plan here.

use exacta_app::{App, Error, Options, Scope};
use exacta_kernel::id::PlanId;
use exacta_kernel::text::{excerpt, visible, visible_json};
use exacta_mcp::{Failure, Resource, Template};
use exacta_view::{PlanView, Rights, With, face};
use serde::Serialize;

const JSON: &str = "application/json";
const DIFF: &str = "text/x-diff";

const SCHEMA: &str = "exacta://schema/proposal";
const POLICY: &str = "exacta://policy";
const CONSTRAINTS: &str = "exacta://constraints";
const PLAN: &str = "exacta://plan/";

/// How many plans are listed.
const LISTED: u32 = 20;

/// What can be read now.
///
/// # Errors
/// If the record cannot be read.
pub fn listed(options: &Options) -> Result<Vec<Resource>, Failure> {
    let mut resources = vec![
        named(SCHEMA, "proposal_schema", "The format of a proposal", "JSON Schema, with examples."),
        named(POLICY, "policy", "The policy in force", "Profile, caps, rules, protected paths: what the gates go by."),
        named(CONSTRAINTS, "constraints", "The constraints in force", "Limits on every plan, in words."),
    ];
    let plans = match App::look(options).and_then(|app| app.list(None, Some(LISTED))) {
        Ok(plans) => plans,
        // Nothing is recorded here yet: there are no plans.
        Err(error) if error.is_no_project() => Vec::new(),
        Err(error) => return Err(failure(&error)),
    };
    for plan in plans {
        let words = plan.summary.text.clone().unwrap_or_default();
        let title = format!("Plan {}: {}", plan.short_id, excerpt(&words, 80));
        let uri = format!("{PLAN}{}", plan.plan_id);
        let description = format!("{}, made {}.", plan.word(), plan.created_at);
        resources.push(Resource { uri, name: format!("plan_{}", plan.short_id), title, description, mime: JSON });
    }
    Ok(resources)
}

/// Resources whose address has a part to fill in.
pub fn templates() -> Vec<Template> {
    vec![
        Template {
            uri: "exacta://plan/{plan_id}",
            name: "plan",
            title: "A plan",
            description: "Everything about one of your plans.",
            mime: JSON,
        },
        Template {
            uri: "exacta://plan/{plan_id}/diff",
            name: "plan_diff",
            title: "The diff of a plan",
            description: "What the plan changes, rendered from the exact bytes that would be written.",
            mime: DIFF,
        },
    ]
}

/// Reads one.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn read(options: &Options, uri: &str) -> Result<(&'static str, String), Failure> {
    let limits = || App::look(options).and_then(|app| app.limits());
    match uri {
        SCHEMA => Ok((JSON, exacta_kernel::schema::of_domain(exacta_kernel::proposal::Domain::Files).to_string())),
        POLICY => json(&limits().map_err(|error| failure(&error))?),
        CONSTRAINTS => json(&limits().map_err(|error| failure(&error))?.constraints),
        _ => plan(options, uri),
    }
}

fn plan(options: &Options, uri: &str) -> Result<(&'static str, String), Failure> {
    let unknown = || Failure::Params(format!("there is no resource `{}`", excerpt(uri, 120)));
    let rest = uri.strip_prefix(PLAN).ok_or_else(unknown)?;
    let (id, is_diff) = rest.strip_suffix("/diff").map_or((rest, false), |id| (id, true));
    let id = PlanId::parse(id).map_err(|_| unknown())?;
    let detail = App::look(options).and_then(|app| app.show(&id)).map_err(|error| failure(&error))?;
    if is_diff {
        Ok((DIFF, diff(&detail.plan)))
    } else {
        json(&face::detail(&detail, rights(options), With::default()))
    }
}

/// What the agent may do beside proposing.
pub fn rights(options: &Options) -> Rights {
    let has = |scope| options.caller.has(scope);
    Rights { run_allowed: has(Scope::RunAllowed), execute: has(Scope::Execute) }
}

fn diff(view: &PlanView) -> String {
    let steps = view.detail.iter().flat_map(|detail| &detail.steps);
    let diffs: Vec<&str> = steps.filter_map(|step| step.diff.as_deref()).collect();
    visible(&diffs.concat()).into_owned()
}

fn json(value: &impl Serialize) -> Result<(&'static str, String), Failure> {
    match serde_json::to_string(value) {
        Ok(text) => Ok((JSON, visible_json(&text).into_owned())),
        Err(error) => Err(Failure::Internal(error.to_string())),
    }
}

/// Why something cannot be read.
pub fn failure(error: &Error) -> Failure {
    let message = error.message.clone();
    if error.exit.is_usage() { Failure::Params(message) } else { Failure::Internal(message) }
}

fn named(uri: &str, name: &str, title: &str, description: &str) -> Resource {
    let [uri, name, title, description] = [uri, name, title, description].map(str::to_owned);
    Resource { uri, name, title, description, mime: JSON }
}
