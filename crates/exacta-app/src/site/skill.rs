//! Skills of a repository at a commit, taken over all or none.

use crate::caller::Act;
use crate::clock::new_id;
use crate::error::{Error, Exit};
use crate::settings::{Settings, SigningKey, entry, signed_setting};
use crate::submit::data;
use exacta_home::{Home, SkillSet};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::Event;
use exacta_kernel::id::CorrelationId;
use exacta_kernel::skill::{Skill, SkillError};
use exacta_site::Synced;
use serde::Serialize;
use serde_json::json;

/// A skill, as people and scripts see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillView {
    /// What its document says, and where it comes from.
    #[serde(flatten)]
    pub skill: Skill,
    /// By hash: what plans are bound to.
    pub sha256: String,
}

impl Settings {
    /// Every skill, by name.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn skills(&self) -> Result<Vec<SkillView>, Error> {
        self.authorize(Act::ReadAll)?;
        let mut all = self
            .home
            .skills()?
            .into_iter()
            .flat_map(|set| set.skills.into_values())
            .map(view)
            .collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|a, b| a.skill.skill_id.cmp(&b.skill.skill_id));
        Ok(all)
    }

    /// One skill.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn skill(&self, id: &str) -> Result<SkillView, Error> {
        self.authorize(Act::ReadAll)?;
        view(known(&self.home, id)?)
    }

    /// Takes the skills of a repository at a commit over, for which an approver signs. Says whether anything changed.
    ///
    /// # Errors
    /// If one of them cannot be used: then none is taken over.
    pub fn sync_skills(&mut self, repo: &str, commit: &str, key: &SigningKey) -> Result<(SkillSet, bool), Error> {
        self.authorize(Act::Configure)?;
        let scratch = std::env::temp_dir().join(format!("exacta-skills-{}", new_id(CorrelationId::parse)?));
        let synced = in_scratch(&scratch, || exacta_site::sync_skills(repo, commit, &scratch))?;
        let Synced { repo, commit_sha, sha256, skills } = synced;
        let set = SkillSet { repo, commit_sha, sha256, skills };
        let known = self.home.skills()?;
        if known.contains(&set) {
            return Ok((set, false));
        }
        let others = known.iter().filter(|other| other.repo != set.repo);
        if let Some(taken) =
            others.flat_map(|other| other.skills.values()).find(|it| set.skills.contains_key(&it.skill_id))
        {
            let message = format!("the skill `{}` is there already, from `{}`", taken.skill_id, taken.source.repo);
            return Err(Error::new(Exit::Denied, "SKILL_SCHEMA_INVALID", message).hint("give one of them another name"));
        }
        let by = signed_setting(&self.home, SettingVerb::SkillsSync, None, set.sha256, key)?;
        let at = by.statement().at;
        let reason = format!("{} skills of `{}` at {}", set.skills.len(), set.repo, set.commit_sha);
        let names: Vec<&String> = set.skills.keys().collect();
        let told = json!({ "repo": set.repo, "commit_sha": set.commit_sha, "sha256": set.sha256, "skills": names });
        self.enter(entry(Event::SiteChanged, &by, reason, data(told)), |home| home.set_skills(&set, at, &by))?;
        Ok((set, true))
    }
}

/// A skill of the user's.
pub(super) fn known(home: &Home, id: &str) -> Result<Skill, Error> {
    let mut all = home.skills()?.into_iter().flat_map(|set| set.skills.into_values());
    all.find(|skill| skill.skill_id == id).ok_or_else(|| {
        let message = format!("no skill `{}`", exacta_kernel::text::excerpt(id, 60));
        Error::new(Exit::Usage, "SKILL_NOT_FOUND", message)
            .hint("`exacta skill list` shows yours; `exacta skill sync` takes them over from a repository")
    })
}

fn view(skill: Skill) -> Result<SkillView, Error> {
    Ok(SkillView { sha256: skill.sha256()?.to_string(), skill })
}

/// Does something in an empty folder that only the user can reach, and removes it.
#[expect(clippy::disallowed_methods, reason = "a throw-away folder of its own, outside every project")]
fn in_scratch<T>(scratch: &std::path::Path, act: impl FnOnce() -> Result<T, SkillError>) -> Result<T, Error> {
    use std::os::unix::fs::DirBuilderExt as _;
    let made = std::fs::DirBuilder::new().mode(0o700).create(scratch);
    made.map_err(|error| Error::fault("SKILL_SYNC_FAILED", format!("cannot make `{}`: {error}", scratch.display())))?;
    let done = act();
    let _left_to_the_system = std::fs::remove_dir_all(scratch);
    done.map_err(|error| Error::new(Exit::Denied, error.code, error.message).hint(error.hint))
}
