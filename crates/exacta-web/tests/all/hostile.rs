//! Pages that want to be slow, large or fatal. Each is judged three times in a process of its own, which is watched from outside.

use crate::judging::Monitor;
use exacta_testkit::Running;
use exacta_web::Page;
use proptest::prelude::*;
use std::process::{Command, Stdio};
use std::time::Duration;

const WHICH: &str = "EXACTA_WEB_HOSTILE";
const KINDS: [&str; 24] = [
    "nested",
    "unclosed",
    "attributes",
    "long attribute",
    "end tags",
    "words",
    "entities",
    "bad entities",
    "comments",
    "tables",
    "lists",
    "links",
    "scripts",
    "formatting",
    "json deep",
    "json wide",
    "json array",
    "xml deep",
    "xml entities",
    "xml items",
    "lines",
    "one line",
    "utf-16",
    "nul",
];
const SIZE: usize = exacta_web::MAX_PAGE;

/// The page of a kind; another at each look.
fn page(kind: &str, look: usize) -> (&'static str, Vec<u8>) {
    let html = "text/html";
    let fill = |part: &str| part.repeat(SIZE / part.len());
    let numbered = |make: &dyn Fn(usize) -> String| {
        let mut out = String::new();
        let mut index = look * 1_000_003;
        while out.len() < SIZE - 200 {
            out.push_str(&make(index));
            index += 1;
        }
        out
    };
    let (kind, text) = match kind {
        "nested" => (html, format!("<p>{look}{}", fill("<div>x"))),
        "unclosed" => (html, format!("{look}{}", fill("<b><i><a>"))),
        "attributes" => (html, format!("<!--<a x=\"--><p {}>x", numbered(&|index| format!("a{index} ")))),
        "long attribute" => (html, format!("<p class=\"{}\">x", fill("ad "))),
        "end tags" => (html, format!("{}{look}{}", "<div>".repeat(15_000), "</b>".repeat(30_000))),
        "words" => (html, numbered(&|index| format!("{:x} ", index % 4_099))),
        "entities" => (html, format!("{look}{}", fill("&eacute;"))),
        "bad entities" => (html, format!("{look}{}", fill("&notanentity"))),
        "comments" => (html, format!("x{look}{}", fill("<!--<!--"))),
        "tables" => (html, format!("{look}{}", fill("<table><tr><td>x"))),
        "lists" => (html, numbered(&|index| format!("<li>{}", index % 997))),
        "links" => (html, numbered(&|index| format!("<a href=/{index}?a=b>y</a>"))),
        "scripts" => (html, format!("x{look}{}", fill("<script><!--<script>"))),
        "formatting" => (html, numbered(&|index| format!("<p>{}<b>same</b></p>", index % 7))),
        "json deep" => ("application/json", "[".repeat(SIZE / 2) + &"]".repeat(SIZE / 2)),
        "json wide" => {
            ("application/json", format!("{{{}\"z\":{look}}}", numbered(&|index| format!("\"k{index}\":1,"))))
        }
        "json array" => ("application/json", format!("[{}{look}]", fill("[],"))),
        "xml deep" => ("application/rss+xml", fill("<rss>")),
        "xml entities" => (
            "application/rss+xml",
            format!(
                "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY e SYSTEM \"file:///etc/passwd\">]><rss><channel><item><title>{look} &e; {}</title></item></channel></rss>",
                "&b;".repeat(50_000)
            ),
        ),
        "xml items" => (
            "application/rss+xml",
            format!(
                "<rss><channel>{}</channel></rss>",
                numbered(&|index| format!("<item><title>{index}</title></item>"))
            ),
        ),
        "lines" => ("text/plain", numbered(&|index| format!("{}\n\n", index % 9_973))),
        "one line" => ("text/plain", numbered(&|index| format!("{index}"))),
        "utf-16" => {
            return (
                html,
                [0xff, 0xfe]
                    .into_iter()
                    .chain(fill("<p>x").encode_utf16().take(SIZE / 2 - 2).flat_map(u16::to_le_bytes))
                    .collect(),
            );
        }
        _ => (html, format!("x{look}{}", fill("\0<p>"))),
    };
    (kind, text.into_bytes())
}

#[test]
fn every_page_is_judged_within_two_seconds_and_256_mib() {
    let (mut slowest, mut largest) = ((Duration::ZERO, ""), (0, ""));
    for kind in KINDS {
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.args(["--exact", "hostile::one_page", "--ignored", "--nocapture"]).env(WHICH, kind);
        let done = Running::start(process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())).finish();
        let seen = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{kind}: {seen}");
        let memory: usize = seen.lines().find_map(|line| line.strip_prefix("memory ")).unwrap().parse().unwrap();
        let ticks: u32 = seen.lines().find_map(|line| line.strip_prefix("ticks ")).unwrap().parse().unwrap();
        // Its own time, for three looks: the machine may do other things as well.
        let took = Duration::from_millis(10) * ticks / 3;
        assert!(took < Duration::from_secs(2), "{kind}: {took:?}");
        assert!(memory < 256 * 1024, "{kind}: {memory} KiB");
        slowest = slowest.max((took, kind));
        largest = largest.max((memory, kind));
    }
    eprintln!(
        "web: {} hostile pages of {SIZE} bytes: the slowest look {:?} ({}), the largest process {} MiB ({})",
        KINDS.len(),
        slowest.0,
        slowest.1,
        largest.0 / 1024,
        largest.1
    );
}

#[test]
#[ignore = "is started by another test, which watches it"]
fn one_page() {
    let Ok(kind) = std::env::var(WHICH) else { return };
    let mut monitor = Monitor::default();
    for look in 0..3 {
        let (content_type, body) = page(&kind, look);
        let kept = Page::kept("https://example.com/", content_type, body).unwrap();
        let _items = exacta_web::feed::items(&kept);
        let _judged = monitor.take(&Ok(exacta_web::Got::Page(Box::new(kept))));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    eprintln!("memory {most}");
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    eprintln!("ticks {}", fields[11].parse::<u32>().unwrap() + fields[12].parse::<u32>().unwrap());
}

fn markup() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        "[a-z ]{1,12}",
        "</?(p|div|li|td|a|b|h1|title|main|script|style|table)[ a-z=\"']{0,9}>?",
        "&[a-z#0-9]{1,7};?",
        "<!--.{0,5}(-->)?",
        Just("{\"a\":[1,".to_owned()),
        Just("]}".to_owned()),
        Just("<rss><channel><item><title>".to_owned()),
        Just("</title></item>".to_owned()),
        "\\PC{0,6}",
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nothing panics, what was learnt can be kept, and the same page again is no change.
    #[test]
    fn any_bytes_are_judged(
        pages in prop::collection::vec(prop_oneof![markup(), prop::collection::vec(any::<u8>(), 0..300)], 1..6),
        kind in prop::sample::select(vec!["text/html", "text/html; charset=utf-16", "text/plain", "application/json", "application/rss+xml", "application/atom+xml"]),
    ) {
        let mut monitor = Monitor::default();
        for body in pages {
            let Some(page) = Page::kept("https://example.com/", kind, body) else { continue };
            let _items = exacta_web::feed::items(&page);
            let got = Ok(exacta_web::Got::Page(Box::new(page)));
            let first = monitor.take(&got).verdict;
            let again = monitor.take(&got).verdict;
            if !matches!(first, exacta_web::monitor::Verdict::Error { .. }) {
                prop_assert_eq!(again, exacta_web::monitor::Verdict::Unchanged);
            }
        }
    }
}
