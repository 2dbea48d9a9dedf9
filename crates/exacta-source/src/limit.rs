//! How much is parsed. All limits are counted in bytes and steps, never in time, so that the same plan gives the same facts
//! everywhere.

use tree_sitter::{ParseOptions, Parser, Tree};

/// The largest file that is parsed. The number of a plan's steps is limited, and so is what all of them may cost; a budget for
/// the whole plan would let one step take another's facts away.
const FILE: usize = 1 << 19;
/// The longest line of a file that people wrote.
const LINE: usize = exacta_kernel::plan::LONGEST_LINE;
/// The deepest brackets of a file that people wrote.
const DEPTH: u32 = 500;
/// How often the parser may ask to go on (each time after a fixed number of its steps), per file and per byte.
const ASKS: (usize, usize) = (200, 2);

/// Whether a text is one that people wrote, and worth parsing.
pub(crate) fn allows(text: &[u8]) -> bool {
    text.len() <= FILE && is_ordinary(text)
}

/// Parses a text; none if that takes too many steps.
pub(crate) fn parse(parser: &mut Parser, text: &[u8]) -> Option<Tree> {
    within(parser, text, ASKS.0 + text.len() / ASKS.1)
}

fn within(parser: &mut Parser, text: &[u8], mut left: usize) -> Option<Tree> {
    let mut go_on = |_: &tree_sitter::ParseState| match left.checked_sub(1) {
        Some(less) => {
            left = less;
            core::ops::ControlFlow::Continue(())
        }
        None => core::ops::ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut rest = |at: usize, _| text.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut rest, None, Some(options));
    if tree.is_none() {
        // Or the next text would be taken for the rest of this one.
        parser.reset();
    }
    tree
}

/// Whether lines are short and brackets shallow, as in what people write.
fn is_ordinary(text: &[u8]) -> bool {
    let (mut depth, mut start) = (0_u32, 0);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' => start = at,
            0 => return false,
            _ => {}
        }
        if depth > DEPTH || at - start > LINE {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsing_ends_where_the_steps_do() {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_rust::LANGUAGE.into()).unwrap();
        let text = "fn f() { g(1, 2, 3); }\n".repeat(5_000);
        assert!(within(&mut parser, text.as_bytes(), 0).is_none());
        let next = parse(&mut parser, b"fn g() {}\n").unwrap();
        assert_eq!((next.root_node().end_byte(), next.root_node().has_error()), (10, false));
        assert!(parse(&mut parser, text.as_bytes()).is_some());
    }

    #[test]
    fn what_people_write_is_parsed() {
        let long = "a".repeat(LINE + 2);
        let deep = "(".repeat(DEPTH as usize + 1);
        for (text, expected) in [("", true), ("fn f() {}\n", true), (&long, false), (&deep, false), ("a\0", false)] {
            assert_eq!(is_ordinary(text.as_bytes()), expected, "{text:.20}");
        }
    }
}
