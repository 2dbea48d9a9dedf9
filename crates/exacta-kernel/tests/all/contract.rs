//! Plan Contract v1: what is read, what it stands for, what it is estimated to take.

use exacta_kernel::action::Tier;
use exacta_kernel::check::{AllowedSkill, SkillCaps};
use exacta_kernel::contract::{Contract, Terms, read};
use exacta_kernel::policy::caps::Caps;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const SKILL: &str = "wp.pseo.generate";

fn step(id: &str, tools: &[&str], calls: Option<u64>, pages: u64) -> Value {
    let mut step = json!({ "step_id": id, "title": "t", "objective": "o", "expected_output": "e", "tools": tools, "page_count_estimate": pages });
    if let Some(calls) = calls {
        step["tool_call_estimate"] = calls.into();
    }
    step
}

fn answer(steps: &[Value], inputs: &Value) -> Value {
    json!({ "plan_version": 1, "skill_id": SKILL, "goal": "g", "assumptions": ["a"], "inputs": inputs, "steps": steps })
}

fn contract(steps: &[Value], inputs: &Value) -> Contract {
    read(&answer(steps, inputs).to_string(), SKILL, inputs.as_object().unwrap())
        .unwrap_or_else(|findings| panic!("{findings:#?}"))
}

fn dollars(amount: u64) -> SkillCaps {
    SkillCaps { pages: 50, tool_calls: 20, steps: 8, cost: amount * 10_000 }
}

/// The numbers of the contract that this one is compatible with; the tier of the second is higher here, because it writes in bulk.
#[test]
fn golden_vectors() {
    let env = "site.get_environment";
    for (steps, cap, tokens, bucket, cost, seconds, score, tier) in [
        (
            vec![step("1", &[env], Some(1), 0), step("2", &["content.inventory"], Some(2), 20)],
            3,
            4940,
            "medium",
            99,
            28,
            34,
            Tier::Low,
        ),
        (vec![step("1", &["content.bulk_create"], Some(1), 10)], 2, 4190, "medium", 84, 20, 42, Tier::High),
        (vec![step("1", &[env], Some(1), 0)], 5, 1740, "low", 35, 20, 27, Tier::Low),
    ] {
        let contract = contract(&steps, &json!({}));
        let estimate = contract.estimate();
        let found = (estimate.tokens, estimate.token_bucket.name(), estimate.cost, estimate.seconds);
        assert_eq!(found, (tokens, bucket, cost, seconds));
        assert_eq!((contract.risk(cap * 10_000, false).score, contract.tier(false)), (score, tier));
        assert_eq!((estimate.cost_band.name(), estimate.confidence.name()), ("low", "high"));
    }
}

#[test]
fn a_planner_can_only_raise_the_numbers() {
    let pages = json!({ "pages": (0..7).map(|n| json!({ "title": format!("p{n}") })).collect::<Vec<_>>() });
    let low = contract(&[step("1", &["content.create_page"], Some(0), 0)], &pages).estimate();
    assert_eq!((low.pages, low.calls), (7, 7));
    let tools = ["site.get_environment"; 10];
    assert_eq!(contract(&[step("1", &tools, Some(0), 0)], &json!({})).estimate().calls, 10);
    assert_eq!(
        contract(&[step("1", &tools, Some(30), 0)], &json!({})).estimate().calls_by_tool["site.get_environment"],
        30
    );
}

#[test]
fn what_is_no_contract() {
    let inputs = json!({ "pages": [{ "title": "a" }] });
    let good = answer(&[step("1", &["content.create_page"], None, 1)], &inputs);
    let changed = |pointer: &str, value: Value| {
        let mut answer = good.clone();
        match answer.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => {
                let (parent, name) = pointer.rsplit_once('/').unwrap();
                answer.pointer_mut(parent).unwrap()[name] = value;
            }
        }
        answer.to_string()
    };
    for (text, is) in [
        (good.to_string(), ""),
        (format!("```json\n{good}\n```"), ""),
        (format!("```json\n{good}\n```\n```json\n{good}\n```"), "PLAN_PARSE_MULTIBLOCK"),
        (format!("Here it is: {good}"), "PLAN_PARSE_NONJSON"),
        (format!("```\n{good}\n```"), "PLAN_PARSE_NONJSON"),
        (String::new(), "PLAN_PARSE_NONJSON"),
        (format!("[{good}]"), "PLAN_PARSE_NONJSON"),
        (changed("/plan_version", json!(2)), "PLAN_SCHEMA_INVALID /plan_version"),
        (changed("/plan_version", json!("1")), "PLAN_SCHEMA_INVALID /plan_version"),
        (changed("/skill_id", json!("wp.other")), "PLAN_SCHEMA_INVALID /skill_id"),
        (changed("/inputs/pages/0/title", json!("b")), "PLAN_SCHEMA_INVALID /inputs"),
        (changed("/goal", json!(" ")), "PLAN_SCHEMA_INVALID /goal"),
        (changed("/status", json!("approved")), "PLAN_SCHEMA_INVALID /status"),
        (changed("/steps", json!([])), "PLAN_SCHEMA_INVALID /steps"),
        (changed("/steps/0/tool_call_estimate", json!("3abc")), "PLAN_SCHEMA_INVALID /steps/0/tool_call_estimate"),
        (changed("/steps/0/page_count_estimate", json!(-1)), "PLAN_SCHEMA_INVALID /steps/0/page_count_estimate"),
        (changed("/steps/0/risk", json!("low")), "PLAN_SCHEMA_INVALID /steps/0/risk"),
        (good.to_string().replacen("\"goal\"", "\"goal\":\"x\",\"goal\"", 1), "PLAN_SCHEMA_INVALID /goal"),
    ] {
        let read = read(&text, SKILL, inputs.as_object().unwrap());
        let found: Vec<String> = read
            .err()
            .into_iter()
            .flatten()
            .map(|finding| format!("{} {}", finding.code, finding.pointer.unwrap_or_default()).trim().to_owned())
            .collect();
        assert_eq!(found.join(", "), is, "{text}");
    }
}

#[test]
fn what_a_contract_may_not_do() {
    let all: BTreeSet<String> = exacta_kernel::action::tool::Tool::names().into_iter().map(ToOwned::to_owned).collect();
    let read_only: BTreeSet<String> = ["site.get_environment", "content.inventory"].map(ToOwned::to_owned).into();
    let pages = |count: usize| json!({ "pages": vec![json!({ "title": "a" }); count] });
    let many =
        |count: usize| (0..count).map(|n| step(&n.to_string(), &["seo.get_config"], None, 0)).collect::<Vec<_>>();
    let create = [step("1", &["content.create_page"], None, 0)];
    for (name, steps, inputs, skill, offered, caps, is) in [
        ("a page", create.to_vec(), pages(1), &all, &all, dollars(2), ""),
        (
            "no such tool",
            vec![step("1", &["jobs.get_status"], None, 0)],
            json!({}),
            &all,
            &all,
            dollars(2),
            "PLAN_INVALID_TOOL /steps/0/tools/0",
        ),
        (
            "outside the skill",
            create.to_vec(),
            pages(1),
            &read_only,
            &all,
            dollars(2),
            "PLAN_TOOL_NOT_ALLOWED /steps/0/tools/0",
        ),
        (
            "outside the site",
            create.to_vec(),
            pages(1),
            &all,
            &read_only,
            dollars(2),
            "PLAN_INVALID_TOOL /steps/0/tools/0",
        ),
        (
            "a tool without a page",
            create.to_vec(),
            json!({}),
            &all,
            &all,
            dollars(2),
            "PLAN_SCHEMA_INVALID /steps/0/tools/0",
        ),
        ("a page without a tool", many(1), pages(1), &all, &all, dollars(2), "PLAN_SCHEMA_INVALID /inputs/pages/0"),
        (
            "a page of another step",
            [create.to_vec(), many(1)].concat(),
            json!({ "pages": [{ "title": "a", "step_id": "0" }] }),
            &all,
            &all,
            dollars(2),
            "PLAN_SCHEMA_INVALID /inputs/pages/0, PLAN_SCHEMA_INVALID /steps/0/tools/0",
        ),
        (
            "an update without a page",
            vec![step("1", &["content.update_page"], None, 0)],
            json!({ "pages": [{ "op": "update", "title": "a" }] }),
            &all,
            &all,
            dollars(2),
            "PLAN_SCHEMA_INVALID /inputs/pages/0, PLAN_SCHEMA_INVALID /steps/0/tools/0",
        ),
        (
            "what is found out here, given by the caller",
            vec![step("1", &["content.update_page"], None, 0)],
            json!({ "pages": [{ "op": "update", "id": 3, "title": "a", "status": "draft" }] }),
            &all,
            &all,
            dollars(2),
            "PLAN_SCHEMA_INVALID /inputs/pages/0, PLAN_SCHEMA_INVALID /steps/0/tools/0",
        ),
        (
            "an op that there is not",
            create.to_vec(),
            json!({ "pages": [{ "op": "delete", "id": 1 }] }),
            &all,
            &all,
            dollars(2),
            "PLAN_SCHEMA_INVALID /inputs/pages/0, PLAN_SCHEMA_INVALID /steps/0/tools/0",
        ),
        ("the skill's steps", many(9), json!({}), &all, &all, dollars(2), "PLAN_STEP_CAP_EXCEEDED /steps"),
        ("the policy's steps", many(13), json!({}), &all, &all, SkillCaps::NONE, "PLAN_STEP_CAP_EXCEEDED /steps"),
        (
            "41 calls",
            vec![step("1", &["seo.get_config"], Some(41), 0)],
            json!({}),
            &all,
            &all,
            SkillCaps::NONE,
            "PLAN_STEP_CAP_EXCEEDED /steps",
        ),
        (
            "201 pages",
            vec![step("1", &["content.inventory"], None, 201)],
            json!({}),
            &all,
            &all,
            SkillCaps::NONE,
            "PLAN_PAGE_CAP_EXCEEDED /steps",
        ),
        (
            "the cost of the cap",
            vec![step("1", &["site.get_environment"], Some(1), 0)],
            json!({}),
            &all,
            &all,
            SkillCaps { cost: 35, ..SkillCaps::NONE },
            "",
        ),
        (
            "the cost over the cap by one",
            vec![step("1", &["site.get_environment"], Some(1), 0)],
            json!({}),
            &all,
            &all,
            SkillCaps { cost: 34, ..SkillCaps::NONE },
            "PLAN_COST_CAP_EXCEEDED /steps",
        ),
    ] {
        let skill = AllowedSkill { tools: skill.clone(), caps, publishes: true };
        let terms = Terms { skill: &skill, offered, caps: SkillCaps::of(&Caps::default()) };
        let findings = contract(&steps, &inputs).check(&terms);
        let found: Vec<String> = findings
            .into_iter()
            .map(|finding| format!("{} {}", finding.code, finding.pointer.unwrap_or_default()))
            .collect();
        assert_eq!(found.join(", "), is, "{name}");
    }
}

#[test]
fn one_call_for_each_page() {
    let page = |fields: Value| fields;
    let inputs = json!({ "pages": [
        page(json!({ "title": "a" })), page(json!({ "op": "publish", "id": 4 })), page(json!({ "title": "b", "step_id": "two" })),
        page(json!({ "op": "update", "id": 5, "title": "c" })), page(json!({ "title": "d" })),
    ] });
    let steps = [
        step("one", &["site.get_environment", "content.create_page", "content.update_page"], None, 0),
        step("two", &["content.bulk_create", "content.publish_page"], None, 0),
    ];
    let calls = contract(&steps, &inputs).calls().unwrap();
    let titles = |pages: &[Map<String, Value>]| {
        pages
            .iter()
            .map(|page| page.get("title").or_else(|| page.get("id")).unwrap().to_string())
            .collect::<Vec<_>>()
            .join("+")
    };
    let told: Vec<String> =
        calls.iter().map(|call| format!("{} {} {}", call.step_id, call.tool, titles(&call.pages))).collect();
    assert_eq!(
        told,
        [
            "one site.get_environment ",
            "one content.create_page \"a\"",
            "one content.create_page \"d\"",
            "one content.update_page \"c\"",
            "two content.bulk_create \"b\"",
            "two content.publish_page 4",
        ]
    );
    assert!(
        calls.iter().flat_map(|call| &call.pages).all(|page| !page.contains_key("op") && !page.contains_key("step_id"))
    );
    let many = json!({ "pages": vec![json!({ "title": "a" }); 120] });
    let sizes: Vec<usize> = contract(&[step("1", &["content.bulk_create"], None, 0)], &many)
        .calls()
        .unwrap()
        .iter()
        .map(|call| call.pages.len())
        .collect();
    assert_eq!(sizes, [50, 50, 20]);
}
