//! What the user may turn without anybody's signature: how loud an autopilot is. Nothing in it reaches a gate.

use crate::prelude::*;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// How loud an autopilot is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// A change of a page below this score, in hundredths, is not told; 0 tells every change.
    pub min_diff_score: u32,
    /// How many sources a brief reads.
    pub max_sources: u32,
    /// How many lines a brief has.
    pub max_bullets: u32,
    /// `short` or `medium`.
    pub reply_length: String,
    /// `max_savings`, `balanced` or `best_quality`.
    pub mode: String,
    /// Nothing is told before then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_until: Option<Timestamp>,
    /// Only what this matches on a page is watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// What these match on a page is not watched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// For how many days what was read and prepared is kept.
    pub keep_days: u32,
}

/// A value outside its bounds, or a knob that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadTuning(String);

impl Default for Tuning {
    fn default() -> Self {
        Self {
            min_diff_score: 0,
            max_sources: 5,
            max_bullets: 6,
            reply_length: "medium".to_owned(),
            mode: "balanced".to_owned(),
            suppress_until: None,
            selector: None,
            ignore: Vec::new(),
            keep_days: 7,
        }
    }
}

impl Tuning {
    /// Every knob, with its bounds.
    pub const KNOBS: [(&str, &str); 9] = [
        ("min_diff_score_to_notify", "0.1 to 0.9, or none"),
        ("max_sources", "2 to 10"),
        ("max_bullets", "3 to 10"),
        ("reply_length_hint", "short or medium"),
        ("mode", "max_savings, balanced or best_quality"),
        ("suppress_until", "a time such as 2030-01-31T08:00:00Z, or none"),
        ("selector", "a CSS selector, or none"),
        ("ignore", "a CSS selector, or none"),
        ("keep_days", "1 to 30"),
    ];

    /// The same with one knob turned.
    ///
    /// # Errors
    /// [`BadTuning`] names the bounds.
    pub fn set(mut self, key: &str, value: &str) -> Result<Self, BadTuning> {
        let Some((_, bounds)) = Self::KNOBS.iter().find(|(name, _)| *name == key) else {
            let names: Vec<&str> = Self::KNOBS.iter().map(|(name, _)| *name).collect();
            return Err(BadTuning(format!("there is no `{key}` to tune: {}", names.join(", "))));
        };
        let bad = || BadTuning(format!("`{key}` is {bounds}"));
        let within = |low: u32, high: u32| {
            value.parse::<u32>().ok().filter(|number| (low..=high).contains(number)).ok_or_else(bad)
        };
        let one_of = |words: &[&str]| words.contains(&value).then(|| value.to_owned()).ok_or_else(bad);
        let rule = (value != "none").then(|| value.to_owned());
        let fits = value.len() <= 200 && !value.contains(char::is_control) && !value.trim().is_empty();
        match key {
            "min_diff_score_to_notify" => {
                self.min_diff_score = hundredths(value).filter(|n| (10..=90).contains(n)).ok_or_else(bad)?
            }
            "max_sources" => self.max_sources = within(2, 10)?,
            "max_bullets" => self.max_bullets = within(3, 10)?,
            "reply_length_hint" => self.reply_length = one_of(&["short", "medium"])?,
            "mode" => self.mode = one_of(&["max_savings", "balanced", "best_quality"])?,
            "suppress_until" => self.suppress_until = rule.map(Timestamp::try_from).transpose().map_err(|_| bad())?,
            "keep_days" => self.keep_days = within(1, 30)?,
            _ if !fits => return Err(bad()),
            "selector" => self.selector = rule,
            _ => match rule {
                Some(rule) if self.ignore.len() < 16 => self.ignore.push(rule),
                Some(_) => return Err(BadTuning("`ignore` has 16 rules, which is as many as there may be".to_owned())),
                None => self.ignore.clear(),
            },
        }
        Ok(self)
    }
}

/// `0.25` as 25.
fn hundredths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole != "0" || part.len() > 2 || !digits(part) {
        return None;
    }
    format!("{part:0<2}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_has_its_bounds() {
        for (key, good, bad) in [
            ("min_diff_score_to_notify", vec!["0.1", "0.25", "0.9"], vec!["0.09", "0.91", "1", "-0.2", "0.333", "x"]),
            ("max_sources", vec!["2", "10"], vec!["1", "11", "9007199254740993"]),
            ("max_bullets", vec!["3", "10"], vec!["2", "11", ""]),
            ("reply_length_hint", vec!["short"], vec!["long"]),
            ("mode", vec!["max_savings"], vec!["send"]),
            ("suppress_until", vec!["2030-01-31T08:00:00Z", "none"], vec!["tomorrow"]),
            ("selector", vec!["main .price", "none"], vec!["", "a\nb"]),
            ("keep_days", vec!["1", "30"], vec!["0", "31"]),
            ("sending", vec![], vec!["on"]),
            ("recipient", vec![], vec!["a@b.example"]),
        ] {
            for value in good {
                assert!(Tuning::default().set(key, value).is_ok(), "{key} {value}");
            }
            for value in bad {
                assert!(Tuning::default().set(key, value).is_err(), "{key} {value}");
            }
        }
    }
}
