//! Performs approved acts on pages. WordPress has no transactions, no idempotency keys and no compare-and-swap, so whatever an answer
//! says, the page itself is looked at, and what cannot be told is said to be unknown.
//!
//! A page is created as a draft under a marker, the slug `exacta-KEY` of its act; its number is noted; then it gets its own slug. Until its
//! number is noted it is found by its marker, so it is never made twice and never lost.

use crate::call::{Call, Expected, Match, Op, trashed};
use crate::client::{Client, Reply};
use crate::error::{Fate, SiteError};
use crate::images::{Images, Noted};
use crate::page::{Found, Page};
use crate::reading::{self, reads};
use exacta_effect::{Answer, Direction, Effector, Fault, IdempotencyKey, IoError, Reversal, Seen, Trace};
use exacta_kernel::effect::Effect;
use exacta_kernel::effect::site::ACTS;
use exacta_kernel::facts::{FileContent, FileState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest pause that a site may ask for in the middle of a run.
const LONGEST_PAUSE: u64 = 5;

/// How long is waited between two looks at an act that may still happen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// The acts on pages of one site.
#[derive(Debug)]
pub struct Pages<C> {
    site: String,
    client: C,
    images: Images,
    /// What became of requests whose answers were lost, by the key of their act.
    fates: Mutex<BTreeMap<String, Fate>>,
    /// How many revisions a page had at the last look before its act.
    revisions: Mutex<BTreeMap<String, u64>>,
}

/// One act with all that is needed for it.
struct Act {
    call: Call,
    before: Option<Page>,
    expected: Expected,
    key: String,
}

/// Where a page stands.
enum Place {
    Seen(Seen),
    /// It is there under its marker, and has to get its slug, or to go to the trash.
    Half(u64),
}

impl<C: Deref<Target = Client>> Pages<C> {
    /// What performs acts on the site of this name.
    #[must_use]
    pub fn new(site: &str, client: C, images: Images) -> Self {
        Self { site: site.to_owned(), client, images, fates: Mutex::default(), revisions: Mutex::default() }
    }

    fn act(&self, trace: &Trace) -> Result<Act, Fault> {
        self.is_own(trace)?;
        let FileState::File { sha256, .. } = &trace.after else { return Err(Fault("it leaves nothing".to_owned())) };
        let bytes = self.images.get(sha256).map_err(io)?;
        let bytes = bytes.ok_or_else(|| Fault("what was approved is not kept on this machine any more".to_owned()))?;
        let call = Call::parse(&bytes).map_err(|bad| Fault(bad.to_string()))?;
        let before =
            match call.before() {
                None => None,
                Some(sha256) => {
                    let image = self.images.get(&sha256).map_err(io)?;
                    let page = image.and_then(|bytes| Page::parse(str::from_utf8(&bytes).ok()?));
                    Some(page.ok_or_else(|| {
                        Fault("the page's before-image is not kept on this machine any more".to_owned())
                    })?)
                }
            };
        if before.as_ref().is_some_and(|before| !call.was_judged_by(before)) {
            return Err(Fault("the page's status is not the one that the call was judged by".to_owned()));
        }
        let expected = call.expected(before.as_ref());
        Ok(Act { call, before, expected, key: trace.key.as_str().to_owned() })
    }

    fn is_own(&self, trace: &Trace) -> Result<(), Fault> {
        match trace.place.as_str().split('/').nth(1) {
            Some(name) if name == self.site => Ok(()),
            _ => Err(Fault(format!("`{}` is no place on the site `{}`", trace.place, self.site))),
        }
    }

    fn place(&self, act: &Act) -> Result<Place, Fault> {
        match act.call.id() {
            None => self.created(act),
            Some(id) => self.changed(act, id).map(Place::Seen),
        }
    }

    /// Where a page is that was there before.
    fn changed(&self, act: &Act, id: u64) -> Result<Seen, Fault> {
        let Some(found) = self.client.found(id).map_err(fault)? else {
            return Ok(Seen::Other(format!("page {id} is gone")));
        };
        if act.before.as_ref() == Some(&found.page) {
            if let Some(count) = found.revisions {
                lock(&self.revisions).insert(act.key.clone(), count);
            }
            return Ok(Seen::Before);
        }
        match act.expected.compare(&found.page) {
            how @ (Match::Exact | Match::Normalised) => {
                self.note(act, &found.page, &how)?;
                self.alone(act, &found)
            }
            Match::Differs(fields) => Ok(Seen::Other(differs(id, &fields))),
        }
    }

    /// Notes what is stored, for receipts.
    fn note(&self, act: &Act, page: &Page, how: &Match) -> Result<(), Fault> {
        let stored = match how {
            Match::Exact => "exact",
            Match::Normalised => "normalised",
            Match::Differs(_) => "differs",
        };
        let noted =
            Noted { page: Some(page.id), sha256: Some(page.sha256()), count: None, stored: Some(stored.to_owned()) };
        self.images.note(&act.key, &noted).map_err(io)
    }

    /// Done, unless somebody saved the page between the last look and our write: their words are in its revisions then.
    fn alone(&self, act: &Act, found: &Found) -> Result<Seen, Fault> {
        let before = lock(&self.revisions).get(&act.key).copied();
        let (Some(before), Some(now), Op::Update) = (before, found.revisions, act.call.op) else {
            return Ok(Seen::Done);
        };
        if now <= before + 1 {
            return Ok(Seen::Done);
        }
        let id = found.page.id;
        let list = self.client.revisions(id, now - before).map_err(fault)?;
        let Some(theirs) = list.iter().find(|revision| revision.is_of_somebody(&found.page, act.before.as_ref()))
        else {
            return Ok(Seen::Done);
        };
        let kept = self.images.keep(theirs.text.as_bytes()).map_err(io)?;
        Ok(Seen::Other(format!(
            "somebody saved page {id} between the last look and our write; their words are its revision {}, kept here as {kept}",
            theirs.id
        )))
    }

    /// Where a page is that an act makes.
    fn created(&self, act: &Act) -> Result<Place, Fault> {
        // INVARIANT: nothing reaches the site under this key before the act is noted as begun.
        if !self.images.is_begun(&act.key).map_err(io)? {
            return Ok(Place::Seen(Seen::Before));
        }
        let marker = marker(&act.key);
        let in_trash = trashed(&marker);
        let id = match self.images.page_of(&act.key).map_err(io)? {
            Some(id) => id,
            None => match self.client.with_slugs(&[&marker, &in_trash]).map_err(fault)?.as_slice() {
                [] => return Ok(Place::Seen(Seen::Before)),
                [found] => {
                    self.images.made(&act.key, found.page.id).map_err(io)?;
                    found.page.id
                }
                more => return Ok(Place::Seen(Seen::Other(format!("the page is there {} times", more.len())))),
            },
        };
        let Some(page) = self.client.page(id).map_err(fault)? else {
            return Ok(Place::Seen(Seen::Other(format!("page {id}, which this run made, was deleted for good"))));
        };
        Ok(match act.expected.compare(&page) {
            how @ (Match::Exact | Match::Normalised) => {
                self.note(act, &page, &how)?;
                Place::Seen(Seen::Done)
            }
            // Under its marker in the trash it is as if it had never been made, whatever the site stored of it.
            Match::Differs(_) if page.slug == in_trash && page.status == "trash" => Place::Seen(Seen::Before),
            Match::Differs(fields) => match act.expected.on_the_way(&marker).compare(&page) {
                Match::Exact | Match::Normalised => Place::Half(id),
                Match::Differs(_) => Place::Seen(Seen::Other(differs(id, &fields))),
            },
        })
    }

    /// Brings a page that is there under its marker to where the act leads.
    fn advance(&self, act: &Act, id: u64, direction: Direction) -> Result<(), SiteError> {
        match direction {
            Direction::Perform => self.post(id, &json!({ "slug": act.call.slug() })).map(drop),
            Direction::Compensate => self.client.delete(&route(id)).map(drop),
        }
    }

    fn post(&self, id: u64, body: &Value) -> Result<Reply, SiteError> {
        self.client.post(&route(id), body)
    }

    /// Sends what an act sends. The page that the site says there is then.
    fn send(&self, act: &Act, direction: Direction) -> Result<Option<Page>, SiteError> {
        let page = |reply: &Reply| Found::of(&reply.body, &self.client).map(|found| Some(found.page));
        match (direction, act.call.id(), act.before.as_ref()) {
            (Direction::Perform, None, _) => {
                let made = self.client.post("/wp/v2/pages", &act.call.body(&marker(&act.key)))?;
                let id = Found::of(&made.body, &self.client)?.page.id;
                self.images.made(&act.key, id).map_err(|error| SiteError::Local(error.to_string()))?;
                page(&self.post(id, &json!({ "slug": act.call.slug() }))?)
            }
            (Direction::Perform, Some(id), _) if act.call.op == Op::Trash => {
                self.client.delete(&route(id)).map(|_| None)
            }
            (Direction::Perform, Some(id), _) => page(&self.post(id, &act.call.body(""))?),
            (Direction::Compensate, None, _) => {
                let made = self.images.page_of(&act.key).map_err(|error| SiteError::Local(error.to_string()))?;
                let id = made.ok_or_else(|| SiteError::Local("the number of the page is not known".to_owned()))?;
                self.post(id, &json!({ "slug": marker(&act.key) }))?;
                self.client.delete(&route(id)).map(|_| None)
            }
            (Direction::Compensate, Some(id), Some(before)) => self.post(id, &act.call.reverse(before)).map(|_| None),
            (Direction::Compensate, Some(_), None) => {
                Err(SiteError::Local("the page as it was is not known".to_owned()))
            }
        }
    }

    /// One act, once. Only what the site provably refused because it is busy is sent a second time.
    fn once(&self, act: &Act, direction: Direction, key: &str) -> Answer {
        if let Err(error) = self.images.begin(key) {
            return Answer::NotDone(Fault(error.to_string()));
        }
        let mut sent = self.send(act, direction);
        if let Some(pause) = sent.as_ref().err().and_then(SiteError::pause).filter(|pause| *pause <= LONGEST_PAUSE) {
            sleep(Duration::from_secs(pause));
            if let Ok(Place::Seen(seen)) = self.place(act)
                && seen.is_start_of(direction)
            {
                sent = self.send(act, direction);
            }
        }
        match sent {
            Ok(page) => {
                lock(&self.fates).insert(key.to_owned(), Fate::Ended);
                self.as_expected(act, direction, page)
            }
            Err(error) => {
                lock(&self.fates).insert(key.to_owned(), error.fate());
                match error.fate() {
                    Fate::NotSent => Answer::NotDone(fault(error)),
                    Fate::Ended | Fate::Open => Answer::Lost(fault(error)),
                }
            }
        }
    }

    /// What the site says it stored. If that is something else than was approved, it is put back at once.
    fn as_expected(&self, act: &Act, direction: Direction, page: Option<Page>) -> Answer {
        let (Direction::Perform, Some(page)) = (direction, page) else { return Answer::Done };
        let how = act.expected.compare(&page);
        let Match::Differs(fields) = &how else { return Answer::Done };
        if let Err(fault) = self.note(act, &page, &how) {
            return Answer::Lost(fault);
        }
        let stored = Fault(format!("the site stored something else: {}", differs(page.id, fields)));
        // Only if it is still what the site just stored: a person's words are never put back.
        if !matches!(self.client.page(page.id), Ok(Some(now)) if now == page) {
            return Answer::Lost(stored);
        }
        let back = match &act.before {
            Some(before) => self.post(page.id, &self.whole(act, before, fields)).map(drop),
            None => self.trash_created(page.id, &act.key),
        };
        match back {
            Ok(()) => Answer::NotDone(stored),
            Err(_) => Answer::Lost(stored),
        }
    }

    /// A page that was made and stored as something else goes to the trash under its marker, and is as if it had not been made.
    fn trash_created(&self, id: u64, key: &str) -> Result<(), SiteError> {
        self.post(id, &json!({ "slug": marker(key) }))?;
        self.client.delete(&route(id)).map(drop)
    }

    /// What puts back the fields that a call changes, and those that the site changed with them.
    fn whole(&self, act: &Act, before: &Page, fields: &[&'static str]) -> Value {
        let mut body = act.call.reverse(before);
        for field in fields {
            let was: Value = match *field {
                "title" => before.title.clone().into(),
                "content" => before.content.clone().into(),
                "excerpt" => before.excerpt.clone().into(),
                "status" => before.status.clone().into(),
                "slug" => before.slug.clone().into(),
                "parent" => before.parent.into(),
                "template" => before.template.clone().into(),
                "menu_order" => before.menu_order.into(),
                "comment_status" => before.comment_status.clone().into(),
                "ping_status" => before.ping_status.clone().into(),
                "meta" => Value::Object(before.meta.clone()),
                _ => continue,
            };
            if let Value::Object(body) = &mut body {
                body.insert((*field).to_owned(), was);
            }
        }
        body
    }

    /// Looks until an act shows, or can no longer happen, or time is over.
    fn wait_for(&self, act: &Act, tried: Direction, fate: Fate) -> Result<Seen, Fault> {
        let until = Instant::now() + self.client.patience().settle;
        let mut advanced = false;
        loop {
            let over = Instant::now() >= until;
            match self.place(act) {
                Ok(Place::Half(id)) if !advanced => {
                    advanced = true;
                    // What comes of it is seen by the next look.
                    let _looked_at_next = self.advance(act, id, tried);
                    continue;
                }
                Ok(Place::Half(_)) if over => return Ok(Seen::Other("the page is there under its marker".to_owned())),
                Ok(Place::Half(_)) => advanced = false,
                Ok(Place::Seen(seen)) if seen.is_start_of(tried) && fate == Fate::Open => {
                    if over {
                        return Ok(Seen::Unsure);
                    }
                }
                Ok(Place::Seen(seen)) => return Ok(seen),
                Err(fault) if over => return Err(fault),
                Err(_) => {}
            }
            sleep(BETWEEN_LOOKS);
        }
    }
}

impl<C: Deref<Target = Client>> Effector for Pages<C> {
    fn performs(&self, act: &str) -> bool {
        ACTS.contains(&act) || reads(act)
    }

    fn reversal(&self, act: &str) -> Reversal {
        if reads(act) { Reversal::Exact } else { Reversal::Compensated }
    }

    fn result(&self, trace: &Trace) -> Option<Value> {
        let noted = self.images.noted(trace.key.as_str()).ok()??;
        serde_json::to_value(noted).ok()
    }

    fn prepare(&self, effect: &Effect, trace: &Trace) -> Result<(), Fault> {
        self.is_own(trace)?;
        if reads(effect.act()) {
            return Ok(());
        }
        let bytes = effect.content().map(FileContent::bytes).unwrap_or_default();
        let call = Call::parse(bytes).map_err(|bad| Fault(bad.to_string()))?;
        self.images.keep(bytes).map_err(io)?;
        let (Some(id), Some(before)) = (call.id(), call.before()) else { return Ok(()) };
        if self.images.get(&before).map_err(io)?.is_some() {
            return Ok(());
        }
        let page = self.client.page(id).map_err(fault)?.ok_or_else(|| Fault(format!("there is no page {id}")))?;
        if page.sha256() != before {
            return Err(Fault(format!("page {id} is not as it was when the plan was made")));
        }
        self.images.keep(page.text().as_bytes()).map(drop).map_err(io)
    }

    fn look(&self, trace: &Trace) -> Result<Seen, Fault> {
        if reads(&trace.act) {
            return reading::look(&self.images, trace);
        }
        match self.place(&self.act(trace)?)? {
            Place::Seen(seen) => Ok(seen),
            Place::Half(id) => Ok(Seen::Other(format!("page {id} is there under its marker"))),
        }
    }

    fn settle(&self, trace: &Trace, tried: Direction, key: &IdempotencyKey) -> Result<Seen, Fault> {
        if reads(&trace.act) {
            return reading::look(&self.images, trace);
        }
        let act = self.act(trace)?;
        let begun = self.images.is_begun(key.as_str()).map_err(io)?;
        let fate = lock(&self.fates).get(key.as_str()).copied();
        self.wait_for(&act, tried, if begun { fate.unwrap_or(Fate::Open) } else { Fate::NotSent })
    }

    fn perform(&self, _effect: &Effect, trace: &Trace) -> Answer {
        if reads(&trace.act) {
            return reading::perform(&self.client, &self.images, trace);
        }
        match self.act(trace) {
            Ok(act) => self.once(&act, Direction::Perform, trace.key.as_str()),
            Err(fault) => Answer::NotDone(fault),
        }
    }

    fn compensate(&self, trace: &Trace, key: &IdempotencyKey) -> Answer {
        if reads(&trace.act) {
            return reading::compensate(&self.images, trace);
        }
        match self.act(trace) {
            Ok(act) => self.once(&act, Direction::Compensate, key.as_str()),
            Err(fault) => Answer::NotDone(fault),
        }
    }
}

/// The slug that a page has until it gets its own.
fn marker(key: &str) -> String {
    format!("exacta-{key}")
}

fn route(id: u64) -> String {
    format!("/wp/v2/pages/{id}")
}

fn differs(id: u64, fields: &[&'static str]) -> String {
    format!("page {id} is neither as the plan saw it nor as approved: {} differ", fields.join(", "))
}

fn fault(error: SiteError) -> Fault {
    Fault(error.to_string())
}

fn io(error: IoError) -> Fault {
    Fault(error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
