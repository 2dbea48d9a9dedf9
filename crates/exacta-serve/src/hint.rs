//! What would help, as a page and as the interface for programs say it: a button or a route where there is one, a command elsewhere.

use exacta_kernel::hint::{Hint, Remedy};
use exacta_view::command::command;

/// A hint for a person in front of the page.
#[must_use]
pub fn on_the_page(hint: &Hint) -> String {
    hint.worded(|remedy| button(remedy).map_or_else(|| in_a_terminal(remedy), str::to_owned))
}

/// A hint for a program that speaks HTTP.
#[must_use]
pub fn for_a_program(hint: &Hint) -> String {
    hint.worded(|remedy| route(remedy).map_or_else(|| in_a_terminal(remedy), |route| format!("`{route}`")))
}

fn in_a_terminal(remedy: &Remedy) -> String {
    format!("`{}` in a terminal", command(remedy))
}

/// Where it is on the page.
const fn button(remedy: &Remedy) -> Option<&'static str> {
    Some(match remedy {
        Remedy::List => "the history",
        Remedy::Show(_) | Remedy::Review(_) => "the plan's page",
        Remedy::Approve(_) => "“Approve” on the plan's page",
        Remedy::Reject(_) => "“Reject” on the plan's page",
        Remedy::Revise => "“Request changes” on the plan's page",
        Remedy::Withdraw(_) => "“Withdraw” on the plan's page",
        Remedy::Resubmit(_) => "“Submit again” on the plan's page",
        Remedy::Execute(_) => "“Run” on the plan's page",
        Remedy::Undo(_) => "“Undo” on the page of the run's plan",
        _ => return None,
    })
}

/// What a program sends.
fn route(remedy: &Remedy) -> Option<String> {
    Some(match remedy {
        Remedy::List => "GET /api/v2/plans".to_owned(),
        Remedy::Show(Some(plan)) => format!("GET /api/v2/plans/{plan}"),
        Remedy::Show(None) | Remedy::ShowIds => "GET /api/v2/plans/{id}".to_owned(),
        Remedy::Withdraw(plan) => format!("POST /api/v2/plans/{plan}/withdraw"),
        Remedy::Submit | Remedy::Resubmit(_) => "POST /api/v2/plans".to_owned(),
        Remedy::SubmitVersion(plan) => format!("POST /api/v2/plans?revises={plan}"),
        Remedy::Execute(_) => "POST /api/v2/runs".to_owned(),
        Remedy::AuditVerify => "POST /api/v2/audit/verify".to_owned(),
        Remedy::AuditList => "GET /api/v2/audit/entries".to_owned(),
        Remedy::PolicyShow => "GET /api/v2/policy".to_owned(),
        Remedy::ProfileCurrent => "GET /api/v2/profile".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Access;
    use crate::routes::ROUTES;
    use exacta_kernel::hint;
    use exacta_kernel::id::PlanId;

    fn plan() -> PlanId {
        PlanId::parse("01890a5d-ac96-774b-bcce-b302099a8057").unwrap()
    }

    #[test]
    fn each_surface_has_its_words() {
        let again = hint![Remedy::Resubmit(Some(plan())), " makes a new plan from the same proposal"];
        assert_eq!(on_the_page(&again), "“Submit again” on the plan's page makes a new plan from the same proposal");
        assert_eq!(for_a_program(&again), "`POST /api/v2/plans` makes a new plan from the same proposal");
        let look = hint!["run ", Remedy::Doctor];
        assert_eq!(on_the_page(&look), "run `exacta doctor` in a terminal");
        assert_eq!(for_a_program(&look), "run `exacta doctor` in a terminal");
    }

    #[test]
    fn every_route_that_is_named_is_served() {
        let named = [
            Remedy::List,
            Remedy::Show(Some(plan())),
            Remedy::Show(None),
            Remedy::Withdraw(plan()),
            Remedy::Submit,
            Remedy::SubmitVersion(plan()),
            Remedy::Execute(plan()),
            Remedy::AuditVerify,
            Remedy::AuditList,
            Remedy::PolicyShow,
            Remedy::ProfileCurrent,
        ];
        for named in named.iter().filter_map(route) {
            let (method, path) = named.split_once(' ').unwrap();
            let path = path.split('?').next().unwrap();
            let served = ROUTES.iter().any(|route| {
                route.access == Access::Api
                    && format!("{:?}", route.method).to_uppercase() == method
                    && route.matches(path).is_some()
            });
            assert!(served, "{named}");
        }
    }
}
