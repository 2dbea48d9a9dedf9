//! Trying a plan without some of its steps: it is derived, checked, assessed and decided again.

use crate::error::Error;
use crate::pipeline::{self, Basis, Evaluation, Origin};
use exacta_kernel::derive::derive;
use exacta_kernel::gate::Verdict;
use exacta_kernel::proposal::Proposal;
use exacta_view::words::line;
use exacta_view::{StepName, Without};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Beyond this many steps not every pair is tried: each trial costs a whole evaluation.
const MANY: usize = 15;

/// Steps, by their place in the proposal.
type Steps = BTreeSet<usize>;

/// A plan under trial; what was tried once is remembered.
pub(super) struct Trial<'e> {
    proposal: Option<&'e Proposal>,
    basis: Basis<'e>,
    tried: BTreeMap<Steps, Option<Rc<Evaluation>>>,
}

impl<'e> Trial<'e> {
    pub(super) fn new(evaluation: &'e Evaluation, basis: Basis<'e>) -> Self {
        Self { proposal: evaluation.plan().map(|plan| plan.proposal()), basis, tried: BTreeMap::new() }
    }

    /// What the plan is judged by.
    pub(super) const fn basis(&self) -> Basis<'e> {
        self.basis
    }

    /// The steps of which each, left out alone, makes this hold of what is left.
    pub(super) fn singles(&mut self, clears: impl Fn(&Evaluation) -> bool) -> Result<Vec<StepName>, Error> {
        let mut found = Vec::new();
        for step in 0..self.len() {
            let left_out = self.closed(&Steps::from([step]));
            if self.without(&left_out)?.is_some_and(|evaluation| clears(&evaluation)) {
                found.extend(self.names(&Steps::from([step])));
            }
        }
        Ok(found)
    }

    /// The fewest steps without which the plan is allowed: every such step, else every such pair, else one such set from
    /// which no step can be put back.
    pub(super) fn fewest(&mut self) -> Result<Vec<Without>, Error> {
        let singles = (0..self.len()).map(|step| Steps::from([step])).collect::<Vec<_>>();
        let paired = if self.len() > MANY { 0 } else { self.len() };
        let pairs = (0..paired).flat_map(|a| (0..a).map(move |b| Steps::from([a, b]))).collect::<Vec<_>>();
        for candidates in [singles, pairs] {
            let mut found: Vec<Steps> = Vec::new();
            for steps in candidates {
                let steps = self.closed(&steps);
                if self.is_allowed(&steps)? && !found.contains(&steps) {
                    found.push(steps);
                }
            }
            if !found.is_empty() {
                found.sort();
                return found.iter().map(|steps| self.shown(steps)).collect();
            }
        }
        let found = if self.len() > MANY { self.worst()? } else { self.greedy()? };
        let found = found.map(|steps| self.put_back(steps)).transpose()?;
        found.iter().map(|steps| self.shown(steps)).collect()
    }

    /// As many of the steps without which, alone, the answer is best as must be left out until it is "allow".
    fn worst(&mut self) -> Result<Option<Steps>, Error> {
        let mut order = Vec::new();
        for step in 0..self.len() {
            let evaluation = self.without(&self.closed(&Steps::from([step])))?;
            order.extend(evaluation.map(|evaluation| (weight(&evaluation), step)));
        }
        order.sort();
        let without = |trial: &Self, kept: usize| -> Steps {
            let steps = order.iter().take(order.len().saturating_sub(kept)).map(|(_, step)| *step);
            trial.closed(&steps.collect())
        };
        let (mut kept, mut too_many) = (order.len() / 2, order.len());
        while !self.is_allowed(&without(self, kept))? {
            (kept, too_many) = (kept / 2, kept);
            if kept == 0 {
                return Ok(None);
            }
        }
        while too_many - kept > 1 {
            let middle = kept.midpoint(too_many);
            if self.is_allowed(&without(self, middle))? { kept = middle } else { too_many = middle }
        }
        Ok(Some(without(self, kept)))
    }

    /// Leaves out, one after the other, the step without which the answer is best, until it is "allow".
    fn greedy(&mut self) -> Result<Option<Steps>, Error> {
        let mut left_out = Steps::new();
        while !self.is_allowed(&left_out)? {
            let mut best: Option<((Verdict, usize, u32), Steps)> = None;
            for step in (0..self.len()).filter(|step| !left_out.contains(step)).collect::<Vec<_>>() {
                let more: Steps = left_out.iter().copied().chain([step]).collect();
                let more = self.closed(&more);
                let Some(evaluation) = self.without(&more)? else { continue };
                let weight = weight(&evaluation);
                if best.as_ref().is_none_or(|(least, _)| weight < *least) {
                    best = Some((weight, more));
                }
            }
            let Some((_, more)) = best else { return Ok(None) };
            left_out = more;
        }
        Ok(Some(left_out))
    }

    /// The same set without the steps that need not be left out.
    fn put_back(&mut self, mut left_out: Steps) -> Result<Steps, Error> {
        for step in left_out.clone() {
            let fewer: Steps = left_out.iter().copied().filter(|other| *other != step).collect();
            let fewer = self.closed(&fewer);
            if fewer.len() < left_out.len() && self.is_allowed(&fewer)? {
                left_out = fewer;
            }
        }
        Ok(left_out)
    }

    fn is_allowed(&mut self, left_out: &Steps) -> Result<bool, Error> {
        let evaluation = self.without(left_out)?;
        Ok(evaluation.is_some_and(|evaluation| evaluation.verdicts().verdict() == Verdict::Allow))
    }

    /// The plan without these steps; none if nothing is left.
    fn without(&mut self, left_out: &Steps) -> Result<Option<Rc<Evaluation>>, Error> {
        if let Some(known) = self.tried.get(left_out) {
            return Ok(known.clone());
        }
        let evaluation = match self.proposal.and_then(|proposal| derive(proposal, &kept(proposal, left_out)).ok()) {
            Some(text) => Some(Rc::new(pipeline::evaluate(&text, Origin::Record, self.basis)?.0)),
            None => None,
        };
        self.tried.insert(left_out.clone(), evaluation.clone());
        Ok(evaluation)
    }

    /// The steps with all that depend on them.
    fn closed(&self, steps: &Steps) -> Steps {
        let Some(proposal) = self.proposal else { return steps.clone() };
        let mut closed = steps.clone();
        loop {
            let gone: BTreeSet<&str> =
                closed.iter().filter_map(|index| proposal.steps.get(*index)).map(|step| step.id.as_str()).collect();
            let depends = |id: &String| gone.contains(id.as_str());
            let more: Steps = (0..proposal.steps.len())
                .filter(|index| {
                    let step = proposal.steps.get(*index);
                    closed.contains(index) || step.is_some_and(|step| step.dependencies.iter().any(depends))
                })
                .collect();
            if more.len() == closed.len() {
                return closed;
            }
            closed = more;
        }
    }

    fn shown(&mut self, steps: &Steps) -> Result<Without, Error> {
        let evaluation = self.without(steps)?;
        let assessment = evaluation.as_deref().and_then(Evaluation::assessment);
        let missing = || Error::fault("internal", "an allowed plan has no numbers");
        let (risk, quality) = assessment
            .map(|assessment| (assessment.risk().score(), assessment.quality().score()))
            .ok_or_else(missing)?;
        Ok(Without { steps: self.names(steps), risk, quality })
    }

    fn names(&self, steps: &Steps) -> Vec<StepName> {
        let step = |index: &usize| self.proposal.and_then(|proposal| proposal.steps.get(*index));
        steps.iter().filter_map(step).map(|step| StepName { id: line(&step.id), target: line(&step.target) }).collect()
    }

    fn len(&self) -> usize {
        self.proposal.map_or(0, |proposal| proposal.steps.len())
    }
}

/// How far a plan is from being allowed.
fn weight(evaluation: &Evaluation) -> (Verdict, usize, u32) {
    let decision = evaluation.verdicts();
    let against = decision.gates().iter().filter(|gate| gate.verdict > Verdict::Allow).count();
    (decision.verdict(), against, evaluation.assessment().map_or(u32::MAX, |assessment| assessment.risk().score()))
}

/// The ids of all other steps.
fn kept(proposal: &Proposal, left_out: &Steps) -> BTreeSet<String> {
    let steps = proposal.steps.iter().enumerate().filter(|(index, _)| !left_out.contains(index));
    steps.map(|(_, step)| step.id.clone()).collect()
}
