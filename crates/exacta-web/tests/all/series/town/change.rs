//! What is news.

use super::super::rng::Rng;
use super::doc::{Doc, phrase, sentence};

pub(crate) const KINDS: [&str; 25] = [
    "price",
    "availability",
    "event date",
    "hours",
    "phone",
    "version",
    "word",
    "not",
    "paragraph added",
    "paragraph gone",
    "sentence added",
    "sentence gone",
    "item first",
    "item last",
    "item middle",
    "item gone",
    "order",
    "heading",
    "title",
    "link",
    "link text",
    "image",
    "button",
    "footer",
    "rewritten",
];

/// Changes the page; what has to be told of it.
pub(crate) fn change(kind: usize, doc: &mut Doc, rng: &mut Rng) -> Vec<String> {
    let at = rng.below(doc.paragraphs.len());
    let item = rng.below(doc.items.len());
    match KINDS[kind] {
        "price" => fact(doc, 0, format!("{}.{:02} EUR", 100 + rng.below(800), rng.below(100))),
        "availability" => fact(doc, 1, "Sold out".to_owned()),
        "event date" => fact(doc, 2, format!("{} July 2027", 1 + rng.below(28))),
        "hours" => fact(doc, 3, "10:30 to 18:30".to_owned()),
        "phone" => fact(doc, 4, format!("+49 40 {}", 100_000 + rng.below(800_000))),
        "version" => fact(doc, 5, format!("{}.{}.{}", 10 + rng.below(9), rng.below(20), rng.below(20))),
        "word" => {
            doc.paragraphs[at] = doc.paragraphs[at].replacen("said", "quixotically", 1);
            vec!["quixotically".to_owned()]
        }
        "not" => {
            doc.paragraphs[at] = doc.paragraphs[at].replacen("would stay", "would never stay", 1);
            vec!["never stay".to_owned()]
        }
        "paragraph added" => {
            let text = sentence(rng);
            doc.paragraphs.insert(at, text.clone());
            vec![text]
        }
        "paragraph gone" => vec![doc.paragraphs.remove(at)],
        "sentence added" => {
            let text = sentence(rng);
            doc.paragraphs[at].push_str(&format!(" {text}"));
            vec![text]
        }
        "sentence gone" => {
            let (first, second) =
                doc.paragraphs[at].split_once(". ").map(|(a, b)| (format!("{a}."), b.to_owned())).unwrap();
            doc.paragraphs[at] = first;
            vec![second]
        }
        "item first" => add_item(doc, 0, rng),
        "item middle" => add_item(doc, item, rng),
        "item last" => add_item(doc, doc.items.len(), rng),
        "item gone" => vec![doc.items.remove(item).0],
        "order" => {
            let from = if item == 0 { 1 } else { item };
            let moved = doc.items.remove(from);
            doc.items.insert(0, moved.clone());
            // Which of those that changed places moved is a matter of taste.
            let _either = moved;
            Vec::new()
        }
        "heading" => {
            doc.heading = phrase(rng);
            vec![doc.heading.clone()]
        }
        "title" => {
            doc.title = format!("{} | Example Town", phrase(rng));
            vec![doc.title.split(" |").next().unwrap().to_owned()]
        }
        "link" => {
            doc.items[item].1 = "/other/place".to_owned();
            vec!["/other/place".to_owned()]
        }
        "link text" => {
            doc.items[item].0 = phrase(rng);
            vec![doc.items[item].0.clone()]
        }
        "image" => {
            doc.image = "/img/another-picture.jpg".to_owned();
            vec!["another-picture".to_owned()]
        }
        "button" => {
            doc.button.1 = false;
            vec!["disabled".to_owned()]
        }
        "footer" => {
            doc.footer = doc.footer.replace("Friday", "Thursday");
            vec!["Thursday".to_owned()]
        }
        _ => {
            for text in &mut doc.paragraphs {
                *text = sentence(rng);
            }
            doc.paragraphs.clone()
        }
    }
}

fn fact(doc: &mut Doc, index: usize, value: String) -> Vec<String> {
    doc.facts[index].1.clone_from(&value);
    vec![value]
}

fn add_item(doc: &mut Doc, at: usize, rng: &mut Rng) -> Vec<String> {
    let text = phrase(rng);
    doc.items.insert(at, (text.clone(), "/item/new".to_owned()));
    vec![text]
}
