//! Whatever the bytes are, reading ends, and says the same each time.

use crate::plans::{marked, plan};
use exacta_kernel::facts::FileContent;
use proptest::prelude::*;
use std::sync::Arc;

const FILES: &[&str] =
    &["a.rs", "a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.c", "a.hpp", "A.cs", "a.php", "a.rb"];

fn parsed(file: &str, text: &str) -> bool {
    let plan = plan(&[(file, None, Some(text))]);
    let facts = exacta_source::read(&plan);
    facts.get(&plan.effects()[0].key()).is_some_and(|facts| facts.code.is_some())
}

/// Generated, minified and nested: each beyond a limit.
#[test]
fn beyond_the_limits_lines_are_left_to_tell() {
    let round = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for (what, files, text) in [
        ("10 MB", &FILES[..1], "value = value + 1;\n".repeat(10_000_000 / 19)),
        ("10 MB in one line", FILES, "a=b+c;".repeat(10_000_000 / 6)),
        ("a line of 1 MB", FILES, format!("x = \"{}\"", "a".repeat(1_000_000))),
        ("parentheses", FILES, round("(", ")")),
        ("open parentheses", FILES, "(".repeat(100_000)),
        ("brackets, line by line", FILES, round("[\n", "]\n")),
    ] {
        let plan = marked(files, &Arc::new(FileContent::new(format!("{text}\nMARK\n").into_bytes(), 0o644)));
        let facts = exacta_source::read(&plan);
        for effect in plan.effects() {
            assert!(facts.get(&effect.key()).is_none(), "{}: {what}", effect.path);
        }
    }
}

/// Nesting without brackets, which only the grammar knows: blocks, operators, calls, tags.
#[test]
fn nesting_that_no_bracket_shows_ends_too() {
    for (file, text) in [
        ("a.rs", format!("fn f() {{ let x = {}1; }}\n", "!".repeat(9_000))),
        ("a.rs", "&\n".repeat(20_000)),
        ("a.py", (0..400).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect()),
        ("a.py", format!("x = {}1\n", "not ".repeat(2_400))),
        ("a.js", "if (x)\n".repeat(14_000)),
        ("a.ts", "a = b ? c :\n".repeat(8_000)),
        ("a.tsx", "<a>\n".repeat(20_000)),
        ("a.go", "x := -\n".repeat(14_000)),
        ("A.java", "else if (x)\n".repeat(8_000)),
        ("a.c", "if (x) else\n".repeat(8_000)),
        ("a.hpp", "template <a<\n".repeat(7_000)),
        ("A.cs", "x => \n".repeat(16_000)),
        ("a.php", format!("<?php {}", "!\n".repeat(40_000))),
        ("a.rb", "if x\n".repeat(20_000)),
    ] {
        let before = text.replacen('x', "y", 1) + "\n";
        let plan = plan(&[(file, Some(&before), Some(&text))]);
        assert_eq!(exacta_source::read(&plan), exacta_source::read_whole(&plan), "{file}");
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
