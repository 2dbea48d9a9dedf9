//! Any bytes as a page, looked at twice and confirmed by reading it again: nothing panics, and the same page again is no change.
#![no_main]

use exacta_web::monitor::{Memory, Rules, Verdict, judge};
use exacta_web::{Got, Page};
use libfuzzer_sys::fuzz_target;

const KINDS: [&str; 4] = ["text/html", "text/plain", "application/json", "application/rss+xml"];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let (old, new) = rest.split_at(rest.len() / 2);
    let kind = KINDS[usize::from(*first) % KINDS.len()];
    let mut memory = Memory::default();
    // The page was judged before, and was none that fails.
    let mut good = false;
    for body in [old, new, new] {
        let Some(page) = Page::kept("https://example.com/", kind, body.to_vec()) else { return };
        let _items = exacta_web::feed::items(&page);
        let got = Ok(Got::Page(Box::new(page)));
        let mut seen = judge(&memory, &got, &Rules::default());
        while let Some(doubt) = seen.doubt.take() {
            seen = doubt.again(seen.judged, &got, &Rules::default());
        }
        let kept = serde_json::to_string(&seen.memory).expect("it can be kept");
        let back: Memory = serde_json::from_str(&kept).expect("and read again");
        assert_eq!(serde_json::to_string(&back).expect("the same"), kept);
        if good && body == new {
            assert_eq!(seen.judged.verdict, Verdict::Unchanged);
        }
        good = body == new && !matches!(seen.judged.verdict, Verdict::Error { .. });
        memory = back;
    }
});
