//! An occasion from its beginning to its plan: reads at once, then one plan of the whole sequence.

use super::occasion::{Monitor, Needs, Occasion, OccasionState, Read, id_of};
use super::recipe::{self, Change};
use super::standing::StandingNow;
use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::error::{Error, Exit};
use crate::lineage::{For, Lineage, Maker};
use crate::pipeline::Origin;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::autopilot::{Autopilot, AutopilotName, Recipe, Tuning};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, RunId};
use exacta_kernel::lifecycle::Status;
use exacta_kernel::time::Timestamp;
use exacta_view::PlanView;
use exacta_web::monitor::{Judged, Memory, Notice, Rules, Seen, Verdict, judge};
use exacta_web::{Got, Hosts, Page, WebError, feed, get};
use serde_json::{Value, json};
use std::time::Duration;

/// How often a read is tried again that may succeed a little later, and how long the first pause is.
const RETRIES: u32 = 2;
const PAUSE: Duration = Duration::from_millis(200);

/// How many failures in a row are told.
const TOLD: u32 = 3;

/// How many of the newest occasions are looked at for them.
const NEWEST: u32 = 20;

/// What an occasion begins with.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Names the occasion for whoever asks: the same key, the same occasion.
    pub idempotency_key: Option<String>,
    /// The time of the schedule that it is for.
    pub due: Option<Timestamp>,
    /// The text of a mail, in the place of the inbox.
    pub inbox_text: Option<Vec<u8>>,
}

impl App {
    /// Has an autopilot do what it does: it reads, and where there is something to write it makes a plan, which waits.
    ///
    /// # Errors
    /// If its words do not count, or the record cannot be written. A page that cannot be read is not an error: the occasion says so.
    pub fn begin_occasion(&mut self, name: &AutopilotName, input: &Input) -> Result<Occasion, Error> {
        self.authorize(Act::Propose)?;
        let autopilot = self.verified(name)?.autopilot;
        let key = input.due.map(|due| format!("due {due}")).or_else(|| input.idempotency_key.clone());
        let id = match &key {
            Some(key) => id_of(name, key),
            None => new_id(RunId::parse)?.to_string(),
        };
        if let Some(text) = &input.inbox_text {
            usable(&autopilot, text)?;
        }
        let mut occasion = Occasion::new(id.clone(), name, input.due);
        if !self.keep_occasion(&occasion, None)? {
            return self.settled_occasion(&id);
        }
        let looked = match autopilot.definition.recipe {
            Recipe::WebsiteMonitor => self.watch(&autopilot, &mut occasion),
            Recipe::DailyBrief => self.brief(&autopilot, &mut occasion),
            Recipe::InboxTriage => self.sort(&autopilot, &mut occasion, input.inbox_text.as_deref()),
            Recipe::Custom => self.compose(&autopilot, &mut occasion),
        };
        if let Err(error) = looked {
            occasion.over(OccasionState::Failed, error.message.clone());
            self.update_occasion(&occasion)?;
            return Err(error);
        }
        self.update_occasion(&occasion)?;
        if autopilot.definition.recipe != Recipe::WebsiteMonitor {
            self.tell_failures(name, &occasion)?;
        }
        let keep = Duration::from_secs(u64::from(autopilot.tuning.keep_days) * 86_400);
        self.home.prune_snapshots(&self.project.id, keep)?;
        Ok(occasion)
    }

    /// Looks at a page, and makes a plan where it changed.
    fn watch(&mut self, autopilot: &Autopilot, occasion: &mut Occasion) -> Result<(), Error> {
        let name = &autopilot.definition.name;
        let Some(url) = autopilot.definition.url.clone() else {
            occasion.over(OccasionState::Failed, "it has no page to watch");
            return Ok(());
        };
        let kept = self.home.autopilot_memory(&self.project.id, name)?;
        // What cannot be read back was learnt by another version: the monitor begins again.
        let memory: Memory = kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
        let rules = rules(&autopilot.tuning)?;
        let hosts = Hosts::new(autopilot.hosts());
        let got = patiently(|| get(&url, &hosts, memory.validators()));
        self.note_read(occasion, &url, &got)?;
        let mut look = judge(&memory, &got, &rules);
        if !suppressed(&autopilot.tuning, &look.judged.verdict) {
            look = self.confirmed(look, occasion, (&url, &hosts), &rules)?;
        }
        let (judged, learnt) = (look.judged, look.memory);
        self.tell(name, &judged)?;
        let suppressed = suppressed(&autopilot.tuning, &judged.verdict);
        occasion.monitor = Some(seen(&judged, suppressed));
        match &judged.verdict {
            Verdict::Error { message, .. } => occasion.over(OccasionState::Failed, message.clone()),
            Verdict::First => occasion.over(OccasionState::Succeeded, "seen for the first time"),
            Verdict::Unchanged => occasion.over(OccasionState::Succeeded, "nothing changed"),
            Verdict::Changed { .. } if suppressed => {
                occasion.over(OccasionState::Succeeded, "it changed too little to be told, or is not to be told now");
                // What changed by little adds up: it is compared with the same page again.
                return Ok(());
            }
            Verdict::Changed { score, added, removed } => {
                let sha256 = occasion.reads.last().map(|read| read.sha256.clone()).unwrap_or_default();
                let change = Change { url: &url, sha256: &sha256, score: *score, added, removed };
                let account = autopilot.definition.mail.as_deref();
                let from = account.map(|account| crate::mail::sender(&self.home, account)).transpose()?.flatten();
                let task = "the beginning of a mail that says what changed on a page";
                let words = self.written(autopilot, occasion, task, &recipe::change_text(&change))?;
                let text = words.as_ref().map(|words| words.text.as_str());
                let plan = recipe::website(autopilot, &change, from.as_deref(), text);
                self.propose(autopilot, occasion, &plan, words.map(|words| words.maker))?;
            }
        }
        // Only now: had the process died before, the change would be found again.
        Ok(self.home.keep_autopilot_memory(&self.project.id, name, &serde_json::to_value(&learnt)?)?)
    }

    /// Reads a page again a little later: of a change only what stays is told, and at first sight it is learnt what does not stay. A read that brought the
    /// same bytes is not noted twice.
    fn confirmed(
        &self,
        mut look: Seen,
        occasion: &mut Occasion,
        (url, hosts): (&str, &Hosts),
        rules: &Rules,
    ) -> Result<Seen, Error> {
        while let Some(doubt) = look.doubt.take() {
            std::thread::sleep(doubt.pause());
            let got = get(url, hosts, doubt.validators());
            look = doubt.again(look.judged, &got, rules);
            let is_new = |page: &Page| occasion.reads.last().is_none_or(|read| read.sha256 != page.sha256);
            if matches!(&got, Ok(Got::Page(page)) if look.counts && is_new(page)) {
                self.note_read(occasion, url, &got)?;
            }
        }
        Ok(look)
    }

    /// Reads the sources of a brief, and makes a plan where they tell something new.
    fn brief(&mut self, autopilot: &Autopilot, occasion: &mut Occasion) -> Result<(), Error> {
        let name = &autopilot.definition.name;
        let hosts = Hosts::new(autopilot.hosts());
        let most = usize::try_from(autopilot.tuning.max_sources).unwrap_or(5);
        let (mut read, mut items, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        for url in autopilot.definition.sources.iter().take(most) {
            let got = patiently(|| get(url, &hosts, None));
            self.note_read(occasion, url, &got)?;
            match got {
                Ok(Got::Page(page)) if page.status == 200 => {
                    read.push((url.clone(), page.sha256.clone()));
                    items.push((url.clone(), feed::items(&page)));
                }
                Ok(Got::Page(page)) => failures.push(format!("`{url}` answered {}", page.status)),
                Ok(Got::NotModified) => failures.push(format!("`{url}` sent nothing")),
                Err(error) => failures.push(error.to_string()),
            }
        }
        if read.is_empty() {
            occasion.over(OccasionState::Failed, format!("no source could be read: {}", failures.join("; ")));
            return Ok(());
        }
        let most = usize::try_from(autopilot.tuning.max_bullets).unwrap_or(6);
        let lines = recipe::lines(&items, most);
        let told = json!({ "lines": Digest::of(lines.join("\n").as_bytes()) });
        if lines.is_empty() || self.home.autopilot_memory(&self.project.id, name)?.as_ref() == Some(&told) {
            occasion.over(OccasionState::Succeeded, "the sources tell nothing new");
            return Ok(());
        }
        let words = self.written(autopilot, occasion, "a summary of news for the user", &lines.join("\n"))?;
        let (text, maker) = words.map(|words| (words.text, words.maker)).unzip();
        let noted: Vec<String> = text.into_iter().chain(lines).collect();
        self.propose(autopilot, occasion, &recipe::brief(autopilot, &read, &noted), maker)?;
        Ok(self.home.keep_autopilot_memory(&self.project.id, name, &told)?)
    }

    /// Keeps what was read, and says so in the occasion.
    pub(super) fn note_read(
        &self,
        occasion: &mut Occasion,
        url: &str,
        got: &Result<Got, WebError>,
    ) -> Result<(), Error> {
        let (bytes, from_cache): (&[u8], bool) = match got {
            Ok(Got::Page(page)) => (&page.body, false),
            Ok(Got::NotModified) => (&[], true),
            Err(_) => return Ok(()),
        };
        let sha256 = self.home.keep_snapshot(&self.project.id, bytes)?;
        occasion.reads.push(Read {
            step: "read".to_owned(),
            url: Some(url.to_owned()),
            message: None,
            sha256: sha256.to_string(),
            bytes: bytes.len() as u64,
            fetched_at: now(),
            from_cache,
        });
        Ok(())
    }

    /// Makes the plan, which goes through the same gates as every plan, and takes the place of one that still waits. It is bound to the model whose words
    /// are in it.
    pub(super) fn propose(
        &mut self,
        autopilot: &Autopilot,
        occasion: &mut Occasion,
        plan: &Value,
        maker: Option<Maker>,
    ) -> Result<(), Error> {
        let name = &autopilot.definition.name;
        self.supersede(name, &occasion.run_id)?;
        let lineage = Lineage {
            proposer: Some(format!("autopilot:{name}")),
            maker,
            autopilot: Some(For::new(
                name,
                Some(&occasion.run_id),
                StandingNow::of(&self.home, autopilot, &occasion.correspondents)?,
            )),
            ..Lineage::new(new_id(CorrelationId::parse)?, 1)
        };
        let view = self.register(plan.to_string().as_bytes(), Origin::Outside, &[], lineage)?;
        waits(occasion, &view);
        Ok(())
    }

    /// What a monitor has to tell of itself is an entry of the log.
    fn tell(&mut self, name: &AutopilotName, judged: &Judged) -> Result<(), Error> {
        self.tell_notice(name, judged.notice)
    }

    /// The same for what has no monitor: three failures in a row are told once, and so is that it works again.
    fn tell_failures(&mut self, name: &AutopilotName, occasion: &Occasion) -> Result<(), Error> {
        let earlier = self.occasions(Some(name), NEWEST)?.into_iter().filter(|other| other.run_id != occasion.run_id);
        let failures = earlier.take_while(|other| other.state == OccasionState::Failed).count();
        let times = u32::try_from(failures).unwrap_or(u32::MAX);
        let notice = match occasion.state {
            OccasionState::Failed => (times == TOLD - 1).then_some(Notice::Failing(TOLD)),
            _ => (times >= TOLD).then_some(Notice::Recovered(times)),
        };
        self.tell_notice(name, notice)
    }

    fn tell_notice(&mut self, name: &AutopilotName, notice: Option<Notice>) -> Result<(), Error> {
        let words = match notice {
            None => return Ok(()),
            Some(Notice::Failing(times)) => format!("autopilot `{name}` has failed {times} times in a row"),
            Some(Notice::Recovered(times)) => format!("autopilot `{name}` works again, after {times} failures"),
        };
        let mut entry = EntryDraft::new(Event::AutopilotNotice, Actor::System, words);
        entry.data = crate::entry::data(json!({ "autopilot": name }));
        Ok(self.store.record(&[entry], now())?)
    }
}

/// What became of the plan, for the occasion.
pub(super) fn waits(occasion: &mut Occasion, view: &PlanView) {
    occasion.plan_id = view.plan_id.as_ref().map(ToString::to_string);
    occasion.plan_hash = view.plan_hash.as_ref().map(ToString::to_string);
    match view.status {
        Some(Status::Pending | Status::UserApproved) => {
            (occasion.state, occasion.reason) =
                (OccasionState::NeedsApproval, "a person decides about its plan".to_owned());
            occasion.needs = Some(Needs { kind: "approval".to_owned(), field: None, candidates: Vec::new() });
        }
        Some(Status::AutoApproved) => {
            (occasion.state, occasion.reason) = (OccasionState::Ready, "policy allows its plan".to_owned());
        }
        _ => {
            let codes: Vec<String> = view.findings.iter().map(|finding| finding.code.clone()).collect();
            occasion.over(OccasionState::Blocked, format!("its plan is denied: {}", codes.join(", ")));
        }
    }
}

/// That a text can be sorted: nothing is begun for one that cannot.
fn usable(autopilot: &Autopilot, text: &[u8]) -> Result<(), Error> {
    if autopilot.definition.recipe != Recipe::InboxTriage {
        let message = format!("`--inbox-text` is for an InboxTriage, and `{}` is none", autopilot.definition.name);
        return Err(Error::new(Exit::Usage, "inbox_text_unusable", message).hint("leave it out"));
    }
    super::inbox::forwarded(text).map(drop)
}

/// What of a page is compared.
pub(super) fn rules(tuning: &Tuning) -> Result<Rules, Error> {
    let select: Vec<String> = tuning.selector.iter().cloned().collect();
    Rules::new(&select, &tuning.ignore, &[]).map_err(|error| {
        Error::new(Exit::Usage, "autopilot_unusable", error.to_string()).hint("a CSS selector such as `main .price`")
    })
}

fn suppressed(tuning: &Tuning, verdict: &Verdict) -> bool {
    let Verdict::Changed { score, .. } = verdict else { return false };
    tuning.suppress_until.is_some_and(|until| now() < until) || *score < tuning.min_diff_score.saturating_mul(100)
}

fn seen(judged: &Judged, suppressed: bool) -> Monitor {
    let (verdict, score, error) = match &judged.verdict {
        Verdict::First => ("first", 10_000, None),
        Verdict::Unchanged => ("unchanged", 0, None),
        Verdict::Changed { score, .. } => (if suppressed { "suppressed" } else { "changed" }, *score, None),
        Verdict::Error { message, .. } => ("error", 0, Some(message.clone())),
    };
    let (added, removed) = match &judged.verdict {
        Verdict::Changed { added, removed, .. } => (added.clone(), removed.clone()),
        _ => (Vec::new(), Vec::new()),
    };
    Monitor { verdict: verdict.to_owned(), score, added, removed, volatile: judged.volatile.clone(), error }
}

/// Reads, and a little later again where that may help.
pub(super) fn patiently(read: impl Fn() -> Result<Got, WebError>) -> Result<Got, WebError> {
    let mut pause = PAUSE;
    for _ in 0..RETRIES {
        match read() {
            Err(error) if error.is_transient() => std::thread::sleep(pause),
            answer => return answer,
        }
        pause = pause.saturating_mul(2);
    }
    read()
}
