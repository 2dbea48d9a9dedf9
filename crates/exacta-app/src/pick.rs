//! Which provider does what: as the user chose, or, where the user leaves it to what tests found, the one that fits a stage best.

use crate::error::{Error, Exit};
use exacta_home::{Home, Providers};
use exacta_kernel::binding::ProviderClass;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::provider::{Capability, ProviderName};
use std::cmp::Reverse;

/// Who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// For plans and changes.
    pub plan: ProviderName,
    /// For what the user wants.
    pub intent: ProviderName,
}

/// What is known of a provider that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    name: ProviderName,
    context: Option<u64>,
    latency_ms: Option<u64>,
    tools: bool,
}

/// Who is asked; `allows` says which classes the Safety Policy lets plan.
///
/// # Errors
/// If nobody is chosen, or nothing is known to choose by.
pub fn picked(home: &Home, list: &Providers, allows: impl Fn(ProviderClass) -> bool) -> Result<Picked, Error> {
    if list.best {
        return best(&candidates(home, list, allows)?).ok_or_else(nothing_known);
    }
    let plan = list.chosen.clone().ok_or_else(|| nobody_chosen(list))?;
    let intent = list.for_intent.clone().unwrap_or_else(|| plan.clone());
    Ok(Picked { plan, intent })
}

/// The largest context plans; the quickest that can call tools reads the request. The one added first wins a draw.
fn best(candidates: &[Candidate]) -> Option<Picked> {
    let largest = |candidate: &&Candidate| candidate.context.map(Reverse);
    let plan = candidates.iter().filter(|it| it.context.is_some()).min_by_key(largest)?;
    let quick = candidates.iter().filter(|it| it.tools && it.latency_ms.is_some()).min_by_key(|it| it.latency_ms);
    Some(Picked { plan: plan.name.clone(), intent: quick.unwrap_or(plan).name.clone() })
}

fn candidates(home: &Home, list: &Providers, allows: impl Fn(ProviderClass) -> bool) -> Result<Vec<Candidate>, Error> {
    let allowed = list.providers.iter().filter(|setup| allows(setup.class));
    allowed
        .map(|setup| {
            let found = home.provider_state(setup)?.and_then(|state| state.tested).map(|tested| tested.probed);
            let found = found.unwrap_or_default();
            let can = setup.capabilities.as_ref().unwrap_or(&found.capabilities);
            Ok(Candidate {
                name: setup.name.clone(),
                context: setup.limits.context.or(found.limits.context),
                latency_ms: found.latency_ms,
                tools: can.contains(&Capability::Tools),
            })
        })
        .collect()
}

fn nobody_chosen(list: &Providers) -> Error {
    let names: Vec<&str> = list.providers.iter().map(|setup| setup.name.as_str()).collect();
    let one = format!(" chooses one of {}, or name it with `--provider`", names.join(", "));
    let hint = hint![Remedy::ProviderUse, one];
    Error::new(Exit::Confirm, "ASK_NO_CHOICE", "no provider is chosen").hint(hint)
}

fn nothing_known() -> Error {
    let message = "no provider that the Safety Policy allows is known well enough to choose by: none tells its context";
    let hint = hint![
        Remedy::ProviderTest("NAME".to_owned()),
        " finds it out, or ",
        Remedy::ProviderUse,
        " names who is asked"
    ];
    Error::new(Exit::Confirm, "ASK_NO_CHOICE", message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, context, latency, tools.
    type Row = (&'static str, Option<u64>, Option<u64>, bool);

    /// Who plans, and who reads; none where too little is known.
    type Expected = Option<(&'static str, &'static str)>;

    /// What is known of each provider, and who is asked then.
    const CASES: [(&[Row], Expected); 7] = [
        (&[("small", Some(8), Some(40), true), ("large", Some(200), Some(900), true)], Some(("large", "small"))),
        (&[("large", Some(200), Some(20), true), ("small", Some(8), Some(40), true)], Some(("large", "large"))),
        (&[("mute", Some(8), Some(5), false), ("large", Some(9), Some(900), true)], Some(("large", "large"))),
        (&[("first", Some(8), Some(40), true), ("second", Some(8), Some(40), true)], Some(("first", "first"))),
        (&[("said", Some(8), None, false), ("unknown", None, None, false)], Some(("said", "said"))),
        (&[("unknown", None, Some(3), true)], None),
        (&[], None),
    ];

    #[test]
    fn each_stage_is_given_to_whom_it_fits() {
        for (rows, expected) in CASES {
            let candidates: Vec<Candidate> = rows
                .iter()
                .map(|(name, context, latency_ms, tools)| Candidate {
                    name: ProviderName::parse(name).unwrap(),
                    context: *context,
                    latency_ms: *latency_ms,
                    tools: *tools,
                })
                .collect();
            let found = best(&candidates);
            let names = found.as_ref().map(|found| (found.plan.as_str(), found.intent.as_str()));
            assert_eq!(names, expected, "{rows:?}");
        }
    }
}
