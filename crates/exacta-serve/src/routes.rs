//! Every route there is: one table. What is not in it is not there.

use crate::answer::Answer;
use crate::api::given;
use crate::api::wire::{self, schema};
use crate::request::Request;
use crate::route::{Access, Doc, Handler, Method, Route};
use crate::{acts, api, asking, pages, v1};
use exacta_app::Error;

const fn get(path: &'static str, access: Access, handler: fn(&Request) -> Result<Answer, Error>) -> Route {
    Route { method: Method::Get, path, access, handler: Handler::Work(handler), doc: Doc::PAGE }
}

const fn post(path: &'static str, handler: fn(&Request) -> Result<Answer, Error>) -> Route {
    Route { method: Method::Post, path, access: Access::Session, handler: Handler::Work(handler), doc: Doc::PAGE }
}

/// A route for programs.
const fn api(method: Method, path: &'static str, handler: Handler, doc: Doc) -> Route {
    Route { method, path, access: Access::Api, handler, doc }
}

/// A route, for whoever checks them all.
#[derive(Debug, Clone, Copy)]
pub struct RouteView {
    /// How.
    pub method: Method,
    /// Where.
    pub path: &'static str,
    /// Whether a session is needed.
    pub session: bool,
    /// Whether it is for programs.
    pub api: bool,
    /// Whether it is for agents alone.
    pub agent: bool,
}

/// Every route there is.
pub fn routes() -> impl Iterator<Item = RouteView> {
    ROUTES.iter().map(|route| RouteView {
        method: route.method,
        path: route.path,
        session: route.access == Access::Session,
        api: route.access == Access::Api,
        agent: route.access == Access::Agent,
    })
}

/// All routes.
pub static ROUTES: &[Route] = &[
    get("/assets/page.css", Access::Open, pages::asset),
    get("/assets/page.js", Access::Open, pages::asset),
    get("/assets/icon.svg", Access::Open, pages::asset),
    get("/open/{link}", Access::Open, pages::opening),
    Route {
        method: Method::Post,
        path: "/open",
        access: Access::Open,
        handler: Handler::Work(acts::open),
        doc: Doc::PAGE,
    },
    get("/", Access::Session, pages::inbox),
    get("/history", Access::Session, pages::history),
    get("/plans/{id}", Access::Session, pages::plan),
    get("/runs/{id}/undo", Access::Session, pages::undo),
    Route {
        method: Method::Get,
        path: "/reference",
        access: Access::Session,
        handler: Handler::Reference,
        doc: Doc::PAGE,
    },
    Route { method: Method::Get, path: "/events", access: Access::Session, handler: Handler::Live, doc: Doc::PAGE },
    Route { method: Method::Post, path: "/mcp", access: Access::Agent, handler: Handler::Mcp, doc: Doc::PAGE },
    get("/asks/{id}", Access::Session, asking::show),
    post("/ask", asking::begin),
    post("/asks/{id}/answer", asking::answer),
    post("/asks/{id}/cancel", asking::cancel),
    post("/plans/{id}/approve", acts::approve),
    post("/plans/{id}/reject", acts::reject),
    post("/plans/{id}/revise", acts::revise),
    post("/plans/{id}/select", acts::select),
    post("/plans/{id}/withdraw", acts::withdraw),
    post("/plans/{id}/run", acts::run),
    post("/plans/{id}/cancel", acts::cancel),
    post("/plans/{id}/resubmit", acts::resubmit),
    post("/runs/{id}/undo", acts::undo),
    api(
        Method::Get,
        "/api/v2/health",
        Handler::Work(api::health),
        Doc::api("health", "whether it answers").gives(given::health),
    ),
    api(
        Method::Get,
        "/api/v2/metrics",
        Handler::Work(api::metrics),
        Doc::api("metrics", "numbers for a monitor").text("text/plain"),
    ),
    api(Method::Get, "/api/v2/openapi.json", Handler::OpenApi, Doc::api("openapi", "this document")),
    api(
        Method::Get,
        "/api/v2/projects",
        Handler::Work(api::projects),
        Doc::api("projects", "the projects of this server").gives(given::projects),
    ),
    api(
        Method::Get,
        "/api/v2/policy",
        Handler::Work(api::policy),
        Doc::api("policy", "the Safety Policy in force").gives(given::policy),
    ),
    api(
        Method::Get,
        "/api/v2/profile",
        Handler::Work(api::profile),
        Doc::api("profile", "the profile in force").gives(given::profile).query(&["project"]),
    ),
    api(
        Method::Post,
        "/api/v2/policy",
        Handler::Work(api::set_policy),
        Doc::api("set_policy", "replaces the Safety Policy; an approver's session alone")
            .gives(given::policy)
            .query(&["project"])
            .body(schema::<wire::SetPolicy>),
    ),
    api(
        Method::Post,
        "/api/v2/profile",
        Handler::Work(api::set_profile),
        Doc::api("set_profile", "changes the profile of a project; an approver's session alone")
            .gives(given::profile)
            .query(&["project"])
            .body(schema::<wire::SetProfile>),
    ),
    api(
        Method::Post,
        "/api/v2/plans",
        Handler::Work(api::submit),
        Doc::api("submit", "stores what becomes of a proposal, which is the body")
            .gives(given::plan)
            .query(&["project", "revises", "run", "with"])
            .answers(&["201"]),
    ),
    api(
        Method::Post,
        "/api/v2/plans/check",
        Handler::Work(api::check),
        Doc::api("check", "judges a proposal, which is the body, and stores nothing")
            .gives(given::plan)
            .query(&["project", "with"]),
    ),
    api(
        Method::Get,
        "/api/v2/plans",
        Handler::Work(api::list),
        Doc::api("list", "plans, newest first")
            .gives(given::plans)
            .query(&["project", "status", "by", "limit", "after"]),
    ),
    api(
        Method::Get,
        "/api/v2/plans/{id}",
        Handler::Work(api::show),
        Doc::api("show", "a plan; `with` adds diff, hex, reasons, binding").gives(given::plan).query(&["with"]),
    ),
    api(
        Method::Get,
        "/api/v2/plans/{id}/diff",
        Handler::Work(api::diff),
        Doc::api("diff", "what a plan changes").text("text/x-diff"),
    ),
    api(
        Method::Get,
        "/api/v2/plans/{id}/wait",
        Handler::Wait(api::wait),
        Doc::api("wait", "the answer to a plan, when there is one or the time is over")
            .gives(given::answer)
            .query(&["timeout"]),
    ),
    api(
        Method::Post,
        "/api/v2/plans/{id}/approve",
        Handler::Work(api::approve),
        Doc::api("approve", "approves exactly the plan of that hash").gives(given::plan).body(schema::<wire::Approve>),
    ),
    api(
        Method::Post,
        "/api/v2/plans/{id}/reject",
        Handler::Work(api::reject),
        Doc::api("reject", "rejects a plan for good").gives(given::plan).body(schema::<wire::Because>),
    ),
    api(
        Method::Post,
        "/api/v2/plans/{id}/revise",
        Handler::Work(api::revise),
        Doc::api("revise", "asks for changes").gives(given::plan).body(schema::<wire::Revise>),
    ),
    api(
        Method::Post,
        "/api/v2/plans/{id}/derive",
        Handler::Work(api::derive),
        Doc::api("derive", "makes a plan of some parts of another")
            .gives(given::plan)
            .body(schema::<wire::Derive>)
            .answers(&["201"]),
    ),
    api(
        Method::Post,
        "/api/v2/plans/{id}/withdraw",
        Handler::Work(api::withdraw),
        Doc::api("withdraw", "withdraws a plan that has not run").gives(given::plan).body(schema::<wire::Because>),
    ),
    api(
        Method::Post,
        "/api/v2/runs",
        Handler::Work(api::start),
        Doc::api("start", "runs an approved plan")
            .gives(given::started)
            .body(schema::<wire::Start>)
            .answers(&["201", "202"]),
    ),
    api(Method::Get, "/api/v2/runs/{id}", Handler::Work(api::run), Doc::api("run", "a run").gives(given::run)),
    api(
        Method::Get,
        "/api/v2/runs/{id}/events",
        Handler::Work(api::events),
        Doc::api("events", "what the log says of a run").gives(given::entries),
    ),
    api(
        Method::Post,
        "/api/v2/runs/{id}/cancel",
        Handler::Work(api::cancel),
        Doc::api("cancel", "cancels a run between two steps")
            .gives(given::run)
            .body(schema::<wire::Nothing>)
            .answers(&["202"]),
    ),
    api(
        Method::Post,
        "/api/v2/runs/{id}/undo",
        Handler::Work(api::undo),
        Doc::api("undo", "shows an undo, or undoes what was shown")
            .gives(given::undone)
            .body(schema::<wire::Undo>)
            .answers(&["200", "201"]),
    ),
    api(
        Method::Get,
        "/api/v2/audit/entries",
        Handler::Work(api::entries),
        Doc::api("entries", "entries of the log").gives(given::entries).query(&["project", "operation", "last"]),
    ),
    api(
        Method::Get,
        "/api/v2/audit/proof/{seq}",
        Handler::Work(api::proof),
        Doc::api("proof", "proof that an entry is in the log").query(&["project"]).text("text/plain"),
    ),
    api(
        Method::Get,
        "/api/v2/audit/checkpoint",
        Handler::Work(api::checkpoint),
        Doc::api("checkpoint", "the newest checkpoint as a signed note, and the key to verify it with")
            .gives(given::checkpoint)
            .query(&["project"]),
    ),
    api(
        Method::Post,
        "/api/v2/audit/verify",
        Handler::Work(api::verify),
        Doc::api("verify", "verifies the whole record")
            .gives(given::verified)
            .query(&["project"])
            .body(schema::<wire::Nothing>),
    ),
    api(
        Method::Post,
        "/api/v1/plans/draft",
        Handler::Work(v1::draft),
        Doc::api("v1_draft", "drafts a plan for a site: Plan Contract v1").body(schema::<v1::wire::Draft>),
    ),
    api(
        Method::Get,
        "/api/v1/plans",
        Handler::Work(v1::list),
        Doc::api("v1_plans", "plans for sites, newest first").query(&["site", "status", "limit", "cursor"]),
    ),
    api(
        Method::Get,
        "/api/v1/plans/{plan}",
        Handler::Work(v1::show),
        Doc::api("v1_plan", "a plan for a site, with what happened to it"),
    ),
    api(
        Method::Post,
        "/api/v1/plans/{plan}/approve",
        Handler::Work(v1::approve),
        Doc::api("v1_approve", "approves exactly the plan of that hash; nothing runs")
            .body(schema::<v1::wire::Approve>),
    ),
    api(
        Method::Post,
        "/api/v1/runs",
        Handler::Work(v1::start),
        Doc::api("v1_start", "runs an approved plan for a site, once")
            .body(schema::<v1::wire::Start>)
            .answers(&["202"]),
    ),
    api(
        Method::Get,
        "/api/v1/runs",
        Handler::Work(v1::list_runs),
        Doc::api("v1_runs", "runs on sites, newest first").query(&["site", "limit"]),
    ),
    api(
        Method::Get,
        "/api/v1/runs/{run}",
        Handler::Work(v1::show_run),
        Doc::api("v1_run", "a run with its steps, events and rollbacks"),
    ),
    api(
        Method::Get,
        "/api/v1/runs/{run}/events",
        Handler::Follow(v1::events),
        Doc::api("v1_events", "what happens in a run, as it happens").text("text/event-stream"),
    ),
    api(
        Method::Post,
        "/api/v1/runs/{run}/rollback",
        Handler::Work(v1::rollback),
        Doc::api("v1_rollback", "rolls a completed run back").body(schema::<v1::wire::Rollback>).answers(&["202"]),
    ),
    api(
        Method::Get,
        "/api/v1/skills",
        Handler::Work(v1::list_skills),
        Doc::api("v1_skills", "skills by name").query(&[
            "tag",
            "safety_class",
            "deprecated",
            "search",
            "limit",
            "offset",
        ]),
    ),
    api(Method::Get, "/api/v1/skills/{skill}", Handler::Work(v1::show_skill), Doc::api("v1_skill", "one skill")),
    api(
        Method::Post,
        "/api/v1/skills/sync",
        Handler::Work(v1::sync),
        Doc::api("v1_sync", "takes the skills of a repository over, all or none")
            .query(&["project"])
            .body(schema::<v1::wire::Sync>),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What changes something is a POST of a session; what is open to anybody shows nothing of a project.
    #[test]
    fn the_table() {
        let open: Vec<&str> =
            ROUTES.iter().filter(|route| route.access == Access::Open).map(|route| route.path).collect();
        assert_eq!(open, ["/assets/page.css", "/assets/page.js", "/assets/icon.svg", "/open/{link}", "/open"]);
        let get: Vec<&str> =
            ROUTES.iter().filter(|route| route.method == Method::Get).map(|route| route.path).collect();
        assert!(
            get.iter().all(|path| !path.contains("approve") && !path.contains("run/") && !path.ends_with("/select"))
        );
    }
}
