//! Autopilots as text. Whatever a stranger wrote is shown inert.

use exacta_app::autopilot::{AutopilotView, Card, Health, Occasion};
use exacta_kernel::text::{excerpt, visible_line};

pub fn card(card: &Card) -> String {
    let mut text = format!("{} · {}\n  {}\n", plain(&card.name, 40), card.recipe, plain(&card.request, 400));
    for (index, step) in card.steps.iter().enumerate() {
        let asked = if step.approval { "asks you" } else { "by itself" };
        text.push_str(&format!("  {}. {:<24} {:<7} {asked}\n", index + 1, step.primitive, step.tier));
    }
    if card.steps.is_empty() {
        text.push_str("  its steps come from a plan that is submitted for it\n");
    }
    line(&mut text, "reads", card.sources.iter().map(|source| plain(source, 120)));
    line(&mut text, "hosts", card.allowed.hosts.iter().cloned());
    line(&mut text, "recipients", card.allowed.recipients.iter().cloned());
    let when = card.schedule.as_ref().map(|schedule| format!("{} ({})", schedule.cron, schedule.zone));
    line(&mut text, "runs", when.into_iter());
    text.push_str(&format!("  costs       {} cents a time\n", card.cost_cents));
    text
}

pub fn autopilot(view: &AutopilotView) -> String {
    let resting = if view.paused { " · paused" } else { "" };
    let mut text = format!("{} · {}{resting}\n  {}\n", view.name, view.recipe, plain(&view.request, 400));
    line(&mut text, "watches", view.url.iter().map(|url| plain(url, 120)));
    line(&mut text, "reads", view.sources.iter().map(|source| plain(source, 120)));
    line(&mut text, "hosts", view.allowed.hosts.iter().cloned());
    line(&mut text, "recipients", view.allowed.recipients.iter().cloned());
    line(&mut text, "may", view.allowed.primitives.iter().map(|name| (*name).to_owned()));
    let when = view.schedule.as_ref().map(|schedule| format!("{} ({})", schedule.cron, schedule.zone));
    line(&mut text, "runs", when.into_iter());
    line(&mut text, "next", view.next_at.iter().cloned());
    let sending = if view.sending.on { "on, each mail after your approval" } else { "off" };
    text.push_str(&format!("  sending     {sending}\n"));
    match (&view.signed_by, &view.note) {
        (Some(by), _) => text.push_str(&format!("  signed by   {by}\n")),
        (None, Some(note)) => text.push_str(&format!("  not in force: {}\n", plain(note, 300))),
        (None, None) => {}
    }
    text
}

pub fn list(autopilots: &[AutopilotView]) -> String {
    let row = |view: &AutopilotView| {
        let state = if view.signed_by.is_none() {
            "not signed".to_owned()
        } else if view.paused {
            "paused".to_owned()
        } else {
            view.next_at.clone().unwrap_or_else(|| "by hand".to_owned())
        };
        format!("{:<20} {:<15} {:<25} {}\n", view.name, view.recipe, state, plain(&view.request, 60))
    };
    autopilots.iter().map(row).collect()
}

pub fn occasion(occasion: &Occasion) -> String {
    let mut text = format!("{} · {} · {}\n", occasion.autopilot, occasion.state.name(), plain(&occasion.reason, 300));
    for read in &occasion.reads {
        let what = read.url.as_deref().or(read.message.as_deref()).unwrap_or_default();
        let hash = read.sha256.get(..12).unwrap_or_default();
        text.push_str(&format!("  read        {} ({} bytes, {hash})\n", plain(what, 120), read.bytes));
    }
    if let Some(monitor) = &occasion.monitor {
        text.push_str(&format!("  page        {}\n", monitor.verdict));
        for (mark, passages) in [("+", &monitor.added), ("-", &monitor.removed)] {
            for passage in passages.iter().take(10) {
                text.push_str(&format!("    {mark} {}\n", plain(passage, 200)));
            }
        }
        line(&mut text, "ignores", monitor.volatile.iter().take(5).map(|place| plain(place, 80)));
    }
    if let Some(needs) = &occasion.needs {
        let field = needs.field.as_deref().map_or_else(String::new, |field| format!(" ({field})"));
        text.push_str(&format!("  needs       {}{field}\n", needs.kind));
        line(&mut text, "candidates", needs.candidates.iter().map(|one| plain(one, 120)));
    }
    if let Some(plan) = &occasion.plan_id {
        text.push_str(&format!("  plan        {plan}\n"));
    }
    text.push_str(&format!("  occasion    {}\n", occasion.run_id));
    if let Some(plan) = occasion.plan_id.as_ref().filter(|_| !occasion.state.is_over()) {
        text.push_str(&format!("\nlook at it with `exacta review {plan}`, then `exacta execute {plan}`\n"));
    }
    text
}

pub fn occasions(occasions: &[Occasion]) -> String {
    let row = |occasion: &Occasion| {
        format!(
            "{} {:<20} {:<19} {}\n",
            occasion.run_id,
            occasion.autopilot,
            occasion.state.name(),
            plain(&occasion.reason, 80)
        )
    };
    occasions.iter().map(row).collect()
}

pub fn health(health: &[Health]) -> String {
    let row = |it: &Health| format!("{:<20} {:<10} {}\n", it.autopilot, it.state, plain(&it.reason, 200));
    health.iter().map(row).collect()
}

/// A timer that runs what is due every minute.
pub fn timer() -> String {
    let program = std::env::current_exe().map_or_else(|_| "exacta".to_owned(), |path| path.display().to_string());
    format!(
        "# ~/.config/systemd/user/exacta-autopilot.service\n\
         [Unit]\nDescription=Exacta: what autopilots have to do now\n\n\
         [Service]\nType=oneshot\nExecStart={program} autopilot tick\n\n\
         # ~/.config/systemd/user/exacta-autopilot.timer\n\
         [Unit]\nDescription=Exacta: autopilots, every minute\n\n\
         [Timer]\nOnCalendar=minutely\nPersistent=true\n\n\
         [Install]\nWantedBy=timers.target\n\n\
         # then: systemctl --user enable --now exacta-autopilot.timer\n"
    )
}

fn line(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        text.push_str(&format!("  {title:<11} {}\n", items.join(", ")));
    }
}

fn plain(text: &str, most: usize) -> String {
    excerpt(&visible_line(text), most)
}
