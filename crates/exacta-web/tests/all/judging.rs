//! One look after another.

use exacta_web::monitor::{ErrorKind, Judged, Memory, Notice, Rules, Seen, Verdict, judge};
use exacta_web::{Got, Page, WebError, WebErrorKind};

/// A monitor that looks at what it is given.
#[derive(Default)]
pub(crate) struct Monitor {
    pub(crate) memory: Memory,
    pub(crate) rules: Rules,
}

impl Monitor {
    pub(crate) fn look(&mut self, kind: &str, body: &str) -> Judged {
        let page = Page::kept("https://example.com/page", kind, body.as_bytes().to_vec()).unwrap();
        self.take(&Ok(Got::Page(Box::new(page))))
    }

    pub(crate) fn take(&mut self, got: &Result<Got, WebError>) -> Judged {
        let seen = judge(&self.memory, got, &self.rules);
        self.keep(seen)
    }

    /// A look whose change is confirmed by what the page says when it is read again.
    pub(crate) fn confirmed(
        &mut self,
        got: &Result<Got, WebError>,
        again: &mut dyn FnMut(usize) -> Result<Got, WebError>,
    ) -> Judged {
        let mut seen = judge(&self.memory, got, &self.rules);
        let mut read = 0;
        while let Some(doubt) = seen.doubt.take() {
            read += 1;
            seen = doubt.again(seen.judged, &again(read), &self.rules);
        }
        self.keep(seen)
    }

    fn keep(&mut self, seen: Seen) -> Judged {
        // It is kept between looks as text.
        self.memory = serde_json::from_str(&serde_json::to_string(&seen.memory).unwrap()).unwrap();
        assert_eq!(self.memory.sight().is_some(), seen.memory.sight().is_some());
        seen.judged
    }

    fn html(&mut self, body: &str) -> Verdict {
        self.look("text/html; charset=utf-8", body).verdict
    }
}

fn page(middle: &str) -> String {
    format!(
        "<!doctype html><html><head><title>A shop</title></head><body><nav><a href=/>Home</a> <a href=/all>All things</a></nav>\
         <main><h1>A chair</h1><p>It is made of oak, stands on four legs, and carries whoever sits on it.</p>{middle}</main>\
         <footer>Sold by A Shop in Any Street, open from Monday to Friday</footer></body></html>"
    )
}

#[test]
fn first_then_unchanged_then_changed() {
    let mut monitor = Monitor::default();
    assert_eq!(monitor.html(&page("<p>Price: 10 EUR</p>")), Verdict::First);
    assert_eq!(monitor.html(&page("<p>Price: 10 EUR</p>")), Verdict::Unchanged);
    assert_eq!(monitor.html(&page("<P class=x>Price:&nbsp;10\n EUR</P><!-- now -->")), Verdict::Unchanged);
    let Verdict::Changed { score, added, removed } = monitor.html(&page("<p>Price: 12 EUR</p>")) else { panic!() };
    assert_eq!((added, removed), (vec!["Price: 12 EUR".to_owned()], vec!["Price: 10 EUR".to_owned()]));
    assert!((1..1000).contains(&score), "{score}");
    assert_eq!(monitor.html(&page("<p>Price: 12 EUR</p>")), Verdict::Unchanged);
}

#[test]
fn what_changes_by_itself_is_learnt_and_named() {
    let mut monitor = Monitor::default();
    let look = |monitor: &mut Monitor, clock: &str, price: u32| {
        monitor.html(&page(&format!("<p>Price: {price} EUR</p><div id=x>It is {clock} and {clock} here.</div>")))
    };
    for clock in ["12:00:01", "12:00:02", "12:00:03", "12:00:04"] {
        assert!(matches!(look(&mut monitor, clock, 10), Verdict::First | Verdict::Unchanged), "{clock}");
    }
    let Verdict::Changed { added, .. } = look(&mut monitor, "12:00:05", 11) else { panic!() };
    assert_eq!(added, ["Price: 11 EUR"]);
    let judged =
        monitor.look("text/html", &page("<p>Price: 11 EUR</p><div id=x>It is 12:10:00 and 12:10:00 here.</div>"));
    assert_eq!((judged.verdict, judged.volatile), (Verdict::Unchanged, vec!["main > div#x".to_owned()]));
}

fn read(body: String) -> Result<Got, WebError> {
    Ok(Got::Page(Box::new(Page::kept("https://example.com/page", "text/html", body.into_bytes()).unwrap())))
}

/// What is otherwise a moment later is not told, and stays compared with the page as it was.
#[test]
fn only_what_stays_is_told() {
    let price = |price: u32, more: &str| read(page(&format!("<p>Price: {price} EUR</p>{more}")));
    for looks in [1, 5] {
        let mut monitor = Monitor::default();
        for _ in 0..looks {
            monitor.take(&price(10, ""));
        }
        // A site in the middle of being replaced: one server has the new page, the other the old.
        let judged = monitor.confirmed(&price(12, ""), &mut |_| price(10, ""));
        assert_eq!(judged.verdict, Verdict::Unchanged, "{looks}");
        let tip = |n: usize| {
            price(12, &format!("<p>{}</p>", ["Red is warm today", "Rain fell on hills", "We like tea"][n % 3]))
        };
        if looks > 3 {
            let judged = monitor.confirmed(&tip(0), &mut |n| tip(n));
            let Verdict::Changed { added, .. } = judged.verdict else { panic!("{judged:?}") };
            assert_eq!(added, ["Price: 12 EUR"], "what differs again is left out");
        }
    }
    let mut monitor = Monitor::default();
    for _ in 0..4 {
        monitor.take(&price(10, ""));
    }
    let failed: Result<Got, WebError> = Err(WebError { kind: WebErrorKind::Unreachable, url: String::new() });
    for (next, again) in [(11, Ok(Got::NotModified)), (12, failed), (13, price(13, ""))] {
        let judged = monitor.confirmed(&price(next, ""), &mut |_| again.clone());
        assert!(matches!(judged.verdict, Verdict::Changed { .. }), "{next}: {judged:?}");
    }
}

#[test]
fn errors_are_silent_then_told_once_and_so_is_recovery() {
    let mut monitor = Monitor::default();
    monitor.html(&page(""));
    let failed: Result<Got, WebError> = Err(WebError { kind: WebErrorKind::Unreachable, url: String::new() });
    let notices: Vec<_> = (0..5).map(|_| monitor.take(&failed).notice).collect();
    assert_eq!(notices, [None, None, Some(Notice::Failing(3)), None, None]);
    let judged = monitor.look("text/html", &page(""));
    assert_eq!((judged.verdict, judged.notice), (Verdict::Unchanged, Some(Notice::Recovered(5))));
    assert_eq!(monitor.take(&failed).notice, None);
    assert_eq!(monitor.look("text/html", &page("")).notice, None);
}

#[test]
fn rules_choose_and_ignore_and_must_match() {
    let rules = |select: &[&str], ignore: &[&str], text: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        Rules::new(&owned(select), &owned(ignore), &owned(text))
    };
    let both =
        |price: u32, news: &str| page(&format!("<p class='price now'>Price: {price} EUR</p><div id=news>{news}</div>"));
    for (select, ignore, text, news, price) in [
        (&["main > .price"][..], &[][..], &[][..], false, true),
        (&[], &["#news"], &[], false, true),
        (&[], &["main p.price", "[id=news]"], &[], false, false),
        (&[], &[], &["^Price"], true, false),
        (&["#news"], &[], &[], true, false),
    ] {
        let mut monitor = Monitor { rules: rules(select, ignore, text).unwrap(), ..Monitor::default() };
        assert_eq!(monitor.html(&both(10, "Nothing new.")), Verdict::First);
        let changed = |verdict| matches!(verdict, Verdict::Changed { .. });
        assert_eq!(changed(monitor.html(&both(10, "War and peace."))), news, "{select:?} {ignore:?} {text:?}");
        assert_eq!(changed(monitor.html(&both(11, "War and peace."))), price, "{select:?} {ignore:?} {text:?}");
    }
    let mut monitor = Monitor { rules: rules(&[], &["#missing"], &[]).unwrap(), ..Monitor::default() };
    let Verdict::Error { kind: ErrorKind::Rule, message, .. } = monitor.html(&both(1, "x")) else { panic!() };
    assert_eq!(message, "the rule `#missing` matches nothing in the page");
    for wrong in ["", ">", "a >", "a:hover", "a,b", "..x", "a[", "#"] {
        assert!(rules(&[wrong], &[], &[]).is_err(), "{wrong}");
    }
    assert!(rules(&[], &[], &["("]).is_err() && rules(&[], &[], &["(a{1000}){1000}"]).is_err());
}
