//! A person works on the same pages: saves, autosaves, publishes, trashes, changes a slug, before any request of a run.

use crate::matrix::Scene;
use crate::site::{PATIENCE, State, ask_at};
use crate::spine::{permitted, undo};
use exacta_effect::{EffectError, Outcome};
use exacta_site::{Account, Client, Op, SiteUrl, probe};
use exacta_testkit::{Wire, seed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const OPS: [Op; 4] = [Op::Create, Op::Update, Op::Publish, Op::Trash];
const ACTS: [&str; 5] = ["save", "autosave", "publish", "trash", "slug"];
const WORDS: &str = "<p>a person's words</p>";

/// What a person did.
#[derive(Debug, Clone)]
struct Did {
    page: u64,
    /// Whether the run was about to write to that very page: it had looked for the last time.
    unseen: bool,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    op: Op,
    pages: usize,
    act: &'static str,
    /// Whether the last write fails, so that the run puts everything back.
    fails: bool,
    /// Where in the run, in thousandths of its requests.
    at: usize,
    which: usize,
}

fn trial(number: usize) -> Trial {
    let mut random = (seed() ^ 0x5eed).wrapping_add(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |most: usize| {
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            random ^= if left { random << shift } else { random >> shift };
        }
        (random >> 11) as usize % most
    };
    let (op, act) = (OPS[next(4)], ACTS[number % ACTS.len()]);
    Trial { op, pages: 1 + next(3), act, fails: next(2) == 0, at: next(1000), which: next(3) }
}

struct Stage {
    scene: Scene,
    wire: Wire,
    client: Client,
    steps: BTreeMap<String, Vec<Value>>,
    lengths: BTreeMap<String, usize>,
}

impl Stage {
    fn new() -> Option<Self> {
        let scene = Scene::new()?;
        let wire = Wire::to(&scene.wordpress.server());
        let account = Account::new("editor", scene.wordpress.password("editor"));
        let client = Client::new(SiteUrl::parse(&wire.url()).unwrap(), account, PATIENCE).unwrap();
        let (client, _) = probe(client).unwrap();
        Some(Self { scene, wire, client, steps: BTreeMap::new(), lengths: BTreeMap::new() })
    }

    /// From the state before: the run, with a fault where it is to fail.
    fn run(&self, trial: Trial, steps: &[Value], run: u32) -> (State, Result<Outcome, EffectError>) {
        let wordpress = &self.scene.wordpress;
        if trial.fails {
            let nth = if trial.op == Op::Create { 2 * trial.pages } else { trial.pages };
            wordpress.fault(
                &json!({ "fault": "500", "when": "before", "nth": nth, "user": "editor", "kind": "write" }).to_string(),
            );
        }
        let state = State::new();
        let outcome = state.run(&self.client, permitted(steps, run));
        wordpress.no_fault();
        (state, outcome)
    }

    /// One interleaving. What is wrong with how it ended, or what came of it.
    fn try_one(&mut self, trial: Trial, run: u32) -> Result<String, String> {
        let name = format!("{:?} {}", trial.op, trial.pages);
        self.scene.put_back();
        if !self.steps.contains_key(&name) {
            let steps = self.scene.steps(trial.op, trial.pages);
            self.steps.insert(name.clone(), steps);
        }
        let steps = self.steps[&name].clone();
        let counted = format!("{name} {}", trial.fails);
        if !self.lengths.contains_key(&counted) {
            self.wire.count();
            drop(self.run(trial, &steps, 999));
            self.lengths.insert(counted.clone(), self.wire.requests().len());
            self.scene.put_back();
        }
        let nth = 1 + self.lengths[&counted] * trial.at / 1000;
        let did = Arc::new(Mutex::new(None));
        let (shared, at) = (Arc::clone(&did), At::of(&self.scene));
        let (op, titled) = (trial.op, steps[trial.which % steps.len()]["arguments"].clone());
        self.wire.before(nth, move |line| *shared.lock().unwrap() = at.person(trial.act, op, &titled, line));
        let (state, outcome) = self.run(trial, &steps, run);
        let did = did.lock().unwrap().clone();
        let Some(did) = did else { return Ok("nothing to act on".to_owned()) };
        self.judge(trial, &did, &state, &outcome)
    }

    fn judge(
        &self,
        trial: Trial,
        did: &Did,
        state: &State,
        outcome: &Result<Outcome, EffectError>,
    ) -> Result<String, String> {
        let at = At::of(&self.scene);
        let now = at.page(did.page);
        let kept = match trial.act {
            "save" => now["content"]["raw"] == WORDS,
            "autosave" => at.autosaved(did.page),
            "publish" => now["status"] == "publish",
            "trash" => now["status"] == "trash",
            _ => now["slug"].as_str().is_some_and(|slug| slug.starts_with("a-persons-slug")),
        };
        let told = match outcome {
            Ok(Outcome::Unknown { evidence, .. }) => evidence.contains(&format!("page {}", did.page)),
            Ok(Outcome::NeedsAttention { remains, .. }) => {
                remains.iter().any(|one| one.contains(&format!("page {}", did.page)))
            }
            _ => false,
        };
        let when = if did.unseen { "unseen" } else { "seen" };
        let words = state.kept().iter().any(|text| text.contains("a person's words"));
        // A page that somebody published may have been published by the run too: then nothing of theirs is lost.
        let ours = trial.act == "publish" && trial.op == Op::Publish || trial.act == "trash" && trial.op == Op::Trash;
        match (kept, told) {
            (true, _) => Ok(format!("{when} {}: left", trial.act)),
            (false, _) if ours => Ok(format!("{when} {}: done by both", trial.act)),
            (false, true) if trial.act != "save" || words => {
                Ok(format!("{when} {}: overwritten, found, both kept", trial.act))
            }
            (false, _) if did.unseen => Ok(format!("{when} {}: overwritten and not found", trial.act)),
            (false, _) => Err(format!("overwritten: {did:?}; now {now}; {outcome:?}")),
        }
    }
}

/// What a person needs to work on the site.
struct At {
    url: String,
    passwords: BTreeMap<&'static str, String>,
}

impl At {
    fn of(scene: &Scene) -> Self {
        let password = |user| (user, scene.wordpress.password(user).to_owned());
        Self { url: scene.wordpress.url(), passwords: ["admin", "person"].map(password).into() }
    }

    fn ask(&self, user: &str, method: &str, route: &str, body: &Value) -> Value {
        ask_at(&self.url, (user, &self.passwords[user]), method, route, body)
    }

    fn page(&self, id: u64) -> Value {
        self.ask("admin", "GET", &format!("/wp/v2/pages/{id}?context=edit"), &Value::Null)
    }

    fn autosaved(&self, id: u64) -> bool {
        let list = self.ask("admin", "GET", &format!("/wp/v2/pages/{id}/autosaves?context=edit"), &Value::Null);
        list.to_string().contains("a person's words")
    }

    /// Does something to the page of a step, if it is there.
    fn person(&self, act: &str, op: Op, given: &Value, line: &str) -> Option<Did> {
        let id = match given["id"].as_u64() {
            Some(id) => id,
            None => {
                let route = "/wp/v2/pages?context=edit&per_page=100&status=any";
                let all = self.ask("admin", "GET", route, &Value::Null);
                let is = |page: &&Value| page["title"]["raw"] == given["title"];
                all.as_array()?.iter().find(is)?["id"].as_u64()?
            }
        };
        let route = format!("/wp/v2/pages/{id}");
        // Whoever publishes what is published already has changed nothing that could be lost.
        if act == "publish" && self.page(id)["status"] == "publish" {
            return None;
        }
        match act {
            "save" => self.ask("person", "POST", &route, &json!({ "content": WORDS })),
            "autosave" => self.ask("person", "POST", &format!("{route}/autosaves"), &json!({ "content": WORDS })),
            "publish" => self.ask("person", "POST", &route, &json!({ "status": "publish" })),
            "trash" => self.ask("person", "DELETE", &route, &Value::Null),
            _ => self.ask("person", "POST", &route, &json!({ "slug": "a-persons-slug" })),
        };
        let unseen = !line.starts_with("GET")
            && (line.contains(&format!("{route}?")) || op == Op::Create && line.contains(&route));
        Some(Did { page: id, unseen })
    }
}

fn try_all(count: usize, limit: Option<Duration>) {
    let Some(mut stage) = Stage::new() else { return };
    let begin = Instant::now();
    let from: usize = std::env::var("EXACTA_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    let (mut ends, mut wrong, mut tried) = (BTreeMap::<String, usize>::new(), Vec::new(), 0);
    for number in from..count {
        if limit.is_some_and(|limit| begin.elapsed() > limit) {
            break;
        }
        tried += 1;
        let trial = trial(number);
        match stage.try_one(trial, 10_000 + number as u32) {
            Ok(end) => *ends.entry(end).or_default() += 1,
            Err(why) => {
                println!("VIOLATION {number} {trial:?}: {why}");
                wrong.push(format!("{number} {trial:?}: {why}"));
            }
        }
        if number % 50 == 49 {
            println!("{} of {count} interleavings, {} s: {ends:#?}", number + 1, begin.elapsed().as_secs());
        }
    }
    println!("seed {}: {tried} of {count} interleavings in {} s: {ends:#?}", seed(), begin.elapsed().as_secs());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(tried > 0, "nothing was tried");
    let saves = |how: &str| ends.get(&format!("unseen save: {how}")).copied().unwrap_or(0);
    assert_eq!(saves("overwritten and not found"), 0, "{ends:#?}");
}

#[test]
fn what_a_person_does_is_left_or_found() {
    try_all(500, Some(Duration::from_secs(60)));
}

/// All, for `tools/prove sites`.
#[test]
#[ignore = "minutes"]
fn what_a_person_does_is_left_or_found_in_every_interleaving() {
    try_all(500, None);
}

/// The moments that matter most, one by one.
#[test]
fn a_rollback_touches_nothing_that_a_person_changed() {
    let Some(stage) = Stage::new() else { return };
    let trial = |op, fails| Trial { op, pages: 1, act: "", fails, at: 0, which: 0 };
    for (name, op, act, nth, fails, told, keeps) in [
        // The slug, before our write: the page is left with both.
        ("a slug before an update", Op::Update, "slug", 3, false, "unknown", "slug"),
        ("words before a publication", Op::Publish, "save", 3, false, "unknown", "words"),
        ("a slug before a publication", Op::Publish, "slug", 3, false, "unknown", "slug"),
        ("words before a page goes to the trash", Op::Trash, "save", 3, false, "unknown", "words"),
        ("words before an update", Op::Update, "save", 3, false, "unknown", "revision"),
        ("words in a page that is being made", Op::Create, "save", 2, false, "unknown", "words"),
        ("a page that is being made is published", Op::Create, "publish", 2, false, "unknown", "status"),
    ] {
        let steps = {
            stage.scene.put_back();
            stage.scene.steps(op, 1)
        };
        let did = Arc::new(Mutex::new(None));
        let (shared, at, given) = (Arc::clone(&did), At::of(&stage.scene), steps[0]["arguments"].clone());
        stage.wire.before(nth, move |line| *shared.lock().unwrap() = at.person(act, op, &given, line));
        let (state, outcome) = stage.run(trial(op, fails), &steps, 1);
        let did = did.lock().unwrap().clone().unwrap_or_else(|| panic!("{name}: {:?}", stage.wire.requests()));
        assert!(did.unseen, "{name}: {:?}", stage.wire.requests());
        let outcome = outcome.unwrap();
        let page = format!("page {}", did.page);
        let is = match &outcome {
            Outcome::Unknown { evidence, .. } if evidence.contains(&page) => "unknown",
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(is, told, "{name}");
        let now = At::of(&stage.scene).page(did.page);
        let holds = match keeps {
            "slug" => now["slug"].as_str().is_some_and(|slug| slug.starts_with("a-persons-slug")),
            "words" => now["content"]["raw"] == WORDS,
            "status" => now["status"] == "publish",
            _ => state.kept().iter().any(|text| text.contains("a person's words")),
        };
        assert!(holds, "{name}: {now}");
    }
}

/// Words that come in the moment in which a run puts its own back: they are overwritten, found, and kept.
#[test]
fn words_in_the_moment_of_a_rollback_are_found() {
    let Some(stage) = Stage::new() else { return };
    stage.scene.put_back();
    let steps = stage.scene.steps(Op::Update, 2);
    let trial = Trial { op: Op::Update, pages: 2, act: "", fails: true, at: 0, which: 0 };
    stage.wire.count();
    let (_, outcome) = stage.run(trial, &steps, 1);
    assert!(matches!(outcome, Ok(Outcome::RolledBack { .. })), "{outcome:?}");
    let requests = stage.wire.requests();
    let writes: Vec<usize> = (0..requests.len()).filter(|at| !requests[*at].starts_with("GET")).collect();
    assert_eq!(writes.len(), 3, "two writes, and the first is put back: {requests:#?}");
    for (act, found) in [("save", true), ("slug", false)] {
        stage.scene.put_back();
        let (at, given) = (At::of(&stage.scene), steps[0]["arguments"].clone());
        let did = move |line: &str| assert!(at.person(act, Op::Update, &given, line).is_some());
        stage.wire.before(writes[2] + 1, did);
        let (state, outcome) = stage.run(trial, &steps, 2);
        let id = steps[0]["arguments"]["id"].as_u64().unwrap();
        let told =
            matches!(&outcome, Ok(Outcome::Unknown { evidence, .. }) if evidence.contains(&format!("page {id}")));
        assert!(told, "{act}: {outcome:?}");
        let now = At::of(&stage.scene).page(id);
        if found {
            assert!(state.kept().iter().any(|text| text.contains("a person's words")), "{now}");
        } else {
            assert_eq!(now["slug"], "a-persons-slug", "what was not sent is not put back");
        }
    }
}

/// What a person changed after a run is not undone, whatever it is.
#[test]
fn an_undo_leaves_what_a_person_changed() {
    let Some(stage) = Stage::new() else { return };
    for (number, op) in OPS.into_iter().enumerate() {
        stage.scene.put_back();
        let steps = stage.scene.steps(op, 1);
        let state = State::new();
        let (run, at) = (2 * number as u32 + 1, At::of(&stage.scene));
        let outcome = state.run(&stage.client, permitted(&steps, run));
        assert!(matches!(outcome, Ok(Outcome::Completed { .. })), "{outcome:?}");
        let id = steps[0]["arguments"]["id"].as_u64().unwrap_or_else(|| {
            at.ask("admin", "GET", "/wp/v2/pages?slug=new-1&status=any", &Value::Null)[0]["id"].as_u64().unwrap()
        });
        at.ask("admin", "POST", &format!("/wp/v2/pages/{id}"), &json!({ "comment_status": "open" }));
        let before = at.page(id);
        let refused = state.run(&stage.client, undo(&steps, run, run + 1));
        assert!(matches!(refused, Err(EffectError::Drifted { .. })), "{op:?}: {refused:?}");
        assert_eq!(at.page(id), before);
    }
}
