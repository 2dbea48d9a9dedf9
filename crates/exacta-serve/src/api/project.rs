//! The project and what is in force.

use super::json;
use crate::answer::Answer;
use crate::request::Request;
use exacta_app::Error;
use exacta_app::settings::Settings;
use serde_json::json;

/// That it answers.
pub fn health(request: &Request) -> Result<Answer, Error> {
    let app = request.server.look(&request.caller)?;
    Ok(json(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "project_id": app.project_id() })))
}

/// The projects of this server: so far the one it was started in.
pub fn projects(request: &Request) -> Result<Answer, Error> {
    let app = request.server.look(&request.caller)?;
    let profile = app.profile_view()?;
    Ok(json(
        &json!({ "projects": [{ "project_id": app.project_id(), "folder": app.path().display().to_string(), "profile": profile }] }),
    ))
}

/// The profile in force.
pub fn profile(request: &Request) -> Result<Answer, Error> {
    Ok(json(&request.server.look(&request.caller)?.profile_view()?))
}

/// The Safety Policy in force.
pub fn policy(request: &Request) -> Result<Answer, Error> {
    Ok(json(&Settings::look(&request.server.options_for(&request.caller))?.policy()?))
}

/// Numbers for a monitor, as Prometheus reads them.
pub fn metrics(request: &Request) -> Result<Answer, Error> {
    let status = request.server.look(&request.caller)?.status()?;
    let [all, refused, faults] = request.server.counts();
    let text = format!(
        "# TYPE exacta_requests_total counter\nexacta_requests_total {}\n# TYPE exacta_refused_total counter\nexacta_refused_total {}\n# TYPE exacta_faults_total counter\nexacta_faults_total {}\n# TYPE exacta_plans_waiting gauge\nexacta_plans_waiting {}\n# TYPE exacta_log_entries gauge\nexacta_log_entries {}\n",
        all,
        refused,
        faults,
        status.pending.len(),
        status.log_size,
    );
    Ok(Answer::text("text/plain; version=0.0.4; charset=utf-8", &text))
}
