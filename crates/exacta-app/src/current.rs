//! A stored plan, derived again from its proposal and the world as it is now. Nothing else of what is stored is believed.

use crate::app::App;
use crate::ask::ModelNow;
use crate::autopilot::{StandingNow, standing_now};
use crate::clock::now;
use crate::committed::Head;
use crate::error::{Error, Exit};
use crate::in_force::InForce;
use crate::lineage::SiteNow;
use crate::pipeline::{self, Evaluation, Origin};
use crate::project::ProjectRef;
use crate::site::site_now;
use crate::stored::unknown_plan;
use crate::stored::{expired, identity, known, messages, tampered};
use exacta_home::DeclaredIdentity;
use exacta_kernel::approval::Approver;
use exacta_kernel::binding::{Authority, Identity, ModelIdentity, Proposer};
use exacta_kernel::drift::{self, Answer, Drift, Present};
use exacta_kernel::facts::Facts;
use exacta_kernel::gate::Made;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::id::{PlanId, ProjectId};
use exacta_kernel::permit::{self, Recorded};
use exacta_kernel::policy::profile::Profile;
use exacta_kernel::time::Timestamp;
use exacta_record::PlanRecord;

/// A stored plan as it is now: what is stored, and what the gates say.
pub(crate) struct Current {
    pub stored: Stored,
    pub evaluation: Evaluation,
}

/// What is stored of a plan, and what it is bound to, as that is now.
pub(crate) struct Stored {
    pub record: PlanRecord,
    pub identity: Identity,
    pub drifts: Vec<Drift>,
    pub now: Timestamp,
    surroundings: Surroundings,
    facts: Facts,
    authority: Authority,
}

/// What a plan is bound to besides its targets, as it is now.
pub(crate) struct Surroundings {
    pub in_force: InForce,
    model: Option<ModelNow>,
    session_alive: bool,
    standing: Option<StandingNow>,
    site: Option<SiteNow>,
    head: Option<Head>,
}

/// What a plan was bound to when its permit was given.
pub(crate) struct Bound<'a> {
    pub identity: &'a Identity,
    pub facts: &'a Facts,
    pub drifts: &'a [Drift],
    /// When it was decided, by the log's time.
    pub decided_at: Timestamp,
    /// Who had approved it.
    pub approvers: Vec<&'a Approver>,
}

impl Surroundings {
    /// Reads them as they are now.
    ///
    /// # Errors
    /// If the policy is broken, or the user's own folder cannot be read.
    pub fn load(project_ref: ProjectRef<'_>, identity: &Identity) -> Result<Self, Error> {
        let ProjectRef { home, root, project } = project_ref;
        let profile = home.project(root.path())?.map_or(Profile::Safe, |record| record.profile);
        let in_force = InForce::load(home, root, profile)?;
        let model = match &identity.binding.asked {
            Some(asked) => crate::ask::model_now(home, &asked.provider)?,
            None => {
                let declared = home.declared_identity(project, &identity.binding.proposer.credential)?;
                declared.and_then(|DeclaredIdentity { model, at }| {
                    Some(ModelNow { identity: ModelIdentity::claimed(&model?), at: Some(at) })
                })
            }
        };
        let session_alive = home.is_alive(project, &identity.binding.session)?;
        let standing = match &identity.binding.autopilot {
            Some(bound) => standing_now(project_ref, bound, &in_force.approvers)?,
            None => None,
        };
        let site = identity.binding.site.as_ref().map(|bound| site_now(project_ref, bound)).transpose()?.flatten();
        let head = Head::for_plan(root, identity)?;
        Ok(Self { in_force, model, session_alive, standing, site, head })
    }

    /// What is committed of the plan's targets now, where it adopts what lies in the work tree.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// The model that the plan's credential declared last.
    pub fn model(&self) -> Option<&ModelIdentity> {
        self.model.as_ref().map(|model| &model.identity)
    }

    /// The notice that the model which made a plan is another one now.
    pub fn model_notice(&self, identity: &Identity, why: &str) -> Error {
        model_notice(identity, self.model.as_ref(), why)
    }

    /// As a plan is compared with them, at this moment.
    pub fn present<'a>(&'a self, authority: &'a Authority, facts: &'a Facts) -> Present<'a> {
        Present {
            authority,
            config_sha256: self.in_force.config_sha256(),
            session_alive: self.session_alive,
            model: self.model(),
            autopilot: self.standing.as_ref().map(|standing| standing.sha256),
            site: self.site.as_ref().map(|site| &site.bound),
            facts,
            now: now(),
        }
    }
}

impl App {
    /// The stored record of a plan.
    pub(crate) fn record(&self, id: &PlanId) -> Result<PlanRecord, Error> {
        self.store.plan(id)?.ok_or_else(|| unknown_plan(id.as_str()))
    }

    /// A plan as it stands now.
    pub(crate) fn current(&self, id: &PlanId) -> Result<Current, Error> {
        let record = self.record(id)?;
        let identity = identity(&record)?;
        let surroundings = Surroundings::load(self.project_ref(), &identity)?;
        let Some(text) = &record.proposal else {
            let message = format!("the text of plan `{id}` was not kept, because it held a secret");
            return Err(Error::new(Exit::Denied, "plan_not_kept", message).hint("submit a plan without the secret"));
        };
        let mut basis = surroundings.in_force.basis(&self.root, Some(&self.project.id), &identity.binding.constraints);
        basis.selection = identity.derived_from.is_some();
        basis.made = Made::of(&identity.binding);
        basis.connected = Proposer::is_connected(&identity.binding.proposer.credential);
        let site = surroundings.site.as_ref().map(|site| &site.allowed);
        basis.allowed = surroundings.standing.as_ref().map(|standing| &standing.allowed).or(site);
        basis.base = surroundings.head().map(|head| &head.base);
        let (evaluation, facts) = pipeline::evaluate(text, Origin::Record, basis)?;
        let authority = surroundings.in_force.authority();
        let (drifts, now) = (Vec::new(), now());
        let mut stored = Stored { record, identity, drifts, now, surroundings, facts, authority };
        stored.drifts = drift::drift(&stored.identity, &stored.present());
        Ok(Current { stored, evaluation })
    }

    /// A plan as it stands now, if it can still be used; one that is over is marked as expired.
    pub(crate) fn usable(&mut self, id: &PlanId) -> Result<Current, Error> {
        let current = self.current(id)?;
        current.stored.known()?;
        self.note_policy(current.stored.in_force())?;
        match drift::answer(&current.stored.drifts) {
            Some(Answer::Expired) => {
                let why = messages(&current.stored.drifts);
                self.expire(id, &why)?;
                Err(expired(id, &why))
            }
            Some(Answer::Regenerate) => Err(current.stored.model_notice(&current.stored.drifts)),
            _ => current.matches_record().map(|()| current),
        }
    }
}

impl Stored {
    /// The state of things as the plan is compared with it.
    pub fn present(&self) -> Present<'_> {
        Present { now: self.now, ..self.surroundings.present(&self.authority, &self.facts) }
    }

    /// What its targets were when they were looked at.
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What is in force.
    pub fn in_force(&self) -> &InForce {
        &self.surroundings.in_force
    }

    /// The notice that the model which made it is another one now.
    pub fn model_notice(&self, drifts: &[Drift]) -> Error {
        self.surroundings.model_notice(&self.identity, &messages(drifts))
    }

    /// Who made it and who answers there now, in words.
    pub fn both_models(&self) -> Option<String> {
        both(&self.identity, self.surroundings.model.as_ref())
    }

    /// That every target could be looked at.
    pub fn known(&self) -> Result<(), Error> {
        known(&self.facts)
    }

    /// What it is bound to, to be compared again later.
    pub fn bound(&self) -> Bound<'_> {
        let signed = &self.record.approvals;
        let has_signed = |approver: &&Approver| signed.iter().any(|signed| signed.statement.approver == approver.name);
        Bound {
            identity: &self.identity,
            facts: &self.facts,
            drifts: &self.drifts,
            decided_at: self.record.status_at,
            approvers: self.in_force().approvers.iter().filter(has_signed).collect(),
        }
    }

    /// What is committed of its targets now, where it adopts what lies in the work tree.
    pub fn head(&self) -> Option<&Head> {
        self.surroundings.head()
    }

    /// The plan as the record has it.
    pub fn recorded<'a>(&'a self, project: &'a ProjectId) -> Recorded<'a> {
        let PlanRecord { plan_hash, status, .. } = self.record;
        Recorded { project, identity: &self.identity, plan_hash, status }
    }
}

impl Current {
    /// The content's hash, derived again.
    pub fn content_hash(&self) -> Option<Digest> {
        self.evaluation.plan().map(|plan| plan.content_hash())
    }

    /// The hash that an approver signs now.
    pub fn hash_to_sign(&self) -> Result<Digest, Error> {
        let content = self.content_hash().ok_or_else(|| tampered(&self.stored.record.id))?;
        Ok(permit::current_hash(&self.stored.identity, &self.stored.present(), content)?)
    }

    /// Whether policy or model changed so that a fresh approval is due.
    pub fn needs_fresh_approval(&self) -> bool {
        drift::answer(&self.stored.drifts) == Some(Answer::Reapprove)
    }

    /// Whether what is stored derives to the recorded hash; if not, somebody changed the record.
    pub fn matches_record(&self) -> Result<(), Error> {
        let content = self.content_hash().ok_or_else(|| tampered(&self.stored.record.id))?;
        if self.stored.identity.plan_hash(content)? == self.stored.record.plan_hash {
            Ok(())
        } else {
            Err(tampered(&self.stored.record.id))
        }
    }
}

/// The notice that the model which made a plan is another one now: both by name and version, and when each was there.
fn model_notice(identity: &Identity, model: Option<&ModelNow>, why: &str) -> Error {
    let id = &identity.plan_id;
    if let Some(bound) = &identity.binding.autopilot {
        let name = &bound.name;
        return Error::new(Exit::Drifted, "plan_drifted", format!("plan `{id}` is blocked: {why}"))
            .hint(hint!["plan again: ", Remedy::AutopilotRun(name.to_string())]);
    }
    if let Some(bound) = &identity.binding.site {
        return Error::new(Exit::Drifted, "plan_drifted", format!("plan `{id}` is blocked: {why}"))
            .hint(hint!["draft again: ", Remedy::SiteDraft(bound.name.to_string())]);
    }
    let both = both(identity, model).map_or_else(String::new, |both| format!("; {both}"));
    if identity.binding.asked.is_none() {
        return Error::new(Exit::Drifted, "plan_drifted", format!("plan `{id}` is blocked: {why}{both}"))
            .hint("have the plan made again by the model that is in use now");
    }
    let message = format!(
        "the AI model has changed since plan `{id}` was generated: {why}{both}; with the new model it may be another plan"
    );
    Error::new(Exit::Drifted, "plan_drifted", message).hint(hint![
        "regenerate: ask the current model for it again with ",
        Remedy::Ask,
        "; cancel: ",
        Remedy::Withdraw(id.clone())
    ])
}

/// Who made a plan and when, and who is there now and was last seen when.
fn both(identity: &Identity, now: Option<&ModelNow>) -> Option<String> {
    let made_by = versioned(identity.binding.proposer.model.as_ref()?);
    let now = match now {
        None => "there is none any more".to_owned(),
        Some(ModelNow { identity, at: Some(at) }) => format!("{}, seen at {at}", versioned(identity)),
        Some(ModelNow { identity, at: None }) => format!("{}, which has not answered yet", versioned(identity)),
    };
    Some(format!("generated by {made_by} at {}; current model: {now}", identity.created_at))
}

fn versioned(model: &ModelIdentity) -> String {
    let shown = |text: &str| exacta_kernel::text::excerpt(text, 80);
    let version = model.version.as_deref().map_or_else(|| "no version told".to_owned(), shown);
    format!("`{}/{}` ({version})", shown(&model.provider), shown(&model.model))
}
