//! How each kind of site writes what it says.

use super::noise::{Format, Made, find};
use super::record::{Record, Records};
use std::fmt::Write as _;

/// The kinds: name, format, type.
pub(super) const KINDS: [(&str, Format, &str); 12] = [
    ("shop", Format::Html, "text/html; charset=utf-8"),
    ("documentation", Format::Html, "text/html; charset=utf-8"),
    ("front page", Format::Html, "text/html;charset=UTF-8"),
    ("forum", Format::Html, "text/html"),
    ("office", Format::Html, "text/html; charset=utf-8"),
    ("terminal table", Format::Html, "text/html; charset=utf-8"),
    ("rss", Format::Feed, "application/rss+xml; charset=utf-8"),
    ("atom", Format::Feed, "application/atom+xml"),
    ("json list", Format::Json, "application/json"),
    ("json tree", Format::Json, "application/vnd.shop+json"),
    ("price list", Format::Text, "text/plain; charset=utf-8"),
    ("notices", Format::Text, "text/plain"),
];

pub(super) fn write(site: usize, records: &Records, made: &[Made], read: usize) -> String {
    match KINDS[site].0 {
        "rss" => rss(records, made),
        "atom" => atom(records, made),
        "json list" | "json tree" => json(KINDS[site].0 == "json tree", records, made),
        "price list" | "notices" => text(KINDS[site].0 == "notices", records, made),
        name => html(name, records, made, read),
    }
}

fn html(name: &str, records: &Records, made: &[Made], read: usize) -> String {
    let session = find(made, "session path")
        .map_or_else(String::new, |made| format!(";jsessionid={}", made.drawn().to_uppercase()));
    let link = |record: &Record| format!("{}{session}", record.link);
    let (top, beside, end) = around(made, read);
    let body = match name {
        "shop" => {
            let cards: String = records.all.iter().map(|record| {
                let (link, name, text) = (link(record), &record.name, &record.text);
                format!("<div class=\"flex p-4 md:w-1/3\" data-sku={}><a class=\"hover:underline\" href=\"{link}\"><span class=\"font-bold\">{name}</span></a><div class=\"text-xs\">{text}</div><div><span>€</span><span>{}</span></div><div>{}</div></div>", record.number, record.money(), record.state)
            }).collect();
            format!(
                "<div id=\"__next\">{top}<div class=\"container mx-auto\"><h1>{}</h1><div>{}</div><div class=\"grid\">{cards}</div>{beside}</div>{end}</div>",
                records.title, records.notice
            )
        }
        "documentation" => {
            let parts: String = records.all.iter().map(|record| {
                format!("<section id=\"s{}\"><h2>{} <a href=\"{}\">#</a></h2><p>{}</p><pre><code>cost = {}\nstate = \"{}\"</code></pre></section>", record.number, record.name, link(record), record.text, record.money(), record.state)
            }).collect();
            format!(
                "<div class=\"document\">{top}<div class=\"body\" role=\"main\"><h1>{}</h1><blockquote><p>{}</p></blockquote>{parts}</div><div class=\"sphinxsidebar\"><ul>{}</ul>{beside}</div>{end}</div>",
                records.title,
                records.notice,
                records
                    .all
                    .iter()
                    .map(|record| format!("<li><a href=\"#s{0}\">§ {0}</a></li>", record.number))
                    .collect::<String>()
            )
        }
        "front page" => {
            let articles: String = records
                .all
                .iter()
                .map(|record| {
                    format!(
                        "<article><h3><a href=\"{}\">{}</a></h3><p>{}</p><p><small>{} / {}</small></p></article>\n",
                        link(record),
                        record.name,
                        record.text,
                        record.state,
                        record.money()
                    )
                })
                .collect();
            format!(
                "{top}<header><h1>{}</h1></header><main><p class=lead>{}</p>{articles}</main><div class=right>{beside}</div>{end}",
                records.title, records.notice
            )
        }
        "forum" => {
            let posts: String = records.all.iter().map(|record| {
                format!("<tr><td class=\"alt1\"><b>{}</b><br>Offer {}<td class=\"alt2\">{}<hr size=1><i>{}</i> <a href=\"{}\">Reply</a>", record.name, record.money(), record.text, record.state, link(record))
            }).collect();
            format!(
                "<center>{top}<h1>{}</h1><font size=2>{}</font></center><table border=0>{posts}</table>{beside}<center>{end}</center>",
                records.title, records.notice
            )
        }
        "office" => {
            let rows: String = records.all.iter().map(|record| {
                format!("<div class=\"row\"><dl><dt><a href=\"{}\">{}</a></dt><dd>{}</dd><dt>Fee</dt><dd>EUR {}</dd><dt>Status</dt><dd>{}</dd></dl></div>", link(record), record.name, record.text, record.money(), record.state)
            }).collect();
            format!(
                "{top}<div role=main><h1>{}</h1><p>{}</p>{rows}</div>{beside}<footer>{end}<p>Office hours by arrangement. All rights reserved.</p></footer>",
                records.title, records.notice
            )
        }
        _ => {
            let rows: String = records.all.iter().map(|record| {
                format!("<tr><td>{}</td><td><a href='{}'>{}</a></td><td align=right>{}</td><td>{}</td><td>{}</td></tr>\n", record.number, link(record), record.name, record.money(), record.state, record.text)
            }).collect();
            format!(
                "{top}<h1>{}</h1><p>{}</p><table><thead><tr><th>No.<th>Name<th>Price<th>State<th>Remarks</thead><tbody>{rows}</tbody></table>{beside}{end}",
                records.title, records.notice
            )
        }
    };
    let page = format!(
        "<!DOCTYPE html>\n<html lang=en><head><title>{0}</title><meta name=description content=\"{0}\"><link rel=stylesheet href=/a.css></head>\n<body>{body}</body></html>",
        records.title
    );
    match find(made, "indentation") {
        // Two servers: one squeezes what it sends.
        Some(made) if made.number % 2 == 0 => page.replace("><", ">\n    <").replace(". ", ".\n      "),
        _ => page,
    }
}

/// What is above, beside and beneath what the page is about.
fn around(made: &[Made], _read: usize) -> (String, String, String) {
    let (mut top, mut beside, mut end) = (String::new(), String::new(), String::new());
    for noise in made {
        let text = &noise.text;
        let figure = noise.number % 90_000 + 10_000;
        let list =
            |open: &str, close: &str| noise.list.iter().map(|text| format!("{open}{text}{close}")).collect::<String>();
        let (place, added) = match noise.kind {
            "slogan" => (&mut top, format!("<div class=\"hero\"><h2>{text}</h2></div>")),
            "also bought" => (
                &mut beside,
                format!(
                    "<div class=\"mt-8\"><div>Others looked at</div><div>{}</div></div>",
                    list("<div><a href=/x>", "</a></div>")
                ),
            ),
            "quote" => (&mut beside, format!("<blockquote>{text}</blockquote>")),
            "teaser box" => (&mut beside, format!("<div class=box7><b>Read on</b><p>{text}</p></div>")),
            "promotion" if !text.is_empty() => (&mut top, format!("<div><p>{text}</p><button>Close</button></div>")),
            "visits" => (&mut end, format!("<p>{figure} visits since 2009</p>")),
            "query time" => (
                &mut end,
                format!("<p>Seite erstellt in 0,{} Sekunden mit {} Abfragen</p>", figure % 1000, figure % 40),
            ),
            "hidden token" => (
                &mut beside,
                format!(
                    "<form><input type=hidden name=_token value={}><input name=q><button>Search</button></form>",
                    noise.drawn()
                ),
            ),
            "clock" => (&mut top, format!("<p>Local time {}</p>", noise.clock())),
            "agents" => (&mut end, format!("<div>{} colleagues are online now</div>", figure % 12)),
            "stripe" => (
                &mut top,
                format!(
                    "<ul><li>Oak {}.{}</li><li>Pine {}.{}</li></ul>",
                    figure % 90,
                    figure % 7,
                    figure % 80,
                    figure % 9
                ),
            ),
            "reference" => (&mut end, format!("<p>Ref. {} at {}</p>", noise.drawn(), noise.clock())),
            "partners" => (&mut end, format!("<div><h5>Partners</h5>{}</div>", list("<p>", "</p>"))),
            "greeting" => (&mut top, format!("<span>{text}, visitor!</span>")),
            "weather" => (&mut beside, format!("<div class=wx><p>{text}</p></div>")),
            _ => continue,
        };
        place.push_str(&added);
    }
    (top, beside, end)
}

fn rss(records: &Records, made: &[Made]) -> String {
    let has = |kind: &str| find(made, kind);
    let track = has("tracking")
        .map_or_else(String::new, |made| format!("?utm_source=feed&amp;utm_content={}", made.number % 9_999));
    let built = has("built").map_or_else(String::new, |made| {
        format!("<lastBuildDate>Thu, 19 Nov 2026 {} GMT</lastBuildDate>", made.clock())
    });
    let by = has("generator").map_or_else(String::new, |made| {
        format!("<generator>Feeder {}.{}</generator>", made.number % 5, made.number % 11)
    });
    let hits = |record: &Record| {
        has("hits").map_or_else(String::new, |made| {
            format!("<slash:comments>{}</slash:comments>", (made.number + record.number as u64) % 77)
        })
    };
    let entry = |record: &Record| {
        format!(
            "<item><title>{0} ({1})</title><link>https://example.com{2}{track}</link><guid isPermaLink=\"false\">{3}</guid><description><![CDATA[<p>{4}</p><p>Price {5}</p>]]></description>{6}</item>\n",
            record.name,
            record.state,
            record.link,
            record.number,
            record.text,
            record.money(),
            hits(record)
        )
    };
    let start = if has("prolog").is_some_and(|made| made.number % 2 == 0) {
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- fresh -->"
    } else {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    };
    let feed = format!(
        "{start}<rss version=\"2.0\" xmlns:slash=\"http://purl.org/rss/1.0/modules/slash/\"><channel><title>{}</title><link>https://example.com/</link><description>{}</description>{built}{by}{}</channel></rss>",
        records.title.replace('&', "&amp;"),
        records.notice,
        records.all.iter().map(entry).collect::<String>()
    );
    indented(feed, made)
}

fn atom(records: &Records, made: &[Made]) -> String {
    let has = |kind: &str| find(made, kind);
    let built = has("built").map_or("12:00:00".to_owned(), Made::clock);
    let by = has("generator")
        .map_or_else(String::new, |made| format!("<generator version=\"{}\">Feeder</generator>", made.number % 50));
    let track = has("tracking").map_or_else(String::new, |made| format!("?fbclid={}", made.drawn()));
    let entry = |record: &Record| {
        format!(
            "<entry><id>urn:x:{}</id><title>{}</title><link href=\"https://example.com{}{track}\"/><updated>2026-10-01T00:00:00Z</updated><summary type=\"text\">{}</summary><category term=\"{}\"/><content type=\"html\">&lt;p&gt;{} for {}&lt;/p&gt;</content></entry>\n",
            record.number,
            record.name,
            record.link,
            record.text,
            record.state,
            record.state,
            record.money()
        )
    };
    let feed = format!(
        "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>{}</title><subtitle>{}</subtitle><updated>2026-11-19T{built}Z</updated>{by}{}</feed>",
        records.title.replace('&', "&amp;"),
        records.notice,
        records.all.iter().map(entry).collect::<String>()
    );
    indented(feed, made)
}

fn indented(text: String, made: &[Made]) -> String {
    match find(made, "indentation") {
        Some(made) if made.number % 2 == 0 => text.replace("><", ">\n  <"),
        _ => text,
    }
}

fn json(tree: bool, records: &Records, made: &[Made]) -> String {
    let mut fields: Vec<(String, String)> = Vec::new();
    let text = |text: &str| serde_json::to_string(text).unwrap();
    let turned = find(made, "key order").is_some_and(|made| made.number % 2 == 0);
    let item = |record: &Record| {
        let mut fields = vec![
            ("id".to_owned(), record.number.to_string()),
            ("name".to_owned(), text(&record.name)),
            ("price".to_owned(), text(&record.money())),
            ("state".to_owned(), text(&record.state)),
            ("text".to_owned(), text(&record.text)),
            ("href".to_owned(), text(&record.link)),
        ];
        if turned {
            fields.reverse();
        }
        object(&fields)
    };
    let items = if tree {
        object(&records.all.iter().map(|record| (format!("item{}", record.number), item(record))).collect::<Vec<_>>())
    } else {
        format!("[{}]", records.all.iter().map(item).collect::<Vec<_>>().join(","))
    };
    fields.extend([
        ("title".to_owned(), text(&records.title)),
        ("notice".to_owned(), text(&records.notice)),
        ("items".to_owned(), items),
    ]);
    for noise in made {
        let (name, value) = match noise.kind {
            "stamp" => ("timestamp", (1_790_000_000 + noise.number % 9_000_000).to_string()),
            "request" => ("requestId", text(&noise.drawn())),
            "took" => ("took_ms", (noise.number % 400).to_string()),
            "cursor" => ("next_page_token", text(&noise.drawn())),
            "load" => ("load_average", format!("0.{:02}", noise.number % 100)),
            _ => continue,
        };
        fields.push((name.to_owned(), value));
    }
    if turned {
        fields.reverse();
    }
    let all = object(&fields);
    match find(made, "indentation") {
        Some(made) if made.number % 2 == 0 => {
            serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&all).unwrap()).unwrap()
        }
        _ => all,
    }
}

fn object(fields: &[(String, String)]) -> String {
    format!("{{{}}}", fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect::<Vec<_>>().join(", "))
}

fn text(notices: bool, records: &Records, made: &[Made]) -> String {
    let mut out = format!("{}\n{}\n\n{}\n\n", records.title, "=".repeat(records.title.len()), records.notice);
    for record in &records.all {
        let (number, name, money, state, text, link) =
            (record.number, &record.name, record.money(), &record.state, &record.text, &record.link);
        let written = if notices {
            format!("* {name} [{state}]\n  {text}\n  See {link}; fee {money}\n\n")
        } else {
            format!("{number:>6}  {name:<28}{money:>10}  {state:<10} {link}\n        {text}\n")
        };
        out.push_str(&written);
    }
    for noise in made {
        let added = match noise.kind {
            "made" => format!("Generated on 2026-11-19 {}\n", noise.clock()),
            "fortune" => format!("-- \n{}\n", noise.text),
            "query time" => format!("{} rows in set (0.{:02} sec)\n", records.all.len(), noise.number % 100),
            "serial" => format!("Serial: {}\n", noise.drawn()),
            _ => continue,
        };
        let _always = out.write_str(&added);
    }
    let lines = find(made, "lines").is_some_and(|made| made.number % 2 == 0);
    let blanks = find(made, "blanks").is_some_and(|made| made.number % 2 == 0);
    let out = if blanks { out.replace('\n', "  \n") } else { out };
    if lines { out.replace('\n', "\r\n") } else { out }
}
