//! A file in short: what it defines, its headings, or its first lines.

use crate::gate::Class;
use exacta_source::Mapper;

/// The longest line of an outline.
const LINE: usize = 160;

/// An outline of a text in at most `most` bytes.
pub(crate) fn outline(mapper: &mut Mapper, name: &str, class: Class, text: &str, most: usize) -> String {
    let map = mapper.map(name, text.as_bytes()).filter(|map| !map.definitions.is_empty());
    match map {
        Some(map) => {
            // Definitions inside others only where there is room for all at the top.
            let depth = |deepest: usize| {
                let definitions = map.definitions.iter().filter(move |it| it.depth <= deepest);
                definitions.map(|it| format!("{}: {}{}", it.line, "  ".repeat(it.depth), one_line(it.signature)))
            };
            let length = |lines: &mut dyn Iterator<Item = String>| lines.map(|line| line.len() + 1).sum::<usize>();
            let deepest = (0..=3).rev().find(|deepest| length(&mut depth(*deepest)) <= most).unwrap_or(0);
            up_to(depth(deepest), most)
        }
        None if class == Class::Document => {
            let headings = text.lines().enumerate().filter(|(_, line)| line.starts_with(['#', '=']) && line.len() > 2);
            let first = text.lines().take(3).map(one_line);
            up_to(first.chain(headings.skip(1).map(|(at, line)| format!("{}: {}", at + 1, one_line(line)))), most)
        }
        None => up_to(text.lines().filter(|line| !line.trim().is_empty()).take(40).map(one_line), most),
    }
}

/// Lines as long as there is room.
fn up_to(lines: impl Iterator<Item = String>, most: usize) -> String {
    let mut out = String::new();
    for line in lines {
        if out.len() + line.len() + 1 > most {
            break;
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = (0..=LINE.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    line.truncate(end);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_short_and_say_where() {
        let mut mapper = Mapper::default();
        let code = "pub struct A {\n    x: u8,\n}\n\nimpl A {\n    pub fn b(\n        &self,\n    ) -> u8 {\n        self.x\n    }\n}\n";
        let cases = [
            ("a.rs", Class::Code, code, 400, "1: pub struct A\n5: impl A\n6:   pub fn b( &self, ) -> u8\n"),
            ("a.rs", Class::Code, code, 30, "1: pub struct A\n5: impl A\n"),
            ("a.md", Class::Document, "# One\ntext\n\n## Two\n", 400, "# One\ntext\n\n4: ## Two\n"),
            ("a.json", Class::Settings, "{\n\n  \"a\": 1\n}\n", 400, "{\n\"a\": 1\n}\n"),
        ];
        for (name, class, text, most, expected) in cases {
            assert_eq!(outline(&mut mapper, name, class, text, most), expected, "{name}");
        }
    }
}
