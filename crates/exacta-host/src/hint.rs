//! What would help, as an agent is told: a tool that it can call, or else the command of a person.

use exacta_kernel::hint::{Hint, Part, Remedy};
use exacta_view::command::at_a_terminal;

/// A hint for the agent, and one for the person. Where everything that helps is a tool, or there is only advice, it is the agent's; one thing that
/// only a person can do makes all of it the person's, since half of a sentence helps nobody.
pub fn worded(hint: &Hint) -> (Option<String>, Option<String>) {
    // Words that name a command have not been made a remedy yet.
    let names_command = |part: &Part| matches!(part, Part::Words(words) if words.contains("`exacta "));
    let for_a_person = hint.remedies().any(|remedy| tool(remedy).is_none()) || hint.parts().iter().any(names_command);
    if for_a_person {
        return (None, Some(at_a_terminal(hint)));
    }
    (Some(hint.worded(|remedy| tool(remedy).unwrap_or_default().to_owned())), None)
}

/// The tool that does it.
const fn tool(remedy: &Remedy) -> Option<&'static str> {
    Some(match remedy {
        Remedy::List | Remedy::Status | Remedy::ShowIds => "`status`",
        Remedy::Show(_) => "`status` with its plan_id",
        Remedy::Submit | Remedy::Resubmit(_) => "`submit`",
        Remedy::SubmitVersion(_) => "`submit` with `revises`",
        Remedy::SubmitForms => "`read_schema`",
        Remedy::Withdraw(_) => "`withdraw`",
        Remedy::Watch => "`wait`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_kernel::hint;

    #[test]
    fn what_a_tool_does_is_for_the_agent() {
        let again = hint![Remedy::Resubmit(None), " makes a new plan from the same proposal"];
        let told = "`submit` makes a new plan from the same proposal";
        assert_eq!(worded(&again), (Some(told.to_owned()), None));
        assert_eq!(worded(&"free some space".into()), (Some("free some space".to_owned()), None));
    }

    #[test]
    fn what_a_person_does_is_for_the_person() {
        let told = "wait, or run `exacta recover`".to_owned();
        assert_eq!(worded(&hint!["wait, or run ", Remedy::Recover]), (None, Some(told)));
    }

    #[test]
    fn every_tool_that_is_named_is_offered() {
        let remedies = [Remedy::List, Remedy::Show(None), Remedy::Submit, Remedy::SubmitForms, Remedy::Watch];
        for named in remedies.iter().filter_map(tool) {
            let name = named.split('`').nth(1).unwrap();
            assert!(crate::NAMES.contains(&name), "{name}");
        }
    }
}
