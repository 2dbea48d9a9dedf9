//! Canonical JSON against the examples of RFC 8785 and its reference test vectors.

use exacta_kernel::hash::{canonical_hash, canonical_json};
use exacta_kernel::json::read;
use proptest::prelude::*;
use serde_json::Value;

fn canonical(text: &str) -> String {
    let value: Value = serde_json::from_str(text).expect(text);
    String::from_utf8(canonical_json(&value).expect(text)).expect("UTF-8")
}

/// Section 3.2.2 and 3.2.3 of the RFC, and `testdata` of its reference implementation.
#[test]
fn documents() {
    for (input, expected) in [
        (
            r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        ),
        (
            r#"{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
                "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}"#,
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        ),
        (r#"[56, {"d": true, "10": null, "1": []}]"#, r#"[56,{"1":[],"10":null,"d":true}]"#),
        (
            r#"{"peach": "This sorting order", "péché": "is wrong according to French", "pêche": "but canonicalization MUST",
                "sin": "ignore locale"}"#,
            r#"{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}"#,
        ),
        (
            r#"{"1": {"f": {"f": "hi", "F": 5}, "\n": 56.0}, "10": {}, "": "empty", "a": {}, "111": [{"e": "yes", "E": "no"}], "A": {}}"#,
            r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
        ),
        (r#"{"Unnormalized Unicode": "A\u030a"}"#, "{\"Unnormalized Unicode\":\"A\u{30a}\"}"),
        ("{}", "{}"),
        (" [ ] ", "[]"),
    ] {
        assert_eq!(canonical(input), expected);
    }
}

/// Appendix B: IEEE 754 bits and the form they must be written in.
#[test]
fn numbers() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let number = f64::from_bits(bits);
        assert_eq!(canonical_json(&number).expect("a number"), expected.as_bytes(), "{bits:016x}");
    }
}

proptest! {
    #[test]
    fn canonical_form_is_read_back_and_stays(text in "\\PC{0,20}", number in -9_007_199_254_740_992_i64..=9_007_199_254_740_992) {
        let value = serde_json::json!({ "z": text.clone(), "a": [number, { text: null }] });
        let once = canonical_json(&value).unwrap();
        let back = read(std::str::from_utf8(&once).unwrap()).unwrap();
        prop_assert_eq!(&canonical_json(&back).unwrap(), &once);
        prop_assert_eq!(canonical_hash(&back).unwrap(), canonical_hash(&value).unwrap());
    }

    #[test]
    fn every_number_keeps_its_value(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let text = String::from_utf8(canonical_json(&number).unwrap()).unwrap();
        prop_assert_eq!(text.parse::<f64>().unwrap(), number);
    }
}
