//! What differs from one look to the next and is no news.

use super::super::rng::Rng;
use super::doc::{Doc, phrase, sentence};

/// The kinds, each with whether it is written into the page or around it.
pub(crate) const KINDS: [&str; 29] = [
    "nothing",
    "charset",
    "composed letters",
    "no-break spaces",
    "zero width",
    "soft hyphens",
    "white space",
    "quotes",
    "entities",
    "tag case",
    "attributes",
    "comments",
    "scripts",
    "styles",
    "cache busters",
    "form tokens",
    "session links",
    "wrapper",
    "clock",
    "counter",
    "named ads",
    "ads",
    "rotation",
    "a/b",
    "banner",
    "ages",
    "shuffled",
    "made in",
    "request id",
];

/// A noise: of one kind, the same place at every look.
pub(crate) struct Noise {
    pub(crate) kind: usize,
    slot: usize,
    seed: u64,
    /// Words of it, none of which may be reported.
    pub(crate) words: Vec<String>,
}

impl Noise {
    pub(crate) fn new(kind: usize, rng: &mut Rng) -> Self {
        Self { kind, slot: rng.below(5), seed: rng.next(), words: Vec::new() }
    }

    /// Puts into a page what is there at this look.
    pub(crate) fn into(&mut self, doc: &mut Doc, look: usize) {
        let mut rng = Rng(self.seed ^ (look as u64).wrapping_mul(77_777));
        let mut fixed = Rng(self.seed);
        let added = match KINDS[self.kind] {
            "clock" => {
                let time = format!("{:02}:{:02}:{:02}", rng.below(24), rng.below(60), rng.below(60));
                self.words.push(time.clone());
                match fixed.below(3) {
                    0 => format!("<p>Server time: {time}</p>"),
                    1 => format!("<div>It is now {time} on 18 November 2026 in the town</div>"),
                    _ => format!("<p>Last updated: <span>{time}</span></p>"),
                }
            }
            "counter" => {
                let count = (10_000 + look * 137 + rng.below(90)).to_string();
                self.words.push(count.clone());
                match fixed.below(3) {
                    0 => format!("<div>Visitors today: <b>{count}</b></div>"),
                    1 => format!("<p>{count} people have viewed this page</p>"),
                    _ => format!("<span>You are reader number {count} of this text</span>"),
                }
            }
            "named ads" | "ads" => {
                let text = phrase(&mut rng);
                self.words.push(text.clone());
                let class = if KINDS[self.kind] == "ads" { "" } else { " class=\"ad-slot\"" };
                format!(
                    "<div{class}><a href=\"https://ads.example.net/c/{}\">{text}</a><p>{}</p></div>",
                    rng.hex(20),
                    "Advertisement"
                )
            }
            "rotation" => {
                let text = sentence(&mut rng);
                self.words.push(text.clone());
                format!("<div><p>{text}</p></div>")
            }
            "a/b" => {
                let variants = ["Start your free trial with us today", "Join thousands of happy readers and save"];
                // Both are seen among the first three looks.
                let variant = if look < 2 { look } else { rng.below(2) };
                self.words.push("free trial".to_owned());
                self.words.push("happy readers".to_owned());
                format!("<div><strong>{}</strong></div>", variants[variant])
            }
            "banner" => {
                self.words.push("Spring festival".to_owned());
                let there = if look < 2 { look == 1 } else { rng.below(2) == 0 };
                if there {
                    "<div><p>Spring festival tickets are on sale in the town hall this week</p></div>".to_owned()
                } else {
                    String::new()
                }
            }
            "ages" => format!("<p>Posted {} minutes ago by the office</p>", 1 + rng.below(58)),
            "shuffled" => {
                let mut list: Vec<String> = (0..8).map(|_| phrase(&mut fixed)).collect();
                for index in (1..list.len()).rev() {
                    list.swap(index, rng.below(index + 1));
                }
                self.words.extend(list.iter().cloned());
                format!(
                    "<div><h4>See also</h4><ul>{}</ul></div>",
                    list.iter().take(4).map(|text| format!("<li><a href=\"/x\">{text}</a></li>")).collect::<String>()
                )
            }
            "made in" => {
                let time = format!("0.{:04}", 100 + rng.below(8_000));
                self.words.push(time.clone());
                format!("<p>Page generated in {time} seconds by server-{}</p>", 1 + look % 7)
            }
            "request id" => {
                let id = rng.hex(24);
                self.words.push(id.clone());
                format!("<p>Request ID: {id}</p>")
            }
            _ => String::new(),
        };
        doc.slots[self.slot].push_str(&added);
    }

    /// Writes the page in another way that means the same.
    pub(crate) fn around(&self, html: String, look: usize) -> (String, Vec<u8>) {
        let mut rng = Rng(self.seed ^ (look as u64).wrapping_mul(99_991));
        let utf8 = "text/html; charset=utf-8".to_owned();
        let on = look % 2 == 1;
        let text = match KINDS[self.kind] {
            "charset" => {
                let html = html.replace("Main Square", "Hauptstraße");
                return match look % 3 {
                    0 => (utf8, html.into_bytes()),
                    1 => (
                        "text/html; charset=iso-8859-1".to_owned(),
                        html.replace("charset=\"utf-8\"", "charset=\"iso-8859-1\"").chars().map(|c| c as u8).collect(),
                    ),
                    _ => (
                        "text/html".to_owned(),
                        [0xff, 0xfe].into_iter().chain(html.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
                    ),
                };
            }
            "composed letters" => html.replace("Town", if on { "Töwn" } else { "To\u{308}wn" }),
            "no-break spaces" if on => {
                texts(&html, |text| text.replacen(' ', "\u{a0}", 3).replacen(" said", "&nbsp;said", 1))
            }
            "zero width" if on => texts(&html, |text| {
                text.replace("bridge", "bri\u{200b}dge").replace("the ", "the \u{feff}").replace("said", "\u{200e}said")
            }),
            "soft hyphens" if on => {
                texts(&html, |text| text.replace("council", "coun\u{ad}cil").replace("library", "li&shy;brary"))
            }
            "white space" => {
                if on {
                    html.replace("><", ">\n  <").replace(". The", ".\n\t  The")
                } else {
                    html.replace(">\n<", "><")
                }
            }
            "quotes" => {
                let html = html.replace("would stay", "wouldn't \"stay\"").replace(" to ", " - ");
                if on {
                    html
                } else {
                    texts(&html, |text| text.replace("wouldn't \"stay\"", "wouldn’t “stay”").replace(" - ", " – "))
                }
            }
            "entities" => {
                let html = html.replace("Council", "Café & Council");
                match look % 3 {
                    0 => html.replace("Café & Council", "Caf&eacute; &amp; Council"),
                    1 => html.replace("Café & Council", "Caf&#233; &#38; Council"),
                    _ => html.replace("Café & Council", "Caf&#xE9; & Council"),
                }
            }
            "tag case" if on => html
                .replace("<div", "<DIV")
                .replace("</div>", "</DIV>")
                .replace("<p>", "<P>")
                .replace("<li>", "<LI>")
                .replace("<h1>", "<H1 >"),
            "attributes" => html
                .replace("<p>", &format!("<p class=\"t-{}\" data-id='{}'>", rng.hex(6), rng.below(9_999)))
                .replace("<div>", &format!("<div id=\"react-{}\" style=\"color:#{}\">", rng.hex(4), rng.hex(6)))
                .replace("<li>", &format!("<li data-key={} aria-busy=false>", rng.hex(8)))
                .replace("<h1>", &format!("<h1 class=\"sc-{} title\">", rng.hex(5))),
            "comments" => html
                .replace("<h1>", &format!("<!-- served by {} --><h1>", rng.hex(8)))
                .replace("</body>", &format!("<!-- {} --></body>", rng.next())),
            "scripts" => html
                .replace(
                    "</head>",
                    &format!(
                        "<script nonce=\"{}\">var t={};document.write('<p>x</p>')</script></head>",
                        rng.hex(16),
                        rng.next()
                    ),
                )
                .replace(
                    "</body>",
                    &format!(
                        "<script type=\"application/json\">{{\"id\":{}}}</script><noscript>On {}</noscript></body>",
                        rng.next(),
                        rng.next()
                    ),
                ),
            "styles" => {
                html.replace("</head>", &format!("<style>.a{}{{color:#{}}}</style></head>", rng.hex(5), rng.hex(6)))
            }
            "cache busters" => html
                .replace("style.css", &format!("style.{}.css?v={}", rng.hex(8), rng.next()))
                .replace(".jpg", &format!(".jpg?v={}", rng.next())),
            "form tokens" => html.replace(
                "<button",
                &format!("<form method=post><input type=hidden name=csrf value=\"{}\"></form><button", rng.hex(32)),
            ),
            "session links" => {
                html.replace("\">", &format!("?sid={}\">", rng.hex(24))).replace("style.css?sid", "style.css?v")
            }
            "wrapper" if on => html.replace("<p>The", "<div class=w><p>The").replace("stay.</p>", "stay.</p></div>"),
            _ => html,
        };
        (utf8, text.into_bytes())
    }
}

/// Changes what is text, and no tag.
fn texts(html: &str, change: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for (index, part) in html.split('<').enumerate() {
        if index == 0 {
            out.push_str(part);
            continue;
        }
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        out.push_str(&format!("<{tag}>{}", change(text)));
    }
    out
}
