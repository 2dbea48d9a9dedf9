//! Nothing lost, nothing torn: every act on 1, 3 and 10 pages, with every fault, before and after the write, at every position.

use crate::site::{State, VERSION, all, ask, client, drafted, fields, make, probed};
use crate::spine::permitted;
use exacta_effect::{EffectError, Outcome};
use exacta_site::{Client, Manifest, Op, Page, Patience};
use exacta_testkit::{WordPress, seed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

const FAULTS: [&str; 9] = ["500", "fatal", "429", "503", "html", "cut", "kill", "slow", "person"];
const OPS: [Op; 4] = [Op::Create, Op::Update, Op::Publish, Op::Trash];

/// Short, so that what never comes is not waited for long; longer than the slowest answer that comes. `EXACTA_PATIENCE` is for machines
/// that do other things at the same time.
fn patience() -> Patience {
    let answer = Duration::from_secs(seconds());
    Patience { connect: Duration::from_secs(10).max(answer), answer, settle: answer * 2 }
}

fn seconds() -> u64 {
    std::env::var("EXACTA_PATIENCE").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// What a fault meets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meets {
    /// The n-th write of a run.
    Write(usize),
    /// The n-th read.
    Read(usize),
    /// The n-th write with which a run is put back whose last write was refused.
    Back(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Trial {
    op: Op,
    pages: usize,
    fault: &'static str,
    when: &'static str,
    meets: Meets,
}

impl Trial {
    /// How many writes a run makes that goes well.
    const fn writes(op: Op, pages: usize) -> usize {
        if matches!(op, Op::Create) { 2 * pages } else { pages }
    }

    /// What is told to the plugin inside WordPress.
    fn faults(&self) -> Value {
        let fault = |fault: &str, when: &str, nth: usize, kind: &str| json!({ "fault": fault, "when": when, "nth": nth, "user": "editor", "kind": kind, "seconds": seconds() + 1 });
        let last = Self::writes(self.op, self.pages);
        match self.meets {
            Meets::Write(nth) => json!([fault(self.fault, self.when, nth, "write")]),
            Meets::Read(nth) => json!([fault(self.fault, self.when, nth, "read")]),
            // What was refused before it happened is no write that is over.
            Meets::Back(nth) => {
                let nth = if self.when == "before" { last + nth } else { last - 1 + nth };
                json!([fault("500", "before", last, "write"), fault(self.fault, self.when, nth, "write")])
            }
        }
    }
}

fn states() -> Vec<Trial> {
    let mut states = Vec::new();
    for op in OPS {
        for pages in [1, 3, 10] {
            let writes = (1..=Trial::writes(op, pages)).map(Meets::Write);
            // One look at all, then for each page a look, the page read back, and its revisions.
            let reads = (1..=match op {
                Op::Create => pages,
                Op::Update => 1 + 3 * pages,
                Op::Publish | Op::Trash => 1 + 2 * pages,
            })
                .map(Meets::Read);
            let back = (1..pages + usize::from(op == Op::Create)).map(Meets::Back);
            for meets in writes.chain(reads).chain(back) {
                for fault in FAULTS {
                    let states_of = |when| Trial { op, pages, fault, when, meets };
                    // A person who saves before an answer is read saves after the request.
                    let read = matches!(meets, Meets::Read(_));
                    states.extend(
                        ["before", "after"].into_iter().filter(|when| !read || *when == "before").map(states_of),
                    );
                }
            }
        }
    }
    states
}

/// A site with pages to act on, and what it stores before each state.
pub struct Scene {
    pub wordpress: WordPress,
    pub site: (Client, Manifest),
    /// What runs: with little patience.
    runner: Client,
    pub admin: Client,
    drafts: Vec<u64>,
    live: Vec<u64>,
    stored: Vec<u8>,
    pub before: BTreeMap<u64, Page>,
}

/// What every scene begins with: made once, and copied.
#[derive(Clone)]
struct Template {
    stored: Vec<u8>,
    drafts: Vec<u64>,
    live: Vec<u64>,
}

static TEMPLATE: OnceLock<Template> = OnceLock::new();

impl Template {
    fn of(wordpress: &WordPress) -> Self {
        let page = |number: usize, status: &str| {
            let slug = format!("{status}-{number}");
            let content = format!("<p>Old words {number}</p><script>{number}</script>");
            let fields =
                json!({ "title": format!("Old {number}"), "content": content, "slug": slug, "status": status });
            make(wordpress, "admin", &fields)
        };
        let drafts = (1..=10).map(|number| page(number, "draft")).collect();
        let live = (1..=10).map(|number| page(number, "publish")).collect();
        Self { stored: wordpress.stored(), drafts, live }
    }
}

impl Scene {
    pub fn new() -> Option<Self> {
        let wordpress = WordPress::start(VERSION, &[])?;
        let Template { stored, drafts, live } = TEMPLATE.get_or_init(|| Template::of(&wordpress)).clone();
        wordpress.put_back(&stored);
        let site = probed(&wordpress, "editor");
        let runner = client(&wordpress, "editor", patience()).with_home(&site.1.home);
        let (admin, _) = probed(&wordpress, "admin");
        let before = all(&admin).into_iter().map(|page| (page.id, page)).collect();
        Some(Self { wordpress, site, runner, admin, drafts, live, stored, before })
    }

    /// Everything as it was in the beginning.
    pub fn put_back(&self) {
        self.wordpress.put_back(&self.stored);
    }

    pub fn steps(&self, op: Op, pages: usize) -> Vec<Value> {
        let step = |number: usize| {
            let (id, given) = match op {
                Op::Create => (
                    None,
                    json!({ "title": format!("New title {number}"), "content": format!("<p>New words {number}</p>"), "slug": format!("new-{number}") }),
                ),
                Op::Update if number.is_multiple_of(2) => (self.live.get(number - 1), fields(number)),
                Op::Update | Op::Publish => {
                    (self.drafts.get(number - 1), if op == Op::Update { fields(number) } else { json!({}) })
                }
                Op::Trash => (self.live.get(number - 1), json!({})),
            };
            drafted(&self.site.0, &self.site.1, number, (op, id.copied()), given)
        };
        (1..=pages).map(step).collect()
    }

    /// One state: what is wrong with how it ended; nothing where nothing is.
    fn try_state(&mut self, state: Trial, steps: &[Value], run: u32) -> Result<String, String> {
        self.wordpress.put_back(&self.stored);
        let Trial { op, fault, .. } = state;
        let faults = state.faults();
        self.wordpress.fault(&faults.to_string());
        let folder = State::new();
        let outcome = folder.run(&self.runner, permitted(steps, run));
        let (counts, edited) = self.wordpress.met();
        self.wordpress.no_fault();
        // What is still under way ends before anybody looks.
        self.wordpress.settles();
        if fault == "kill" {
            self.wordpress.restart();
        }
        let last = faults.as_array().unwrap().last().unwrap()["nth"].as_u64().unwrap();
        let count = counts[faults.as_array().unwrap().len() - 1];
        if count < last {
            return match state.meets {
                Meets::Write(_) => Err(format!("the fault never came: {count} requests, {outcome:?}")),
                _ => Ok("no such request".to_owned()),
            };
        }
        let now: BTreeMap<u64, Page> = all(&self.admin).into_iter().map(|page| (page.id, page)).collect();
        self.judge(op, steps, &outcome, &now, &edited)
    }

    fn judge(
        &self,
        op: Op,
        steps: &[Value],
        outcome: &Result<Outcome, EffectError>,
        now: &BTreeMap<u64, Page>,
        edited: &[u64],
    ) -> Result<String, String> {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            // Found before anything was done: every page is as before, or as a person left it.
            Err(EffectError::Drifted { .. }) => {
                let left = |page: &&Page| !edited.contains(&page.id) && now.get(&page.id) != Some(*page);
                let theirs = |id: &u64| now.get(id).is_some_and(|page| page.content == "a person's words");
                return match self.before.values().find(left) {
                    None if now.len() == self.before.len() && edited.iter().all(theirs) => Ok("refused".to_owned()),
                    found => Err(format!("refused, and touched: {found:?}")),
                };
            }
            Err(error) => return Err(error.to_string()),
        };
        let unknown = match outcome {
            Outcome::Unknown { step, .. } => Some(step.as_str()),
            _ => None,
        };
        let (mut approved, mut same) = (0, 0);
        for step in steps {
            let name = step["id"].as_str().unwrap();
            let stands = match op {
                Op::Create => self.created(step, now)?,
                _ => changed(op, step, &self.before, now, edited)?,
            };
            match stands {
                Stands::Before => same += 1,
                Stands::Approved => approved += 1,
                Stands::Persons if unknown == Some(name) || matches!(outcome, Outcome::NeedsAttention { .. }) => {}
                Stands::Persons if matches!(outcome, Outcome::RolledBack { .. }) => {}
                Stands::Other(_) if unknown == Some(name) => {}
                Stands::Persons => return Err(format!("{name} is a person's, and nobody says so: {outcome:?}")),
                Stands::Other(what) => return Err(format!("{name} is torn: {what}; {outcome:?}")),
            }
        }
        let told = matches!(outcome, Outcome::Unknown { .. } | Outcome::NeedsAttention { .. });
        let words = |id: &u64| now.get(id).is_some_and(|page| page.content == "a person's words");
        if let Some(lost) = edited.iter().find(|id| !told && !words(id)) {
            return Err(format!("a person's words in page {lost} are gone, and nobody says so: {outcome:?}"));
        }
        let touched: Vec<u64> = steps.iter().filter_map(|step| step["arguments"]["id"].as_u64()).collect();
        if let Some((id, _)) = self.before.iter().find(|(id, page)| !touched.contains(id) && now.get(id) != Some(page))
        {
            return Err(format!("page {id} was touched"));
        }
        match outcome {
            Outcome::Completed { .. } if approved == steps.len() => Ok("completed".to_owned()),
            Outcome::RolledBack { .. } if same + edited.len() >= steps.len() => Ok("rolled back".to_owned()),
            Outcome::Unknown { .. } => Ok("unknown".to_owned()),
            Outcome::NeedsAttention { .. } if !edited.is_empty() => Ok("needs attention".to_owned()),
            other => Err(format!("{approved} of {} are as approved, {same} as before: {other:?}", steps.len())),
        }
    }

    fn created(&self, step: &Value, now: &BTreeMap<u64, Page>) -> Result<Stands, String> {
        let given = &step["arguments"];
        let (title, content, slug) =
            (given["title"].as_str().unwrap(), given["content"].as_str().unwrap(), given["slug"].as_str().unwrap());
        let new = now.values().filter(|page| !self.before.contains_key(&page.id));
        let pages: Vec<&Page> = new.filter(|page| page.title == title && page.status != "trash").collect();
        match pages.as_slice() {
            [] => Ok(Stands::Before),
            [page] if page.content == content && page.slug == slug && page.status == "draft" => Ok(Stands::Approved),
            [page] if page.content == "a person's words" => Ok(Stands::Persons),
            [page] => Ok(Stands::Other(format!("{page:?}"))),
            more => Err(format!("{title} is there {} times", more.len())),
        }
    }
}

enum Stands {
    Before,
    Approved,
    Persons,
    Other(String),
}

/// How a page stands that was there before, told without the code under test.
fn changed(
    op: Op,
    step: &Value,
    before: &BTreeMap<u64, Page>,
    now: &BTreeMap<u64, Page>,
    edited: &[u64],
) -> Result<Stands, String> {
    let given = &step["arguments"];
    let id = given["id"].as_u64().unwrap();
    let (was, is) = (&before[&id], now.get(&id).ok_or_else(|| format!("page {id} is gone"))?);
    if is == was {
        return Ok(Stands::Before);
    }
    let mut want = was.clone();
    match op {
        Op::Update => {
            given["title"].as_str().unwrap().clone_into(&mut want.title);
            given["content"].as_str().unwrap().clone_into(&mut want.content);
        }
        Op::Publish => ("publish".clone_into(&mut want.status), want.date.clone_from(&is.date)).0,
        _ => {
            "trash".clone_into(&mut want.status);
            want.slug = format!("{}__trashed", was.slug);
        }
    }
    Ok(match () {
        () if *is == want => Stands::Approved,
        () if edited.contains(&id) && is.content == "a person's words" => Stands::Persons,
        () => Stands::Other(format!("{is:?}")),
    })
}

/// What came of the states that were tried.
#[derive(Default)]
struct Tally {
    ends: BTreeMap<String, usize>,
    wrong: Vec<String>,
    tried: usize,
}

/// Tries states until time is over or none is left, on several sites at once, and prints what came of them. Where `EXACTA_PROGRESS` names
/// a folder, what was tried with this seed is remembered there, and not tried again.
fn try_all(states: &[Trial], limit: Option<Duration>) {
    let begin = Instant::now();
    let progress = std::env::var_os("EXACTA_PROGRESS").filter(|_| limit.is_none());
    let progress = progress.map(|folder| std::path::Path::new(&folder).join(format!("sites-{}", seed())));
    let done = progress.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let mut tally = Tally::default();
    let mut over = std::collections::BTreeSet::new();
    for (number, end) in done.lines().filter_map(|line| line.split_once(' ')) {
        over.insert(number.parse::<usize>().unwrap());
        tally.tried += 1;
        *tally.ends.entry(end.to_owned()).or_default() += 1;
    }
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(tally));
    let at_once = std::env::var("EXACTA_SITES").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                let Some(mut scene) = Scene::new() else { return };
                let mut made: BTreeMap<(String, usize), Vec<Value>> = BTreeMap::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= states.len() || limit.is_some_and(|limit| begin.elapsed() > limit) {
                        return;
                    }
                    if over.contains(&number) {
                        continue;
                    }
                    let state = states[number];
                    let steps = made.entry((format!("{:?}", state.op), state.pages)).or_insert_with(|| {
                        scene.put_back();
                        scene.steps(state.op, state.pages)
                    });
                    let end = scene.try_state(state, &steps.clone(), 1000 + number as u32);
                    let mut tally = tally.lock().unwrap();
                    tally.tried += 1;
                    let end = end.unwrap_or_else(|why| {
                        println!("VIOLATION {number} {state:?}: {why}");
                        tally.wrong.push(format!("{number} {state:?}: {why}"));
                        "VIOLATION".to_owned()
                    });
                    if let Some(path) = &progress {
                        let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
                        file.write_all(format!("{number} {end}\n").as_bytes()).unwrap();
                    }
                    *tally.ends.entry(end).or_default() += 1;
                    if tally.tried.is_multiple_of(100) {
                        let (tried, ends) = (tally.tried, &tally.ends);
                        println!("{tried} of {} states, {} s: {ends:?}", states.len(), begin.elapsed().as_secs());
                    }
                }
            });
        }
    });
    let Tally { ends, wrong, tried } = tally.into_inner().unwrap();
    if tried == 0 && Scene::new().is_none() {
        return;
    }
    println!("seed {}: {tried} of {} states in {} s: {ends:?}", seed(), states.len(), begin.elapsed().as_secs());
    assert!(wrong.is_empty() && !ends.contains_key("VIOLATION"), "{wrong:#?}");
    assert!(tried > 0, "nothing was tried");
    if let Some(path) = progress.filter(|_| tried == states.len()) {
        std::fs::remove_file(path).unwrap();
    }
    let never = ends.get("no such request").copied().unwrap_or(0);
    assert!(never * 4 < tried + 40, "{never} of {tried} faults met nothing");
}

/// The states in an order that the seed decides.
fn shuffled() -> Vec<Trial> {
    let mut states = states();
    let mut random = seed().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for last in (1..states.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        states.swap(last, (random % (last as u64 + 1)) as usize);
    }
    states
}

#[test]
fn nothing_is_lost_and_nothing_is_torn() {
    try_all(&shuffled(), Some(Duration::from_secs(80)));
}

/// All states, for `tools/prove sites`.
#[test]
#[ignore = "an hour"]
fn nothing_is_lost_and_nothing_is_torn_in_any_state() {
    try_all(&shuffled(), None);
}

/// The yardstick: what a plain client of the interface leaves when the seventh of ten pages fails, and when a person saves in between.
#[test]
fn a_plain_client_leaves_pages_torn_and_overwrites_a_person() {
    let Some(scene) = Scene::new() else { return };
    let Scene { wordpress, live, admin, .. } = &scene;
    wordpress
        .fault(&json!({ "fault": "500", "when": "before", "nth": 7, "user": "editor", "kind": "write" }).to_string());
    for id in live {
        let answer = ask(wordpress, "editor", "POST", &format!("/wp/v2/pages/{id}"), &json!({ "content": "new" }));
        if answer["id"].is_null() {
            break;
        }
    }
    wordpress.no_fault();
    let changed = live.iter().filter(|id| admin.page(**id).unwrap().unwrap().content == "new").count();
    assert_eq!(changed, 6, "six of ten stay changed");
    wordpress.put_back(&scene.stored);
    let id = live[0];
    let seen = ask(wordpress, "editor", "GET", &format!("/wp/v2/pages/{id}?context=edit"), &Value::Null);
    ask(wordpress, "person", "POST", &format!("/wp/v2/pages/{id}"), &json!({ "content": "a person's words" }));
    let content = format!("{} and more", seen["content"]["raw"].as_str().unwrap());
    ask(wordpress, "editor", "POST", &format!("/wp/v2/pages/{id}"), &json!({ "content": content }));
    assert!(!admin.page(id).unwrap().unwrap().content.contains("a person's words"), "the person's words are gone");
}
