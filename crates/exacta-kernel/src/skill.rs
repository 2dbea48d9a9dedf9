//! Skills: what a plan for a site is for, the tools it may use, and its caps. A document of a repository, read strictly.

use crate::action::tool::Tool;
use crate::approval::setting::{self, SettingDemand, SettingVerb, SignedSetting};
use crate::approval::{ApprovalError, Approver};
use crate::check::{AllowedSkill, SkillCaps};
use crate::hash::{Digest, canonical_hash};
use crate::id::ProjectId;
use crate::json::{self, push_token};
use crate::prelude::*;
use crate::text::excerpt;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A skill, as its document says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// Its name in plans, such as `wp.content.audit`.
    pub skill_id: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub source: SkillSource,
    /// Its name for people.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Lower case, sorted.
    pub tags: BTreeSet<String>,
    /// What its inputs look like.
    pub inputs_schema: Value,
    /// What it leaves.
    pub outputs_schema: Value,
    /// The tools that it may use.
    pub tool_allowlist: BTreeSet<String>,
    /// The most that it may do.
    pub caps: SkillCaps,
    /// The most that its tools do.
    pub safety_class: SafetyClass,
    /// Whether it is not to be used any more.
    pub deprecated: bool,
}

/// Where a skill comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillSource {
    /// The repository.
    pub repo: String,
    /// The whole name of the commit.
    pub commit_sha: String,
    /// The document in it.
    pub path: String,
}

/// The most that a skill's tools do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they say what they are")]
pub enum SafetyClass {
    Read,
    WriteDraft,
    WritePublish,
}

/// The skills of one repository at one commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillSet {
    /// The repository.
    pub repo: String,
    /// The whole name of the commit.
    pub commit_sha: String,
    /// Of repository, commit, paths and contents.
    pub sha256: Digest,
    /// By their names.
    pub skills: BTreeMap<String, Skill>,
}

/// The skills of a repository as a project keeps them, with who signed for them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedSkills {
    /// What was signed.
    pub set: SkillSet,
    /// By whom.
    pub signed: SignedSetting,
}

impl SkillSet {
    /// What an approver signs for: every word of every skill.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the strict reader rules out.
    pub fn subject(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(&("exacta.skills/1", self))
    }
}

impl SignedSkills {
    /// That an approver on the list signed for exactly these, for this project. It is asked at every use.
    ///
    /// # Errors
    /// What does not hold.
    pub fn verify(&self, approvers: &[Approver], project: &ProjectId) -> Result<(), ApprovalError> {
        let subject = self.set.subject().map_err(|_| ApprovalError::NotCanonical)?;
        let now = self.signed.statement.at;
        let demand = SettingDemand { verb: SettingVerb::SkillsSync, project: Some(project), subject, now };
        setting::verify(&self.signed, approvers, &demand).map(drop)
    }
}

/// Why a skill cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SkillError {
    /// The stable code, `SKILL_…`.
    pub code: &'static str,
    /// Why.
    pub message: String,
    /// What helps.
    pub hint: &'static str,
}

impl SkillError {
    /// An error with a code, in words.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { code, message: crate::text::visible_line(&message.into()).into_owned(), hint }
    }
}

impl Skill {
    /// Reads a skill's document.
    ///
    /// # Errors
    /// `SKILL_SCHEMA_INVALID`, `SKILL_UNKNOWN_TOOL`
    pub fn read(text: &str, source: SkillSource) -> Result<Self, SkillError> {
        let reader = Reader { path: source.path.clone() };
        let object = match json::read(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(reader.wrong("", "it is no object")),
            Err(error) => return Err(reader.wrong("", &error.to_string())),
        };
        reader.closed(&object, "", &FIELDS)?;
        let skill_id = reader.text(&object, "skill_id")?.ok_or_else(|| reader.wrong("/skill_id", "it is missing"))?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        if !skill_id.contains('.') || !skill_id.chars().all(plain) {
            return Err(reader.wrong("/skill_id", "it is no name such as `wp.content.audit`"));
        }
        let (tools, safety_class) = (reader.tools(&object)?, reader.safety_class(&object)?);
        if let Some(tool) = tools.iter().find(|name| class_of(name) > safety_class) {
            return Err(reader.wrong("/safety_class", &format!("the tool `{tool}` does more than that class says")));
        }
        Ok(Self {
            version: reader.text(&object, "version")?.ok_or_else(|| reader.wrong("/version", "it is missing"))?,
            name: reader.text(&object, "name")?.unwrap_or_else(|| skill_id.clone()),
            description: reader.text(&object, "description")?.unwrap_or_default(),
            tags: reader.texts(&object, "tags")?.into_iter().map(|tag| tag.to_lowercase()).collect(),
            inputs_schema: reader.schema(&object, "inputs_schema")?,
            outputs_schema: reader.schema(&object, "outputs_schema")?,
            tool_allowlist: tools,
            caps: reader.caps(&object)?,
            safety_class,
            deprecated: match object.get("deprecated") {
                None => false,
                Some(Value::Bool(deprecated)) => *deprecated,
                Some(_) => return Err(reader.wrong("/deprecated", "it is neither true nor false")),
            },
            skill_id,
            source,
        })
    }

    /// What it allows a plan.
    #[must_use]
    pub fn allows(&self) -> AllowedSkill {
        AllowedSkill {
            tools: self.tool_allowlist.clone(),
            caps: self.caps,
            publishes: self.safety_class == SafetyClass::WritePublish,
        }
    }

    /// What is bound into every plan of it: all that it says, and where it comes from.
    ///
    /// # Errors
    /// Only where canonical JSON cannot be written, which the strict reader rules out.
    pub fn sha256(&self) -> Result<Digest, serde_json::Error> {
        canonical_hash(self)
    }
}

/// The most that a tool does.
fn class_of(tool: &str) -> SafetyClass {
    match tool {
        "content.publish_page" | "content.trash_page" => SafetyClass::WritePublish,
        name if Tool::find(name).is_some_and(Tool::writes) => SafetyClass::WriteDraft,
        _ => SafetyClass::Read,
    }
}

const FIELDS: [&str; 11] = [
    "skill_id",
    "version",
    "name",
    "description",
    "tags",
    "inputs_schema",
    "outputs_schema",
    "tool_allowlist",
    "caps",
    "safety_class",
    "deprecated",
];

struct Reader {
    path: String,
}

impl Reader {
    fn wrong(&self, pointer: &str, why: &str) -> SkillError {
        let message = format!("`{}`{}{pointer}: {why}", self.path, if pointer.is_empty() { "" } else { " " });
        SkillError::new("SKILL_SCHEMA_INVALID", message, "fix the document; nothing was taken over")
    }

    fn closed(&self, object: &Map<String, Value>, place: &str, known: &[&str]) -> Result<(), SkillError> {
        let Some(odd) = object.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let mut pointer = place.to_owned();
        push_token(&mut pointer, odd);
        Err(self.wrong(&pointer, "there is no such field"))
    }

    fn text(&self, object: &Map<String, Value>, name: &str) -> Result<Option<String>, SkillError> {
        match object.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(&format!("/{name}"), "it is no text, or blank")),
        }
    }

    fn texts(&self, object: &Map<String, Value>, name: &str) -> Result<Vec<String>, SkillError> {
        let Some(list) = object.get(name) else { return Ok(Vec::new()) };
        let texts =
            list.as_array().and_then(|list| list.iter().map(|text| text.as_str().map(ToOwned::to_owned)).collect());
        texts.ok_or_else(|| self.wrong(&format!("/{name}"), "it is no list of texts"))
    }

    fn tools(&self, object: &Map<String, Value>) -> Result<BTreeSet<String>, SkillError> {
        let tools: BTreeSet<String> = self.texts(object, "tool_allowlist")?.into_iter().collect();
        if tools.is_empty() {
            return Err(self.wrong("/tool_allowlist", "it is empty"));
        }
        if let Some(odd) = tools.iter().find(|name| Tool::find(name).is_none()) {
            let message = format!("`{}` names the tool `{}`, which there is not", self.path, excerpt(odd, 60));
            return Err(SkillError::new("SKILL_UNKNOWN_TOOL", message, "fix the document; nothing was taken over"));
        }
        Ok(tools)
    }

    fn safety_class(&self, object: &Map<String, Value>) -> Result<SafetyClass, SkillError> {
        let class = object.get("safety_class").cloned().unwrap_or_default();
        serde_json::from_value(class)
            .map_err(|_| self.wrong("/safety_class", "it is none of read, write_draft, write_publish"))
    }

    fn schema(&self, object: &Map<String, Value>, name: &str) -> Result<Value, SkillError> {
        match object.get(name) {
            None => Ok(json!({ "type": "object" })),
            Some(schema @ Value::Object(_)) => Ok(schema.clone()),
            Some(_) => Err(self.wrong(&format!("/{name}"), "it is no object")),
        }
    }

    fn caps(&self, object: &Map<String, Value>) -> Result<SkillCaps, SkillError> {
        let Some(caps) = object.get("caps").and_then(Value::as_object) else {
            return Err(self.wrong("/caps", "it is no object"));
        };
        self.closed(caps, "/caps", &["max_pages", "max_tool_calls", "max_steps", "max_cost_usd"])?;
        let count = |name: &str| {
            let count = caps.get(name).and_then(Value::as_u64);
            count.ok_or_else(|| self.wrong(&format!("/caps/{name}"), "it is no whole number from 0"))
        };
        let cost = caps.get("max_cost_usd").and_then(|cost| hundredths_of_a_cent(&cost.to_string()));
        Ok(SkillCaps {
            pages: count("max_pages")?,
            tool_calls: count("max_tool_calls")?,
            steps: count("max_steps")?,
            cost: cost
                .ok_or_else(|| self.wrong("/caps/max_cost_usd", "it is no amount from 0 with at most four decimals"))?,
        })
    }
}

/// An amount in dollars, as it is written.
fn hundredths_of_a_cent(dollars: &str) -> Option<u64> {
    let (whole, part) = dollars.split_once('.').unwrap_or((dollars, ""));
    if part.len() > 4 || !part.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let part: u64 = format!("{part:0<4}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(10_000)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(change: impl FnOnce(&mut Value)) -> Result<Skill, SkillError> {
        let mut skill = json!({
            "skill_id": "wp.content.audit", "version": "1", "tags": ["SEO"], "tool_allowlist": ["content.inventory", "content.inventory"],
            "caps": { "max_pages": 25, "max_tool_calls": 20, "max_steps": 8, "max_cost_usd": 2 }, "safety_class": "read",
        });
        change(&mut skill);
        let source =
            SkillSource { repo: "file:///x".to_owned(), commit_sha: "0".repeat(40), path: "skills/a.json".to_owned() };
        Skill::read(&skill.to_string(), source)
    }

    #[test]
    fn a_skill() {
        let skill = read(|_| {}).unwrap();
        assert_eq!((skill.name.as_str(), skill.caps.cost, skill.deprecated), ("wp.content.audit", 20_000, false));
        assert!(skill.tags.contains("seo") && skill.tool_allowlist.len() == 1);
        assert_ne!(skill.sha256().unwrap(), read(|skill| skill["version"] = "2".into()).unwrap().sha256().unwrap());
    }

    #[test]
    fn what_is_no_skill() {
        type Change = fn(&mut Value);
        let cases: [(Change, &str); 11] = [
            (|skill| skill["skill_id"] = json!("Audit"), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["version"] = json!(1), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["tool_allowlist"] = json!([]), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["tool_allowlist"] = json!(["rollback.apply"]), "SKILL_UNKNOWN_TOOL"),
            (|skill| skill["tool_allowlist"] = json!(["content.create_page"]), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["caps"]["max_pages"] = json!(-1), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["caps"]["max_cost_usd"] = json!(0.00001), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["caps"]["more"] = json!(1), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["safety_class"] = json!("write"), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["deprecated"] = json!("no"), "SKILL_SCHEMA_INVALID"),
            (|skill| skill["source"] = json!({}), "SKILL_SCHEMA_INVALID"),
        ];
        for (change, code) in cases {
            let error = read(change).unwrap_err();
            assert_eq!(error.code, code, "{error}");
        }
    }

    #[test]
    fn amounts() {
        for (text, is) in [
            ("2", Some(20_000)),
            ("2.5", Some(25_000)),
            ("0.0001", Some(1)),
            ("0.00001", None),
            ("-1", None),
            ("1e3", None),
        ] {
            assert_eq!(hundredths_of_a_cent(text), is, "{text}");
        }
    }
}
