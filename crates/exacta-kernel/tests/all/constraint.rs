//! What `docs/constraints.md` says is understood is, and what it says is left to a person is too.

use exacta_kernel::constraint::is_understood;
use exacta_kernel::proposal::{Constraint, ConstraintKind, Scope};
use proptest::prelude::*;

const DOCS: &str = include_str!("../../../../docs/constraints.md");

/// The lines of each block of examples.
fn examples() -> Vec<Vec<&'static str>> {
    let blocks = DOCS.split("```text\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.map(|block| block.lines().collect()).collect()
}

fn understood(kind: ConstraintKind, text: &str) -> bool {
    let (id, description) = ("c1".to_owned(), text.to_owned());
    is_understood(&Constraint { id, kind, scope: Scope::Global, target: None, description })
}

#[test]
fn the_documentation_tells_the_truth() {
    let [checked, left] = examples().try_into().expect("two blocks");
    assert!(checked.len() >= 15 && left.len() >= 8);
    for text in checked {
        assert!(understood(ConstraintKind::Must, text), "{text}");
        let shouted = format!("Please {}!", text.replace("do not", "DON'T"));
        assert!(understood(ConstraintKind::Must, &shouted), "{shouted}");
    }
    for text in left {
        assert!(!understood(ConstraintKind::Must, text), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_compiled_or_not(text in "(do not |only |no |leave |keep )?(touch|change|use|delete)?[ `'\",a-z./*{\\[]{0,40}") {
        for kind in [ConstraintKind::Must, ConstraintKind::MustNot] {
            understood(kind, &text);
        }
    }

    /// A text that goes on after a phrase says more than the phrase, and is not taken for it.
    #[test]
    fn a_text_that_goes_on_is_not_understood(index in 0_usize..15, more in "(unless|except when|but|if|until|while) [a-z ]{3,30}") {
        let text = format!("{} {more}", examples()[0][index]);
        prop_assert!(!understood(ConstraintKind::Must, &text), "{}", text);
    }
}
