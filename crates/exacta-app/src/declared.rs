//! What a connected agent says beside its proposal: what it is, and which files it saw. It is put where a proposal says it, and believed no more.

use exacta_kernel::hash::Digest;
use exacta_kernel::json;
use exacta_kernel::proposal::ModelClaim;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The steps that change what is there.
const CHANGES: [&str; 2] = ["file_modify", "file_delete"];

/// What comes beside a proposal.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// The program that the agent runs in, such as `codex 0.166.0`.
    pub client: Option<String>,
    /// The model, where the proposal does not say it itself.
    pub model: Option<ModelClaim>,
    /// Files as the agent saw them, by their SHA-256.
    pub base: BTreeMap<String, Digest>,
}

impl Declared {
    /// The proposal with what it does not say itself. A text that is no proposal stays as it is, and is refused by the parser.
    pub(crate) fn within<'t>(&self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        if self.model.is_none() && self.base.is_empty() {
            return text;
        }
        let read = std::str::from_utf8(&text).ok().and_then(|text| json::read(text).ok());
        let Some(Value::Object(mut proposal)) = read else { return text };
        if let Some(model) = self.model.as_ref().and_then(|model| serde_json::to_value(model).ok()) {
            proposal.entry("model").or_insert(model);
        }
        if let Some(Value::Array(steps)) = proposal.get_mut("steps") {
            self.base.iter().for_each(|(path, digest)| see(steps, path, digest));
        }
        Cow::Owned(Value::Object(proposal).to_string().into_bytes())
    }
}

/// Puts the state that was seen into the first step that changes the file: later ones change its result.
fn see(steps: &mut [Value], path: &str, digest: &Digest) {
    let text = |step: &Map<String, Value>, name: &str| step.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut steps = steps.iter_mut().filter_map(Value::as_object_mut);
    let Some(first) = steps.find(|step| text(step, "target").as_deref() == Some(path)) else { return };
    if text(first, "type").is_some_and(|kind| CHANGES.contains(&kind.as_str())) {
        first.entry("base_sha256").or_insert_with(|| digest.to_string().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn within(declared: &Declared, text: &str) -> Value {
        serde_json::from_slice(&declared.within(Cow::Borrowed(text.as_bytes()))).unwrap_or_default()
    }

    #[test]
    fn what_a_proposal_says_itself_counts() {
        let model = |name: &str| ModelClaim { provider: "x".to_owned(), model: name.to_owned(), version: None };
        let base = BTreeMap::from([("a".to_owned(), Digest::of(b"a")), ("b".to_owned(), Digest::of(b"b"))]);
        let declared = Declared { client: None, model: Some(model("m")), base };
        let told = within(
            &declared,
            r#"{"steps":[{"type":"file_modify","target":"a"},{"type":"file_delete","target":"a"},{"type":"file_create","target":"b"}]}"#,
        );
        assert_eq!(told["model"], json!({ "provider": "x", "model": "m" }));
        assert_eq!(told["steps"][0]["base_sha256"], Digest::of(b"a").to_string());
        assert!(told["steps"][1].get("base_sha256").is_none() && told["steps"][2].get("base_sha256").is_none());
        let own = within(
            &declared,
            r#"{"model":{"provider":"y","model":"own"},"steps":[{"type":"file_modify","target":"a","base_sha256":"0"}]}"#,
        );
        assert_eq!((&own["model"]["model"], &own["steps"][0]["base_sha256"]), (&"own".into(), &"0".into()));
        for broken in ["", "[1]", "{\"a\":1,\"a\":2}", "{"] {
            assert_eq!(declared.within(Cow::Borrowed(broken.as_bytes())), broken.as_bytes());
        }
        assert!(matches!(Declared::default().within(Cow::Borrowed(b"{}")), Cow::Borrowed(_)));
    }
}
