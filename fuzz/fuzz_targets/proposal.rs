//! What an agent sent, from its bytes to a valid plan: never a panic, the same answer twice, a reason in every refusal, and
//! nothing hidden in any message.
#![no_main]

use exacta_kernel::check::{Allowed, Context, check};
use exacta_kernel::estimate;
use exacta_kernel::facts::{Facts, FileContent, Target, TargetFact};
use exacta_kernel::finding::Finding;
use exacta_kernel::hash::canonical_hash;
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::caps::Caps;
use exacta_kernel::proposal::{Action, Proposal};
use exacta_kernel::seal::seal;
use exacta_kernel::text;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    match parse(data) {
        Err(refusal) => sane(&refusal.findings),
        Ok(proposal) => {
            let written = serde_json::to_vec(proposal.document()).expect("JSON");
            let again = parse(&written).expect("what was accepted is accepted when written again");
            assert_eq!(canonical_hash(proposal.document()).ok(), canonical_hash(again.document()).ok());
            assert_eq!(proposal, again);
            judge(proposal);
        }
    }
});

fn judge(proposal: Proposal) {
    let facts = facts(&proposal);
    let (caps, allowed) = (Caps::default(), Allowed::default());
    let context = Context { facts: &facts, caps: &caps, constraints: &[], allowed: &allowed, generated: false };
    let plan = seal(proposal, &facts).expect("canonical JSON");
    let tokens = estimate::tokens(&plan);
    let first = check(plan.clone(), &context);
    assert_eq!(first, check(plan, &context));
    match first {
        Ok(valid) => {
            assert!(tokens <= caps.tokens);
            assert!(valid.plan().proposal().steps.len() as u64 <= caps.site_steps);
            for effect in valid.plan().effects() {
                assert!(!effect.path.is_protected(), "{}", effect.path);
                assert_ne!(effect.before, effect.after);
            }
        }
        Err(invalid) => sane(&invalid.findings),
    }
}

/// What is created is absent, anything else is there.
fn facts(proposal: &Proposal) -> Facts {
    let mut facts = Facts::new();
    for step in &proposal.steps {
        let Ok(path) = RelPath::parse(&step.target) else { continue };
        let target = match step.action {
            Action::FileCreate(_) => Target::Absent,
            _ => Target::File(Arc::new(FileContent::new(b"a\nb\nc\n".to_vec(), 0o644))),
        };
        facts.insert(path, TargetFact { target, lookalikes: Vec::new(), folds: false });
    }
    facts
}

fn sane(findings: &[Finding]) {
    assert!(!findings.is_empty() && findings.len() <= 101);
    for finding in findings {
        for said in [&finding.message, &finding.hint] {
            assert!(!said.is_empty() && !said.contains('\n') && said.len() < 4096, "{said:?}");
            assert_eq!(text::hidden(said).next(), None, "{said:?}");
        }
    }
}
