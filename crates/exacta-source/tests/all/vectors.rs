//! Golden vectors: the points and reasons that parsed code gives, from plan to score.

use crate::plans::assessed;
use exacta_kernel::assess::Factor;
use std::fmt::Write as _;

/// Every factor that parsed code fills, in every language.
const FACTORS: [(&str, &str); 3] =
    [("breaking", "breaking_changes"), ("complexity", "code_complexity"), ("security", "security_impact")];
const LANGUAGES: [&[&str]; 10] =
    [&["rs"], &["py"], &["js", "ts"], &["go"], &["java"], &["c", "h"], &["cpp", "hpp"], &["cs"], &["php"], &["rb"]];

#[test]
fn breaking_complexity_and_security() {
    let text = include_str!("../cases/vectors.txt");
    let vectors: Vec<Vector> = text.split("\n#### ").skip(1).map(Vector::read).collect();
    for (word, factor) in FACTORS {
        let counted: Vec<_> = vectors.iter().filter(|it| it.title.starts_with(word) && it.points(factor) > 0).collect();
        assert!(counted.len() >= 10, "{factor}: {}", counted.len());
        for endings in LANGUAGES {
            let spoken = counted.iter().any(|it| endings.contains(&it.file.rsplit('.').next().unwrap()));
            assert!(spoken, "{factor}: none in {endings:?}");
        }
    }
    insta::assert_snapshot!(vectors.iter().map(Vector::shown).collect::<Vec<_>>().join("\n"));
}

/// One file before and after, and what its change scores.
struct Vector {
    title: &'static str,
    file: &'static str,
    factors: Vec<Factor>,
}

impl Vector {
    fn read(case: &'static str) -> Self {
        let (head, body) = case.split_once('\n').unwrap();
        let (title, file) = head.split_once(" | ").unwrap();
        let (before, after) = body.split_once("====\n").unwrap();
        Self { title, file, factors: assessed(&[(file, Some(before), Some(after))]).risk().factors().to_vec() }
    }

    fn points(&self, factor: &str) -> u32 {
        self.factors.iter().find(|it| it.name == factor).unwrap().score
    }

    fn shown(&self) -> String {
        let mut out = format!("{}\n", self.title);
        let wanted = |it: &&Factor| it.score > 0 && FACTORS.iter().any(|(_, name)| *name == it.name);
        for factor in self.factors.iter().filter(wanted) {
            writeln!(out, "  {} {}", factor.name, factor.score).unwrap();
            for reason in &factor.reasons {
                let line = reason.line.map_or(String::new(), |line| format!(":{line}"));
                writeln!(out, "    {} {} [{}{line}]", reason.points, reason.message, self.file).unwrap();
            }
        }
        out
    }
}
