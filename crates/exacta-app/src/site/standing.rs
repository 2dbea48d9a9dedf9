//! What stands behind a plan for a site, as it is now: the site, what its user can do there, and the skill.

use super::kept::{look, verified_site, verified_skill};
use super::reach::probed_again;
use crate::app::App;
use crate::error::{Error, Exit};
use crate::lineage::SiteNow;
use crate::project::ProjectRef;
use exacta_kernel::binding::{BoundSite, Identity};
use exacta_kernel::check::Allowed;
use exacta_kernel::hash::Digest;
use exacta_kernel::hint;
use exacta_kernel::hint::Remedy;
use exacta_kernel::site::SiteSetup;
use exacta_kernel::skill::Skill;
use exacta_site::Manifest;

impl SiteNow {
    /// Of a site that offers this, and a skill.
    pub fn of(setup: &SiteSetup, manifest: &Manifest, skill: &Skill) -> Result<Self, Error> {
        let name = setup.name.to_string();
        let tools = manifest.tools().into_iter().map(ToOwned::to_owned).collect();
        Ok(Self {
            bound: BoundSite {
                name: name.clone(),
                setup_sha256: setup.subject()?,
                manifest_sha256: manifest.sha256(),
                skill_id: skill.skill_id.clone(),
                skill_sha256: skill.sha256()?,
            },
            allowed: Allowed {
                sites: [(name, tools)].into(),
                skills: [(skill.skill_id.clone(), skill.allows())].into(),
                ..Allowed::default()
            },
        })
    }
}

/// The site and skill of a plan as they are now; nothing where either is gone, no approver's signature stands behind it, or the skill
/// is deprecated.
///
/// # Errors
/// If what is kept cannot be read.
pub(crate) fn site_now(project_ref: ProjectRef<'_>, bound: &BoundSite) -> Result<Option<SiteNow>, Error> {
    let ProjectRef { home, root, project } = project_ref;
    let record = look(home, root.path(), project)?;
    let found = |error: Error| if error.exit.is_fault() { Err(error) } else { Ok(None) };
    let setup = match verified_site(home, &record, project, &super::name(&bound.name)?) {
        Ok(setup) => setup,
        Err(error) => return found(error),
    };
    let skill = match verified_skill(home, &record, project, &bound.skill_id) {
        Ok(skill) => skill,
        Err(error) => return found(error),
    };
    let Some(state) = home.site_state(&setup)?.filter(|_| !skill.deprecated) else { return Ok(None) };
    let manifest: Manifest = serde_json::from_value(state.manifest)?;
    SiteNow::of(&setup, &manifest, &skill).map(Some)
}

impl App {
    /// The site of a stored plan, if it still is what it was then: only so may a new plan be made of the same bytes.
    pub(crate) fn site_for(&self, identity: &Identity) -> Result<Option<SiteNow>, Error> {
        let Some(bound) = &identity.binding.site else { return Ok(None) };
        let now = site_now(self.project_ref(), bound)?.filter(|now| now.bound == *bound);
        now.map(Some).ok_or_else(|| drifted(identity, bound, "the site or the skill changed since"))
    }

    /// Asks the site of a plan once more before its run: what its user can do there must be what the plan is bound to.
    pub(crate) fn site_is_as_bound(&self, identity: &Identity) -> Result<(), Error> {
        let Some(bound) = &identity.binding.site else { return Ok(()) };
        let setup = verified_site(&self.home, &self.store, &self.project.id, &super::name(&bound.name)?)?;
        let manifest = probed_again(&self.home, &setup)?;
        let is: Digest = manifest.sha256();
        if is == bound.manifest_sha256 {
            return Ok(());
        }
        Err(drifted(identity, bound, "what its user can do there changed since"))
    }
}

fn drifted(identity: &Identity, bound: &BoundSite, why: &str) -> Error {
    let message = format!("plan `{}` is blocked: site `{}`: {why}", identity.plan_id, bound.name);
    Error::new(Exit::Drifted, "plan_drifted", message)
        .hint(hint!["draft again: ", Remedy::SiteDraft(bound.name.to_string())])
}
