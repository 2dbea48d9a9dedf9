//! Addresses in headers: read strictly, with every ambiguity named, because a person decides by them whom to believe.

use super::doubt::{Doubt, Doubts};
use super::word::decoded;
use crate::account::is_plain_address;
use exacta_kernel::text::excerpt;
use std::fmt;

/// The most addresses of one field.
const MOST: usize = 100;

/// The longest name or address that is shown.
const SHOWN: usize = 120;

/// An address as it was read. Both texts are inert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// What stands beside it; empty if nothing does.
    pub name: String,
    /// `a@example.org`, or as much of it as there is.
    pub address: String,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            write!(f, "<{}>", self.address)
        } else {
            write!(f, "{} <{}>", self.name, self.address)
        }
    }
}

/// A piece of an address list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// Text without white space or special characters.
    Atom(String),
    Quoted(String),
    Comment,
    /// What is between `<` and `>`.
    Angle(String),
    Comma,
    /// The name before it is a group's.
    Colon,
    Semicolon,
    /// A quote, comment or `<` without its end, or a `)` or `>` without its beginning.
    Broken,
}

/// The addresses of a field.
pub(super) fn addresses(value: &[u8], doubts: &mut Doubts) -> Vec<Address> {
    let text = match str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    };
    let whole = excerpt(text.trim(), SHOWN);
    let mut found = Vec::new();
    let mut one: Vec<Piece> = Vec::new();
    for piece in pieces(&text) {
        match piece {
            Piece::Comma | Piece::Semicolon => finish(&mut one, &whole, &mut found, doubts),
            Piece::Colon => {
                doubts.add(Doubt::Group(whole.clone()));
                one.clear();
            }
            piece => one.push(piece),
        }
        if found.len() == MOST {
            doubts.add(Doubt::LeftOut("part of a list of addresses"));
            return found;
        }
    }
    finish(&mut one, &whole, &mut found, doubts);
    found
}

/// One address, of the pieces between two commas.
fn finish(pieces: &mut Vec<Piece>, whole: &str, found: &mut Vec<Address>, doubts: &mut Doubts) {
    let pieces = std::mem::take(pieces);
    let angles: Vec<&String> =
        pieces.iter().filter_map(|piece| if let Piece::Angle(text) = piece { Some(text) } else { None }).collect();
    if pieces.is_empty() {
        return;
    }
    doubts.add_if(pieces.contains(&Piece::Comment), Doubt::Comment(whole.to_owned()));
    let well = !pieces.contains(&Piece::Broken)
        && match angles.len() {
            0 => true,
            1 => matches!(pieces.iter().rev().find(|piece| **piece != Piece::Comment), Some(Piece::Angle(_))),
            _ => false,
        };
    doubts.add_if(!well, Doubt::Malformed(whole.to_owned()));
    let (name, address) = match angles.last() {
        Some(angle) => (name(&pieces, doubts), (*angle).clone()),
        None => bare(&pieces, whole, doubts),
    };
    if name.is_empty() && address.is_empty() {
        return;
    }
    let address = Address { name: excerpt(&name, SHOWN), address: clean(&address, whole, doubts) };
    judge(&address, &name, doubts);
    found.push(address);
}

/// The name before an angle.
fn name(pieces: &[Piece], doubts: &mut Doubts) -> String {
    let mut words: Vec<String> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Atom(text) | Piece::Quoted(text) => words.push(text.clone()),
            _ => {}
        }
    }
    decoded(words.join(" ").as_bytes(), doubts)
}

/// An address without an angle: one word with an `@`, or a quoted text and one.
fn bare(pieces: &[Piece], whole: &str, doubts: &mut Doubts) -> (String, String) {
    let text: Vec<&str> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Atom(text) | Piece::Quoted(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if let [one] = text.as_slice()
        && one.contains('@')
    {
        return (String::new(), (*one).to_owned());
    }
    if text.is_empty() {
        return (String::new(), String::new());
    }
    doubts.add(Doubt::Malformed(whole.to_owned()));
    match text.iter().rposition(|word| word.contains('@')) {
        Some(at) => {
            let others: Vec<&str> =
                text.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, word)| *word).collect();
            (others.join(" "), text.get(at).copied().unwrap_or_default().to_owned())
        }
        None => (text.join(" "), String::new()),
    }
}

/// An address without white space, comments and a route; inert.
fn clean(address: &str, whole: &str, doubts: &mut Doubts) -> String {
    let quoted = address.trim().starts_with('"');
    let plain: String = address.trim().chars().filter(|c| quoted || !c.is_whitespace()).collect();
    doubts.add_if(plain != address, Doubt::Malformed(whole.to_owned()));
    let without_route = match plain.strip_prefix('@').and_then(|rest| rest.split_once(':')) {
        Some((_, rest)) => {
            doubts.add(Doubt::Malformed(whole.to_owned()));
            rest.to_owned()
        }
        None => plain,
    };
    excerpt(&without_route, SHOWN)
}

/// What is odd about an address and its name.
fn judge(found: &Address, name: &str, doubts: &mut Doubts) {
    let address = &found.address;
    let other: Vec<char> = address.chars().filter(|c| !c.is_ascii()).collect();
    if !other.is_empty() {
        let letters: Vec<String> = other.iter().take(8).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
        doubts.add(Doubt::OtherLetters { address: address.clone(), letters: letters.join(" ") });
    } else if !is_plain_address(address) {
        doubts.add(Doubt::Malformed(found.to_string()));
    }
    let host = address.rsplit_once('@').map_or("", |(_, host)| host);
    doubts.add_if(
        host.to_ascii_lowercase().split('.').any(|label| label.starts_with("xn--")),
        Doubt::Punycode(address.clone()),
    );
    let same = name.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case(address);
    if name.contains('@') && !same {
        doubts.add(Doubt::NameIsAddress { name: found.name.clone(), address: address.clone() });
    }
    for text in [name, address] {
        doubts.add_if(mixes_scripts(text), Doubt::MixedScripts(excerpt(text, SHOWN)));
    }
}

/// Whether a word has letters of two of the scripts whose letters look alike.
fn mixes_scripts(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| {
        let (mut latin, mut other) = (false, false);
        for c in word.chars() {
            match u32::from(c) {
                0x41..=0x24f | 0x1e00..=0x1eff => latin = true,
                // Greek and Coptic, Cyrillic, Armenian, Cherokee, and letters of full width or for mathematics.
                0x370..=0x58f
                | 0x13a0..=0x13ff
                | 0x1f00..=0x1fff
                | 0x2c80..=0x2cff
                | 0xa640..=0xa69f
                | 0xff21..=0xff5a
                | 0x1d400..=0x1d7ff => other = true,
                _ => {}
            }
        }
        latin && other
    })
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let piece = match c {
            c if c.is_whitespace() => continue,
            '"' => match within(&mut rest, '"') {
                (text, true) => Piece::Quoted(text),
                (_, false) => Piece::Broken,
            },
            '(' => comment(&mut rest),
            '<' => match within(&mut rest, '>') {
                (text, true) => Piece::Angle(text),
                // Mail programs take what is there for the address.
                (text, false) => {
                    pieces.push(Piece::Broken);
                    Piece::Angle(text)
                }
            },
            ')' | '>' => Piece::Broken,
            ',' => Piece::Comma,
            ':' => Piece::Colon,
            ';' => Piece::Semicolon,
            c => {
                let mut atom = String::from(c);
                while let Some(c) = rest.next_if(|c| !c.is_whitespace() && !"\"()<>,:;".contains(*c)) {
                    atom.push(c);
                }
                Piece::Atom(atom)
            }
        };
        // `"a b"@x.example`: the quotes belong to the address.
        match (pieces.last_mut(), piece) {
            (Some(Piece::Quoted(quoted)), Piece::Atom(atom)) if atom.starts_with('@') => {
                let address = format!("\"{quoted}\"{atom}");
                pieces.pop();
                pieces.push(Piece::Atom(address));
            }
            (_, piece) => pieces.push(piece),
        }
    }
    pieces
}

/// Everything up to an end, and whether that came.
fn within(rest: &mut impl Iterator<Item = char>, end: char) -> (String, bool) {
    let (mut text, mut escaped) = (String::new(), false);
    for c in rest {
        match c {
            '\\' if !escaped => escaped = true,
            c if c == end && !escaped => return (text, true),
            c => {
                text.push(c);
                escaped = false;
            }
        }
    }
    (text, false)
}

/// A comment, with those in it.
fn comment(rest: &mut impl Iterator<Item = char>) -> Piece {
    let (mut depth, mut escaped) = (1_usize, false);
    for c in rest {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '(' if !escaped => depth += 1,
            ')' if !escaped => depth -= 1,
            _ => {}
        }
        escaped = false;
        if depth == 0 {
            return Piece::Comment;
        }
    }
    Piece::Broken
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, and how many doubts there are.
    #[test]
    fn addresses_are_read_with_their_ambiguities() {
        let mut table = String::new();
        for value in [
            "a@x.example",
            "Ann <a@x.example>",
            "\"Ann, B\" <a@x.example>, c@y.example",
            "=?utf-8?Q?Gr=C3=BCn?= <a@x.example>",
            "a@x (c) <m@y.example>",
            "a@x.example (Ann)",
            "bank@x.example <thief@y.example>",
            "<a@x.example> <b@y.example>",
            "a@x.example b@y.example",
            "Team: a@x.example, b@x.example;",
            "undisclosed-recipients:;",
            "\"a b\"@x.example",
            "<@relay.example:a@x.example>",
            "Ann <a@x.example",
            "Ann a@x.example>",
            "\"Ann <a@x.example>",
            "a(b(c)@x.example",
            "a@b@x.example",
            "a @ x.example",
            "<>",
            "",
            "Ann",
            "a@xn--pypal-4ve.example",
            "a@pаypal.example",
            "PаyPal <a@x.example>",
            "Müller <a@x.example>",
            "Анна <a@x.example>",
            "a@x.example\u{202e}gro.elpmaxe@b",
            "\u{1b}[31mAnn <a@x.example>",
            "<a@x.example\0b>",
            ",,a@x.example,,",
        ] {
            let mut doubts = Doubts::default();
            let found: Vec<String> = addresses(value.as_bytes(), &mut doubts).iter().map(ToString::to_string).collect();
            table.push_str(&format!("{}\n    {}\n", excerpt(value, 200), found.join(" | ")));
            for doubt in doubts.into_list() {
                table.push_str(&format!("    ! {doubt}\n"));
            }
        }
        insta::assert_snapshot!(table);
    }
}
