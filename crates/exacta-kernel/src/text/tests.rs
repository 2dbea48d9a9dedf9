use super::*;

#[test]
fn natural_text_passes_unchanged() {
    for text in [
        "",
        "plain ASCII, with a \\u{202e} written out",
        "two\nlines\tand a tab\r\n",
        "שלום עולם",
        "مرحبا بالعالم ١٢٣",
        "می\u{200C}خواهم",
        "ශ්\u{200D}රී ලංකා",
        "क्\u{200D}ष",
        "日本語、한국어、中文。\u{3000}全角",
        "e\u{301}a\u{308} Z\u{335}",
        "👩\u{200D}👩\u{200D}👧\u{200D}👦 👩🏽\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥 🏳\u{FE0F}\u{200D}🌈",
        "1\u{FE0F}\u{20E3} ©\u{FE0F} 🇩🇪",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "⠓\u{2800}⠊",
        "non\u{A0}breaking",
    ] {
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?}");
        assert_eq!(hidden(text).next(), None, "{text:?}");
    }
}

/// INV-GLOBAL-5: nothing that an AI writes reaches a screen as anything but letters.
#[test]
fn hidden_characters_become_escapes() {
    for (text, shown, kind) in [
        ("\u{1b}[31m", "\\u{1b}[31m", Hidden::Escape),
        ("a\0", "a\\u{0}", Hidden::Control),
        ("a\u{9b}", "a\\u{9b}", Hidden::Escape),
        ("a\u{7f}", "a\\u{7f}", Hidden::Control),
        ("a\rb", "a\\rb", Hidden::Control),
        ("a\u{85}b", "a\\u{85}b", Hidden::Control),
        ("a\u{2028}b", "a\\u{2028}b", Hidden::Control),
        ("a\u{202e}b", "a\\u{202e}b", Hidden::Override),
        ("a\u{2067}b", "a\\u{2067}b", Hidden::Direction),
        ("א\u{200f}", "א\\u{200f}", Hidden::Direction),
        ("\u{feff}a", "\\u{feff}a", Hidden::ByteOrderMark),
        ("a\u{feff}", "a\\u{feff}", Hidden::ZeroWidth),
        ("a\u{200b}b", "a\\u{200b}b", Hidden::ZeroWidth),
        ("a\u{200d}b", "a\\u{200d}b", Hidden::ZeroWidth),
        ("👩\u{200d}b", "👩\\u{200d}b", Hidden::ZeroWidth),
        ("ب\u{200c}b", "ب\\u{200c}b", Hidden::ZeroWidth),
        ("so\u{ad}ft", "so\\u{ad}ft", Hidden::ZeroWidth),
        ("a\u{3164}", "a\\u{3164}", Hidden::ZeroWidth),
        ("a\u{ffa0}", "a\\u{ffa0}", Hidden::ZeroWidth),
        ("a\u{2063}b", "a\\u{2063}b", Hidden::ZeroWidth),
        ("a\u{fff9}b", "a\\u{fff9}b", Hidden::ZeroWidth),
        ("a\u{2800}b", "a\\u{2800}b", Hidden::ZeroWidth),
        ("a\u{fe0f}", "a\\u{fe0f}", Hidden::Variation),
        ("1\u{fe0f}", "1\\u{fe0f}", Hidden::Variation),
        ("👩\u{fe00}", "👩\\u{fe00}", Hidden::Variation),
        ("葛\u{e0100}", "葛\\u{e0100}", Hidden::Variation),
        ("a\u{e0041}", "a\\u{e0041}", Hidden::Tag),
        ("🏴\u{e0041}", "🏴\\u{e0041}", Hidden::Tag),
        ("a\u{e000}", "a\\u{e000}", Hidden::PrivateUse),
        ("a\u{10fffd}", "a\\u{10fffd}", Hidden::PrivateUse),
        ("a\u{fdd0}", "a\\u{fdd0}", Hidden::Unassigned),
        ("a\u{1ffff}", "a\\u{1ffff}", Hidden::Unassigned),
        ("a\u{50000}", "a\\u{50000}", Hidden::Unassigned),
    ] {
        assert_eq!(visible(text), shown);
        assert_eq!(hidden(text).map(|(_, _, kind)| kind).collect::<Vec<_>>(), [kind], "{text:?}");
    }
}

#[test]
fn one_line_stays_one_line() {
    assert_eq!(visible_line("a\nb\r\nc\td\u{1b}"), "a\\nb\\r\\nc\\td\\u{1b}");
    assert!(matches!(visible_line("plain"), Cow::Borrowed("plain")));
    assert_eq!(excerpt("ab\ncd", 3), "ab\\n…");
    assert_eq!(excerpt("abc", 3), "abc");
}

#[test]
fn an_excerpt_holds_no_part_of_a_secret() {
    let key = format!(
        "-----BEGIN {} KEY-----\n{}\n",
        "PRIVATE",
        "MIIEowIBAAKCAQEAaB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF\n".repeat(40)
    );
    for max in [1, 30, 60, 200, 100_000] {
        for text in [key.clone(), format!("{}{key}", "é ".repeat(max / 2))] {
            assert!(!excerpt(&text, max).contains("MIIE"), "{max}");
        }
    }
    assert_eq!(excerpt(&format!("see {key}"), 60), "see ‹secret:private key›");
    assert_eq!(excerpt(&"a ".repeat(100_000), 4), "a a …");
}

#[test]
fn offsets_are_in_bytes() {
    let found: Vec<_> = hidden("é\u{200b}x\u{202e}\n\u{7}").collect();
    assert_eq!(
        found,
        [(2, '\u{200b}', Hidden::ZeroWidth), (6, '\u{202e}', Hidden::Override), (10, '\u{7}', Hidden::Control)]
    );
}

#[test]
fn what_is_shown_hides_nothing() {
    for c in (0..0x3_4000).chain(0xE_0000..0xE_1000).filter_map(char::from_u32) {
        for text in [format!("a{c}b"), format!("👩{c}👩"), format!("{c}"), format!("ب{c}ب")] {
            let shown = visible(&text);
            assert_eq!(hidden(&shown).next(), None, "{text:?}");
            assert!(!visible_line(&text).chars().any(char::is_control), "{text:?}");
        }
    }
}

#[test]
fn json_hides_nothing_and_stays_the_same_value() {
    let value = serde_json::json!({ "a\u{202e}": "x\u{200b}y \u{e0041} שלום 漢字 👩\u{200d}💻 \u{1b}[31m\u{feff}" });
    let text = value.to_string();
    let shown = visible_json(&text);
    assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{e0041}', '\u{feff}', '\u{1b}']), "{shown}");
    assert!(shown.contains("שלום 漢字 👩\u{200d}💻"), "{shown}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
}
