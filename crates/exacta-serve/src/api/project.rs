//! The projects, and what is in force in them.

use super::plans::key;
use super::wire::{SetPolicy, SetProfile};
use super::{body, json};
use crate::answer::Answer;
use crate::request::Request;
use exacta_app::settings::Settings;
use exacta_app::{Error, Exit};
use serde_json::{Value, json};

/// That it answers, and whether every project can be used.
pub fn health(request: &Request) -> Result<Answer, Error> {
    let places = &request.server.places;
    let (projects, broken) = (places.all().len(), places.broken().len());
    let status = if broken == 0 { "ok" } else { "attention" };
    Ok(json(&json!({
        "schema": "exacta.health/1", "status": status, "version": env!("CARGO_PKG_VERSION"), "projects": projects, "broken": broken,
    })))
}

/// The projects of this server: one that cannot be used says why.
pub fn projects(request: &Request) -> Result<Answer, Error> {
    let mut told = Vec::new();
    for place in request.places() {
        let folder = place.folder().display().to_string();
        let profile = place.look(&request.caller).and_then(|app| app.profile_view());
        let (profile, problem) = match profile {
            Ok(profile) => (Some(profile), None),
            Err(error) => (None, Some(error.message)),
        };
        told.push(json!({
            "project_id": place.id, "name": place.name, "folder": folder, "profile": profile, "problem": problem,
        }));
    }
    told.extend(request.server.places.broken().into_iter().map(|(folder, why)| {
        json!({ "project_id": Value::Null, "name": Value::Null, "folder": folder, "profile": Value::Null, "problem": why })
    }));
    Ok(json(&json!({ "schema": "exacta.project-list/1", "projects": told })))
}

/// The profile in force.
pub fn profile(request: &Request) -> Result<Answer, Error> {
    Ok(json(&request.look()?.profile_view()?))
}

/// Changes the profile: lowering needs no key, raising it is signed by the session's.
pub fn set_profile(request: &Request) -> Result<Answer, Error> {
    let given: SetProfile = body(request)?;
    let profile = given.profile;
    let mut app = request.act()?;
    let key = match request.credential.session() {
        Some(_) if profile > app.profile_view()?.chosen => Some(key(request, given.passphrase.as_deref())?),
        _ => None,
    };
    Ok(json(&app.set_profile(profile, key.as_deref())?))
}

/// Replaces the Safety Policy, signed by the session's key.
pub fn set_policy(request: &Request) -> Result<Answer, Error> {
    let given: SetPolicy = body(request)?;
    let mut settings = Settings::open(&request.place()?.options_for(&request.caller))?;
    // Whoever may not is told so before anything is asked of them.
    settings.may_configure()?;
    if settings.policy()?.sha256 != given.replaces {
        return Err(Error::new(Exit::Drifted, "policy_changed", "the Safety Policy is not the one that was read")
            .hint("read it again, and decide again"));
    }
    let key = key(request, given.passphrase.as_deref())?;
    Ok(json(&settings.set_policy(&given.text, "the request", &key)?))
}

/// The Safety Policy in force.
pub fn policy(request: &Request) -> Result<Answer, Error> {
    Ok(json(&Settings::look(&request.server.options_for(&request.caller))?.policy()?))
}

/// Numbers for a monitor, as Prometheus reads them.
pub fn metrics(request: &Request) -> Result<Answer, Error> {
    let [all, refused, faults] = request.server.counts();
    let mut waiting = String::new();
    let mut entries = String::new();
    let mut kept = String::new();
    for place in request.places() {
        let status = place.look(&request.caller)?.status()?;
        waiting.push_str(&format!("exacta_plans_waiting{{project=\"{}\"}} {}\n", place.id, status.pending.len()));
        entries.push_str(&format!("exacta_log_entries{{project=\"{}\"}} {}\n", place.id, status.log_size));
        kept.push_str(&format!("exacta_kept_answers_total{{project=\"{}\"}} {}\n", place.id, place.kept.handed_out()));
    }
    let text = format!(
        "# TYPE exacta_requests_total counter\nexacta_requests_total {all}\n# TYPE exacta_refused_total counter\nexacta_refused_total {refused}\n# TYPE exacta_faults_total counter\nexacta_faults_total {faults}\n# TYPE exacta_plans_waiting gauge\n{waiting}# TYPE exacta_log_entries gauge\n{entries}# TYPE exacta_kept_answers_total counter\n{kept}",
    );
    Ok(Answer::text("text/plain; version=0.0.4; charset=utf-8", &text))
}
