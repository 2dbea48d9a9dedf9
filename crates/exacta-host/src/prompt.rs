//! Words that teach a model to make a good plan.

use crate::resource::failure;
use exacta_app::{App, Options};
use exacta_kernel::id::PlanId;
use exacta_mcp::{Failure, Prompt, PromptArgument};
use serde_json::{Map, Value};

const CHANGE: &str = "change";
const FIX: &str = "fix_plan";

const TASK: PromptArgument =
    PromptArgument { name: "task", description: "What you want to be changed.", required: true };
const PLAN: PromptArgument = PromptArgument {
    name: "plan_id",
    description: "The plan that was denied, or that a person asked to change.",
    required: true,
};

/// The prompts.
pub fn listed() -> Vec<Prompt> {
    vec![
        Prompt {
            name: CHANGE,
            title: "Change something, as one plan",
            description: "Have a change made and submitted as one plan that is easy to decide on.",
            arguments: &[TASK],
        },
        Prompt {
            name: FIX,
            title: "Fix a plan",
            description: "Have a plan fixed by what was found, or by what a person asked for.",
            arguments: &[PLAN],
        },
    ]
}

/// The words of one.
///
/// # Errors
/// If there is none, or an argument is missing.
pub fn words(options: &Options, name: &str, arguments: &Map<String, Value>) -> Result<String, Failure> {
    match name {
        CHANGE => Ok(change(argument(arguments, "task")?)),
        FIX => fix(options, argument(arguments, "plan_id")?),
        other => Err(Failure::Params(format!("there is no prompt `{}`", exacta_kernel::text::excerpt(other, 60)))),
    }
}

fn change(task: &str) -> String {
    format!(
        "{task}\n\n\
         Make this change through the `exacta` server:\n\
         1. Read the files that it touches. Keep to what was asked: no renames, reformatting or dependencies that it does not need.\n\
         2. Write one patch of all files, the regression test included. A change that belongs together is one plan.\n\
         3. Call `check` with the patch, an `intent` and a `text`; fix every finding.\n\
         4. The `text` is what a person reads first: say what changes for the user and why, in one or two sentences, without praise.\n\
         5. Call `submit` with `run: true`, and follow `next`. If nobody has decided yet, call `wait`; that is no denial.\n\
         6. Do not write the files in another way, whatever the answer is."
    )
}

fn fix(options: &Options, plan: &str) -> Result<String, Failure> {
    let id = PlanId::parse(plan).map_err(|_| Failure::Params("`plan_id` has to be a whole plan id".to_owned()))?;
    let detail = App::look(options).and_then(|app| app.show(&id)).map_err(|error| failure(&error))?;
    let mut lines = vec![format!("Fix plan `{id}`, and submit the whole change again through the `exacta` server.")];
    lines.extend(detail.plan.findings.iter().map(|finding| {
        let place =
            finding.path.as_deref().or(finding.pointer.as_deref()).map_or_else(String::new, |at| format!(" at `{at}`"));
        format!("- {}{place}: {} ({})", finding.code, finding.message, finding.hint)
    }));
    if let Some(asked) = &detail.plan.changes_requested {
        lines.push(format!("- {} asked: {}", asked.by, asked.text));
        lines.extend(asked.places.iter().map(|place| format!("  at `{place}`")));
        lines.push(format!("Set `revises` to `{id}`."));
    }
    Ok(exacta_kernel::text::visible(&lines.join("\n")).into_owned())
}

fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, Failure> {
    let given = arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    given.ok_or_else(|| Failure::Params(format!("`{name}` is missing")))
}
