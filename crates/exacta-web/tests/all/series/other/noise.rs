//! What such sites send along, another at every read.

use super::super::rng::Rng;
use super::record::sentence;

/// What kind of text a site writes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Format {
    Html,
    Feed,
    Json,
    Text,
}

/// The kinds of noise that fit a format.
pub(super) const fn of(format: Format) -> &'static [&'static str] {
    match format {
        Format::Html => &[
            "none",
            "slogan",
            "also bought",
            "quote",
            "teaser box",
            "promotion",
            "visits",
            "query time",
            "hidden token",
            "session path",
            "indentation",
            "clock",
            "agents",
            "stripe",
            "reference",
            "partners",
            "greeting",
            "weather",
        ],
        Format::Feed => &["none", "built", "tracking", "indentation", "generator", "hits", "prolog"],
        Format::Json => &["none", "stamp", "request", "took", "key order", "indentation", "cursor", "load"],
        Format::Text => &["none", "made", "lines", "fortune", "query time", "blanks", "serial"],
    }
}

/// What a noise is at one read.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) kind: &'static str,
    /// What it says; nothing where it is not there.
    pub(super) text: String,
    /// More of it.
    pub(super) list: Vec<String>,
    /// Any number.
    pub(super) number: u64,
}

pub(super) struct Noise {
    pub(super) kind: &'static str,
    seed: u64,
    pub(super) words: Vec<String>,
}

impl Noise {
    pub(super) fn new(kind: &'static str, rng: &mut Rng) -> Self {
        Self { kind, seed: rng.next(), words: Vec::new() }
    }

    pub(super) fn made(&mut self, read: usize) -> Made {
        let (mut own, mut rng) =
            (Rng(self.seed), Rng(self.seed ^ (read as u64 + 1).wrapping_mul(0x5851_f42d_4c95_7f2d)));
        rng.next();
        let mut pool = |size: usize| (0..size).map(|_| sentence(&mut own).replace('.', "!")).collect::<Vec<_>>();
        let (mut text, mut list) = (String::new(), Vec::new());
        match self.kind {
            "slogan" => text = pool(3)[rng.below(3)].clone(),
            "quote" | "fortune" => text = pool(40)[rng.below(40)].clone(),
            "teaser box" => text = pool(5)[rng.below(5)].clone(),
            "promotion" if rng.below(3) == 0 => text = pool(1)[0].clone(),
            "also bought" => {
                let pool = pool(12);
                let mut left: Vec<usize> = (0..12).collect();
                list = (0..4).map(|_| pool[left.remove(rng.below(left.len()))].clone()).collect();
            }
            "partners" => {
                list = pool(5);
                for index in (1..list.len()).rev() {
                    list.swap(index, rng.below(index + 1));
                }
            }
            "greeting" => text = ["Good morning", "Good afternoon", "Good evening"][rng.below(3)].to_owned(),
            "weather" => text = format!("{} degrees, {}", rng.below(30), ["sunny", "cloudy", "rain"][rng.below(3)]),
            _ => {}
        }
        self.words.extend(list.iter().cloned().chain([text.clone()]).filter(|words| !words.is_empty()));
        self.words.sort();
        self.words.dedup();
        Made { kind: self.kind, text, list, number: rng.next() }
    }
}

/// The noise of a kind that a page has.
pub(super) fn find<'m>(made: &'m [Made], kind: &str) -> Option<&'m Made> {
    made.iter().find(|noise| noise.kind == kind)
}

impl Made {
    /// A time of the day.
    pub(super) fn clock(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.number % 24, self.number / 24 % 60, self.number / 1_440 % 60)
    }

    /// Letters and figures as machines draw them.
    pub(super) fn drawn(&self) -> String {
        format!("{:016x}", self.number | 0xa000_0000_0000_0001)
    }
}
