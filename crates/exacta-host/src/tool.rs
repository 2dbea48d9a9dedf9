//! The tools that agents are offered, as they are listed.

use exacta_mcp::Tool;
use exacta_view::schema;
use serde_json::{Value, json};

/// The name of every tool that there is.
pub const NAMES: [&str; 10] =
    ["submit", "check", "try", "status", "wait", "findings", "read_schema", "withdraw", "undo", "execute"];

/// The intents that a patch can have.
pub const INTENTS: [&str; 4] = ["CreateProject", "AddFeature", "FixBug", "BuildPackage"];

/// Whether a tool of this name only reads, and is done at once.
#[must_use]
pub fn only_reads(name: &str) -> bool {
    ["check", "status", "wait", "findings", "read_schema"].contains(&name)
}

/// What is listed, always in the same order: `execute` only for those who may.
#[must_use]
pub fn tools(may_execute: bool) -> Vec<Tool> {
    let mut tools = vec![submit(), check(), try_out(), status(), wait(), findings(), read_schema(), withdraw(), undo()];
    tools.extend(may_execute.then(execute));
    tools
}

fn submit() -> Tool {
    let mut properties = change();
    properties.extend([
        (
            "revises",
            json!({ "type": "string", "description": "The plan_id of your plan that this is a new version of, after a person asked for changes." }),
        ),
        (
            "run",
            json!({ "type": "boolean", "description": "Apply the change at once if the policy alone allows it. If a person has to decide, it waits for them all the same." }),
        ),
    ]);
    Tool {
        name: "submit",
        title: "Submit a change",
        description: "Submit one change of files as a plan: everything that belongs together in one call, as a patch of all files (git diff or `*** Begin Patch`) or as a proposal. Nothing is written by submitting. The answer says how the plan stands: allowed, not decided yet (a person is asked; that is no denial), or denied with findings to fix. Follow `next`.",
        input: object(properties, &[]),
        output: schema::report(),
        reads_only: false,
        destroys: false,
        is_idempotent: false,
    }
}

fn check() -> Tool {
    Tool {
        name: "check",
        title: "Check a change",
        description: "Say what would be decided about a change, with every finding, without recording anything or asking anybody. Takes what `submit` takes. Use it to fix a change before you submit it.",
        input: object(change(), &[]),
        output: schema::report(),
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn try_out() -> Tool {
    Tool {
        name: "try",
        title: "Try a change",
        description: "Run the operator's checks (build, tests) on the result of a change, in a sandbox, and say what would be decided about it. Nothing is kept and nothing is recorded. Takes what `submit` takes; what the checks print comes as progress. Use it to test what you may not write.",
        input: object(change(), &[]),
        output: schema::report(),
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn undo() -> Tool {
    Tool {
        name: "undo",
        title: "Propose an undo",
        description: "Propose to undo the run of one of your plans. That makes a plan that puts its files back; a person decides about it in every case. Refused where a file changed since.",
        input: plan_only(),
        output: schema::report(),
        reads_only: false,
        destroys: false,
        is_idempotent: false,
    }
}

fn status() -> Tool {
    let plan = json!({ "type": "string", "description": "The plan; without it, your newest plans are listed." });
    Tool {
        name: "status",
        title: "How a plan stands",
        description: "Say how one of your plans stands and what to do next, or list your newest plans.",
        input: object(vec![("plan_id", plan)], &[]),
        output: schema::standing(),
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn wait() -> Tool {
    let properties = vec![
        ("plan_id", json!({ "type": "string", "description": "The plan." })),
        (
            "seconds",
            json!({ "type": "integer", "minimum": 0, "maximum": 50, "description": "How long to wait at most; 50 if left out." }),
        ),
        (
            "until",
            json!({ "type": "string", "enum": ["decided", "applied"], "description": "What to wait for: a person's decision, which is the default, or the end of its run." }),
        ),
    ];
    Tool {
        name: "wait",
        title: "Wait for a decision",
        description: "Wait until a person has decided about one of your plans, at most 50 seconds. If the answer is `not_decided_yet`, nobody has decided: call it again, or go on with other work.",
        input: object(properties, &["plan_id"]),
        output: schema::report(),
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn findings() -> Tool {
    Tool {
        name: "findings",
        title: "Why it was decided so",
        description: "Everything that was found about one of your plans: findings with their fixes, every gate's verdict, the parts of risk and quality, and how each constraint is met.",
        input: plan_only(),
        output: schema::found(),
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn read_schema() -> Tool {
    let domain =
        json!({ "type": "string", "enum": ["files", "autopilot", "site"], "description": "`files` if left out." });
    let output = json!({
        "type": "object",
        "properties": {
            "domain": { "type": "string", "description": "The domain it is of." },
            "schema": { "type": "object", "description": "The JSON Schema of a proposal." },
        },
        "required": ["domain", "schema"],
    });
    Tool {
        name: "read_schema",
        title: "The format of a proposal",
        description: "The JSON Schema of a proposal, with examples. Only needed for `proposal`; a `patch` needs none.",
        input: object(vec![("domain", domain)], &[]),
        output,
        reads_only: true,
        destroys: false,
        is_idempotent: true,
    }
}

fn withdraw() -> Tool {
    let properties = vec![
        ("plan_id", json!({ "type": "string", "description": "The plan." })),
        ("reason", json!({ "type": "string", "description": "Why, for the record." })),
    ];
    Tool {
        name: "withdraw",
        title: "Withdraw a plan",
        description: "End one of your own plans that nobody has approved. Use it when a change is no longer wanted.",
        input: object(properties, &["plan_id"]),
        output: schema::report(),
        reads_only: false,
        destroys: false,
        is_idempotent: false,
    }
}

fn execute() -> Tool {
    Tool {
        name: "execute",
        title: "Apply an approved plan",
        description: "Apply one of your plans that is approved: all of it or nothing. Everything is checked again first.",
        input: plan_only(),
        output: schema::report(),
        reads_only: false,
        destroys: true,
        is_idempotent: false,
    }
}

/// What a change is given as.
fn change() -> Vec<(&'static str, Value)> {
    let model = json!({
        "type": "object",
        "description": "What you are, as far as you know: without it a person is asked about every plan.",
        "properties": {
            "provider": { "type": "string", "description": "Such as `anthropic`." },
            "model": { "type": "string", "description": "The model's name." },
            "version": { "type": "string", "description": "Its version." },
        },
        "required": ["provider", "model"],
        "additionalProperties": false,
    });
    vec![
        (
            "patch",
            json!({ "type": "string", "description": "The whole change as a patch: a git diff, or text that begins with `*** Begin Patch`. Paths are relative to the project." }),
        ),
        (
            "proposal",
            json!({ "type": "object", "description": "The whole change as a proposal instead (`read_schema` has its format). Give either this or `patch`." }),
        ),
        (
            "intent",
            json!({ "type": "string", "enum": INTENTS, "description": "What kind of change the patch is. Needed with `patch`." }),
        ),
        (
            "text",
            json!({ "type": "string", "description": "What the patch is for, in a sentence that a person can decide on. Needed with `patch`." }),
        ),
        (
            "base",
            json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": "Files as you saw them: path to SHA-256. A file that changed since is a finding." }),
        ),
        ("model", model),
    ]
}

fn plan_only() -> Value {
    object(vec![("plan_id", json!({ "type": "string", "description": "The plan." }))], &["plan_id"])
}

fn object(properties: Vec<(&'static str, Value)>, required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
