//! The command of each remedy, for a person at a terminal: the one place below the surfaces where commands are named.

use exacta_kernel::hint::{AskLimit, Hint, Remedy};
use exacta_kernel::id::{PlanId, RunId};
use std::borrow::Cow;

/// A hint for a person at a terminal.
#[must_use]
pub fn at_a_terminal(hint: &Hint) -> String {
    hint.worded(|remedy| format!("`{}`", command(remedy)))
}

/// What a person types.
#[must_use]
pub fn command(remedy: &Remedy) -> String {
    format!("exacta {}", arguments(remedy))
}

/// One row per remedy. What stands in capitals is for the person to fill in.
fn arguments(remedy: &Remedy) -> Cow<'static, str> {
    Cow::Borrowed(match remedy {
        Remedy::List => "list",
        Remedy::Show(plan) => return on("show", plan.as_ref().map(PlanId::as_str)),
        Remedy::ShowIds => "show ID --json",
        Remedy::Review(plan) => return on("review", Some(plan.as_str())),
        Remedy::Approve(plan) => return on("approve", Some(plan.as_str())),
        Remedy::Reject(plan) => return on("reject", plan.as_ref().map(PlanId::as_str)),
        Remedy::Revise => "revise PLAN \"keep the old function\"",
        Remedy::Withdraw(plan) => return on("withdraw", Some(plan.as_str())),
        Remedy::Resubmit(plan) => return on("resubmit", plan.as_ref().map(PlanId::as_str)),
        Remedy::Submit => "submit FILE",
        Remedy::SubmitVersion(plan) => return on("submit FILE --revises", Some(plan.as_str())),
        Remedy::SubmitForms => "submit --help",
        Remedy::PutBack => "run --from-worktree --put-back",
        Remedy::Execute(plan) => return on("execute", Some(plan.as_str())),
        Remedy::Undo(run) => return on("undo", run.as_ref().map(RunId::as_str)),
        Remedy::Status => "status",
        Remedy::Watch => "status --watch",
        Remedy::Recover => "recover",
        Remedy::RecoverIn(project) => return format!("--project {} recover", quoted(project)).into(),
        Remedy::Resolve { run, step } => return format!("autopilot resolve {run} {step} done").into(),
        Remedy::Init => "init",
        Remedy::InitAgain => "init --new-record",
        Remedy::InitApprover => "init --approver NEWNAME",
        Remedy::Doctor => "doctor",
        Remedy::AuditVerify => "audit verify",
        Remedy::AuditList => "audit list",
        Remedy::ProfileCurrent => "profile current",
        Remedy::ProfileSet => "profile set DEV",
        Remedy::PolicyShow => "policy show",
        Remedy::PolicySet => "policy set FILE",
        Remedy::PolicyExplain => "policy explain",
        Remedy::PolicyReset => "policy reset",
        Remedy::ApproverList => "approver list",
        Remedy::ApproverKeys => "approver list --json",
        Remedy::ApproverAdd => "approver add NAME",
        Remedy::ApproverRemove => "approver remove NAME",
        Remedy::TokenList => "token list",
        Remedy::Ask => "ask TEXT",
        Remedy::AskResume(ask) => return on("ask --resume", Some(ask)),
        Remedy::AskAnswer { ask, field, answer } => {
            return format!("ask --resume {ask} --answer {field}={}", quoted(answer)).into();
        }
        Remedy::AskRaise { ask, limit } => return format!("ask --resume {ask} {} N", option(*limit)).into(),
        Remedy::ProviderList => "provider list",
        Remedy::ProviderUse => "provider use NAME",
        Remedy::ProviderTest(name) => return on("provider test", Some(name)),
        Remedy::ProviderAdd => "provider add --help",
        Remedy::ProviderLocal => "provider add local --kind ollama --model qwen2.5-coder",
        Remedy::ProviderCloud => "provider add cloud --kind anthropic --model MODEL --key-env ANTHROPIC_API_KEY",
        Remedy::ProviderSetUp(name) => return format!("provider add {name} …").into(),
        Remedy::ProviderTimeout(name) => return format!("provider add {name} … --timeout SECONDS").into(),
        Remedy::ProviderPrice => "provider add … --price-input X --price-output Y",
        Remedy::AutopilotList => "autopilot list",
        Remedy::AutopilotAdd => "autopilot add",
        Remedy::AutopilotRun(name) => return on("autopilot run", Some(name)),
        Remedy::AutopilotRuns => "autopilot runs",
        Remedy::AutopilotAllow => "autopilot allow",
        Remedy::AutopilotAllowRecipient(name) => return format!("autopilot allow {name} recipient ADDRESS").into(),
        Remedy::SendingOn => "autopilot sending NAME on",
        Remedy::SendingQuiet => "autopilot sending NAME on --quiet FROM-TO",
        Remedy::SendingPerDay => "autopilot sending NAME on --per-day N",
        Remedy::MailList => "autopilot mail list",
        Remedy::MailAdd => "autopilot mail add",
        Remedy::MailAddHelp => "autopilot mail add --help",
        Remedy::AgentList => "agent list",
        Remedy::AgentDrop => "agent drop NAME",
        Remedy::AgentUpdate(name) => return on("agent update", Some(name)),
        Remedy::AgentLeaveRest(name) => return format!("agent submit {name} --leave-rest").into(),
        Remedy::SiteList => "site list",
        Remedy::SiteAdd => "site add",
        Remedy::SiteAddHelp => "site add --help",
        Remedy::SiteDraft(name) => return on("site draft", Some(name)),
        Remedy::SiteRuns => "site runs",
        Remedy::SiteResolve { project, run } => {
            return format!("--project {} site resolve {run} STEP landed", quoted(project)).into();
        }
        Remedy::SiteRole => "site role",
        Remedy::SkillList => "skill list",
        Remedy::SkillSync => "skill sync",
    })
}

fn on(command: &'static str, name: Option<&str>) -> Cow<'static, str> {
    name.map_or(Cow::Borrowed(command), |name| Cow::Owned(format!("{command} {name}")))
}

const fn option(limit: AskLimit) -> &'static str {
    match limit {
        AskLimit::Tokens => "--budget-tokens",
        AskLimit::Cost => "--budget-usd",
    }
}

/// As a shell takes it.
fn quoted(value: &str) -> String {
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/'));
    if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_kernel::hint;

    #[test]
    fn a_remedy_is_a_command_in_its_sentence() {
        let plan = PlanId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap();
        let told = hint![Remedy::Resubmit(Some(plan)), " makes a new plan from the same proposal"];
        assert_eq!(
            at_a_terminal(&told),
            "`exacta resubmit 01890a5d-ac96-774b-bcce-b302099a8057` makes a new plan from the same proposal"
        );
        assert_eq!(at_a_terminal(&hint!["see ", Remedy::Show(None)]), "see `exacta show`");
    }

    #[test]
    fn an_answer_is_safe_to_paste() {
        let answer = |answer: &str| {
            let (ask, field) = ("7k2m".to_owned(), "path".to_owned());
            command(&Remedy::AskAnswer { ask, field, answer: answer.to_owned() })
        };
        assert_eq!(answer("src/a.rs"), "exacta ask --resume 7k2m --answer path=src/a.rs");
        assert_eq!(answer("it's $(rm)"), "exacta ask --resume 7k2m --answer path='it'\\''s $(rm)'");
    }
}
