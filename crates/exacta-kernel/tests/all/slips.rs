//! `tests/cases/slips/*`: plans as models write them → how many rounds it takes to get from each slip to the plan that was meant.
//!
//! The model here is a script. It knows the plan that it means, and changes nothing but what a finding names: the place that a
//! pointer gives, in the way that the hint says. So a plan gets right only if the findings are.

mod corrector;
mod spoil;

use exacta_kernel::assess::assess;
use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::{Code, Finding};
use exacta_kernel::parse::{parse, readable};
use exacta_kernel::path::RelPath;
use exacta_kernel::plan::Plan;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::proposal::Step;
use exacta_kernel::seal::{failures, seal};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

const PROJECT: &str = include_str!("../cases/slips/project.json");
const TABLE: &str = include_str!("../cases/slips/table.json");
/// As many rounds as an AI is given to correct its plan.
const ROUNDS: usize = 3;

/// A row of the table on one plan.
struct Case {
    group: String,
    name: String,
    /// The plan that is meant.
    right: Value,
    /// What is sent first: the object, if one can be seen in it, and the text.
    sent: Value,
    text: String,
    /// Whether it is right as it is.
    fine: bool,
}

/// What every file is after a plan; `None` where it is deleted.
type Tree = BTreeMap<String, Option<Vec<u8>>>;

fn cases() -> Vec<Case> {
    let project: Value = serde_json::from_str(PROJECT).unwrap();
    let rows: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    let mut cases = Vec::new();
    for row in &rows {
        for plan in row["on"].as_array().unwrap() {
            let plan = plan.as_str().unwrap();
            let mut right = project["plans"][plan].clone();
            let sent = spoil::document(&right, row);
            spoil::set(&mut right, &row["right"]);
            let name = row["name"].as_str().unwrap();
            let several = row["on"].as_array().unwrap().len() > 1;
            cases.push(Case {
                group: row["group"].as_str().unwrap().to_owned(),
                name: if several { format!("{name} @{plan}") } else { name.to_owned() },
                text: spoil::text(&sent, &row["text"]),
                right,
                sent,
                fine: row["fine"] == true,
            });
        }
    }
    cases
}

fn facts(steps: &[&Step]) -> Facts {
    let project: Value = serde_json::from_str(PROJECT).unwrap();
    let mut facts = Facts::new();
    for path in steps.iter().filter_map(|step| RelPath::parse(&step.target).ok()) {
        let target = match project["files"][path.as_str()].as_str() {
            Some(text) => Target::File(Arc::new(FileContent::new(text.as_bytes().to_vec(), 0o644))),
            None => Target::Absent,
        };
        facts.insert(path, TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    facts
}

/// What a text would leave, or everything that is wrong with it.
fn judged(text: &str) -> Result<Tree, Vec<Finding>> {
    let proposal = parse(text.as_bytes()).map_err(|mut refusal| {
        let steps = readable(text.as_bytes());
        let facts = facts(&steps.iter().map(|(_, step)| step).collect::<Vec<_>>());
        refusal.findings.extend(failures(&steps, &facts));
        refusal.findings
    })?;
    let facts = facts(&proposal.steps.iter().collect::<Vec<_>>());
    let plan = seal(proposal, &facts).unwrap();
    let (caps, allowed) = (Caps::default(), Allowed::default());
    let context = Context { facts: &facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false };
    let valid = check(plan, &context).map_err(|invalid| invalid.findings)?;
    let assessment = assess(valid, &facts);
    let plan = assessment.valid_plan().plan();
    let findings = assessment.quality().findings(&plan.proposal().steps);
    if findings.is_empty() { Ok(tree(plan)) } else { Err(findings) }
}

fn tree(plan: &Plan) -> Tree {
    let bytes = |content: &Arc<FileContent>| content.bytes().to_vec();
    plan.changes().iter().map(|change| (change.path.as_str().to_owned(), change.after.as_ref().map(bytes))).collect()
}

/// Whether a finding says where: in the object, or in the text around it.
fn names_its_place(finding: &Finding) -> bool {
    let around =
        [" at line ", " before ", " after ", "not tagged", "not closed", "an array", "empty", "no JSON object"];
    match finding.code {
        Code::ParseMultiblock => true,
        Code::ParseNonjson => around.iter().any(|words| finding.message.contains(words)),
        _ => finding.pointer.as_deref().is_some_and(|pointer| !pointer.is_empty()),
    }
}

/// How many rounds it takes until the plan is the one that was meant; the last findings if it never is.
fn rounds(case: &Case) -> Result<usize, String> {
    let wanted = judged(&case.right.to_string()).map_err(|found| format!("the plan itself is wrong: {found:?}"))?;
    let (mut document, mut text) = (case.sent.clone(), case.text.clone());
    for round in 0..=ROUNDS {
        match judged(&text) {
            Ok(tree) if tree == wanted => return Ok(round),
            Ok(tree) => return Err(format!("accepted, and another plan: {tree:?}")),
            Err(findings) => {
                if let Some(lost) = findings.iter().find(|finding| !names_its_place(finding)) {
                    return Err(format!("no place: {lost:?}"));
                }
                if round == ROUNDS {
                    return Err(format!("still wrong: {findings:?}\n  {document}"));
                }
                corrector::correct(&mut document, &findings, &case.right);
                text = document.to_string();
            }
        }
    }
    Err("no answer".to_owned())
}

#[test]
fn every_slip_is_refused_and_told_how_to_get_right() {
    let mut wrong = String::new();
    let mut figures: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
    for case in cases() {
        match rounds(&case) {
            Ok(0) if !case.fine => writeln!(wrong, "{}: {}: accepted as it is", case.group, case.name).unwrap(),
            Ok(taken @ 1..) if case.fine => writeln!(wrong, "{}: {}: {taken} rounds", case.group, case.name).unwrap(),
            Ok(taken) => figures.entry(case.group).or_default().push((case.name, taken)),
            Err(why) => writeln!(wrong, "{}: {}: {why}", case.group, case.name).unwrap(),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let texts = figures.get("text").map_or(0, Vec::len);
    let slips = figures.values().map(Vec::len).sum::<usize>() - texts;
    assert!(slips >= 90 && texts >= 150, "{slips} slips, {texts} texts");
    published(&page(&figures));
}

/// The page with the figures.
fn page(figures: &BTreeMap<String, Vec<(String, usize)>>) -> String {
    let mut page = include_str!("../cases/slips/page.md").to_owned();
    let count = |rows: &[(String, usize)], taken: usize| rows.iter().filter(|(_, rounds)| *rounds == taken).count();
    page.push_str(
        "\n| kind | cases | right as they are | 1 round | 2 rounds | 3 rounds |\n|---|---|---|---|---|---|\n",
    );
    let mut all = Vec::new();
    for (group, rows) in figures {
        let taken: Vec<String> = (0..=ROUNDS).map(|taken| count(rows, taken).to_string()).collect();
        writeln!(page, "| {group} | {} | {} |", rows.len(), taken.join(" | ")).unwrap();
        all.extend(rows.iter().cloned());
    }
    let taken: Vec<String> = (0..=ROUNDS).map(|taken| count(&all, taken).to_string()).collect();
    writeln!(page, "| **all** | {} | {} |", all.len(), taken.join(" | ")).unwrap();
    page.push_str("\nEach case, with its rounds:\n");
    for (group, rows) in figures {
        let rows: Vec<String> = rows
            .chunk_by(|(one, taken), (next, rounds)| kind(one) == kind(next) && taken == rounds)
            .filter_map(|alike| alike.first().map(|(name, rounds)| (kind(name), rounds, alike.len())))
            .map(|(name, rounds, times)| match times {
                1 => format!("{name} {rounds}"),
                _ => format!("{name} {rounds} (on {times} plans)"),
            })
            .collect();
        writeln!(page, "\n**{group}**: {}.", rows.join(" · ")).unwrap();
    }
    page
}

/// The name of a row, without the plan it is played on.
fn kind(name: &str) -> &str {
    name.split(" @").next().unwrap_or(name)
}

/// Compares the page with what is published, or writes it with `EXACTA_WRITE=1`.
fn published(page: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/proofs/slips.md");
    if std::env::var_os("EXACTA_WRITE").is_some() {
        std::fs::write(path, page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(there, page, "run the test again with EXACTA_WRITE=1, and look at what changed");
}

#[test]
fn the_examples_of_the_short_schema_are_plans() {
    let schema = exacta_kernel::schema::of_domain(exacta_kernel::proposal::Domain::Files);
    assert!(schema.to_string().len() <= 8 << 10, "{} bytes are more than 2 500 tokens", schema.to_string().len());
    let examples = schema["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let read = parse(example.to_string().as_bytes());
        assert!(read.is_ok(), "{:?}", read.err());
    }
}
