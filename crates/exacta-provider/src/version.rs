//! Who a model is: what was configured, and what answered.

use crate::answer::Served;
use exacta_kernel::binding::ModelIdentity;
use exacta_kernel::provider::ProviderSetup;

/// The identity of a model: its configuration, and what answered.
///
/// A name that continues the configured one with a date or a number is a version of it. Any other name is another model, and it is the
/// one that counts: it wrote the answer.
pub(crate) fn identity(setup: &ProviderSetup, served: &Served) -> ModelIdentity {
    let plain = |name: &str| name.strip_prefix("models/").unwrap_or(name).to_owned();
    let (model, version) = match served.model.as_deref() {
        None => (setup.model.clone(), None),
        Some(name) if plain(name) == plain(&setup.model) => (setup.model.clone(), None),
        Some(name) => match version_of(&plain(&setup.model), &plain(name)) {
            Some(version) => (setup.model.clone(), Some(version)),
            None => (name.to_owned(), None),
        },
    };
    let named = setup.capabilities.iter().flatten();
    ModelIdentity {
        provider: setup.kind.name().to_owned(),
        model,
        version,
        local_sha256: None,
        capabilities: named.map(|capability| capability.name().to_owned()).collect(),
        limits: setup.limits,
        class: setup.class,
    }
}

/// The version in a name, if the name is that of a version of this model.
fn version_of(model: &str, name: &str) -> Option<String> {
    if let Some(family) = model.strip_suffix("-latest") {
        // An alias: whatever it means today is its version.
        return Some(name.strip_prefix(family).map_or(name, |rest| rest.trim_start_matches('-')).to_owned());
    }
    // `claude-sonnet-4-0` is an alias of `claude-sonnet-4-20250514`.
    let rest = name.strip_prefix(model).or_else(|| name.strip_prefix(model.strip_suffix("-0")?))?;
    let version = rest.strip_prefix(['-', '@', ':'])?;
    let is_version = |part: &str| {
        let number = part.strip_prefix('v').unwrap_or(part);
        matches!(part, "preview" | "exp" | "beta" | "latest")
            || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    version.split(['-', '.']).all(is_version).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn a_date_is_a_version_and_a_word_is_another_model() {
        let cases = [
            ("gpt-4o", "gpt-4o-2024-08-06", Some("2024-08-06")),
            ("gpt-4o", "gpt-4o-mini", None),
            ("gpt-4o", "gpt-4o-mini-2024-07-18", None),
            ("gpt-4", "gpt-4o", None),
            ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", Some("20250929")),
            ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", Some("20250219")),
            ("gemini-flash-latest", "gemini-2.5-flash-preview-09-2025", Some("gemini-2.5-flash-preview-09-2025")),
            ("gemini-2.5-flash", "gemini-2.5-flash-preview-05-20", Some("preview-05-20")),
            ("claude-sonnet-4-0", "claude-sonnet-4-20250514", Some("20250514")),
            ("llama3.2", "llama3.2:latest", Some("latest")),
            ("a", "b", None),
        ];
        for (model, name, version) in cases {
            assert_eq!(version_of(model, name).as_deref(), version, "{model} {name}");
        }
    }
}
