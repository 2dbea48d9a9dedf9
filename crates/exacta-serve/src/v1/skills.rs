//! Skills: listed, looked at, taken over from a repository.

use super::envelope::data;
use super::wire::Sync;
use super::{body, found, person};
use crate::answer::Answer;
use crate::api::session_key;
use crate::problem::refuse;
use crate::request::Request;
use exacta_app::site::SkillFilter;
use exacta_app::{Error, Exit};
use hyper::StatusCode;
use serde_json::json;

/// Skills by name: `tag`, `safety_class`, `deprecated`, `search`, `limit`, `offset`.
pub fn list(request: &Request) -> Result<Answer, Error> {
    let wrong =
        |name: &str| refuse("VALIDATION_ERROR", &format!("`{name}` does not fit"), "see `/api/v2/openapi.json`");
    let number = |name: &'static str| request.asked(name).map(str::parse).transpose().map_err(|_| wrong(name));
    let deprecated = request.asked("deprecated").map(str::parse).transpose().map_err(|_| wrong("deprecated"))?;
    let class = request.asked("safety_class").map(|class| serde_json::from_value(json!(class)));
    let filter = SkillFilter {
        tag: request.asked("tag").map(ToOwned::to_owned),
        safety_class: class.transpose().map_err(|_| wrong("safety_class"))?,
        deprecated,
        search: request.asked("search").map(ToOwned::to_owned),
        offset: number("offset")?.unwrap_or(0),
        limit: number("limit")?,
    };
    let mut skills = Vec::new();
    for place in request.places() {
        skills.extend(place.look(&request.caller)?.skills(&filter)?);
    }
    Ok(data(request, StatusCode::OK, &json!({ "skills": skills })))
}

/// One skill.
pub fn show(request: &Request) -> Result<Answer, Error> {
    let none = Error::new(Exit::Usage, "SKILL_NOT_FOUND", "no such skill").hint("`GET /api/v1/skills`");
    let (_, skill) = found(request, |place| place.look(&request.caller)?.skill(request.part(0)), none)?;
    Ok(data(request, StatusCode::OK, &skill))
}

/// Takes the skills of a repository over, all or none, for which the session's approver signs.
pub fn sync(request: &Request) -> Result<Answer, Error> {
    let given: Sync = body(request)?;
    person(request)?;
    let mut app = request.act()?;
    let key = session_key(request, given.passphrase.as_deref())?;
    let (set, changed) = app.sync_skills(&given.repo_url, &given.commit_sha, &key)?;
    let ids: Vec<&String> = set.skills.keys().collect();
    let status = if changed { "synced" } else { "unchanged" };
    let told = json!({ "status": status, "repo_url": set.repo, "commit_sha": set.commit_sha, "ingestion_sha256": set.sha256, "skills": ids });
    Ok(data(request, StatusCode::OK, &told))
}
