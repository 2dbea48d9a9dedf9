//! The server from outside: who is let in, from where, and what a browser is told.

use crate::story::{fix, id, submit};
use crate::world::World;
use exacta_serve::{Method, RouteView, routes};
use exacta_testkit::Running;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

/// A server of a project, and what it told.
pub struct Served {
    running: Running,
    pub address: String,
    pub link: String,
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
        let mut command = world.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        let mut running = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
        let mut line = String::new();
        BufReader::new(running.stdout().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let word = |name: &str| told[name].as_str().unwrap().to_owned();
        let link = word("session_url").rsplit('/').next().unwrap().to_owned();
        Self { running, address: word("address"), link }
    }

    /// Sends a request with these headers beside `Host`.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = [("Host", self.address.as_str())];
        let given = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in host.iter().filter(|_| !given).chain(headers) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        // Whoever is refused early may be cut off while they still talk.
        let _cut = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A form of the page, with its session and whatever else.
    fn form(&self, path: &str, cookie: &str, origin: &str, body: &str) -> Reply {
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
    fn token(&self, cookie: &str, plan: &str) -> String {
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
            assert!([405, 401].contains(&reply.status) || same_path, "{other} {path}: {}", reply.status);
            assert!(!reply.head.contains("access-control-"), "{other} {path}");
        }
        if route.session {
            let reply = served.ask(method, &path, &[("Origin", &origin), form], &body);
            assert_eq!(reply.status, 401, "{method} {path} without a session");
            let forged = "exacta_session=0000000000000000000000000000000000000000000000000000000000000000";
            let reply = served.ask(method, &path, &[("Cookie", forged), ("Origin", &origin), form], &body);
            assert_eq!(reply.status, 401, "{method} {path} with a forged session");
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
            for kind in ["application/json", "text/plain", "multipart/form-data; boundary=x", ""] {
                assert_eq!(with(ours, None, kind, &body), 415, "{path}: {kind}");
            }
            if route.session {
                assert_eq!(with(ours, None, urlencoded, "token=0"), 403, "{path}: another session's form");
                assert_eq!(with(ours, None, urlencoded, ""), 403, "{path}: no token");
            }
            let large = "x".repeat((1 << 20) + 1);
            assert_eq!(with(ours, None, urlencoded, &large), 413, "{path}: too large");
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

/// Many approvals at the same time, over the page and the command line: one wins, and the record says so once.
#[test]
fn one_of_many_approvals_wins() {
    let world = World::begun();
    let plan = id(&submit(&world, &fix()));
    let served = Served::start(&world);
    let (cookie, _) = served.open();
    let token = served.token(&cookie, &plan);
    let hash = world.run(&["show", &plan, "--json"]).expect(0).json()["plan_hash"].as_str().unwrap().to_owned();
    let body = format!("token={token}&plan_hash={hash}&run=0");
    let path = format!("/plans/{plan}/approve");
    let won = std::thread::scope(|scope| {
        let pages: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| served.form(&path, &cookie, &served.origin(), &body).status == 303))
            .collect();
        let key = world.key();
        let (world, plan, hash) = (&world, &plan, &hash);
        let commands: Vec<_> = (0..3)
            .map(|_| {
                let key = key.clone();
                scope.spawn(move || world.run(&["approve", plan, "--hash", hash, "--approver-key", &key]).code == 0)
            })
            .collect();
        let pages = pages.into_iter().map(|racer| racer.join().unwrap());
        let commands: Vec<bool> = commands.into_iter().map(|racer| racer.join().unwrap()).collect();
        pages.chain(commands).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
    let shown = world.run(&["show", &plan, "--json"]).expect(0).json();
    assert_eq!(shown["approvals"].as_array().unwrap().len(), 1);
    served.end();
    world.run(&["audit", "verify"]).expect(0);
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
}
