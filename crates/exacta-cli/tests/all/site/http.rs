//! Plan Contract v1 over HTTP: every call, who may make it, and that of any number racing one wins.

use super::blog::{Blog, GOAL, SKILL, answer};
use crate::serve::{Reply, Served};
use serde_json::{Value, json};

/// A server of the blog's project, with an approver's session and agents' tokens.
struct Api {
    served: Served,
    cookie: String,
    origin: String,
}

impl Api {
    fn new(blog: &Blog) -> Self {
        let served = Served::start(&blog.world);
        let (cookie, _) = served.open();
        let origin = format!("http://{}", served.address);
        Self { served, cookie, origin }
    }

    fn get(&self, path: &str, token: &str) -> Reply {
        self.served.ask("GET", path, &[("Authorization", token)], "")
    }

    fn post(&self, path: &str, token: &str, body: &Value) -> Reply {
        let headers = [("Authorization", token), ("Content-Type", "application/json"), ("X-Request-Id", "req-1")];
        self.served.ask("POST", path, &headers, &body.to_string())
    }

    /// As the approver.
    fn decide(&self, path: &str, body: &Value) -> Reply {
        let headers =
            [("Cookie", self.cookie.as_str()), ("Origin", &self.origin), ("Content-Type", "application/json")];
        self.served.ask("POST", path, &headers, &body.to_string())
    }
}

fn token(blog: &Blog, name: &str, scopes: &[&str]) -> String {
    let mut args = vec!["token", "add", name, "--approver-key", &blog.key, "--json"];
    args.extend(scopes.iter().flat_map(|scope| ["--scope", scope]));
    format!("Bearer {}", blog.world.run(&args).expect(0).json()["token"].as_str().unwrap())
}

/// The body of an answer, if it is an envelope of that status.
#[track_caller]
fn told(reply: &Reply, status: u16) -> Value {
    assert_eq!(reply.status, status, "{} {}", reply.head, reply.body);
    // A body that came in pieces has their lengths before each.
    let text =
        reply.body.get(reply.body.find('{').unwrap_or(0)..=reply.body.rfind('}').unwrap_or(0)).unwrap_or_default();
    let body: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", reply.body));
    assert_eq!(body["ok"], status < 300, "{body}");
    assert!(body["meta"]["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{body}");
    assert_eq!(body["data"].is_null(), status >= 300, "{body}");
    body
}

fn body(pages: &Value, tools: &[&[&str]]) -> Value {
    let inputs = json!({ "pages": pages });
    let output = answer(&inputs, tools).to_string();
    json!({ "site": "blog", "skill_id": SKILL, "goal": GOAL, "inputs": inputs, "planner_output": output })
}

#[test]
fn the_contract_over_http() {
    let Some(blog) = Blog::new("editor") else { return };
    let agent = token(&blog, "agent", &["propose", "read", "execute"]);
    let other = token(&blog, "other", &["propose", "read"]);
    let api = Api::new(&blog);
    let pages = json!([{ "title": "Prices", "slug": "prices", "content": "<p>10</p>" }]);
    let create: &[&[&str]] = &[&["content.create_page"]];
    let drafted = told(&api.post("/api/v1/plans/draft", &agent, &body(&pages, create)), 200);
    assert_eq!(drafted["meta"]["request_id"], "req-1");
    let plan = drafted["data"].clone();
    let fields: Vec<&String> = plan.as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "assumptions",
            "estimates",
            "events",
            "goal",
            "inputs",
            "llm",
            "plan_hash",
            "plan_id",
            "plan_version",
            "policy_context",
            "risk",
            "skill_id",
            "status",
            "steps",
            "validation_issues",
        ]
    );
    // The names inside are the contract's own too.
    for (place, names) in [
        (
            "estimates",
            &[
                "confidence_band",
                "estimated_cost_usd",
                "estimated_cost_usd_band",
                "estimated_pages",
                "estimated_runtime_sec",
                "estimated_tokens_bucket",
                "estimated_tool_calls",
            ][..],
        ),
        ("risk", &["factors", "score", "tier"]),
        ("policy_context", &["max_cost_usd", "max_pages", "max_steps", "max_tool_calls", "model", "policy_preset"]),
        ("llm", &["preference", "request_id", "selected_model", "task_class"]),
    ] {
        assert_eq!(plan[place].as_object().unwrap().keys().collect::<Vec<_>>(), names, "{place}");
    }
    let factors: Vec<&String> = plan["risk"]["factors"].as_object().unwrap().keys().collect();
    assert_eq!(factors, ["cost_ratio_to_cap", "number_of_steps", "tool_novelty", "write_intensity"]);
    // One page by one call, of the skill's own caps.
    assert_eq!(plan["estimates"]["estimated_tool_calls"], json!({ "content.create_page": 1 }));
    let caps =
        ["max_steps", "max_tool_calls", "max_pages", "max_cost_usd"].map(|name| plan["policy_context"][name].clone());
    assert_eq!(caps, [json!(8), json!(20), json!(50), json!(2)]);
    assert_eq!((&plan["status"], &plan["llm"]["selected_model"]), (&json!("validated"), &json!("undeclared")));
    assert_eq!((&plan["llm"]["task_class"], &plan["llm"]["request_id"]), (&json!("planning"), &json!("req-1")));
    assert_eq!((&plan["risk"]["tier"], &plan["inputs"]["pages"]), (&json!("MEDIUM"), &pages));
    assert!(!drafted.to_string().contains("llm_model"));
    let events =
        |plan: &Value| plan["events"].as_array().unwrap().iter().map(|it| it["event"].clone()).collect::<Vec<_>>();
    assert_eq!(events(&plan), ["draft", "validated"]);
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].clone());
    let at = format!("/api/v1/plans/{id}");
    assert_eq!(told(&api.get(&at, &agent), 200)["data"], plan);
    // What is not one's own is not there.
    assert_eq!(told(&api.get(&at, &other), 404)["error"]["code"], "PLAN_NOT_FOUND");
    assert_eq!(told(&api.get("/api/v1/plans?site=blog", &other), 200)["data"]["plans"], json!([]));
    assert_eq!(
        told(&api.get("/api/v1/plans?site=blog&status=validated&limit=1", &agent), 200)["data"]["plans"][0]["plan_id"],
        id
    );
    // What is no contract, or breaks a rule.
    for (change, status, code) in [
        (json!({ "planner_output": "Here it is:" }), 400, "PLAN_PARSE_NONJSON"),
        (json!({ "planner_output": "```json\n{}\n```\n```json\n{}\n```" }), 400, "PLAN_PARSE_MULTIBLOCK"),
        (json!({ "planner_output": "{}" }), 400, "PLAN_SCHEMA_INVALID"),
        (json!({ "inputs": { "pages": [] } }), 400, "PLAN_SCHEMA_INVALID"),
        (json!({ "site": "nowhere" }), 404, "SITE_NOT_FOUND"),
        (json!({ "skill_id": "wp.none" }), 404, "SKILL_NOT_FOUND"),
        (json!({ "goal": "x".repeat(4001) }), 400, "POLICY_INPUT_TOO_LARGE"),
        (json!({ "policy_preset": "best" }), 400, "VALIDATION_ERROR"),
        (json!({ "llm_model": "x" }), 400, "VALIDATION_ERROR"),
    ] {
        let mut given = body(&pages, create);
        given.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let refused = told(&api.post("/api/v1/plans/draft", &agent, &given), status);
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    let rejected =
        told(&api.post("/api/v1/plans/draft", &agent, &body(&pages, &[&["content.delete"]])), 200)["data"].clone();
    assert_eq!((&rejected["status"], events(&rejected)), (&json!("rejected"), vec![json!("draft"), json!("rejected")]));
    let gone = format!("/api/v1/plans/{}", rejected["plan_id"].as_str().unwrap());
    assert_eq!(told(&api.get(&gone, &agent), 200)["data"]["status"], "rejected");
    assert_eq!(
        told(&api.decide(&format!("{gone}/approve"), &json!({ "plan_hash": hash })), 409)["error"]["code"],
        "PLAN_NOT_APPROVABLE"
    );
    // Nobody runs what nobody approved, and no token approves.
    let start = json!({ "plan_id": id });
    assert_eq!(told(&api.post("/api/v1/runs", &agent, &start), 409)["error"]["code"], "RUN_PLAN_NOT_APPROVED");
    let approve = format!("{at}/approve");
    assert_eq!(told(&api.post(&approve, &agent, &json!({ "plan_hash": hash })), 403)["error"]["code"], "not_allowed");
    assert_eq!(told(&api.decide(&approve, &json!({})), 400)["error"]["code"], "PLAN_HASH_REQUIRED");
    told(&api.decide(&approve, &json!({ "plan_hash": "0".repeat(64) })), 409);
    // Of many who approve, and of many who run, one wins.
    let race = |act: &(dyn Fn() -> u16 + Sync)| {
        let all: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..64).map(|_| scope.spawn(act)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        all
    };
    let approved = race(&|| api.decide(&approve, &json!({ "plan_hash": hash })).status);
    assert_eq!(approved.iter().filter(|status| **status == 200).count(), 1, "{approved:?}");
    assert!(approved.iter().all(|status| matches!(status, 200 | 409)), "{approved:?}");
    assert_eq!(events(&told(&api.get(&at, &agent), 200)["data"]), ["draft", "validated", "approved"]);
    assert_eq!(told(&api.post("/api/v1/runs", &other, &start), 404)["error"]["code"], "PLAN_NOT_FOUND");
    let ran = race(&|| api.post("/api/v1/runs", &agent, &start).status);
    assert_eq!(ran.iter().filter(|status| **status == 202).count(), 1, "{ran:?}");
    assert!(ran.iter().all(|status| matches!(status, 202 | 409)), "{ran:?}");
    // The run, as it stands and as it went.
    let runs = told(&api.get("/api/v1/runs?site=blog", &agent), 200)["data"]["runs"].clone();
    let run = format!("/api/v1/runs/{}", runs[0]["run_id"].as_str().unwrap());
    let stream = api.get(&format!("{run}/events"), &agent);
    assert!(stream.head.contains("text/event-stream"), "{}", stream.head);
    for event in ["run_created", "run_started", "tool_called", "run_completed", "end"] {
        assert!(stream.body.contains(&format!("event: {event}\n")), "{event}: {}", stream.body);
    }
    let now = told(&api.get(&run, &agent), 200)["data"].clone();
    assert_eq!((&now["state"], &now["rollbacks"][0]["status"]), (&json!("completed"), &json!("pending")), "{now}");
    assert_eq!(blog.with_slug("prices")[0]["status"], "draft");
    assert_eq!(told(&api.get(&run, &other), 404)["error"]["code"], "RUN_NOT_FOUND");
    // Rolled back by a person, once.
    let rollback = format!("{run}/rollback");
    assert_eq!(told(&api.post(&rollback, &agent, &json!({})), 403)["error"]["code"], "not_allowed");
    assert_eq!(told(&api.decide(&rollback, &json!({})), 202)["data"]["state"], "rolled_back");
    assert_eq!(told(&api.decide(&rollback, &json!({})), 409)["error"]["code"], "RUN_ROLLBACK_NOT_AVAILABLE");
    assert_eq!(blog.with_slug("prices"), json!([]));
    // Skills.
    assert_eq!(
        told(&api.get("/api/v1/skills?tag=pages&safety_class=write_publish", &agent), 200)["data"]["skills"][0]["skill_id"],
        SKILL
    );
    assert_eq!(told(&api.get("/api/v1/skills?search=nothing-like-it", &agent), 200)["data"]["skills"], json!([]));
    told(&api.get("/api/v1/skills?limit=0", &agent), 400);
    assert_eq!(told(&api.get(&format!("/api/v1/skills/{SKILL}"), &agent), 200)["data"]["version"], "1");
    assert_eq!(told(&api.get("/api/v1/skills/wp.none", &agent), 404)["error"]["code"], "SKILL_NOT_FOUND");
    let (repo, commit) = blog.skills("write_publish");
    let sync = json!({ "repo_url": repo, "commit_sha": commit });
    assert_eq!(told(&api.post("/api/v1/skills/sync", &agent, &sync), 403)["error"]["code"], "not_allowed");
    assert_eq!(told(&api.decide("/api/v1/skills/sync", &sync), 200)["data"]["status"], "synced");
    assert_eq!(told(&api.decide("/api/v1/skills/sync", &sync), 200)["data"]["status"], "unchanged");
    assert_eq!(
        told(&api.decide("/api/v1/skills/sync", &json!({ "repo_url": repo })), 400)["error"]["code"],
        "SKILL_COMMIT_REQUIRED"
    );
    assert_eq!(told(&api.get("/api/v1/plans", "Bearer nobody"), 401)["error"]["code"], "PLANS_AUTH_FAILED");
    api.served.end();
}
