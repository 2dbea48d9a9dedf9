//! What differs from one look to the next and is no news: advertisements and consent by the names of their places, ages, clocks and counters by
//! their shape.

/// Parts of names of places that never hold what a page is about.
const NEVER: [&str; 18] = [
    "ad",
    "ads",
    "adbox",
    "adsense",
    "adslot",
    "adunit",
    "advert",
    "advertisement",
    "adverts",
    "adsbygoogle",
    "ccpa",
    "consent",
    "cookie",
    "cookiebar",
    "cookies",
    "gdpr",
    "sponsored",
    "sponsor",
];
/// Parts of names of places that often change by themselves. They count while a page is being learnt.
const OFTEN: [&str; 57] = [
    "abtest",
    "banner",
    "build",
    "campaign",
    "carousel",
    "clock",
    "counter",
    "countdown",
    "count",
    "csrf",
    "debug",
    "experiment",
    "fact",
    "generated",
    "greeting",
    "hits",
    "joke",
    "live",
    "modal",
    "newsletter",
    "nonce",
    "online",
    "overlay",
    "popular",
    "popup",
    "promo",
    "promotion",
    "quote",
    "random",
    "recommendations",
    "recommended",
    "related",
    "rendered",
    "rotating",
    "rotator",
    "session",
    "share",
    "slider",
    "slideshow",
    "social",
    "stats",
    "suggested",
    "suggestions",
    "teaser",
    "testimonial",
    "testimonials",
    "ticker",
    "time",
    "timestamp",
    "tip",
    "toast",
    "token",
    "trending",
    "updated",
    "variant",
    "visitors",
    "weather",
];
/// Keys of JSON and other names, whole, that only say when and for whom an answer was made.
const STAMPS: [&str; 24] = [
    "timestamp",
    "generated",
    "generated_at",
    "generatedat",
    "request_id",
    "requestid",
    "trace_id",
    "traceid",
    "took",
    "took_ms",
    "elapsed",
    "elapsed_ms",
    "server_time",
    "servertime",
    "nonce",
    "csrf",
    "csrf_token",
    "session_id",
    "sessionid",
    "etag",
    "now",
    "current_time",
    "fetched_at",
    "cache",
];

/// Whether a name of a place tells what it is for.
pub(crate) fn tells(name: &str) -> bool {
    parts(name).any(|part| NEVER.contains(&part.as_str()) || OFTEN.contains(&part.as_str()))
}

/// Whether a place never holds what a page is about.
pub(crate) fn is_never(name: &str) -> bool {
    let bare = name.to_ascii_lowercase();
    STAMPS.contains(&bare.as_str())
        || parts(name.split_once(['.', '#']).map_or("", |(_, name)| name)).any(|part| NEVER.contains(&part.as_str()))
}

/// Whether a place often changes by itself.
pub(crate) fn is_often(name: &str) -> bool {
    let tag = name.split(['.', '#']).next().unwrap_or_default();
    matches!(tag, "time" | "output" | "marquee" | "dialog" | "aside")
        || parts(name).any(|part| OFTEN.contains(&part.as_str()))
}

/// `ad-slot`, `adSlot` and `ad_slot` have the parts `ad` and `slot`.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    let parts: Vec<String> = spaced.split(' ').filter(|part| !part.is_empty()).map(ToOwned::to_owned).collect();
    parts.into_iter()
}

/// Units of an age, in the languages that are common on pages.
const UNITS: [&str; 46] = [
    "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "hour", "hours", "hr", "hrs", "day",
    "days", "week", "weeks", "month", "months", "year", "years", "s", "m", "h", "d", "sekunde", "sekunden", "minuten",
    "stunde", "stunden", "tag", "tagen", "woche", "wochen", "seconde", "secondes", "heure", "heures", "jour", "jours",
    "segundo", "segundos", "minuto", "minutos", "hora", "horas", "dia",
];
const ARTICLES: [&str; 8] = ["a", "an", "one", "few", "einer", "eine", "une", "un"];

/// Words without ages: `3 minutes ago`, `just now`, `vor 3 Minuten` become one word.
pub(crate) fn without_ages(words: &mut Vec<String>) {
    if words.len() < 2 {
        return;
    }
    let bare: Vec<String> =
        words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect();
    let at = |index: usize| bare.get(index).map_or("", String::as_str);
    let number =
        |text: &str| (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())) || ARTICLES.contains(&text);
    let joined = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let (figures, unit) = text.split_at(end);
        !figures.is_empty() && UNITS.contains(&unit)
    };
    let mut kept = Vec::with_capacity(words.len());
    let mut index = 0;
    while index < words.len() {
        let length = if number(at(index)) && UNITS.contains(&at(index + 1)) && at(index + 2) == "ago" {
            3
        } else if joined(at(index)) && at(index + 1) == "ago" || at(index) == "just" && at(index + 1) == "now" {
            2
        } else if (at(index) == "vor" || at(index) == "hace") && number(at(index + 1)) && UNITS.contains(&at(index + 2))
        {
            3
        } else if at(index) == "il"
            && at(index + 1) == "y"
            && at(index + 2) == "a"
            && number(at(index + 3))
            && UNITS.contains(&at(index + 4))
        {
            5
        } else {
            0
        };
        if length == 0 {
            kept.extend(words.get(index).cloned());
            index += 1;
        } else {
            kept.push(crate::text::WILD.to_owned());
            index += length;
        }
    }
    *words = kept;
}

/// Words before or after figures that say when or how often something was looked at.
const LABELS: [&str; 42] = [
    "updated",
    "update",
    "generated",
    "rendered",
    "loaded",
    "now",
    "today",
    "time",
    "clock",
    "views",
    "view",
    "viewed",
    "visitors",
    "visitor",
    "visits",
    "hits",
    "online",
    "viewing",
    "watching",
    "users",
    "readers",
    "downloads",
    "likes",
    "shares",
    "comments",
    "members",
    "copyright",
    "©",
    "session",
    "request",
    "id",
    "ref",
    "server",
    "build",
    "ms",
    "seconds",
    "aktualisiert",
    "besucher",
    "stand",
    "uhr",
    "uptime",
    "utc",
];
/// Those of them that never are what a page is about.
const ALWAYS: [&str; 10] =
    ["views", "visitors", "visitor", "hits", "viewing", "watching", "generated", "rendered", "visits", "besucher"];

/// How a place within a text differs: what was there, what is there, and the words around it.
pub(crate) struct Gap<'g> {
    pub(crate) old: &'g [String],
    pub(crate) new: &'g [String],
    pub(crate) before: &'g [String],
    pub(crate) after: &'g [String],
}

impl Gap<'_> {
    /// Whether it is a counter or the time of making, whenever it differs.
    pub(crate) fn is_counter(&self) -> bool {
        self.is_figures() && self.labelled(&ALWAYS, 2)
    }

    /// Whether it looks like what differs by itself, for as long as nobody knows better.
    pub(crate) fn looks_volatile(&self) -> bool {
        if self.old.is_empty() || self.new.is_empty() {
            return false;
        }
        let both = |shape: fn(&str) -> bool| self.old.iter().chain(self.new).all(|word| shape(word));
        both(is_clock) || both(is_drawn) || (self.is_figures() && self.labelled(&LABELS, 3))
    }

    fn is_figures(&self) -> bool {
        let figures = |words: &[String]| !words.is_empty() && words.iter().all(|word| is_figure(word));
        figures(self.old) && figures(self.new)
    }

    /// Whether one of these words is near: before the figures that belong together, or after them, in the same sentence.
    fn labelled(&self, labels: &[&str], near: usize) -> bool {
        let bare = |word: &String| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '©').to_lowercase();
        let ends = |word: &&String| word.ends_with(['.', '!', '?', ';']);
        let before = self.before.iter().rev().skip_while(|word| is_figure(word) && !ends(word));
        let before = before.take_while(|word| !ends(word)).take(near).map(bare);
        let after = self.after.iter().take(near.min(2)).map(bare);
        let closed = self.new.last().is_some_and(|word| ends(&word));
        before.chain(after.filter(|_| !closed)).any(|word| labels.contains(&word.as_str()))
    }
}

/// Figures, names of months and days, parts of dates and times.
fn is_figure(word: &str) -> bool {
    const NAMES: [&str; 46] = [
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "am",
        "pm",
        "utc",
        "gmt",
        "cet",
        "cest",
        "at",
        "uhr",
    ];
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let figures = bare.bytes().filter(u8::is_ascii_digit).count();
    bare.is_empty() || NAMES.contains(&bare.as_str()) || figures * 2 >= bare.chars().count()
}

/// `12:03:44` and `2026-11-18T12:03:44Z`.
fn is_clock(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let colons = bare.bytes().filter(|byte| *byte == b':').count();
    colons >= 2 && bare.bytes().filter(u8::is_ascii_digit).count() >= 5
}

/// What a machine drew: sixteen letters and figures or more.
fn is_drawn(word: &str) -> bool {
    let bare: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    bare.len() >= 16
        && bare.bytes().any(|byte| byte.is_ascii_digit())
        && bare.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_one_word() {
        for (text, left) in [
            ("Posted 3 minutes ago by Ann", "Posted ~ by Ann"),
            ("(5h ago)", "~"),
            ("an hour ago", "~"),
            ("just now, here", "~ here"),
            ("vor 3 Minuten bearbeitet", "~ bearbeitet"),
            ("il y a 3 heures", "~"),
            ("3 minutes to go", "3 minutes to go"),
            ("long ago", "long ago"),
        ] {
            let mut words = text.split(' ').map(ToOwned::to_owned).collect();
            without_ages(&mut words);
            assert_eq!(words.join(" ").replace(crate::text::WILD, "~"), left, "{text}");
        }
    }

    #[test]
    fn names() {
        for (name, never, often) in [
            ("div.ad-slot", true, false),
            ("div#AdBox", true, false),
            ("div.header", false, false),
            ("p.quote", false, true),
            ("div.related-posts", false, true),
            ("request_id", true, false),
            ("time", false, true),
            ("main", false, false),
            ("div.loading", false, false),
            ("address", false, false),
        ] {
            assert_eq!((is_never(name), is_often(name)), (never, often), "{name}");
        }
    }
}
