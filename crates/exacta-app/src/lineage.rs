//! Where a new plan comes from, and what it is made for.

use crate::committed::Head;
use exacta_kernel::binding::{Asked, Binding, BoundSite, ModelIdentity, PartialOf};
use exacta_kernel::check::Allowed;
use exacta_kernel::gate::Made;
use exacta_kernel::hash::Digest;
use exacta_kernel::id::{CorrelationId, PlanId};

/// Where a new plan comes from.
#[derive(Debug, Clone)]
pub(crate) struct Lineage {
    pub correlation_id: CorrelationId,
    pub version: u64,
    pub derived_from: Option<PlanId>,
    /// The steps that it has only in part.
    pub partial_of: Vec<PartialOf>,
    pub revises: Option<PlanId>,
    /// The plan that a person edited to make it.
    pub edited_from: Option<PlanId>,
    /// The credential that proposed the plan it is made of; none where it was proposed just now.
    pub proposer: Option<String>,
    /// The program that it was proposed with, as that says.
    pub client: Option<String>,
    /// What it is bound to where a model of ours made it.
    pub maker: Option<Maker>,
    /// The autopilot that it is made for.
    pub autopilot: Option<For>,
    /// The site that it is for, and the skill it was drafted by.
    pub site: Option<SiteNow>,
    /// What is committed of its targets, where it adopts what lies in the work tree.
    pub head: Option<Head>,
}

impl Lineage {
    /// Of a text that was proposed just now.
    pub const fn new(correlation_id: CorrelationId, version: u64) -> Self {
        Self {
            correlation_id,
            version,
            derived_from: None,
            partial_of: Vec::new(),
            revises: None,
            edited_from: None,
            proposer: None,
            client: None,
            maker: None,
            autopilot: None,
            site: None,
            head: None,
        }
    }
}

/// The model of ours that made a plan, and how it was asked.
#[derive(Debug, Clone)]
pub(crate) struct Maker {
    pub model: ModelIdentity,
    pub request_sha256: Digest,
    pub asked: Asked,
}

impl Maker {
    /// Of a plan that is stored; none if it came from outside.
    pub fn of(binding: &Binding) -> Option<Self> {
        let (model, asked) = (binding.proposer.model.clone()?, binding.asked.clone()?);
        Some(Self { model, request_sha256: binding.request_sha256, asked })
    }

    /// For the gates.
    pub const fn made(&self) -> Made<'_> {
        Made { asked: &self.asked, class: Some(self.model.class) }
    }
}

/// What a plan that is made for an autopilot is bound to.
#[derive(Debug, Clone)]
pub(crate) struct For {
    pub name: String,
    pub occasion: Option<String>,
    pub sha256: Digest,
    pub allowed: Allowed,
}

/// A site and a skill as they are now, and what they allow.
#[derive(Debug, Clone)]
pub(crate) struct SiteNow {
    pub bound: BoundSite,
    pub allowed: Allowed,
}
