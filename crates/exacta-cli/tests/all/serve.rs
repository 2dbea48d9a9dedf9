//! The server from outside: who is let in, from where, and what a browser is told.

use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_kernel::approval::Verb;
use exacta_serve::{Method, RouteView, routes};
use exacta_testkit::Running;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

/// A server of a project, and what it told.
pub struct Served {
    running: Running,
    pub address: String,
    pub link: String,
    pub url: String,
}

/// What was answered.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Served {
    pub fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    /// The same with more arguments.
    pub fn start_with(world: &World, more: &[&str]) -> Self {
        Self::of(&mut world.command(&[&["serve", "--listen", "127.0.0.1:0", "--json"], more].concat()))
    }

    /// What a command starts that ends up as a server.
    pub fn of(command: &mut std::process::Command) -> Self {
        let mut running = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut line = String::new();
        BufReader::new(running.stdout().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let word = |name: &str| told[name].as_str().unwrap().to_owned();
        let url = word("session_url");
        let link = url.rsplit('/').next().unwrap().to_owned();
        Self { running, address: word("address"), link, url }
    }

    /// Sends a request with these headers beside `Host`.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.try_ask(method, path, headers, body).expect("the server is there")
    }

    /// The same; nothing if the server is gone.
    pub fn try_ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Option<Reply> {
        let host = [("Host", self.address.as_str())];
        let given = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in host.iter().filter(|_| !given).chain(headers) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).ok()?;
        let mut answer = Vec::new();
        // Whoever is refused early may be cut off while they still talk.
        let _cut = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Some(Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() })
    }

    /// What it takes of memory, in KiB.
    pub fn memory(&self) -> u64 {
        super::mcp::memory(self.running.id())
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }

    /// Kills it, as nothing that it could prepare for.
    pub fn kill(&self) {
        kill_process(Pid::from_raw(self.running.id().cast_signed()).unwrap(), Signal::KILL).unwrap();
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A form of the page, with its session and whatever else.
    pub fn form(&self, path: &str, cookie: &str, origin: &str, body: &str) -> Reply {
        let headers = [("Cookie", cookie), ("Origin", origin), ("Content-Type", "application/x-www-form-urlencoded")];
        self.ask("POST", path, &headers, body)
    }

    /// Exchanges the link; the cookie and the form token.
    pub fn open(&self) -> (String, String) {
        let opened = self.form("/open", "", &self.origin(), &format!("link={}", self.link));
        assert_eq!(opened.status, 303, "{opened:?}");
        assert!(opened.head.contains("httponly; samesite=strict"), "{}", opened.head);
        let cookie = opened.head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
        let page = self.ask("GET", "/", &[("Cookie", &cookie)], "");
        assert_eq!(page.status, 200, "{}", page.body);
        (cookie, String::new())
    }

    /// The form token of a plan's page.
    pub fn token(&self, cookie: &str, plan: &str) -> String {
        let page = self.ask("GET", &format!("/plans/{plan}"), &[("Cookie", cookie)], "").body;
        let rest = page.split("name=\"token\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
        rest.split('"').next().unwrap().to_owned()
    }

    /// Asks it to end, and waits for that.
    pub fn end(mut self) -> Option<i32> {
        kill_process(Pid::from_raw(self.running.id().cast_signed()).unwrap(), Signal::TERM).unwrap();
        self.running.wait().code()
    }
}

fn at(route: &RouteView, plan: &str) -> String {
    let parts = route.path.split('/').map(|part| if part.starts_with('{') { plan } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// What an agent's token reaches of each route, with a plan that is not its own: nothing that decides, and nothing that it cannot see.
#[test]
fn a_token_reaches_nothing_that_decides() {
    let world = World::begun();
    let theirs = id(&submit(&world, &fix()));
    let key = world.key();
    let add = |name: &str, scopes: &[&str]| {
        let scopes = scopes.iter().flat_map(|scope| ["--scope", scope]);
        let args =
            ["token", "add", name, "--approver-key", &key, "--json"].into_iter().chain(scopes).collect::<Vec<_>>();
        world.run(&args).expect(0).json()["token"].as_str().unwrap().to_owned()
    };
    let all = add("everything", &["read", "read_all", "propose", "run_allowed", "execute"]);
    let own = add("own", &["read", "propose"]);
    let served = Served::start(&world);
    let bearer = |token: &str| format!("Bearer {token}");
    for route in routes().filter(|route| route.api) {
        let path = at(&route, &theirs);
        let method = if route.method == Method::Get { "GET" } else { "POST" };
        let body = if method == "GET" {
            ""
        } else {
            "{\"plan_hash\":\"0\",\"text\":\"x\",\"parts\":[\"s1\"],\"plan_id\":\"x\"}"
        };
        for (token, sees) in [(&all, true), (&own, false)] {
            let headers = [("Authorization", bearer(token)), ("Content-Type", "application/json".to_owned())];
            let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let reply = served.ask(method, &path, &headers, body);
            assert!(reply.status < 500, "{method} {path}: {}", reply.body);
            let decides = ["/approve", "/reject", "/revise", "/derive", "/rollback", "/sync"]
                .iter()
                .any(|end| path.ends_with(end));
            assert!(!decides || reply.status >= 400, "{method} {path}: {}", reply.status);
            assert!(sees || !path.contains(&theirs) || reply.status >= 400, "{method} {path}: {}", reply.status);
            if reply.status >= 400 && reply.status != 422 {
                let v1 = path.starts_with("/api/v1/") && reply.body.contains("\"ok\":false");
                let told = v1 || reply.head.contains("application/problem+json");
                assert!(told && reply.body.contains("\"code\""), "{path}: {}", reply.body);
            }
        }
        // A page of another site cannot use it either.
        let headers = [
            ("Authorization", bearer(&all)),
            ("Content-Type", "application/json".to_owned()),
            ("Origin", "http://evil.example".to_owned()),
        ];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert!(method == "GET" || served.ask(method, &path, &headers, body).status == 403, "{path}");
    }
    let hash = world.run(&["show", &theirs, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    for (act, body) in [
        ("approve", format!("{{\"plan_hash\":\"{hash}\"}}")),
        ("reject", "{}".to_owned()),
        ("revise", "{\"text\":\"x\"}".to_owned()),
        ("derive", "{\"parts\":[\"s1\"]}".to_owned()),
    ] {
        let headers = [("Authorization", bearer(&all)), ("Content-Type", "application/json".to_owned())];
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = served.ask("POST", &format!("/api/v2/plans/{theirs}/{act}"), &headers, &body);
        assert_eq!(reply.status, 403, "{act}: {}", reply.body);
    }
    assert_eq!(world.run(&["show", &theirs, "--json"]).expect(0).json()["status"], "pending");
    world.run(&["token", "revoke", "own"]).expect(0);
    let headers = [("Authorization", bearer(&own))];
    assert_eq!(served.ask("GET", "/api/v2/plans", &[(headers[0].0, &headers[0].1)], "").status, 401, "revoked");
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}

/// An agent's day: submit, twice with one key; read; wait; and the answer of an approver who signs elsewhere.
#[test]
fn a_program_submits_waits_and_learns_the_answer() {
    let world = World::begun();
    let key = world.key();
    let token = world.run(&["token", "add", "codex", "--approver-key", &key, "--json"]).expect(0).json();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let served = Served::start(&world);
    let ask = |method: &str, path: &str, more: &[(&str, &str)], body: &str| {
        let headers = [&[("Authorization", bearer.as_str()), ("Content-Type", "application/json")][..], more].concat();
        served.ask(method, path, &headers, body)
    };
    let value = |reply: &Reply| -> Value {
        serde_json::from_str(&reply.body).unwrap_or_else(|error| panic!("{error}: {}", reply.body))
    };
    let mut plan = fix();
    plan["model"] = json!({ "provider": "openai", "model": "gpt-5.5" });
    let again = [("Idempotency-Key", "one")];
    let first = ask("POST", "/api/v2/plans", &again, &plan.to_string());
    assert_eq!(first.status, 201, "{}", first.body);
    let told = value(&first);
    assert_eq!((&told["schema"], &told["next"]["who"]), (&json!("exacta.plan-view/2"), &json!("person")));
    assert!(told["detail"]["steps"][0].get("diff").is_none() && told["detail"].get("binding").is_none());
    assert_eq!(
        value(&ask("POST", "/api/v2/plans", &again, &plan.to_string()))["plan_id"],
        told["plan_id"],
        "done once"
    );
    assert_eq!(ask("POST", "/api/v2/plans", &again, "{}").status, 400, "the same key for something else");
    let plan_id = told["plan_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v2/plans/{plan_id}");
    let shown = ask("GET", &format!("{path}?with=diff"), &[], "");
    assert!(value(&shown)["detail"]["steps"][0]["diff"].is_string());
    assert_eq!(value(&shown)["detail"]["by"], "agent:codex");
    let list = ask("GET", "/api/v2/plans?status=pending&limit=1", &[], "");
    let tag = list.head.split("etag: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned();
    assert_eq!(ask("GET", "/api/v2/plans?status=pending&limit=1", &[("If-None-Match", &tag)], "").status, 304);
    assert_eq!(value(&ask("GET", &format!("{path}/wait?timeout=0"), &[], ""))["answer"], "waiting");
    assert_eq!(
        ask("POST", "/api/v2/runs", &[], &json!({ "plan_id": plan_id }).to_string()).status,
        409,
        "nobody has decided"
    );
    assert_eq!(ask("POST", "/api/v2/plans", &[], "not a plan").status, 422);
    assert_eq!(ask("GET", "/api/v2/openapi.json", &[], "").status, 200);

    let signed = signature(&world, &served, &bearer, (Verb::Approve, &plan_id, told["plan_hash"].as_str().unwrap()));
    let json_kind = [("Content-Type", "application/json")];
    let mut forged = signed.clone();
    forged["statement"]["plan_id"] = json!("019a2f3e-7c1d-7e2a-9b4f-000000000001");
    assert!(served.ask("POST", &format!("{path}/approve"), &json_kind, &forged.to_string()).status >= 400);
    let approved = served.ask("POST", &format!("{path}/approve"), &json_kind, &signed.to_string());
    assert_eq!(approved.status, 200, "{}", approved.body);
    assert!(served.ask("POST", &format!("{path}/approve"), &json_kind, &signed.to_string()).status >= 400, "a replay");
    let answer = value(&ask("GET", &format!("{path}/wait"), &[], ""));
    assert_eq!((&answer["answer"], &answer["by"]), (&json!("approved"), &json!("tester")));
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}

/// An approval that the owner of a key signs, as a program would send it.
fn signature(world: &World, served: &Served, bearer: &str, (verb, plan, hash): (Verb, &str, &str)) -> Value {
    use exacta_kernel::approval::Statement;
    use exacta_kernel::hash::Digest;
    use exacta_kernel::id::{PlanId, ProjectId};
    use exacta_kernel::time::Timestamp;
    let shown = served.ask("GET", &format!("/api/v2/plans/{plan}"), &[("Authorization", bearer)], "");
    let shown: Value = serde_json::from_str(&shown.body).unwrap();
    let key = exacta_home::KeyFile::load(world.key().as_ref()).unwrap().unlock(None).unwrap();
    let millis = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let now = Timestamp::from_millis(i64::try_from(millis).unwrap());
    let statement = Statement::new(
        verb,
        ProjectId::parse(shown["project_id"].as_str().unwrap()).unwrap(),
        PlanId::parse(plan).unwrap(),
        Digest::parse(hash).unwrap(),
        key.name().clone(),
        now,
        now.plus_seconds(600),
    );
    let signed = serde_json::to_value(key.sign(&statement).unwrap()).unwrap();
    json!({ "plan_hash": hash, "statement": signed["statement"], "signature": signed["signature"] })
}

/// What an approver's program signed counts as what it says, once; and a session, never a token, changes profile and policy.
#[test]
fn decisions_signed_elsewhere_and_settings_of_a_session() {
    let world = World::begun();
    let token = world.run(&[
        "token",
        "add",
        "codex",
        "--scope",
        "read",
        "--scope",
        "read_all",
        "--approver-key",
        &world.key(),
        "--json",
    ]);
    let bearer = format!("Bearer {}", token.expect(0).json()["token"].as_str().unwrap());
    let plan = id(&submit(&world, &fix()));
    let hash = world.run(&["show", &plan, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    let served = Served::start(&world);
    let json_kind = ("Content-Type", "application/json");
    let send = |act: &str, verb: Verb| {
        let mut body = signature(&world, &served, &bearer, (verb, &plan, &hash));
        body.as_object_mut().unwrap().remove("plan_hash");
        served.ask("POST", &format!("/api/v2/plans/{plan}/{act}"), &[json_kind], &body.to_string())
    };
    let status = || world.run(&["show", &plan, "--json"]).expect(0).json()["status"].clone();
    assert_eq!(send("reject", Verb::Withdraw).status, 403, "another decision");
    assert_eq!(send("withdraw", Verb::Approve).status, 403, "another decision");
    assert_eq!(status(), "pending");
    assert_eq!(send("reject", Verb::Reject).status, 200);
    assert_eq!(status(), "rejected");
    assert_eq!(send("reject", Verb::Reject).status, 409, "once");

    let (cookie, origin) = (served.open().0, served.origin());
    let session = [("Cookie", cookie.as_str()), ("Origin", origin.as_str()), json_kind];
    let agent = [("Authorization", bearer.as_str()), json_kind];
    let value = |reply: &Reply| -> Value { serde_json::from_str(&reply.body).unwrap() };
    let dev = json!({ "profile": "DEV" }).to_string();
    assert_eq!(served.ask("POST", "/api/v2/profile", &agent, &dev).status, 403);
    assert_eq!(value(&served.ask("POST", "/api/v2/profile", &session, &dev))["chosen"], "DEV");
    let safe = json!({ "profile": "SAFE" }).to_string();
    assert_eq!(served.ask("POST", "/api/v2/profile", &agent, &safe).status, 403, "nor lowers it");
    let was = value(&served.ask("GET", "/api/v2/policy", &session, ""))["sha256"].clone();
    let policy = json!({ "text": "version = \"2\"\nceiling = \"SAFE\"\n", "replaces": was }).to_string();
    assert_eq!(served.ask("POST", "/api/v2/policy", &agent, &policy).status, 403);
    assert_eq!(value(&served.ask("POST", "/api/v2/policy", &session, &policy))["version"], "2");
    assert_eq!(served.ask("POST", "/api/v2/policy", &session, &policy).status, 409, "it is another one by now");
    assert_eq!(value(&served.ask("GET", "/api/v2/profile", &session, ""))["in_force"], "SAFE");
    let checkpoint = value(&served.ask("GET", "/api/v2/audit/checkpoint", &agent, ""));
    assert!(checkpoint["note"].as_str().unwrap().contains("\u{2014} exacta/"), "{checkpoint}");
    served.end();
    world.run(&["audit", "verify"]).expect(0);
}

/// Walks every route there is, so that a new one cannot be forgotten.
#[test]
fn every_route_lets_in_only_whom_it_should() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let served = Served::start(&world);
    let before = world.run(&["show", &plan, "--json"]).expect(0).json()["status"].clone();
    let (cookie, _) = served.open();
    let token = served.token(&cookie, &plan);
    let (origin, body) = (served.origin(), format!("token={token}&reason=x&text=x&part=s1&plan_hash=0123456789"));
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for route in routes() {
        let path = at(&route, &plan);
        let method = if route.method == Method::Get { "GET" } else { "POST" };
        for host in ["evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", ""] {
            let reply = served.ask(method, &path, &[("Host", host), ("Cookie", &cookie), ("Origin", &origin)], "");
            assert_eq!(reply.status, 421, "{method} {path} of host `{host}`");
        }
        for other in ["PUT", "DELETE", "PATCH", "OPTIONS", if route.method == Method::Get { "POST" } else { "GET" }] {
            let reply = served.ask(other, &path, &[("Cookie", &cookie), ("Origin", &origin), form], &body);
            let same_path = routes().any(|it| it.path == route.path && it.method != route.method);
            assert!(reply.status >= 400 || same_path, "{other} {path}: {}", reply.status);
            assert!(!reply.head.contains("access-control-"), "{other} {path}");
        }
        if route.agent {
            let reply = served.ask(method, &path, &[("Cookie", &cookie), ("Origin", &origin), form], &body);
            assert_eq!(reply.status, 401, "{method} {path} with a session");
            continue;
        }
        if route.session || route.api {
            let reply = served.ask(method, &path, &[("Origin", &origin), form], &body);
            assert_eq!(reply.status, 401, "{method} {path} without a session");
            let forged = "exacta_session=0000000000000000000000000000000000000000000000000000000000000000";
            let reply = served.ask(method, &path, &[("Cookie", forged), ("Origin", &origin), form], &body);
            assert_eq!(reply.status, 401, "{method} {path} with a forged session");
            if route.api {
                let forged = [("Authorization", "Bearer exacta_0"), ("Cookie", cookie.as_str()), form];
                assert_eq!(served.ask(method, &path, &forged, "").status, 401, "{method} {path} with a forged token");
            }
        }
        if route.method == Method::Post {
            let with = |origin: Option<&str>, site: Option<&str>, kind: &str, body: &str| {
                let mut headers = vec![("Cookie", cookie.as_str()), ("Content-Type", kind)];
                headers.extend(origin.map(|origin| ("Origin", origin)));
                headers.extend(site.map(|site| ("Sec-Fetch-Site", site)));
                served.ask("POST", &path, &headers, body).status
            };
            let (ours, urlencoded) = (Some(origin.as_str()), form.1);
            let localhost = origin.replace("127.0.0.1", "localhost");
            for (other, what) in [
                (None, "no origin"),
                (Some("http://evil.example"), "another origin"),
                (Some("null"), "an opaque origin"),
                (Some(&*format!("https://{}", served.address)), "another scheme"),
                (Some(localhost.as_str()), "another name of ours"),
            ] {
                assert_eq!(with(other, None, urlencoded, &body), 403, "{path}: {what}");
            }
            for site in ["cross-site", "same-site", "none"] {
                assert_eq!(with(ours, Some(site), urlencoded, &body), 403, "{path}: {site}");
            }
            let wrong = if route.api { urlencoded } else { "application/json" };
            for kind in [wrong, "text/plain", "multipart/form-data; boundary=x", ""] {
                assert_eq!(with(ours, None, kind, &body), 415, "{path}: {kind}");
            }
            if route.session {
                assert_eq!(with(ours, None, urlencoded, "token=0"), 403, "{path}: another session's form");
                assert_eq!(with(ours, None, urlencoded, ""), 403, "{path}: no token");
            }
            let large = "x".repeat((1 << 20) + 1);
            assert!(route.api || with(ours, None, urlencoded, &large) == 413, "{path}: too large");
        }
    }
    for path in ["/api/", "/api/v2/plans", "/api/v1/plans/draft", "/api/v9/unknown"] {
        for method in ["GET", "POST", "DELETE"] {
            assert_eq!(served.ask(method, path, &[("Origin", &origin)], "").status, 401, "{method} {path}");
        }
    }
    let after = world.run(&["show", &plan, "--json"]).expect(0).json()["status"].clone();
    assert_eq!(after, before, "nothing of all that changed anything");
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_browser_is_told_to_trust_nothing_else() {
    let world = World::begun();
    let served = Served::start(&world);
    for path in ["/", "/assets/page.js", "/nothing"] {
        let head = served.ask("GET", path, &[], "").head;
        for told in [
            "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
        ] {
            assert!(head.contains(told), "{path}: {head}");
        }
        assert!(!head.contains("unsafe-inline") && !head.contains("access-control-"), "{path}");
    }
    served.end();
}

/// The link opens one session, and looking at it uses nothing up.
#[test]
fn a_link_works_once() {
    let world = World::begun();
    let served = Served::start(&world);
    let path = format!("/open/{}", served.link);
    for _ in 0..3 {
        let page = served.ask("GET", &path, &[], "");
        assert_eq!(page.status, 200);
        assert!(!page.head.contains("set-cookie"), "a GET changes nothing");
    }
    assert_eq!(served.ask("GET", "/open/0000", &[], "").status, 401);
    served.open();
    assert_eq!(served.ask("GET", &path, &[], "").status, 401);
    let again = served.form("/open", "", &served.origin(), &format!("link={}", served.link));
    assert_eq!(again.status, 401, "a replay");
    served.end();
}

/// What was made on the page ends with the server, and comes back with one act.
#[test]
fn plans_of_a_server_end_with_it() {
    let world = World::begun();
    let first = id(&submit(&world, &fix()));
    world.run(&["withdraw", &first]).expect(0);
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let token = served.token(&cookie, &first);
    let made = served.form(&format!("/plans/{first}/resubmit"), &cookie, &served.origin(), &format!("token={token}"));
    let made = made.head.split("location: /plans/").nth(1).unwrap().split("\r\n").next().unwrap().to_owned();
    let status = || world.run(&["show", &made, "--json"]).expect(0).json()["status"].clone();
    assert_eq!(status(), "pending");
    assert_eq!(served.end(), Some(0));
    assert_eq!(status(), "expired");
    world.run(&["resubmit", &made]).expect(30);
}

#[test]
fn it_listens_on_this_machine_alone() {
    let world = World::begun();
    let refused = world.run(&["serve", "--listen", "0.0.0.0:0", "--json"]).expect(2).json();
    assert_eq!(refused["error"]["code"], "not_loopback");
    world.run(&["serve", "--approver", "nobody"]).expect(2);
    let unit = world.run(&["serve", "--unit"]).expect(0).out;
    assert!(unit.contains("ExecStart=") && unit.contains("serve --listen 127.0.0.1:7437"), "{unit}");
    assert!(unit.contains("ListenStream=127.0.0.1:7437"), "{unit}");
}

/// Started with a socket that was there before: whoever came meanwhile is answered, and what is no such socket is refused.
#[test]
fn it_serves_a_socket_that_it_was_started_with() {
    let world = World::begun();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut early = TcpStream::connect(&address).unwrap();
    early.write_all(format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let started = |input: Stdio, files: &str, whose: &str| {
        let serve = format!(
            "exec 3<&0 </dev/null; LISTEN_PID={whose} LISTEN_FDS={files} exec \"$0\" serve --listen 127.0.0.1:0 --json"
        );
        let mut command = world.command(&[]);
        let program = command.get_program().to_owned();
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", &serve]).arg(program).current_dir(world.project()).env_clear();
        shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command = shell;
        Running::start(command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::null()))
    };
    let told = |running: &mut Running| {
        let mut line = String::new();
        BufReader::new(running.stdout().unwrap()).read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let mut running = started(Stdio::from(std::os::fd::OwnedFd::from(listener.try_clone().unwrap())), "1", "$$");
    assert_eq!(told(&mut running)["address"], address.as_str());
    let mut answer = String::new();
    early.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    kill_process(Pid::from_raw(running.id().cast_signed()).unwrap(), Signal::TERM).unwrap();
    assert_eq!(running.wait().code(), Some(0));
    let mut refused = started(Stdio::null(), "1", "$$");
    assert_eq!(told(&mut refused)["error"]["code"], "socket_unusable");
    let mut several = started(Stdio::from(std::os::fd::OwnedFd::from(listener)), "2", "$$");
    assert_eq!(told(&mut several)["error"]["code"], "socket_unusable");
    let mut anothers = started(Stdio::null(), "1", "1");
    assert_ne!(told(&mut anothers)["address"], address.as_str(), "meant for another process");
}
