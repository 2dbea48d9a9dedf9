//! Where a proposal comes from: a file or standard input, with constraints of the request.

use crate::args::{self, Source, SourceWith};
use exacta_app::import::{Form, Patch};
use exacta_app::{Error, Exit, Request};
use exacta_kernel::hash::Hashing;
use exacta_kernel::limit;
use exacta_kernel::parse::{Refusal, Size};
use exacta_kernel::proposal::{Constraint, ConstraintKind, IntentKind, Scope};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// More is not kept in memory, only hashed: no policy lets a plan be larger.
const MOST: u64 = Size::MOST.plan + 1;

/// More is not even hashed: it may never end.
const ENDLESS: u64 = 1 << 30;

/// What can be read.
const READABLE: &str = "name a file that you can read, or `-` for standard input";

const KINDS: [(&str, ConstraintKind); 4] = [
    ("MUST_NOT ", ConstraintKind::MustNot),
    ("MUST NOT ", ConstraintKind::MustNot),
    ("MUST ", ConstraintKind::Must),
    ("PREFER ", ConstraintKind::Prefer),
];

/// The text of a proposal or patch, and what comes with it.
pub fn read(source: &Source) -> Result<(Vec<u8>, Request), Error> {
    read_with(&source.file, &source.with)
}

/// The same of a file that is named in another way.
pub fn read_with(file: &Path, with: &SourceWith) -> Result<(Vec<u8>, Request), Error> {
    let constraints = constraints(with)?;
    let (text, refused) = read_named(file)?;
    let patch = patch(&with.patch, &text)?;
    Ok((text, Request { constraints, patch, refused, ..Request::default() }))
}

/// The constraints that come with a proposal.
pub fn constraints(source: &SourceWith) -> Result<Vec<Constraint>, Error> {
    if source.constraints.len() > limit::CONSTRAINTS {
        let message = format!("there are more than {} constraints", limit::CONSTRAINTS);
        return Err(Error::new(Exit::Usage, "constraint_invalid", message).hint("give the ones that matter most"));
    }
    source.constraints.iter().enumerate().map(|(index, text)| constraint(index + 1, text)).collect()
}

/// What kind of change a patch is, as the user says.
pub fn intent(args: &args::Patch) -> IntentKind {
    args.intent.as_deref().and_then(IntentKind::parse).unwrap_or(IntentKind::AddFeature)
}

/// The form that was named, or else the one that the text begins like; none for a proposal.
fn patch(args: &args::Patch, text: &[u8]) -> Result<Option<Patch>, Error> {
    let form = match (args.from_git, args.from_codex) {
        (false, false) => form(text),
        (true, _) => Some(Form::Git),
        (false, true) => Some(Form::Codex),
    };
    let Some(form) = form else {
        let told = args.intent.is_some() || args.text.is_some();
        return if told { Err(no_patch()) } else { Ok(None) };
    };
    Ok(Some(Patch { form, intent: intent(args), words: args.text.clone() }))
}

/// What a patch begins with. A proposal is a JSON object, so that nothing is both.
fn form(text: &[u8]) -> Option<Form> {
    let begins = |form: &str| text.starts_with(form.as_bytes());
    if ["diff ", "--- ", "From ", "Index: "].into_iter().any(begins) {
        Some(Form::Git)
    } else {
        begins("*** Begin Patch").then_some(Form::Codex)
    }
}

fn no_patch() -> Error {
    let message = "`--intent` and `--text` are for patches; a proposal says itself what it is for";
    Error::new(Exit::Usage, "not_a_patch", message)
        .hint("leave them out, or say what form the patch has: `--from-git` or `--from-codex`")
}

/// The content of a file that the user named, or of standard input; of what is too large to be a proposal, the start of it and
/// the refusal of the whole.
pub fn read_named(path: &Path) -> Result<(Vec<u8>, Option<Refusal>), Error> {
    if path == Path::new("-") { all(io::stdin().lock(), 0, "standard input") } else { file(path) }
}

/// The content of a file that the user named. A pipe or a device might never end, or never begin: only a regular file is read.
#[expect(clippy::disallowed_methods, reason = "a file that the user named")]
fn file(path: &Path) -> Result<(Vec<u8>, Option<Refusal>), Error> {
    let name = format!("`{}`", path.display());
    let at_once = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file =
        File::options().read(true).custom_flags(at_once).open(path).map_err(|error| unreadable(&name, &error))?;
    let found = file.metadata().map_err(|error| unreadable(&name, &error))?;
    if !found.is_file() {
        let what = if found.is_dir() { "a folder" } else { "not a regular file" };
        return Err(Error::new(Exit::Usage, "unreadable", format!("cannot read {name}: it is {what}")).hint(READABLE));
    }
    all(file, found.len(), &name)
}

fn constraint(number: usize, text: &str) -> Result<Constraint, Error> {
    if matches!(exacta_kernel::secret::mask(text), std::borrow::Cow::Owned(_)) {
        return Err(Error::new(Exit::Usage, "constraint_invalid", "a constraint holds what looks like a secret")
            .hint("it would be kept with every plan: say it without the secret, and change the secret if it is one"));
    }
    if text.len() > limit::CLAUSE {
        let message = format!("a constraint has {} bytes; at most {} are allowed", text.len(), limit::CLAUSE);
        return Err(Error::new(Exit::Usage, "constraint_invalid", message).hint("say it in fewer words"));
    }
    let upper = text.to_ascii_uppercase();
    let found = KINDS.iter().find(|(word, _)| upper.starts_with(word));
    let (kind, description) = found
        .and_then(|(word, kind)| Some((*kind, text.get(word.len()..)?.trim())))
        .filter(|(_, description)| !description.is_empty())
        .ok_or_else(|| {
            let shown = exacta_kernel::text::excerpt(text, 60);
            Error::new(Exit::Usage, "constraint_invalid", format!("`{shown}` does not begin with its kind"))
                .hint("begin with MUST, MUST_NOT or PREFER, as in --constraint \"MUST_NOT delete files\"")
        })?;
    Ok(Constraint {
        id: format!("request-{number}"),
        kind,
        scope: Scope::Global,
        target: None,
        description: description.to_owned(),
    })
}

fn all(mut stream: impl Read, size: u64, name: &str) -> Result<(Vec<u8>, Option<Refusal>), Error> {
    let unreadable = |error| unreadable(name, &error);
    let mut text = Vec::with_capacity(usize::try_from(size.min(MOST)).unwrap_or_default());
    stream.by_ref().take(MOST).read_to_end(&mut text).map_err(unreadable)?;
    if (text.len() as u64) < MOST {
        return Ok((text, None));
    }
    let mut hashing = Hashing::default();
    hashing.update(&text);
    let mut size = MOST;
    let mut part = vec![0; 1 << 16];
    loop {
        let read = match stream.read(&mut part) {
            Ok(0) => return Ok((text, Some(Refusal::too_large(size, hashing.finish())))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(unreadable)?,
        };
        hashing.update(part.get(..read).unwrap_or_default());
        size += read as u64;
        if size > ENDLESS {
            return Err(unreadable(io::Error::other("it has more than 1 GiB; a plan has at most 64 MiB")));
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> Error {
    Error::new(Exit::Usage, "unreadable", format!("cannot read {name}: {error}")).hint(READABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_found_by_the_beginning() {
        for (text, expected) in [
            ("diff --git a/x b/x\n", Some(Form::Git)),
            ("From 0123456789 Mon Sep 17 00:00:00 2001\n", Some(Form::Git)),
            ("--- a/x\n+++ b/x\n", Some(Form::Git)),
            ("*** Begin Patch\n", Some(Form::Codex)),
            ("{\"schema\": \"diff --git\"}", None),
            ("  {}", None),
            ("*** Begin", None),
            ("", None),
        ] {
            assert_eq!(form(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn constraints_begin_with_their_kind() {
        let parsed = constraint(1, "must not delete files").unwrap();
        assert_eq!((parsed.kind, parsed.description.as_str()), (ConstraintKind::MustNot, "delete files"));
        assert_eq!(constraint(2, "MUST_NOT touch `x`").unwrap().kind, ConstraintKind::MustNot);
        assert_eq!(constraint(2, "Must keep the public API").unwrap().kind, ConstraintKind::Must);
        assert_eq!(constraint(3, "PREFER small steps").unwrap().id, "request-3");
        for bad in ["", "delete nothing", "MUST", "MUST_NOT  "] {
            assert!(constraint(1, bad).is_err(), "{bad}");
        }
    }
}
