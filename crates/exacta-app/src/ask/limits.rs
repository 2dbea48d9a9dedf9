//! What must and must not be: from the request's words, its options, the project and the Safety Policy. Compiled, shown and held against
//! each other before anything is sent.

use super::session::Session;
use super::view::{AskStage, LimitView};
use super::words;
use crate::error::{Error, Exit};
use exacta_kernel::constraint::{self, Source};
use exacta_kernel::limit;
use exacta_kernel::proposal::{Constraint, ConstraintKind, Scope};

impl Session<'_> {
    /// Gathers them.
    ///
    /// # Errors
    /// If one cannot be kept, or two contradict each other.
    pub fn gather_constraints(&mut self) -> Result<(), Error> {
        self.constraints = match &self.revision {
            Some(revision) => revision.constraints.clone(),
            None => self.given()?,
        };
        let in_force = self.app.in_force()?;
        let mut shown: Vec<(Source, Constraint)> =
            self.constraints.iter().map(|it| (Source::Request, it.clone())).collect();
        shown.extend(in_force.policy.constraints().into_iter().map(|it| (it.source, it.constraint)));
        let checked = shown.iter().filter(|(_, it)| constraint::is_understood(it)).count();
        let doing = match shown.len() {
            0 => "none given".to_owned(),
            count => format!("{count}, of which {checked} can be checked"),
        };
        self.enter(AskStage::Constraints, doing)?;
        self.view.constraints = shown.iter().map(|(source, it)| limit_view(*source, it)).collect();
        self.check_together(&shown)
    }

    /// The request's own.
    fn given(&self) -> Result<Vec<Constraint>, Error> {
        let wish = &self.wish;
        let mut all = words::limits(&wish.text);
        let mut add = |id: String, kind, description: String| {
            all.push(Constraint { id, kind, scope: Scope::Global, target: None, description });
        };
        for (at, text) in wish.must.iter().enumerate() {
            add(format!("must-{}", at + 1), ConstraintKind::Must, stated(text)?);
        }
        for (at, text) in wish.must_not.iter().enumerate() {
            add(format!("must-not-{}", at + 1), ConstraintKind::MustNot, stated(text)?);
        }
        if !wish.only.is_empty() {
            add("only".to_owned(), ConstraintKind::Must, format!("only change {}", listed("only change", &wish.only)?));
        }
        if !wish.not.is_empty() {
            add("not".to_owned(), ConstraintKind::Must, format!("do not touch {}", listed("do not touch", &wish.not)?));
        }
        if all.len() > limit::CONSTRAINTS {
            let message = format!("there are more than {} constraints", limit::CONSTRAINTS);
            return Err(Error::new(Exit::Usage, "constraint_invalid", message).hint("give the ones that matter most"));
        }
        Ok(all)
    }

    /// That a plan can keep them all, and touch the files that it is about.
    fn check_together(&self, shown: &[(Source, Constraint)]) -> Result<(), Error> {
        let all: Vec<&Constraint> = shown.iter().map(|(_, it)| it).collect();
        if let Some(conflict) = constraint::conflicts(&all).first() {
            let text = |at: usize| {
                all.get(at).map_or_else(String::new, |it| exacta_kernel::text::excerpt(&it.description, 120))
            };
            let message = format!(
                "“{}” and “{}” contradict each other: {}",
                text(conflict.first),
                text(conflict.second),
                conflict.reason
            );
            return Err(contradiction(message));
        }
        for file in &self.wish.files {
            let about = Constraint {
                id: "file".to_owned(),
                kind: ConstraintKind::Must,
                scope: Scope::Global,
                target: None,
                description: format!("only change `{file}`"),
            };
            for other in &all {
                if constraint::conflicts(&[&about, other]).is_empty() {
                    continue;
                }
                let message = format!(
                    "the request is about `{file}`, which “{}” forbids to change",
                    exacta_kernel::text::excerpt(&other.description, 120)
                );
                return Err(contradiction(message));
            }
        }
        Ok(())
    }
}

fn contradiction(message: String) -> Error {
    Error::new(Exit::Denied, "PLAN_CONSTRAINT_CONFLICT", message)
        .hint("leave one of them out, or make them fit; nothing was sent")
}

/// A limit in the user's words, as it is kept with the plan.
fn stated(text: &str) -> Result<String, Error> {
    let text = text.trim();
    let refuse =
        |message: &str, hint: &str| Err(Error::new(Exit::Usage, "constraint_invalid", message.to_owned()).hint(hint));
    if text.is_empty() {
        return refuse("a constraint is empty", "say what must or must not be");
    }
    if text.len() > limit::CLAUSE {
        return refuse("a constraint is too long", "say it in fewer words");
    }
    if matches!(exacta_kernel::secret::mask(text), std::borrow::Cow::Owned(_)) {
        return refuse(
            "a constraint holds what looks like a secret",
            "it would be kept with the plan: say it without the secret",
        );
    }
    Ok(text.to_owned())
}

/// Paths as a limit names them. One that is none in the project would be a limit that nobody can check: it is refused.
fn listed(verb: &str, paths: &[String]) -> Result<String, Error> {
    let is_checked = |path: &str| {
        let (id, description) = (String::new(), format!("{verb} `{path}`"));
        let alone = Constraint { id, kind: ConstraintKind::Must, scope: Scope::Global, target: None, description };
        !path.contains(['`', '\n']) && constraint::is_understood(&alone)
    };
    let named = paths.iter().map(|path| match is_checked(path) {
        true => Ok(format!("`{path}`")),
        false => {
            let message = format!("`{}` cannot be a path in a constraint", exacta_kernel::text::excerpt(path, 60));
            Err(Error::new(Exit::Usage, "constraint_invalid", message)
                .hint("name a path or pattern inside the project"))
        }
    });
    Ok(named.collect::<Result<Vec<_>, _>>()?.join(", "))
}

fn limit_view(source: Source, it: &Constraint) -> LimitView {
    LimitView {
        id: it.id.clone(),
        kind: match it.kind {
            ConstraintKind::Must => "MUST",
            ConstraintKind::MustNot => "MUST_NOT",
            ConstraintKind::Prefer => "PREFER",
        },
        source: match source {
            Source::Project => "project",
            Source::SafetyPolicy => "safety_policy",
            _ => "request",
        },
        description: exacta_kernel::text::visible_line(&it.description).into_owned(),
        checked: constraint::is_understood(it),
    }
}
