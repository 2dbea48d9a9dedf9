//! Sensitive areas by what code does: which calls and imports belong to which, language by language.
//!
//! The tables are data (`data/areas`): a line for each area, `name: rule, rule, …`. A rule is `import x` (a module), `f` (that
//! function, unqualified), `x.f` (that function of that module, type or object), `*.f` (whatever it is of), `x.*` (all of it).

use exacta_kernel::facts::source::Area;
use std::collections::BTreeMap;

/// What is looked at of a long chain of calls.
const LONGEST: usize = 96;

/// One language's rules.
#[derive(Debug, Default)]
pub(crate) struct Areas {
    calls: BTreeMap<&'static str, Vec<(Of, Area)>>,
    wholes: BTreeMap<&'static str, Area>,
    imports: Vec<(&'static str, Area)>,
}

/// What a function is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Nothing,
    Anything,
    Only(&'static str),
}

impl Areas {
    /// Reads a table; what is malformed is left out, which a test rules out.
    pub fn read(table: &'static str) -> Self {
        let mut areas = Self::default();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, rules)) = line.split_once(':') else { continue };
            let Some(area) = Area::parse(name) else { continue };
            rules.split(',').map(str::trim).for_each(|rule| areas.rule(rule, area));
        }
        areas
    }

    fn rule(&mut self, rule: &'static str, area: Area) {
        if let Some(module) = rule.strip_prefix("import ") {
            self.imports.push((module, area));
        } else if let Some(whole) = rule.strip_suffix(".*") {
            self.wholes.insert(whole, area);
        } else {
            let (of, name) = match rule.split_once('.') {
                None => (Of::Nothing, rule),
                Some(("*", name)) => (Of::Anything, name),
                Some((of, name)) => (Of::Only(of), name),
            };
            self.calls.entry(name).or_default().push((of, area));
        }
    }

    /// The area of a call, given what stands before its arguments.
    pub fn of_call(&self, callee: &[u8]) -> Option<(Area, String)> {
        let start = callee.len().saturating_sub(LONGEST);
        let callee = std::str::from_utf8(callee.get(start..)?).ok()?;
        let mut names =
            callee.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).filter(|it| !it.is_empty());
        let (name, of) = (names.next()?, names.next());
        let rules = self.calls.get(name).map_or(&[][..], Vec::as_slice);
        let fits = |rule: &Of| match rule {
            Of::Nothing => of.is_none(),
            Of::Anything => true,
            Of::Only(only) => of == Some(only),
        };
        let area = rules.iter().find(|(rule, _)| fits(rule)).map(|(_, area)| *area);
        let area = area.or_else(|| self.wholes.get(of?).copied())?;
        Some((area, of.map_or_else(|| name.to_owned(), |of| format!("{of}.{name}"))))
    }

    /// The area of an import.
    pub fn of_import(&self, statement: &str) -> Option<(Area, String)> {
        let (module, area) = self.imports.iter().find(|(module, _)| mentions(statement, module))?;
        Some((*area, (*module).to_owned()))
    }
}

/// Whether a statement holds a module's name, not as a part of another.
fn mentions(statement: &str, module: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    statement.match_indices(module).any(|(at, _)| {
        let before = statement.get(..at).unwrap_or_default();
        let after = statement.get(at + module.len()..).unwrap_or_default();
        !before.ends_with(is_name) && !after.starts_with(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn tables_are_well_formed() {
        for language in Language::ALL {
            for line in language.dialect().areas.lines().filter(|line| !line.starts_with('#')) {
                let (area, rules) = line.split_once(':').unwrap();
                assert!(Area::parse(area).is_some(), "{language:?}: {area}");
                for rule in rules.split(',').map(str::trim) {
                    let rest = rule.strip_prefix("import ").unwrap_or(rule);
                    assert!(!rest.is_empty() && !rest.contains(' '), "{language:?}: `{rule}`");
                }
            }
        }
    }
}
