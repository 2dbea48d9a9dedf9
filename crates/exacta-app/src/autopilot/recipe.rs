//! The plans of the fixed recipes, written without a model: what was read by its hash, and the exact bytes of every draft.

use exacta_kernel::autopilot::Autopilot;
use exacta_kernel::effect::LINE;
use exacta_web::feed::Item;
use serde_json::{Value, json};

/// The longest draft, in characters; what is over is counted.
const LONGEST: usize = 18_000;

/// The most passages of a change that a draft lists.
const PASSAGES: usize = 40;

/// What a monitor found.
pub(super) struct Change<'a> {
    pub url: &'a str,
    pub sha256: &'a str,
    pub score: u32,
    pub added: &'a [String],
    pub removed: &'a [String],
}

/// The plan of a changed page.
pub(super) fn website(autopilot: &Autopilot, change: &Change<'_>, from: Option<&str>, words: Option<&str>) -> Value {
    let definition = &autopilot.definition;
    let host = exacta_kernel::web::host(change.url).unwrap_or_default();
    let subject = format!("{host} changed");
    let body = fit(&change_text(change));
    let mail = words.map_or_else(|| body.clone(), |words| fit(&format!("{words}\n{body}")));
    let to = recipients(autopilot);
    let mut steps = vec![
        json!({ "id": "read", "type": "read_web", "target": change.url, "url": change.url, "sha256": change.sha256,
            "description": format!("Read {}, as it was when it was looked at", change.url) }),
        json!({ "id": "outcome", "type": "write_outcome_draft", "target": "outbox", "dependencies": ["read"],
            "description": "Note which passages of the page are new and which are gone", "title": subject, "body": body }),
        json!({ "id": "mail", "type": "write_email_draft", "target": "outbox", "dependencies": ["outcome"],
            "description": "Draft a mail that lists the changed passages", "to": to, "subject": subject, "body": mail }),
    ];
    if definition.wants_send() && autopilot.sends() && from.is_some() && !to.is_empty() {
        steps.push(json!({ "id": "send", "type": "send_email", "target": to.first(), "dependencies": ["mail"],
            "description": "Send the mail that lists the changed passages", "to": to, "subject": subject, "body": mail }));
    }
    with_account(&mut steps, autopilot, from);
    finished(autopilot, json!({ "web_source_url": change.url }), steps)
}

/// The plan of a brief.
pub(super) fn brief(autopilot: &Autopilot, read: &[(String, String)], lines: &[String]) -> Value {
    let urls: Vec<&str> = read.iter().map(|(url, _)| url.as_str()).collect();
    let hashes: Vec<&str> = read.iter().map(|(_, sha256)| sha256.as_str()).collect();
    let steps = vec![
        json!({ "id": "read", "type": "read_sources", "target": urls.first(), "urls": urls, "sha256": hashes,
            "description": format!("Read {} sources, as they were when they were looked at", urls.len()) }),
        json!({ "id": "summary", "type": "aggregate_daily_summary", "target": "sources", "dependencies": ["read"],
            "description": "List the newest items of all sources", "max_bullets": autopilot.tuning.max_bullets }),
        json!({ "id": "outcome", "type": "write_outcome_draft", "target": "outbox", "dependencies": ["summary"],
            "description": "Note the list, one line for each item", "title": format!("Brief: {}", autopilot.definition.name),
            "body": fit(&lines.join("\n")) }),
    ];
    finished(autopilot, json!({ "daily_sources": urls }), steps)
}

/// The lines of a brief: sources in turn, so that none crowds the others out.
pub(super) fn lines(sources: &[(String, Vec<Item>)], most: usize) -> Vec<String> {
    let rounds = sources.iter().map(|(_, items)| items.len()).max().unwrap_or(0);
    let in_turn = (0..rounds).flat_map(|round| {
        sources.iter().filter_map(move |(url, items)| items.get(round).map(|item| (url.as_str(), item)))
    });
    in_turn.take(most).map(|(url, item)| line(url, item)).collect()
}

fn line(url: &str, item: &Item) -> String {
    let host = exacta_kernel::web::host(url).unwrap_or_default();
    let title = if item.title.is_empty() { &item.text } else { &item.title };
    let link = item.link.as_deref().map_or_else(String::new, |link| format!(" <{}>", excerpt(link, 200)));
    format!("- {} ({host}){link}", excerpt(title, 160))
}

/// The whole plan of these steps, in their order.
pub(super) fn finished(autopilot: &Autopilot, source: Value, mut steps: Vec<Value>) -> Value {
    let definition = &autopilot.definition;
    for (index, step) in steps.iter_mut().enumerate() {
        if let Some(step) = step.as_object_mut() {
            step.insert("order".to_owned(), json!(index + 1));
            step.entry("dependencies").or_insert_with(|| json!([]));
        }
    }
    let mut part = json!({ "recipe": definition.recipe.name() });
    if let (Some(part), Some(source)) = (part.as_object_mut(), source.as_object()) {
        part.extend(source.clone());
    }
    json!({
        "schema": "exacta.plan/1",
        "intent": { "type": definition.recipe.name(), "text": definition.request },
        "autopilot": part,
        "steps": steps,
    })
}

/// The plain addresses that a draft is to: those that the user named.
fn recipients(autopilot: &Autopilot) -> Vec<String> {
    autopilot.recipients().into_iter().filter(|address| !address.starts_with('@')).collect()
}

/// Mail goes through the autopilot's own account, where it has one.
pub(super) fn with_account(steps: &mut [Value], autopilot: &Autopilot, from: Option<&str>) {
    let Some((account, from)) = autopilot.definition.mail.as_deref().zip(from) else { return };
    for step in steps.iter_mut().filter_map(Value::as_object_mut) {
        if matches!(step.get("type").and_then(Value::as_str), Some("write_email_draft" | "send_email")) {
            step.insert("account".to_owned(), json!(account));
            step.insert("from".to_owned(), json!(from));
        }
    }
}

pub(super) fn change_text(change: &Change<'_>) -> String {
    let percent = change.score / 100;
    let mut text = format!("{} changed ({percent} % of what is watched).\n", change.url);
    for (title, mark, passages) in [("New", "+", change.added), ("Gone", "-", change.removed)] {
        if passages.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{title}:\n"));
        for passage in passages.iter().take(PASSAGES) {
            text.push_str(&format!("{mark} {}\n", excerpt(passage, 400)));
        }
        let more = passages.len().saturating_sub(PASSAGES);
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
    }
    text
}

/// A stranger's text as one line without anything hidden or secret, cut to a length.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    exacta_kernel::text::excerpt(&exacta_kernel::text::visible_line(&exacta_kernel::secret::mask(text)), most)
}

/// A text that a draft can carry: no line and not all of it too long.
pub(super) fn fit(text: &str) -> String {
    let cut = |line: &str| -> String {
        let mut end = line.len().min(LINE);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        line.get(..end).unwrap_or_default().to_owned()
    };
    let lines: Vec<String> = text.lines().map(cut).collect();
    let whole = format!("{}\n", lines.join("\n"));
    if whole.chars().count() <= LONGEST {
        return whole;
    }
    let start: String = whole.chars().take(LONGEST).collect();
    format!("{start}\n(cut here: the whole has {} characters)\n", whole.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_takes_from_its_sources_in_turn() {
        let item = |title: &str| Item { title: title.to_owned(), ..Item::default() };
        let sources = vec![
            ("https://a.example/f".to_owned(), vec![item("a1"), item("a2"), item("a3")]),
            ("https://b.example/f".to_owned(), vec![item("b1")]),
        ];
        assert_eq!(lines(&sources, 3), ["- a1 (a.example)", "- b1 (b.example)", "- a2 (a.example)"]);
    }

    #[test]
    fn a_draft_fits_into_a_mail() {
        let long = fit(&format!("{}\n{}", "ü".repeat(2_000), "x\n".repeat(20_000)));
        assert!(long.lines().all(|line| line.len() <= LINE) && long.chars().count() < 20_000, "{}", long.len());
        let change = Change {
            url: "https://a.example",
            sha256: "",
            score: 250,
            added: &["a\u{1b}[2Jb".to_owned()],
            removed: &[],
        };
        assert!(!change_text(&change).contains('\u{1b}'));
    }
}
