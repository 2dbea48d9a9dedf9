//! Performs approved acts on pages. WordPress has no transactions, no idempotency keys and no compare-and-swap, so whatever an answer
//! says, the page itself is looked at, and what cannot be told is said to be unknown.
//!
//! A page is created as a draft under a marker, the slug `exacta-KEY` of its act; its number is noted; then it gets its own slug. Until its
//! number is noted it is found by its marker, so it is never made twice and never lost.

mod ahead;
mod look;
mod looks;

use crate::call::{Call, Expected, Match, Op};
use crate::client::{Client, Reply};
use crate::error::{Fate, SiteError};
use crate::images::Images;
use crate::page::{Found, Page};
use crate::reading::{self, reads};
use ahead::Ahead;
use exacta_effect::{Answer, Direction, Effector, Fault, IdempotencyKey, IoError, Reversal, Seen, Trace};
use exacta_kernel::effect::Effect;
use exacta_kernel::effect::site::ACTS;
use exacta_kernel::facts::FileContent;
use look::differs;
use looks::Looks;
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
    looks: Looks,
    ahead: Ahead,
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
        let (fates, looks, ahead) = (Mutex::default(), Looks::default(), Ahead::default());
        Self { site: site.to_owned(), client, images, fates, looks, ahead }
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

    /// Sends what an act sends, and says what the site says to it.
    fn send(&self, act: &Act, direction: Direction) -> Result<Answer, SiteError> {
        match (direction, act.call.id(), act.before.as_ref()) {
            (Direction::Perform, None, _) => self.create(act),
            (Direction::Perform, Some(id), _) if act.call.op == Op::Trash => {
                self.client.delete(&route(id)).map(|_| Answer::Done)
            }
            (Direction::Perform, Some(id), _) => {
                let stored = Found::of(&self.post(id, &act.call.body(""))?.body, &self.client)?;
                Ok(self.stored(act, &stored))
            }
            (Direction::Compensate, None, _) => {
                let made = self.images.made_by(&act.key).map_err(|error| SiteError::Local(error.to_string()))?;
                let made = made.ok_or_else(|| SiteError::Local("the number of the page is not known".to_owned()))?;
                // Under its own slug: nothing is written into a page in which somebody may have written meanwhile.
                self.client.delete(&route(made.page)).map(|_| Answer::Done)
            }
            (Direction::Compensate, Some(id), Some(before)) => {
                let back = act.call.reverse(before, self.looks.page(&act.key).as_ref());
                self.post(id, &back).map(|_| Answer::Done)
            }
            (Direction::Compensate, Some(_), None) => {
                Err(SiteError::Local("the page as it was is not known".to_owned()))
            }
        }
    }

    /// Makes a page: a draft under its marker, then under its own slug.
    fn create(&self, act: &Act) -> Result<Answer, SiteError> {
        let marker = marker(&act.key);
        let made = Found::of(&self.client.post("/wp/v2/pages", &act.call.body(&marker))?.body, &self.client)?.page;
        let noted = self.images.made(&act.key, made.id, Some(made.made()));
        noted.map_err(|error| SiteError::Local(error.to_string()))?;
        if let how @ Match::Differs(_) = act.expected.on_the_way(&marker).compare(&made) {
            return Ok(self.put_back(act, &made, &how));
        }
        let named = Found::of(&self.post(made.id, &json!({ "slug": act.call.slug() }))?.body, &self.client)?.page;
        Ok(match act.expected.compare(&named) {
            // Only the slug is another: somebody took it meanwhile.
            how @ Match::Differs(_) if named.made() == made.made() && named.status == made.status => {
                self.put_back(act, &named, &how)
            }
            Match::Differs(fields) => Answer::Lost(Fault(differs(named.id, &fields))),
            Match::Exact | Match::Normalised => Answer::Done,
        })
    }

    /// What the site says it stored. What it made of the fields that were sent is put back at once if that is not what was approved.
    fn stored(&self, act: &Act, found: &Found) -> Answer {
        let how = act.expected.compare(&found.page);
        let Match::Differs(fields) = &how else { return Answer::Done };
        // A field that was not sent is another because a person saved it a moment ago: all stays as it is then.
        if fields.iter().any(|field| !act.call.sends(field)) {
            return Answer::Lost(Fault(differs(found.page.id, fields)));
        }
        match self.overwritten(act, found) {
            Ok(None) => self.put_back(act, &found.page, &how),
            Ok(Some(told)) => Answer::Lost(Fault(told)),
            Err(fault) => Answer::Lost(fault),
        }
    }

    /// Puts back what the site stored as something else, and nothing that a person did since.
    fn put_back(&self, act: &Act, page: &Page, how: &Match) -> Answer {
        let fields = if let Match::Differs(fields) = how { fields.as_slice() } else { &[] };
        let stored = Fault(format!("the site stored something else: {}", differs(page.id, fields)));
        if let Err(fault) = self.note(act, page, how) {
            return Answer::Lost(fault);
        }
        match self.client.found(page.id) {
            Ok(Some(now)) if now.page == *page => self.looks.seen(&act.key, &now),
            _ => return Answer::Lost(stored),
        }
        self.looks.sent(&act.key, None);
        let back = match &act.before {
            Some(before) => self.post(page.id, &act.call.reverse(before, Some(page))),
            None => self.client.delete(&route(page.id)),
        };
        match back {
            Ok(_) => Answer::NotDone(stored),
            Err(error) => {
                lock(&self.fates).insert(act.key.clone(), error.fate());
                Answer::Lost(stored)
            }
        }
    }

    /// One act, once. Only what the site provably refused because it is busy is sent a second time.
    fn once(&self, act: &Act, direction: Direction, key: &str) -> Answer {
        self.ahead.forget();
        if let Err(error) = self.images.begin(key, self.looks.newest(&act.key)) {
            return Answer::NotDone(Fault(error.to_string()));
        }
        lock(&self.fates).insert(key.to_owned(), Fate::Ended);
        self.looks.sent(&act.key, None);
        let mut sent = self.send(act, direction);
        if let Some(pause) = sent.as_ref().err().and_then(SiteError::pause).filter(|pause| *pause <= LONGEST_PAUSE) {
            sleep(Duration::from_secs(pause));
            if let Ok(Place::Seen(seen)) = self.place(act)
                && seen.is_start_of(direction)
            {
                self.looks.sent(&act.key, None);
                sent = self.send(act, direction);
            }
        }
        match sent {
            Ok(answer) => answer,
            Err(error) => {
                lock(&self.fates).insert(key.to_owned(), error.fate());
                match error.fate() {
                    Fate::NotSent => Answer::NotDone(fault(error)),
                    Fate::Ended | Fate::Open => Answer::Lost(fault(error)),
                }
            }
        }
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
        self.ahead.ask(id);
        if self.images.get(&before).map_err(io)?.is_some() {
            return Ok(());
        }
        let found = self.client.found(id).map_err(fault)?.ok_or_else(|| Fault(format!("there is no page {id}")))?;
        if found.page.sha256() != before {
            return Err(Fault(format!("page {id} is not as it was when the plan was made")));
        }
        self.images.keep(found.page.text().as_bytes()).map_err(io)?;
        self.ahead.put(found);
        Ok(())
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
        self.ahead.forget();
        let begun = self.images.is_begun(key.as_str()).map_err(io)?;
        if self.looks.newest(&act.key).is_none() {
            self.looks.sent(&act.key, self.images.newest_at(key.as_str()).map_err(io)?);
        }
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

fn fault(error: SiteError) -> Fault {
    Fault(error.to_string())
}

fn io(error: IoError) -> Fault {
    Fault(error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
