//! The published schema of what is printed about plans holds for everything that is printed.

use crate::story::{fix, three_steps};
use crate::world::World;
use serde_json::{Value, json};

/// What is wrong with a value, by the keywords that the schema uses; an unknown keyword is wrong too.
fn errors(schema: &Value, root: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    // `true`: anything.
    for (keyword, wanted) in schema.as_object().into_iter().flatten() {
        let fits = match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" => true,
            "$ref" => {
                let definition = root.pointer(wanted.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                errors(definition, root, value, at, out);
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|one| is_type(one.as_str().unwrap(), value)),
                one => is_type(one.as_str().unwrap(), value),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "minimum" => value.is_null() || value.as_f64() >= wanted.as_f64(),
            "maximum" => value.is_null() || value.as_f64() <= wanted.as_f64(),
            "pattern" => {
                let Some(text) = value.as_str() else { continue };
                match wanted.as_str().unwrap() {
                    "^[0-9a-f]{64}$" => text.len() == 64 && text.bytes().all(|c| c.is_ascii_hexdigit()),
                    "^[0-9a-hjkmnp-tv-z]{4,15}$" => {
                        let known = |c: char| (c.is_ascii_digit() || c.is_ascii_lowercase()) && !"ilou".contains(c);
                        (4..=15).contains(&text.len()) && text.chars().all(known)
                    }
                    other => panic!("pattern {other}"),
                }
            }
            "required" => wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "properties" => {
                // Stricter than the schema: a field that it does not know should be added to it.
                for (name, field) in value.as_object().into_iter().flatten() {
                    match wanted.get(name) {
                        Some(schema) => errors(schema, root, field, &format!("{at}/{name}"), out),
                        None => out.push(format!("{at}/{name} is not in the schema")),
                    }
                }
                true
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    errors(wanted, root, item, &format!("{at}/{index}"), out);
                }
                true
            }
            "anyOf" => wanted.as_array().unwrap().iter().any(|one| {
                let mut found = Vec::new();
                errors(one, root, value, at, &mut found);
                found.is_empty()
            }),
            "oneOf" => {
                let fits = |one: &&Value| {
                    let mut found = Vec::new();
                    errors(one, root, value, at, &mut found);
                    found.is_empty()
                };
                wanted.as_array().unwrap().iter().filter(fits).count() == 1
            }
            // Unknown fields are found above, whether the schema forbids them or not.
            "additionalProperties" => wanted.is_boolean(),
            other => panic!("keyword {other}"),
        };
        if !fits {
            out.push(format!("{at}: {keyword} {wanted} does not fit {value}"));
        }
    }
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        other => panic!("type {other}"),
    }
}

#[track_caller]
fn holds(world: &World, what: &str, value: &Value) {
    let schema = world.run(&["schema", "plan-view", "--json"]).expect(0).json();
    let mut found = Vec::new();
    errors(&schema, &schema, value, "", &mut found);
    assert!(found.is_empty(), "{what}: {found:#?}");
}

#[test]
fn everything_printed_about_plans_fits() {
    let world = World::begun();
    let mut vague = fix();
    vague["intent"]["text"] = json!("fix");
    vague["steps"][0]["description"] = json!("fix");
    let mut protected = fix();
    protected["steps"][0]["target"] = json!(".git/config");
    let texts = [fix(), three_steps(), vague, protected, json!("no plan at all"), json!({})].map(|it| it.to_string());
    for text in &texts {
        for args in [&["check", "-", "--json"][..], &["policy", "explain", "-", "--json"], &["submit", "-", "--json"]] {
            holds(&world, &format!("{args:?} {text}"), &world.pipe(args, text.as_bytes()).json());
        }
    }
    let submitted = world.pipe(&["submit", "-", "--json"], three_steps().to_string().as_bytes()).json();
    let id = submitted["plan_id"].as_str().unwrap();
    let approved = world.run(&["approve", id, "--approver-key", &world.key(), "--json"]).expect(0).json();
    holds(&world, "approve", &approved);
    holds(&world, "show", &world.run(&["show", id, "--json"]).json());
    world.run(&["execute", id]).expect(0);
    holds(&world, "show after a run", &world.run(&["show", id, "--json"]).json());
}

/// Every other command that prints a plan, and every state that a plan can be in.
#[test]
fn everything_printed_about_decided_plans_fits() {
    let world = World::begun();
    let submit = || world.pipe(&["submit", "-", "--json"], three_steps().to_string().as_bytes()).json();
    let key = world.key();
    let told = |what: &str, args: &[&str]| {
        let value = world.run(args).json();
        holds(&world, what, &value);
        value
    };
    for args in [
        &["revise", "-", "not like this", "--approver-key", &key, "--json"][..],
        &["reject", "-", "--approver-key", &key, "--json"],
        &["approve", "-", "--steps", "s1", "--approver-key", &key, "--json"],
    ] {
        let plan = submit();
        let id = plan["plan_id"].as_str().unwrap();
        let args: Vec<&str> = args.iter().map(|word| if *word == "-" { id } else { word }).collect();
        told(args[0], &args);
        told(&format!("show after {}", args[0]), &["show", id, "--json"]);
        told(&format!("explain after {}", args[0]), &["policy", "explain", id, "--json"]);
    }
    let plan = submit();
    let id = plan["plan_id"].as_str().unwrap();
    world.run(&["session", "end"]).expect(0);
    assert_eq!(told("show of an expired plan", &["show", id, "--json"])["status"], "expired");
    told("resubmit", &["resubmit", id, "--json"]);
}

/// The schema is made of the types that are printed: what it says of them is not lost on the way.
#[test]
fn the_schema_says_what_is_always_there() {
    let schema = exacta_view::schema::plan_view();
    let names = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let required = names(&schema["required"]);
    for name in ["schema", "content_hash", "status", "decision", "risk", "findings", "gates", "target_files"] {
        assert!(required.iter().any(|required| required == name), "{name}");
    }
    for name in ["plan_id", "detail", "live", "ways", "run"] {
        assert!(!required.iter().any(|required| required == name), "{name}");
        assert!(schema["properties"].get(name).is_some(), "{name}");
    }
    let capability = &schema["$defs"]["CapabilityView"];
    assert_eq!(capability["additionalProperties"], false);
    assert_eq!(capability["properties"]["line"]["minimum"], 1);
    for name in ["StepView", "ReasonView", "IssueView", "GateView", "FindingView", "RunView"] {
        assert!(schema["$defs"].get(name).is_some(), "{name}");
    }
}

/// What is long is told only where it is asked for, and what is told says who goes on.
#[test]
fn what_is_long_is_told_where_it_is_asked_for() {
    let world = World::begun();
    let many: String = (0..4_000).map(|n| format!("a new line of text, number {n}\n")).collect();
    let mut plan = three_steps();
    plan["steps"][0] = json!({
        "id": "s1", "order": 1, "type": "file_create", "target": "long.txt", "dependencies": [],
        "description": "add the whole list of lines", "content": many,
    });
    let told = world.pipe(&["submit", "-", "--json"], plan.to_string().as_bytes()).expect(30);
    let view = told.json();
    assert!(told.out.len() < plan.to_string().len() / 4, "{} bytes are told", told.out.len());
    let id = view["plan_id"].as_str().unwrap();
    assert_eq!(
        view["next"],
        json!({
            "who": "person", "command": format!("exacta review {id}"), "tool": "wait",
            "why": "a person decides about it; that is no denial. Wait, or go on with other work; do not submit it again, and do not try another way",
        })
    );
    let whole = world.run(&["show", id, "--json", "--with", "diff,binding", "--with", "reasons"]).expect(0).json();
    holds(&world, "everything", &whole);
    assert!(whole["detail"]["steps"][0]["diff"].as_str().unwrap().ends_with("number 3999\n"));
    assert!(whole["detail"]["binding"].is_object());
    let factors = |view: &Value| view["risk"]["factors"].as_array().unwrap().clone();
    for (folded, each) in factors(&view).iter().zip(&factors(&whole)) {
        let count =
            |list: &Value| list.as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(count(&folded["reasons"]), each["reasons"].as_array().unwrap().len() as u64, "{folded} {each}");
    }
    world.run(&["show", id, "--json", "--with", "everything"]).expect(2);
    world
        .run(&["approve", id, "--approver-key", &world.key(), "--hash", view["plan_hash"].as_str().unwrap()])
        .expect(0);
    let approved = world.run(&["show", id, "--json"]).expect(0).json();
    assert_eq!((&approved["next"]["who"], &approved["next"]["tool"]), (&json!("agent"), &json!("execute")));
    let refused = world.pipe(&["submit", "-", "--json"], b"{}").expect(10).json();
    assert_eq!((&refused["next"]["who"], &refused["next"]["tool"]), (&json!("agent"), &json!("check")));
}

#[test]
fn what_does_not_fit_is_found() {
    let world = World::begun();
    let good = world.pipe(&["check", "-", "--json"], fix().to_string().as_bytes()).json();
    let schema = world.run(&["schema", "plan-view", "--json"]).expect(0).json();
    let wrong: [(&str, Value); 6] = [
        ("/decision", json!("maybe")),
        ("/risk/score", json!(101)),
        ("/risk/factors/0/name", json!("weather")),
        ("/quality/score", json!("1.0")),
        ("/content_hash", json!("abc")),
        ("/gates", json!(null)),
    ];
    for (pointer, value) in wrong {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        let mut found = Vec::new();
        errors(&schema, &schema, &bad, "", &mut found);
        assert!(!found.is_empty(), "{pointer}");
    }
}
