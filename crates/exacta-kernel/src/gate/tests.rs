//! The gates: the whole table, a second evaluator that agrees with the first, and what no rule may ever do.

mod decide;

use crate::assess::BasisPoints;
use crate::dice::Dice;
use crate::gate::{self, Gate, Question, Verdict};
use crate::path::RelPath;
use crate::policy::Policy;
use crate::policy::project::ProjectConfig;
use crate::policy::rule::Operation;
use crate::policy::safety::SafetyPolicy;
use crate::prelude::*;
use crate::profile::Profile;
use std::fmt::Write as _;

const RISKS: [u32; 6] = [0, 30, 31, 65, 66, 100];
const QUALITIES: [u32; 6] = [0, 5999, 6000, 7499, 7500, 10_000];

fn policy(safety: &str, project: &str, profile: Profile) -> Policy {
    let safety = SafetyPolicy::parse(safety, "safety-policy.toml").unwrap();
    Policy::combine(safety, ProjectConfig::parse(project, "config.toml").unwrap(), profile).unwrap()
}

fn question(risk: u32, quality: u32) -> Question {
    Question {
        operation: None,
        path: None,
        domain: None,
        intent: None,
        risk,
        quality: BasisPoints(quality),
        system_level: false,
        unchecked: false,
    }
}

fn word((verdict, notice): (Verdict, bool)) -> &'static str {
    match (verdict, notice) {
        (Verdict::Deny, false) => "DENY",
        (Verdict::Confirm, false) => "CONFIRM",
        (Verdict::Allow, false) => "ALLOW",
        (Verdict::Allow, true) => "ALLOW+notice",
        _ => panic!("only what runs by itself is announced"),
    }
}

/// What is decided: the verdict, and whether what runs by itself is announced.
fn cell(question: &Question, policy: &Policy) -> (Verdict, bool) {
    let explained = gate::explain(question, policy);
    (explained.verdict(), explained.notice())
}

/// One block of the table: risk downwards, quality to the right.
fn block(out: &mut String, policy: &Policy, system_level: bool, unchecked: bool) {
    write!(out, "{:>8}", "risk").unwrap();
    QUALITIES.iter().for_each(|quality| write!(out, " {:>12}", BasisPoints(*quality).to_string()).unwrap());
    out.push('\n');
    for risk in RISKS {
        write!(out, "{risk:>8}").unwrap();
        for quality in QUALITIES {
            let asked = Question { system_level, unchecked, ..question(risk, quality) };
            let cell = cell(&asked, policy);
            assert_eq!(cell, naive(policy.profile(), risk, quality, false, system_level || unchecked));
            write!(out, " {:>12}", word(cell)).unwrap();
        }
        out.push('\n');
    }
}

#[test]
fn the_whole_table() {
    let mut out = String::new();
    for chosen in Profile::ALL {
        for ceiling in Profile::ALL {
            let policy = policy(&format!("ceiling = '{}'", ceiling.name()), "", chosen);
            for (title, system, unchecked) in [
                ("", false, false),
                (", SYSTEM-LEVEL", true, false),
                (", an unchecked constraint", false, true),
                (", SYSTEM-LEVEL and an unchecked constraint", true, true),
            ] {
                writeln!(out, "profile {} under ceiling {}{title}", chosen.name(), ceiling.name()).unwrap();
                block(&mut out, &policy, system, unchecked);
                out.push('\n');
            }
        }
    }
    insta::assert_snapshot!(out);
}

/// A run that nobody was asked about is announced with the scores that let it through, by the gates' recorded names.
#[test]
fn what_runs_unasked_is_announced_with_its_scores() {
    let policy = policy("ceiling = 'FULL-AUTO'", "", Profile::FullAuto);
    let told = |risk, quality| gate::explain(&question(risk, quality), &policy).notice_reason();
    let quality = |quality| BasisPoints(quality).to_string();
    let both = format!("no person was asked: risk 31 is medium, quality {} is moderate", quality(7000));
    let one = format!("no person was asked: risk 30 is low, quality {} is moderate", quality(7499));
    assert_eq!((told(31, 7000), told(30, 7499), told(30, 7500), told(66, 7000)), (Some(both), Some(one), None, None));
    assert_eq!(Gate::ALL.map(|gate| gate.to_string()), Gate::ALL.map(Gate::name));
    assert_eq!(format!("{:>9}", Gate::Risk), "     risk");
}

#[test]
fn numbers_that_no_score_can_have_are_denied() {
    for profile in Profile::ALL {
        let policy = policy("ceiling = 'FULL-AUTO'", "", profile);
        for (risk, quality, asked) in [(101, 10_000, false), (u32::MAX, 10_000, true), (0, 10_001, false)] {
            let asked = Question { system_level: asked, unchecked: asked, ..question(risk, quality) };
            assert_eq!(cell(&asked, &policy), DENY, "{profile:?} {risk} {quality}");
        }
    }
}

/// The table read from the specification, row by row, the first that holds.
fn naive(profile: Profile, risk: u32, quality: u32, forbidden: bool, asked: bool) -> (Verdict, bool) {
    let rows: [(bool, [(Verdict, bool); 3]); 6] = [
        (forbidden, [DENY, DENY, DENY]),
        (quality < 6000, [DENY, DENY, DENY]),
        (risk > 65 || asked, [CONFIRM, CONFIRM, CONFIRM]),
        ((6000..7500).contains(&quality), [CONFIRM, CONFIRM, NOTICE]),
        (quality >= 7500 && (31..=65).contains(&risk), [CONFIRM, NOTICE, NOTICE]),
        (quality >= 7500 && risk <= 30, [CONFIRM, ALLOW, ALLOW]),
    ];
    let (_, row) = rows.into_iter().find(|(holds, _)| *holds).unwrap();
    match profile {
        Profile::Safe => row[0],
        Profile::Dev => row[1],
        Profile::FullAuto => row[2],
    }
}

const DENY: (Verdict, bool) = (Verdict::Deny, false);
const CONFIRM: (Verdict, bool) = (Verdict::Confirm, false);
const ALLOW: (Verdict, bool) = (Verdict::Allow, false);
const NOTICE: (Verdict, bool) = (Verdict::Allow, true);

#[test]
fn a_second_evaluator_agrees_on_many_cells() {
    let mut dice = Dice(1);
    let policies = Profile::ALL.map(|profile| policy("ceiling = 'FULL-AUTO'", "", profile));
    for _ in 0..100_000 {
        let policy = &policies[dice.roll(3) as usize];
        let profile = policy.profile();
        let risk = if dice.roll(2) == 0 { dice.pick(&RISKS) } else { dice.roll(101) as u32 };
        let quality = if dice.roll(2) == 0 { dice.pick(&QUALITIES) } else { dice.roll(10_001) as u32 };
        let (system, unchecked) = (dice.roll(4) == 0, dice.roll(4) == 0);
        let asked = Question { system_level: system, unchecked, ..question(risk, quality) };
        assert_eq!(
            cell(&asked, policy),
            naive(profile, risk, quality, false, system || unchecked),
            "{profile:?} {risk} {quality}"
        );
    }
}

/// A rule written down twice: for the policy, and as a closure.
#[derive(Clone, Copy)]
struct Twice {
    when: &'static str,
    covers: fn(&Question, Profile) -> bool,
}

fn does(question: &Question, names: &[&str]) -> bool {
    question.operation.is_some_and(|operation| names.contains(&operation.name()))
}

fn beneath(question: &Question, folder: &str) -> bool {
    question.path.as_ref().is_some_and(|path| path.as_str().starts_with(folder))
}

const RULES: &[Twice] = &[
    Twice { when: "", covers: |_, _| true },
    Twice { when: "operation = 'file_create'", covers: |q, _| does(q, &["file_create"]) },
    Twice { when: "operation = ['file_modify', 'build']", covers: |q, _| does(q, &["file_modify", "build"]) },
    Twice { when: "risk = ['low', 'high']", covers: |q, _| !(31..=65).contains(&q.risk) },
    Twice { when: "risk = 'medium'", covers: |q, _| (31..=65).contains(&q.risk) },
    Twice { when: "path = 'src'", covers: |q, _| beneath(q, "src/") },
    Twice {
        when: "path = ['/docs/**', '*.pem']",
        covers: |q, _| beneath(q, "docs/") || q.path.as_ref().is_some_and(|path| path.as_str().ends_with(".pem")),
    },
    Twice { when: "profile = 'DEV'", covers: |_, profile| profile == Profile::Dev },
    Twice {
        when: "profile = ['SAFE', 'FULL-AUTO'], path = 'src', operation = 'file_delete'",
        covers: |q, profile| profile != Profile::Dev && beneath(q, "src/") && does(q, &["file_delete"]),
    },
    Twice { when: "domain = 'site'", covers: |_, _| false },
    Twice { when: "intent = 'FixBug'", covers: |q, _| q.intent.as_deref() == Some("FixBug") },
];

/// The rules picked by two masks, as a policy's text: those to confirm, and those to deny.
fn rules(confirm: u64, deny: u64, prefix: &str) -> String {
    let picked = |mask: u64, action: &str| {
        let rules = RULES.iter().enumerate().filter(|(i, _)| mask & (1 << i) != 0);
        let text = rules.map(|(i, rule)| {
            let when = rule.when;
            format!("[[rules]]\nid='{prefix}{action}{i}'\nwhen={{{when}}}\naction='{action}'\nreason='x'\n")
        });
        text.collect::<String>()
    };
    picked(confirm, "confirm") + &picked(deny, "deny")
}

const OPERATIONS: [&str; 7] =
    ["file_create", "file_modify", "file_delete", "build", "send_email", "write_outcome_draft", "read_web"];
const PATHS: [&str; 5] = ["src/main.rs", "docs/a/b.md", "key.pem", "src/deep/key.pem", "README.md"];

fn random_question(dice: &mut Dice) -> Question {
    let name = dice.pick(&OPERATIONS);
    Question {
        operation: Operation::parse(name),
        path: name.starts_with("file_").then(|| RelPath::parse(dice.pick(&PATHS)).unwrap()),
        intent: Some(dice.pick(&["FixBug", "AddFeature"]).to_owned()),
        system_level: dice.roll(8) == 0,
        unchecked: dice.roll(8) == 0,
        ..question(dice.pick(&RISKS), dice.pick(&QUALITIES))
    }
}

/// A policy of random parts, and the same parts as the naive evaluator reads them.
struct Parts {
    policy: Policy,
    profile: Profile,
    confirm: u64,
    deny: u64,
    deletions_off: bool,
}

fn random_parts(dice: &mut Dice) -> Parts {
    let all = 1 << RULES.len();
    let sparse = |dice: &mut Dice| dice.roll(all) & dice.roll(all) & dice.roll(all) & dice.roll(all);
    let masks = [sparse(dice), sparse(dice) & dice.roll(all), sparse(dice), sparse(dice) & dice.roll(all)];
    let [chosen, ceiling, tighter] = [0; 3].map(|_: u8| dice.pick(&Profile::ALL));
    let deletions_off = dice.roll(2) == 0;
    let off = if deletions_off { "disable_default_rules = ['confirm-deletion']\n" } else { "" };
    let safety = format!("ceiling = '{}'\n{off}{}", ceiling.name(), rules(masks[0], masks[1], "s"));
    let project = format!("ceiling = '{}'\n{}", tighter.name(), rules(masks[2], masks[3], "p"));
    Parts {
        policy: policy(&safety, &project, chosen),
        profile: chosen.min(ceiling).min(tighter),
        confirm: masks[0] | masks[2],
        deny: masks[1] | masks[3],
        deletions_off,
    }
}

fn expected(parts: &Parts, question: &Question) -> (Verdict, bool) {
    let any = |mask: u64| {
        RULES.iter().enumerate().any(|(i, rule)| mask & (1 << i) != 0 && (rule.covers)(question, parts.profile))
    };
    let asked = question.system_level
        || question.unchecked
        || any(parts.confirm)
        || does(question, &["send_email", "write_outcome_draft", "build"])
        || (parts.profile == Profile::Dev && !parts.deletions_off && does(question, &["file_delete"]));
    naive(parts.profile, question.risk, question.quality.0, any(parts.deny), asked)
}

#[test]
fn a_second_evaluator_agrees_with_rules_of_all_sets() {
    let mut dice = Dice(2);
    for _ in 0..100 {
        let parts = random_parts(&mut dice);
        assert_eq!(parts.policy.profile(), parts.profile);
        for _ in 0..200 {
            let question = random_question(&mut dice);
            let found = gate::explain(&question, &parts.policy);
            let expected = expected(&parts, &question);
            assert_eq!((found.verdict, found.notice), expected, "{question:?}\n{:#?}", found.gates);
        }
    }
}

/// INV-PIPE-3: whatever profile, risk and quality say, a rule only tightens.
#[test]
fn no_rule_ever_loosens_and_order_never_matters() {
    let mut dice = Dice(3);
    let all = 1 << RULES.len();
    for _ in 0..60 {
        let (confirm, deny, more) = (dice.roll(all) & dice.roll(all), dice.roll(all) & dice.roll(all), dice.roll(all));
        let ceiling = "ceiling = 'FULL-AUTO'\n";
        let text = rules(confirm, deny, "r");
        let profile = dice.pick(&Profile::ALL);
        let few = policy(&format!("{ceiling}{text}"), "", profile);
        let many = policy(&format!("{ceiling}{text}"), &rules(more, dice.roll(all) & more, "p"), profile);
        let mut turned: Vec<&str> = text.split("[[rules]]").skip(1).collect();
        turned.reverse();
        let turned: String = turned.iter().map(|rule| format!("[[rules]]{rule}")).collect();
        let turned = policy(&format!("{ceiling}{turned}"), "", profile);
        for _ in 0..60 {
            let question = random_question(&mut dice);
            let verdict = gate::explain(&question, &few).verdict;
            assert!(gate::explain(&question, &many).verdict >= verdict);
            assert_eq!(gate::explain(&question, &turned), gate::explain(&question, &few));
        }
    }
}

#[test]
fn every_gate_is_recorded_in_order() {
    let mut dice = Dice(4);
    for _ in 0..20 {
        let parts = random_parts(&mut dice);
        for _ in 0..50 {
            let found = gate::explain(&random_question(&mut dice), &parts.policy);
            let mut gates: Vec<&str> = found.gates.iter().map(|gate| gate.gate.name()).collect();
            gates.dedup();
            assert_eq!(gates, ["security", "policy", "risk", "quality", "user"]);
            assert_eq!(found.gates.iter().map(|gate| gate.verdict).max(), Some(found.verdict));
        }
    }
}
