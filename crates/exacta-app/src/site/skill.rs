//! Skills of a repository at a commit, taken over all or none.

use super::kept::{Kept, skill_sets, verified_skill};
use crate::app::App;
use crate::caller::Act;
use crate::clock::{new_id, now};
use crate::entry::data;
use crate::error::{Error, Exit};
use crate::settings::{SigningKey, signed_setting};
use exacta_kernel::approval::setting::SettingVerb;
use exacta_kernel::audit::{Actor, EntryDraft, Event};
use exacta_kernel::hash::Digest;
use exacta_kernel::id::CorrelationId;
use exacta_kernel::skill::{SafetyClass, SignedSkills, Skill, SkillError, SkillSet};
use exacta_record::{DocumentChange, DocumentKind};
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

/// Which skills are meant, and how many of them are shown.
#[derive(Debug, Clone, Default)]
pub struct SkillFilter {
    /// With this tag.
    pub tag: Option<String>,
    /// Of this class.
    pub safety_class: Option<SafetyClass>,
    /// Deprecated, or not.
    pub deprecated: Option<bool>,
    /// With this text in their id, name or description.
    pub search: Option<String>,
    /// How many are left out at the beginning.
    pub offset: usize,
    /// How many at most, 1 to 100; 20 where none is given.
    pub limit: Option<usize>,
}

impl SkillFilter {
    fn fits(&self, skill: &Skill) -> bool {
        let found = |text: &String| {
            let texts = [&skill.skill_id, &skill.name, &skill.description];
            texts.iter().any(|own| own.to_lowercase().contains(&text.to_lowercase()))
        };
        self.tag.as_ref().is_none_or(|tag| skill.tags.contains(&tag.to_lowercase()))
            && self.safety_class.is_none_or(|class| skill.safety_class == class)
            && self.deprecated.is_none_or(|deprecated| skill.deprecated == deprecated)
            && self.search.as_ref().is_none_or(found)
    }

    fn limit(&self) -> Result<usize, Error> {
        match self.limit.unwrap_or(20) {
            limit @ 1..=100 => Ok(limit),
            other => Err(Error::new(Exit::Usage, "usage", format!("a list has 1 to 100 skills, not {other}"))
                .hint("`--limit 100 --offset 100` shows the next ones")),
        }
    }
}

impl App {
    /// The skills of this project that an approver signed for, by name.
    ///
    /// # Errors
    /// If the record cannot be read.
    pub fn skills(&self, filter: &SkillFilter) -> Result<Vec<SkillView>, Error> {
        self.authorize(Act::Read)?;
        let limit = filter.limit()?;
        let approvers = self.home.approvers()?;
        let sets = skill_sets(&self.store)?.into_iter().map(|kept| kept.it);
        let counts = sets.filter(|signed| signed.verify(&approvers, &self.project.id).is_ok());
        let mut all: Vec<Skill> = counts.flat_map(|signed| signed.set.skills.into_values()).collect();
        all.retain(|skill| filter.fits(skill));
        all.sort_by(|a, b| a.skill_id.cmp(&b.skill_id));
        all.into_iter().skip(filter.offset).take(limit).map(view).collect()
    }

    /// One skill.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn skill(&self, id: &str) -> Result<SkillView, Error> {
        self.authorize(Act::Read)?;
        view(verified_skill(&self.home, &self.store, &self.project.id, id)?)
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
        let known = skill_sets(&self.store)?;
        let approvers = self.home.approvers()?;
        let unchanged =
            |kept: &Kept<SignedSkills>| kept.it.set == set && kept.it.verify(&approvers, &self.project.id).is_ok();
        if known.iter().any(unchanged) {
            return Ok((set, false));
        }
        let others = known.iter().filter(|kept| kept.it.set.repo != set.repo);
        let mut taken = others.flat_map(|kept| kept.it.set.skills.values());
        if let Some(taken) = taken.find(|skill| set.skills.contains_key(&skill.skill_id)) {
            let message = format!("the skill `{}` is there already, from `{}`", taken.skill_id, taken.source.repo);
            return Err(Error::new(Exit::Denied, "SKILL_SCHEMA_INVALID", message).hint("give one of them another name"));
        }
        let was = known.iter().find(|kept| kept.it.set.repo == set.repo).map(|kept| kept.was);
        self.put_skills(&set, was, key)?;
        Ok((set, true))
    }

    fn put_skills(&mut self, set: &SkillSet, was: Option<Digest>, key: &SigningKey) -> Result<(), Error> {
        let by = signed_setting(&self.home, SettingVerb::SkillsSync, Some(&self.project.id), set.subject()?, key)?;
        let reason = format!("{} skills of `{}` at {}", set.skills.len(), set.repo, set.commit_sha);
        let names: Vec<&String> = set.skills.keys().collect();
        let mut entry = EntryDraft::new(Event::SiteChanged, Actor::Person(key.name().clone()), reason);
        let told = json!({ "repo": set.repo, "commit_sha": set.commit_sha, "sha256": set.sha256, "skills": names });
        entry.data = data(told);
        let signed = SignedSkills { set: set.clone(), signed: by.signed().clone() };
        let change = DocumentChange {
            kind: DocumentKind::Skills,
            id: Digest::of(set.repo.as_bytes()).to_string(),
            owner: set.repo.clone(),
            state: "kept".to_owned(),
            body: serde_json::to_value(&signed)?,
            was,
        };
        if self.store.put_documents(&[change], &[entry], now())? {
            return Ok(());
        }
        let message = format!("somebody else took the skills of `{}` over at the same time", set.repo);
        Err(Error::new(Exit::Drifted, "lost_race", message).hint("look at them, and give the command again"))
    }
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
