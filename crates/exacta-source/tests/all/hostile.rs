//! Whatever the bytes are, reading ends, and says the same each time.

use crate::plans::plan;
use proptest::prelude::*;

const FILES: &[&str] =
    &["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.c", "a.hpp", "A.cs", "a.php", "a.rb"];

fn parsed(file: &str, text: &str) -> bool {
    let plan = plan(&[(file, None, Some(text))]);
    let facts = exacta_source::read(&plan);
    facts.get(&plan.effects()[0]).is_some_and(|facts| facts.code.is_some())
}

#[test]
fn beyond_the_limits_lines_are_left_to_tell() {
    for file in FILES {
        let deep = "(".repeat(100_000);
        let long = format!("x = \"{}\"\n", "a".repeat(900_000));
        let large = "x = 1\n".repeat(100_000);
        for text in [deep, long, large] {
            assert!(!parsed(file, &text), "{file}");
        }
    }
}

#[test]
fn what_is_not_the_language_is_not_read_as_it() {
    let prose = "Dear reader, this (is not) a program { at all; but \" a letter < to you.\n".repeat(20);
    // In PHP, whatever stands outside its tags is text.
    for file in FILES.iter().filter(|file| **file != "a.php") {
        assert!(!parsed(file, &prose), "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn junk_never_panics(
        file in prop::sample::select(FILES),
        before in "[a-z(){}\\[\\]<>:;=,.'\"`#@!&|?/*\n\t \\\\éß\u{202e}]{1,200}",
        words in prop::collection::vec(prop::sample::select(vec![
            "fn", "pub", "class", "def", "export", "default", "function", "const", "x", "(", ")", "{", "}", "=>", "=", ":",
            "\n", "    ", "if", "for", "&&", "import", "exports.", "module", ".", "#", "@", "\"", "private", "struct", "impl",
        ]), 1..60),
    ) {
        let after = words.join(" ") + "!";
        prop_assume!(before != after);
        let plan = plan(&[(file, Some(&before), Some(&after))]);
        prop_assert_eq!(exacta_source::read(&plan), exacta_source::read(&plan));
    }
}
