//! Autopilot plans: fixed sequences, refused primitives, and only hosts and recipients that the user named.

use super::{Allowed, Standing, parameters};
use crate::action::Reversibility;
use crate::action::primitive::PrimitiveId;
use crate::effect::is_plain_address;
use crate::finding::{Code, Finding};
use crate::plan::Plan;
use crate::prelude::*;
use crate::proposal::{Action, Domain, IntentKind, Step};
use crate::text::excerpt;
use crate::web;
use serde_json::{Map, Value};

/// The most of an address that a message shows.
const SHOWN: usize = 120;

pub(super) fn check(plan: &Plan, allowed: &Allowed, findings: &mut Vec<Finding>) {
    let kind = &plan.proposal.intent.kind;
    match sequence(kind) {
        Some(fixed) => follows(plan, fixed, findings),
        None => refused(plan, findings),
    }
    irreversible_last(plan, findings);
    for (index, step, id, parameters) in primitives(plan) {
        let at = Place { index, step, parameters };
        match id {
            PrimitiveId::ReadWeb => read_web(plan, &at, allowed, findings),
            PrimitiveId::ReadSources => read_sources(plan, &at, allowed, findings),
            PrimitiveId::SendEmail => send_email(&at, allowed, findings),
            PrimitiveId::WriteEmailDraft => email_draft(&at, allowed, findings),
            _ => {}
        }
        parameters::check(&at, id, plan, findings);
        if let Some(standing) = &allowed.standing {
            asked_for(&at, id, standing, findings);
        }
    }
}

/// A plan for an autopilot that does what no autopilot does.
pub(super) fn of_another_domain(domain: Domain) -> Finding {
    let message = format!("a plan for an autopilot acts in the {} domain", domain.name());
    let hint = "use the primitives of an autopilot, or submit it as a plan of its own";
    Finding::new(Code::PrimitiveRefused, message, hint).at("/steps")
}

/// A recipe's steps, and whether one that sends may follow. `Custom` has none.
fn sequence(kind: &IntentKind) -> Option<(&'static [PrimitiveId], bool)> {
    use PrimitiveId::{
        AggregateDailySummary, ReadForwardedEmail, ReadSources, ReadWeb, TriageEmail, WriteEmailDraft,
        WriteOutcomeDraft,
    };
    match kind {
        IntentKind::WebsiteMonitor => Some((&[ReadWeb, WriteOutcomeDraft, WriteEmailDraft], true)),
        IntentKind::InboxTriage => Some((&[ReadForwardedEmail, TriageEmail, WriteOutcomeDraft, WriteEmailDraft], true)),
        IntentKind::DailyBrief => Some((&[ReadSources, AggregateDailySummary, WriteOutcomeDraft], false)),
        _ => None,
    }
}

fn follows(plan: &Plan, (fixed, may_send): (&[PrimitiveId], bool), findings: &mut Vec<Finding>) {
    let steps = plan.ordered_steps();
    let found: Vec<PrimitiveId> = steps.iter().filter_map(|(_, step)| primitive(step).map(|(id, _)| id)).collect();
    let sends = may_send && found.strip_prefix(fixed) == Some(&[PrimitiveId::SendEmail]);
    if found == fixed || sends || found.is_empty() {
        return;
    }
    let names = |ids: &[PrimitiveId]| ids.iter().map(|id| id.name()).collect::<Vec<_>>().join(", ");
    let also = if may_send { ", and `send_email` if it is asked for" } else { "" };
    let message = format!("the steps are {}", excerpt(&names(&found), 400));
    let hint = format!("a {} plan has the steps {}{also}", plan.proposal.intent.kind.name(), names(fixed));
    findings.push(Finding::new(Code::PrimitiveRefused, message, hint).at("/steps"));
}

fn refused(plan: &Plan, findings: &mut Vec<Finding>) {
    for (index, step, id, _) in primitives(plan) {
        if matches!(id, PrimitiveId::ScheduleRun | PrimitiveId::ReadVaultFile) {
            let message = format!("`{}` is refused in a Custom plan", id.name());
            let finding = Finding::new(Code::PrimitiveRefused, message, "leave the step out");
            findings.push(finding.in_step(&step.id).at(format!("/steps/{index}/type")));
        }
    }
}

/// What cannot be undone comes last, so that a failure before it leaves nothing done.
fn irreversible_last(plan: &Plan, findings: &mut Vec<Finding>) {
    let mut irreversible: Option<&Step> = None;
    for (index, step) in plan.ordered_steps() {
        let Some((id, _)) = primitive(step) else { continue };
        match (irreversible, id.reversibility()) {
            (None, Reversibility::Irreversible) => irreversible = Some(step),
            (None, _) | (Some(_), Reversibility::Irreversible) => {}
            (Some(before), _) => {
                let name = excerpt(&before.id, 60);
                let message = format!("the step comes after `{name}`, which cannot be undone");
                let finding = Finding::new(Code::OrderInvalid, message, "put steps that cannot be undone last");
                findings.push(finding.in_step(&step.id).at(format!("/steps/{index}/order")));
            }
        }
    }
}

/// One step and where it stands.
pub(super) struct Place<'p> {
    pub index: usize,
    pub step: &'p Step,
    pub parameters: &'p Map<String, Value>,
}

impl Place<'_> {
    /// The parameter's texts with their places, or the step's target.
    fn given(&self, name: &str) -> Vec<(String, &str)> {
        let pointer = format!("/steps/{}/{name}", self.index);
        match self.parameters.get(name) {
            Some(Value::Array(items)) => {
                let texts = items.iter().filter_map(Value::as_str).enumerate();
                texts.map(|(at, text)| (format!("{pointer}/{at}"), text)).collect()
            }
            Some(Value::String(text)) => vec![(pointer, text)],
            _ => vec![(format!("/steps/{}/target", self.index), self.step.target.as_str())],
        }
    }

    pub fn finding(&self, code: Code, message: String, hint: &str, pointer: String) -> Finding {
        Finding::new(code, message, hint).in_step(&self.step.id).at(pointer)
    }

    fn not_allowed(&self, message: String, hint: &str, pointer: String) -> Finding {
        self.finding(Code::NotAllowlisted, message, hint, pointer)
    }

    /// A target beside the parameter must say the same, or nobody can tell which is meant.
    fn two_names(&self, name: &str, looks_like_one: impl Fn(&str) -> bool) -> Option<Finding> {
        let target = self.step.target.as_str();
        let differs = self.given(name).iter().all(|(_, text)| *text != target);
        (differs && looks_like_one(target)).then(|| {
            let message = format!("`target` is `{}`, which `{name}` does not name", excerpt(target, SHOWN));
            let hint = format!("write the same in `target` and `{name}`");
            self.finding(Code::SchemaInvalid, message, &hint, format!("/steps/{}/target", self.index))
        })
    }
}

fn primitives(plan: &Plan) -> impl Iterator<Item = (usize, &Step, PrimitiveId, &Map<String, Value>)> {
    let steps = plan.proposal.steps.iter().enumerate();
    steps.filter_map(|(index, step)| primitive(step).map(|(id, parameters)| (index, step, id, parameters)))
}

fn primitive(step: &Step) -> Option<(PrimitiveId, &Map<String, Value>)> {
    match &step.action {
        Action::Primitive { id, parameters } => Some((*id, parameters)),
        _ => None,
    }
}

fn read_web(plan: &Plan, at: &Place<'_>, allowed: &Allowed, findings: &mut Vec<Finding>) {
    findings.extend(at.two_names("url", |target| target.contains("://")));
    let watched = plan.proposal.autopilot.as_ref().and_then(|autopilot| autopilot.web_source_url.as_deref());
    for (pointer, url) in at.given("url") {
        if watched.is_some_and(|watched| watched != url) {
            let message = format!("`{}` is not the page that the plan says it watches", excerpt(url, SHOWN));
            let hint = "write the same address in `autopilot.web_source_url`";
            findings.push(at.not_allowed(message, hint, pointer));
        } else {
            findings.extend(host_allowed(at, url, pointer, allowed));
        }
    }
}

fn host_allowed(at: &Place<'_>, url: &str, pointer: String, allowed: &Allowed) -> Option<Finding> {
    let Some(host) = web::host(url) else {
        let message = format!("`{}` is not a plain http or https address", excerpt(url, SHOWN));
        return Some(at.not_allowed(message, "write the whole address, without a user name", pointer));
    };
    (!allowed.hosts.contains(&host)).then(|| {
        let message = format!("the host `{}` does not occur in the user's own words or lists", excerpt(&host, SHOWN));
        at.not_allowed(message, "let the user name the host", pointer)
    })
}

fn read_sources(plan: &Plan, at: &Place<'_>, allowed: &Allowed, findings: &mut Vec<Finding>) {
    let sources = plan.proposal.autopilot.as_ref().map_or(&[][..], |autopilot| &autopilot.daily_sources);
    if sources.is_empty() {
        let message = "no sources are given".to_owned();
        findings.push(at.not_allowed(message, "ask which sources to read", "/autopilot/daily_sources".to_owned()));
        return;
    }
    for (index, url) in sources.iter().enumerate() {
        findings.extend(host_allowed(at, url, format!("/autopilot/daily_sources/{index}"), allowed));
    }
    if !at.parameters.contains_key("urls") {
        return;
    }
    for (pointer, url) in at.given("urls").into_iter().filter(|(_, url)| !sources.iter().any(|source| source == url)) {
        let message = format!("`{}` is not one of the sources that were given", excerpt(url, SHOWN));
        findings.push(at.not_allowed(message, "read only what is in `autopilot.daily_sources`", pointer));
    }
}

/// Nothing is done for an autopilot that its words do not ask for, and only through its own account.
fn asked_for(at: &Place<'_>, id: PrimitiveId, standing: &Standing, findings: &mut Vec<Finding>) {
    if !standing.primitives.contains(&id) {
        let message = format!("the user's own words do not ask for `{}`", id.name());
        let pointer = format!("/steps/{}/type", at.index);
        findings.push(at.finding(Code::PrimitiveRefused, message, "let the user ask for it", pointer));
    }
    let (account, from) = standing.mail.as_ref().map(|(account, from)| (account.as_str(), from.as_str())).unzip();
    for (name, own) in [("account", account), ("from", from)] {
        let given = at.parameters.get(name).and_then(Value::as_str);
        if given.is_some() && given != own {
            let message = format!("`{name}` is not the one that the user gave this autopilot");
            findings.push(at.not_allowed(message, "leave it out", format!("/steps/{}/{name}", at.index)));
        }
    }
    let message = at.parameters.get("message_id").and_then(Value::as_str);
    if message.is_some_and(|id| id.split('/').next() != account) {
        let message = "`message_id` is not in the mail account that the user gave this autopilot".to_owned();
        findings.push(at.not_allowed(message, "leave the step out", format!("/steps/{}/message_id", at.index)));
    }
}

/// A draft names plain addresses. One that is made for an autopilot is to people whom the user named, or who wrote what was read.
fn email_draft(at: &Place<'_>, allowed: &Allowed, findings: &mut Vec<Finding>) {
    if !at.parameters.contains_key("to") {
        return;
    }
    for (pointer, address) in at.given("to") {
        let name = excerpt(address, SHOWN);
        if !is_plain_address(address) {
            let message = format!("`{name}` is not a plain address");
            findings.push(at.finding(Code::ParameterInvalid, message, "write `name@host`", pointer));
        } else if let Some(standing) = &allowed.standing
            && !allowed.has_recipient(address)
            && !standing.correspondents.contains(&address.to_lowercase())
        {
            let message = format!("`{name}` does not occur in the user's own words or lists");
            findings.push(at.not_allowed(message, "let the user name the address", pointer));
        }
    }
}

fn send_email(at: &Place<'_>, allowed: &Allowed, findings: &mut Vec<Finding>) {
    findings.extend(at.two_names("to", |target| target.contains('@')));
    if allowed.standing.as_ref().is_some_and(|standing| !standing.sending) {
        let message = "sending is not switched on for this autopilot".to_owned();
        let hint = "an approver switches sending on for the autopilot";
        findings.push(at.finding(Code::SendDisabled, message, hint, format!("/steps/{}/type", at.index)));
    }
    for (pointer, address) in at.given("to") {
        if !allowed.has_recipient(address) {
            let name = excerpt(address, SHOWN);
            let message = format!("the recipient `{name}` does not occur in the user's own words or lists");
            findings.push(at.not_allowed(message, "let the user name the recipient's plain address", pointer));
        }
    }
}
