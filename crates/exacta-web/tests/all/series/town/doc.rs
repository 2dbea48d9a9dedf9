//! Pages that are made up: what they say, and how five sites would write it.

use super::super::rng::Rng;

const WORDS: [&str; 60] = [
    "river", "council", "bridge", "market", "harbour", "winter", "library", "garden", "engine", "train", "school",
    "museum", "festival", "concert", "street", "station", "forest", "village", "factory", "kitchen", "window", "paper",
    "letter", "summer", "doctor", "teacher", "morning", "evening", "mountain", "valley", "copper", "timber", "cotton",
    "silver", "golden", "ancient", "modern", "public", "private", "northern", "southern", "careful", "sudden",
    "gentle", "open", "closed", "wooden", "broken", "famous", "narrow", "report", "meeting", "project", "budget",
    "contract", "visitor", "painter", "singer", "farmer", "builder",
];

/// What a page says.
#[derive(Clone)]
pub(crate) struct Doc {
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) nav: Vec<(String, String)>,
    pub(crate) paragraphs: Vec<String>,
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) items: Vec<(String, String)>,
    pub(crate) image: String,
    pub(crate) button: (String, bool),
    pub(crate) footer: String,
    /// What is put at the top, before and after the text, beside it, and at the end; each a list of elements.
    pub(crate) slots: [String; 5],
}

pub(crate) fn sentence(rng: &mut Rng) -> String {
    let count = 7 + rng.below(9);
    let mut words: Vec<String> = (0..count).map(|_| rng.pick(&WORDS).to_owned()).collect();
    words[0] = capital(&words[0]);
    format!(
        "The {} {} of the {} said that {} would stay.",
        words[0].to_lowercase(),
        words[1],
        words[2],
        words[3..].join(" ")
    )
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

pub(crate) fn phrase(rng: &mut Rng) -> String {
    format!("{} {} {} {}", capital(rng.pick(&WORDS)), rng.pick(&WORDS), rng.pick(&WORDS), rng.pick(&WORDS))
}

impl Doc {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let heading = phrase(rng);
        Self {
            title: format!("{heading} | Example Town"),
            heading,
            nav: ["Home", "News", "Services", "Contact", "Help"]
                .iter()
                .map(|name| ((*name).to_owned(), format!("/{}", name.to_lowercase())))
                .collect(),
            paragraphs: (0..4 + rng.below(5)).map(|_| format!("{} {}", sentence(rng), sentence(rng))).collect(),
            facts: vec![
                ("Price".to_owned(), format!("{}.{:02} EUR", 10 + rng.below(80), rng.below(100))),
                ("Availability".to_owned(), "In stock".to_owned()),
                ("Event date".to_owned(), format!("{} June 2027", 1 + rng.below(28))),
                ("Opening hours".to_owned(), "9:00 to 17:00".to_owned()),
                ("Phone".to_owned(), format!("+49 30 {}", 100_000 + rng.below(800_000))),
                ("Version".to_owned(), format!("{}.{}.{}", rng.below(9), rng.below(20), rng.below(20))),
            ],
            items: (0..6 + rng.below(5))
                .map(|index| (phrase(rng), format!("/item/{index}-{}", rng.pick(&WORDS))))
                .collect(),
            image: format!("/img/{}.jpg", rng.pick(&WORDS)),
            button: ("Order now".to_owned(), true),
            footer: "Example Town Council, Main Square 1, open Monday to Friday".to_owned(),
            slots: Default::default(),
        }
    }

    /// As one of five sites would write it.
    pub(crate) fn html(&self, site: usize) -> String {
        let head = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{}</title><link rel=\"stylesheet\" href=\"/style.css\"></head>\n<body>",
            self.title
        );
        let [top, before, after, beside, end] = &self.slots;
        let links = |sep: &str| {
            self.nav.iter().map(|(text, href)| format!("<a href=\"{href}\">{text}</a>")).collect::<Vec<_>>().join(sep)
        };
        let paragraphs = self.paragraphs.iter().map(|text| format!("<p>{text}</p>\n")).collect::<String>();
        let button = if self.button.1 {
            format!("<button>{}</button>", self.button.0)
        } else {
            format!("<button disabled>{}</button>", self.button.0)
        };
        let items = |open: &str, close: &str| {
            self.items
                .iter()
                .map(|(text, href)| format!("{open}<a href=\"{href}\">{text}</a>{close}\n"))
                .collect::<String>()
        };
        let body = match site {
            0 => format!(
                "{top}<header><nav>{}</nav></header>\n<main><h1>{}</h1>{before}<img src=\"{}\" alt=\"A picture\">\n{paragraphs}<dl>{}</dl>{button}{after}<section class=\"list\"><h2>More</h2><ul>{}</ul></section></main><aside class=\"side\">{beside}</aside>\n<footer>{}{end}</footer>",
                links(" "),
                self.heading,
                self.image,
                self.facts.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{value}</dd>\n")).collect::<String>(),
                items("<li>", "</li>"),
                self.footer
            ),
            1 => format!(
                "<div>{top}<div><div>{}</div></div><div><div><h1>{}</h1>{before}<div><img alt='A picture' src='{}'></div>{paragraphs}<div>{}</div><div>{button}</div>{after}</div><div>{}</div><div>{beside}</div></div><div><p>{}</p>{end}</div></div>",
                links(" "),
                self.heading,
                self.image,
                self.facts
                    .iter()
                    .map(|(name, value)| format!("<div><span>{name}:</span> <span>{value}</span></div>\n"))
                    .collect::<String>(),
                items("<div>", "</div>"),
                self.footer
            ),
            2 => format!(
                "<table width=100%><tr><td colspan=2>{top}{}<tr><td><h1>{}</h1>{before}<img src={} alt=picture>{paragraphs}<table>{}</table>{button}{after}<td>{}{beside}</table><p>{}{end}",
                links(" | "),
                self.heading,
                self.image,
                self.facts.iter().map(|(name, value)| format!("<tr><th>{name}<td>{value}\n")).collect::<String>(),
                items("<p>", ""),
                self.footer
            ),
            3 => format!(
                "{top}<div id=\"wrap\" class=\"css-1x2y3z\"><ul class=\"menu\">{}</ul><article><h1>{}</h1>{before}<figure><img src=\"{}\" alt=\"A picture\"></figure>{paragraphs}<table class=\"facts\"><tbody>{}</tbody></table>{button}{after}</article><div class=\"grid\">{}</div><div>{beside}</div></div><footer><small>{}</small>{end}</footer>",
                self.nav
                    .iter()
                    .map(|(text, href)| format!("<li><a href=\"{href}\">{text}</a></li>"))
                    .collect::<String>(),
                self.heading,
                self.image,
                self.facts
                    .iter()
                    .map(|(name, value)| format!("<tr><td>{name}</td><td>{value}</td></tr>"))
                    .collect::<String>(),
                items("<div class=\"card\"><h3>", "</h3><p>Read more</p></div>"),
                self.footer
            ),
            _ => format!(
                "{top}<p>{}</p><h1>{}</h1>{before}<p><img src=\"{}\" alt=\"A picture\"></p>{paragraphs}<ul>{}</ul><p>{button}</p>{after}<ol>{}</ol>{beside}<hr><p>{}</p>{end}",
                links(" · "),
                self.heading,
                self.image,
                self.facts.iter().map(|(name, value)| format!("<li><b>{name}:</b> {value}</li>\n")).collect::<String>(),
                items("<li>", "</li>"),
                self.footer
            ),
        };
        format!("{head}{body}</body></html>\n")
    }
}
