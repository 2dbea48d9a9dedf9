//! The Safety Policy is changed: as a file, key by key, or in an editor. What changes is shown before the question.

use super::Context;
use super::key::Decider;
use super::policy::{changed_policy, note_absent, text_of};
use crate::args::{PolicySet, Signer};
use crate::editor;
use crate::render::diff;
use exacta_app::settings::Settings;
use exacta_app::{Error, Exit};
use exacta_kernel::diff::render;
use exacta_kernel::facts::FileContent;
use exacta_kernel::path::RelPath;
use exacta_kernel::policy::safety::SafetyPolicy;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Key, TableLike, Value};

/// The name that people see for it.
const NAME: &str = "safety-policy.toml";

/// `exacta policy set FILE` and `exacta policy set KEY VALUE`
pub fn set(args: &PolicySet, context: &Context) -> Result<u8, Error> {
    let now = Settings::look(&context.options)?.policy_source()?;
    let (text, file) = match &args.value {
        Some(value) => (with_key(&now, key(&args.file)?, value)?, NAME.to_owned()),
        None => (text_of(&args.file)?, args.file.display().to_string()),
    };
    put(&now, &text, &file, &args.signer, context)
}

/// `exacta policy edit`
pub fn edit(signer: &Signer, context: &Context) -> Result<u8, Error> {
    let now = Settings::look(&context.options)?.policy_source()?;
    let text = editor::edited(&now, NAME, &context.options)?;
    put(&now, &text, NAME, signer, context)
}

/// Puts a policy into force, if a person agrees with the change, or the owner of a key asked for it.
fn put(now: &str, text: &str, file: &str, signer: &Signer, context: &Context) -> Result<u8, Error> {
    SafetyPolicy::parse(text, file)
        .map_err(|error| Error::new(Exit::Denied, "policy_broken", error.to_string()).hint(error.hint))?;
    if text == now {
        context.output.note("nothing changes: this is the policy in force");
        changed_policy(&Settings::look(&context.options)?.policy()?, context);
        return Ok(0);
    }
    let decider = Decider::new(signer, &context.options)?;
    if decider.is_person() {
        show(now, text, context)?;
    }
    decider.agrees("put this into force as the Safety Policy of all your projects?")?;
    let view = Settings::open(&context.options)?.set_policy(text, file, &decider.key(&context.options)?)?;
    changed_policy(&view, context);
    note_absent(text, context);
    Ok(0)
}

fn show(now: &str, text: &str, context: &Context) -> Result<(), Error> {
    let path = RelPath::parse(NAME).map_err(|error| Error::fault("internal", error.to_string()))?;
    let [before, after] = [now, text].map(|text| FileContent::new(text.as_bytes().to_vec(), 0o644));
    let mut shown = String::new();
    diff::write(NAME, &render(&path, Some(&before), Some(&after)), context.output.paint_aside(), &mut shown);
    context.output.aside_text(&shown);
    Ok(())
}

fn key(given: &Path) -> Result<&str, Error> {
    given.to_str().ok_or_else(|| wrong_key(&given.display().to_string()))
}

/// The text with one key changed, and every other byte as it is.
fn with_key(text: &str, key: &str, value: &str) -> Result<String, Error> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Error::new(Exit::Denied, "policy_broken", format!("the policy in force cannot be read: {}", error.message()))
            .hint("`exacta policy edit` opens it in your editor")
    })?;
    let path = Key::parse(key).map_err(|_| wrong_key(key))?;
    let (last, tables) = path.split_last().ok_or_else(|| wrong_key(key))?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in tables {
        table = table
            .entry(name.get())
            .or_insert_with(toml_edit::table)
            .as_table_like_mut()
            .ok_or_else(|| wrong_key(key))?;
    }
    // What is no TOML by itself, such as DEV, is a text.
    let mut value: Value = value.parse().unwrap_or_else(|_| Value::from(value));
    if let Some(old) = table.get(last.get()).and_then(Item::as_value) {
        *value.decor_mut() = old.decor().clone();
    } else {
        value.decor_mut().clear();
    }
    table.insert(last.get(), Item::Value(value));
    Ok(document.to_string())
}

fn wrong_key(key: &str) -> Error {
    let shown = exacta_kernel::text::excerpt(key, 60);
    Error::new(Exit::Usage, "policy_key_invalid", format!("`{shown}` is no key of a policy"))
        .hint("keys are those of `exacta policy show`, with dots, such as `caps.submitted_files`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_changes_and_comments_stay() {
        let text = "# mine\nversion = \"1\" # one\nceiling = \"DEV\"\n\n[caps]\nsteps = 5 # few\n";
        for (key, value, expected) in [
            ("ceiling", "SAFE", "# mine\nversion = \"1\" # one\nceiling = \"SAFE\"\n\n[caps]\nsteps = 5 # few\n"),
            ("caps.steps", "7", "# mine\nversion = \"1\" # one\nceiling = \"DEV\"\n\n[caps]\nsteps = 7 # few\n"),
            (
                "caps.files",
                "9",
                "# mine\nversion = \"1\" # one\nceiling = \"DEV\"\n\n[caps]\nsteps = 5 # few\nfiles = 9\n",
            ),
            (
                "projects.\"/a.b\".checks",
                "[]",
                "# mine\nversion = \"1\" # one\nceiling = \"DEV\"\n\n[caps]\nsteps = 5 # few\n\n[projects]\n\n[projects.\"/a.b\"]\nchecks = []\n",
            ),
        ] {
            assert_eq!(with_key(text, key, value).unwrap(), expected, "{key}");
        }
        for wrong in ["", "a..b", "version.x", "a b"] {
            assert_eq!(with_key(text, wrong, "1").unwrap_err().code, "policy_key_invalid", "{wrong}");
        }
    }
}
