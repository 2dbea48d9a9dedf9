//! Golden vectors: the points and reasons that parsed code gives, from plan to score.

use crate::plans::assessed;
use std::fmt::Write as _;

#[test]
fn breaking_complexity_and_security() {
    let text = include_str!("../cases/vectors.txt");
    let cases: Vec<&str> = text.split("\n#### ").skip(1).collect();
    for factor in ["breaking", "complexity", "security"] {
        let count = cases.iter().filter(|case| case.starts_with(factor)).count();
        assert!(count >= 5, "{factor}: {count}");
    }
    insta::assert_snapshot!(cases.into_iter().map(vector).collect::<Vec<_>>().join("\n"));
}

fn vector(case: &str) -> String {
    let (head, body) = case.split_once('\n').unwrap();
    let (title, file) = head.split_once(" | ").unwrap();
    let (before, after) = body.split_once("====\n").unwrap();
    let assessment = assessed(&[(file, Some(before), Some(after))]);
    let mut out = format!("{title}\n");
    let wanted = ["breaking_changes", "security_impact", "code_complexity"];
    for factor in assessment.risk.factors.iter().filter(|it| wanted.contains(&it.name) && it.score > 0) {
        writeln!(out, "  {} {}", factor.name, factor.score).unwrap();
        for reason in &factor.reasons {
            let line = reason.line.map_or(String::new(), |line| format!(":{line}"));
            writeln!(out, "    {} {} [{file}{line}]", reason.points, reason.message).unwrap();
        }
    }
    out
}
