//! The Safety Policy.

use super::key::Decider;
use super::{Context, Face, policy_change, source};
use crate::args::{PolicyCheck, PolicyCommand, PolicyExplain, Signer};
use crate::render::ways;
use exacta_app::settings::{PolicyView, Settings};
use exacta_app::{Error, Exit, Request};
use exacta_kernel::assess::BasisPoints;
use exacta_kernel::gate::{GateVerdict, Question, Verdict};
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::rule::Operation;
use exacta_kernel::policy::safety::SafetyPolicy;
use exacta_view::GateView;
use exacta_view::rows::plan;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Serialize)]
struct Checked {
    file: Option<String>,
    version: String,
    sha256: String,
}

/// What the gates would say, in the words of a plan's face.
#[derive(Debug, Serialize)]
struct Supposed {
    decision: Verdict,
    notice: bool,
    gates: Vec<GateVerdict>,
}

/// `exacta policy …`
pub fn policy(command: &PolicyCommand, context: &Context) -> Result<u8, Error> {
    match command {
        PolicyCommand::Show => {
            let view = Settings::look(&context.options)?.policy()?;
            if context.output.is_json() {
                context.output.json(&Face { schema: "exacta.policy/1", body: view });
            } else {
                let place = view.file.as_deref().unwrap_or("built in");
                context.output.note(&format!("version {}, {place}, sha256 {}", view.version, view.sha256));
                context.output.text(&exacta_kernel::text::visible(&view.text));
            }
            Ok(0)
        }
        PolicyCommand::Check(args) => check_policy(args, context),
        PolicyCommand::Explain(args) => explain(args, context),
        PolicyCommand::Set(args) => policy_change::set(args, context),
        PolicyCommand::Edit(signer) => policy_change::edit(signer, context),
        PolicyCommand::Reset(signer) => reset_policy(signer, context),
    }
}

fn check_policy(args: &PolicyCheck, context: &Context) -> Result<u8, Error> {
    let checked = match &args.file {
        None => {
            let view = Settings::look(&context.options)?.policy()?;
            note_absent(&view.text, context);
            Checked { file: view.file, version: view.version, sha256: view.sha256 }
        }
        Some(path) => {
            let file = path.display().to_string();
            let text = text_of(path)?;
            let policy = SafetyPolicy::parse(&text, &file)
                .map_err(|error| Error::new(Exit::Denied, "policy_broken", error.to_string()).hint(error.hint))?;
            note_absent(&text, context);
            Checked { file: Some(file), version: policy.version.clone(), sha256: policy.hash().to_string() }
        }
    };
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.policy-check/1", body: checked });
    } else {
        let file = checked.file.as_deref().unwrap_or("the built-in policy");
        context.output.line(&format!("{file}: version {}", checked.version));
        context.output.line(&format!("sha256 {}", checked.sha256));
    }
    Ok(0)
}

/// Commands for a project that is not there are never run: that may be a slip of the pen.
pub fn note_absent(text: &str, context: &Context) {
    let Ok(policy) = SafetyPolicy::parse(text, "") else { return };
    for name in exacta_app::absent_projects(&policy) {
        context.output.note(&format!("`[projects]` names `{name}`, and there is no such folder"));
    }
}

fn explain(args: &PolicyExplain, context: &Context) -> Result<u8, Error> {
    let Some(named) = &args.plan else { return suppose(args, context) };
    let explained = match plan_id(named) {
        Some(id) => {
            let app = context.look()?;
            app.explain_plan(&app.resolve(id)?)?
        }
        None => {
            let (text, refused) = source::read_named(named)?;
            exacta_app::explain(&context.options, &text, &Request { refused, ..Request::default() })?
        }
    };
    if context.output.is_json() {
        context.output.with_plan(&explained, &explained.plan);
    } else {
        context.output.rows(ways::page(&explained));
    }
    Ok(0)
}

/// A plan's id or short id, or `@`, unless there is a file of that name.
#[expect(clippy::disallowed_methods, reason = "whether the user named a file; nothing is read here")]
fn plan_id(named: &Path) -> Option<&str> {
    let text = named.to_str().filter(|text| text.starts_with('@') || text.len() >= 4)?;
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'@'));
    (is_name && !named.exists()).then_some(text)
}

/// What the gates would say of something like this.
fn suppose(args: &PolicyExplain, context: &Context) -> Result<u8, Error> {
    let question = Question {
        operation: args.operation.as_deref().map(operation).transpose()?,
        path: args.path.as_deref().map(path).transpose()?,
        domain: None,
        intent: None,
        risk: args.risk,
        quality: BasisPoints(args.quality * 100),
        system_level: args.system_level,
        unchecked: false,
    };
    let verdicts = context.look()?.explain(&question)?;
    if context.output.is_json() {
        let (decision, notice, gates) = (verdicts.verdict(), verdicts.notice(), verdicts.gates().to_vec());
        context.output.json(&Face { schema: "exacta.explanation/1", body: Supposed { decision, notice, gates } });
    } else {
        let gates: Vec<GateView> = verdicts.gates().iter().map(GateView::from).collect();
        context.output.rows(plan::verdicts(verdicts.verdict(), verdicts.notice(), &gates));
    }
    Ok(0)
}

fn operation(name: &str) -> Result<Operation, Error> {
    Operation::parse(name).ok_or_else(|| {
        Error::new(
            Exit::Usage,
            "operation_unknown",
            format!("no operation `{}`", exacta_kernel::text::excerpt(name, 40)),
        )
        .hint(format!("one of {}", Operation::names().join(", ")))
    })
}

fn path(text: &str) -> Result<RelPath, Error> {
    RelPath::parse(text).map_err(|error| Error::new(Exit::Usage, "path_invalid", error.to_string()).hint(error.hint))
}

fn reset_policy(signer: &Signer, context: &Context) -> Result<u8, Error> {
    let decider = Decider::new(signer, &context.options)?;
    decider.agrees("go back to the built-in safety policy for all your projects?")?;
    let view = Settings::open(&context.options)?.reset_policy(&decider.key(&context.options)?)?;
    changed_policy(&view, context);
    Ok(0)
}

/// Tells the policy that is in force now.
pub fn changed_policy(view: &PolicyView, context: &Context) {
    if context.output.is_json() {
        context.output.json(&Face { schema: "exacta.policy/1", body: view });
    } else {
        context.output.line(&format!("safety policy {} is in force", view.version));
        context.output.line(&format!("sha256 {}", view.sha256));
    }
}

/// The text of a policy that the user named.
///
/// # Errors
/// If it cannot be read, or is no text.
pub fn text_of(path: &Path) -> Result<String, Error> {
    let broken = |what: &str| {
        Error::new(Exit::Denied, "policy_broken", format!("`{}` {what}", path.display()))
            .hint("write the policy as TOML in UTF-8")
    };
    match source::read_named(path)? {
        (text, None) => String::from_utf8(text).map_err(|_| broken("is not UTF-8")),
        (_, Some(_)) => Err(broken("is larger than 64 MiB")),
    }
}
