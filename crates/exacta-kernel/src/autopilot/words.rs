//! What the user's own words name: hosts, addresses, the kind of work, and the acts that are asked for.

use super::Recipe;
use crate::action::primitive::PrimitiveId;
use crate::effect::is_plain_address;
use crate::prelude::*;
use crate::web::host_and_port;

/// The hosts that occur in a text: of whole addresses, and names such as `www.example.com`. Lower case.
#[must_use]
pub fn hosts(text: &str) -> BTreeSet<String> {
    tokens(text).flat_map(|token| of_url(token).into_iter().chain(bare_host(token))).collect()
}

/// The host of an address, and the host with its port where it names one.
pub(super) fn of_url(url: &str) -> Vec<String> {
    let Some((host, port)) = host_and_port(url) else { return Vec::new() };
    port.map(|port| format!("{host}:{port}")).into_iter().chain([host]).collect()
}

/// The plain mail addresses that occur in a text, lower case.
#[must_use]
pub fn addresses(text: &str) -> BTreeSet<String> {
    tokens(text)
        .map(|token| token.strip_prefix("mailto:").unwrap_or(token))
        .filter(|token| is_plain_address(token))
        .map(str::to_lowercase)
        .collect()
}

/// The recipe that the words ask for; the first that matches.
#[must_use]
pub fn recipe_of(text: &str) -> Recipe {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["inbox", "email", "e-mail", "reply", "triage"]) {
        Recipe::InboxTriage
    } else if has(&["monitor", "website", "web page", "webpage", "url", "http://", "https://"]) {
        Recipe::WebsiteMonitor
    } else if has(&["brief", "summary", "digest"]) {
        Recipe::DailyBrief
    } else if has(&PROFESSIONAL) {
        Recipe::Custom
    } else {
        Recipe::DailyBrief
    }
}

const PROFESSIONAL: [&str; 22] = [
    "chase",
    "follow up",
    "follow-up",
    "invoice",
    "contract",
    "extract",
    "proposal",
    "client",
    "customer",
    "meeting",
    "schedule",
    "report",
    "research",
    "compare",
    "review",
    "draft",
    "prepare",
    "organize",
    "organise",
    "track",
    "book",
    "order",
];

/// Whether the words ask to send, in a recipe of fixed steps.
#[must_use]
pub fn wants_send(text: &str) -> bool {
    let text = text.to_lowercase();
    words(&text).any(|word| matches!(word, "send" | "sends" | "sending"))
        || text.contains("ship this")
        || text.contains("reply automatically")
}

/// What a person's words ask to be done where no recipe fixes it. Reading, and noting an outcome, is always meant; what goes to
/// others, or moves something, only where a word says so.
pub(super) fn acts(text: &str) -> BTreeSet<PrimitiveId> {
    const WRITE: [&str; 30] = [
        "mail", "mails", "email", "emails", "e-mail", "reply", "respond", "answer", "draft", "write", "compose",
        "send", "sends", "sending", "forward", "invite", "message", "notify", "tell", "inform", "contact", "ask",
        "remind", "confirm", "thank", "post", "share", "say", "follow", "chase",
    ];
    const SEND: [&str; 12] = [
        "send",
        "sends",
        "sending",
        "forward",
        "forwarding",
        "invite",
        "inviting",
        "post",
        "share",
        "notify",
        "inform",
        "remind",
    ];
    const SORT: [&str; 12] = [
        "archive",
        "archives",
        "archiving",
        "triage",
        "inbox",
        "sort",
        "sorting",
        "tidy",
        "clean",
        "clear",
        "file",
        "unclutter",
    ];
    let text = text.to_lowercase();
    let has = |list: &[&str]| words(&text).any(|word| list.contains(&word));
    let mut acts = BTreeSet::from([
        PrimitiveId::ReadWeb,
        PrimitiveId::ReadSources,
        PrimitiveId::ReadForwardedEmail,
        PrimitiveId::AggregateDailySummary,
        PrimitiveId::WriteOutcomeDraft,
    ]);
    acts.extend(has(&WRITE).then_some(PrimitiveId::WriteEmailDraft));
    acts.extend((has(&SEND) || wants_send(&text)).then_some(PrimitiveId::SendEmail));
    acts.extend(has(&SORT).then_some(PrimitiveId::TriageEmail));
    acts
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty())
}

/// What stands between blanks, without the punctuation around it.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let around = |c: char| c.is_ascii_punctuation() && c != '/' && c != '@' && c != '#' || "“”‘’„«»…".contains(c);
    text.split(|c: char| c.is_whitespace() || ",;<>\"'()[]{}|".contains(c))
        .map(move |token| token.trim_matches(around))
        .filter(|token| !token.is_empty())
}

/// The host of an address that was written without its scheme.
fn bare_host(token: &str) -> Option<String> {
    if token.contains('@') || token.contains("://") {
        return None;
    }
    let name = token.split(['/', '?', '#', ':']).next()?;
    let (_, last) = name.rsplit_once('.')?;
    let letters = last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    let label = |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (letters && name.split('.').all(label)).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(found: BTreeSet<String>) -> Vec<String> {
        found.into_iter().collect()
    }

    #[test]
    fn what_a_text_names() {
        for (text, named, written) in [
            ("watch https://Acme.example/prices, please.", vec!["acme.example"], vec![]),
            (
                "see www.our-company.com (and http://b.example:8080/x?y)",
                vec!["b.example", "b.example:8080", "www.our-company.com"],
                vec![],
            ),
            ("write to Anna@Example.com, <bob@example.org>.", vec![], vec!["anna@example.com", "bob@example.org"]),
            ("mailto:c@example.org", vec![], vec!["c@example.org"]),
            ("https://good.example@evil.example/ is odd", vec![], vec![]),
            ("https://ex%61mple.com and e.g. nothing", vec![], vec![]),
            ("version 1.2.3 of it", vec![], vec![]),
        ] {
            assert_eq!(list(hosts(text)), named, "{text}");
            assert_eq!(list(addresses(text)), written, "{text}");
        }
    }

    #[test]
    fn the_recipe_and_the_acts_that_words_ask_for() {
        for (text, recipe, sends) in [
            ("sort my inbox", Recipe::InboxTriage, false),
            ("watch https://a.example and send me what changed", Recipe::WebsiteMonitor, true),
            ("a daily digest of the news, from the sender", Recipe::DailyBrief, false),
            ("chase the client about the contract", Recipe::Custom, false),
            ("something else", Recipe::DailyBrief, false),
        ] {
            assert_eq!((recipe_of(text), wants_send(text)), (recipe, sends), "{text}");
        }
        let acts = |text: &str, id: PrimitiveId| acts(text).contains(&id);
        assert!(!acts("Summarise www.a.example", PrimitiveId::WriteEmailDraft));
        assert!(acts("Reply to Anna about the invoice", PrimitiveId::WriteEmailDraft));
        assert!(!acts("Reply to Anna about the invoice", PrimitiveId::SendEmail));
        assert!(acts("Forward it to Anna", PrimitiveId::SendEmail));
        assert!(
            !acts("Read my mail", PrimitiveId::TriageEmail)
                && acts("archive the newsletters", PrimitiveId::TriageEmail)
        );
    }
}
