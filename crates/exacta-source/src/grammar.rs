//! A language made ready: its grammar, and for each kind of node what it means. Made when a file of that language comes up.

use crate::area::Areas;
use crate::language::{Dialect, Language};
use std::sync::OnceLock;
use tree_sitter::Node;

/// What a kind of node means, as a set.
pub(crate) type Class = u16;
pub(crate) const COMMENT: Class = 1;
/// Not part of a signature: annotations, attributes, decorators.
pub(crate) const NOTE: Class = 1 << 1;
/// One more way through a function.
pub(crate) const BRANCH: Class = 1 << 2;
/// May join conditions, each with an operator of [`JOINS`].
pub(crate) const CONDITION: Class = 1 << 3;
/// An operator that is one more way, directly in a [`CONDITION`].
pub(crate) const JOIN: Class = 1 << 4;
/// May declare something.
pub(crate) const DECLARATION: Class = 1 << 5;
pub(crate) const CALL: Class = 1 << 6;
pub(crate) const IMPORT: Class = 1 << 7;
/// Says who may use what follows it.
pub(crate) const MARK: Class = 1 << 8;
/// A name in code, of whatever it names.
pub(crate) const REFERENCE: Class = 1 << 9;

const JOINS: &[&str] = &["&&", "||", "and", "or", "??"];

/// A language with its grammar.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub dialect: &'static Dialect,
    pub parser: tree_sitter::Language,
    pub areas: Areas,
    classes: Vec<Class>,
}

impl Grammar {
    /// The grammar of a language, made ready once.
    pub fn of(language: Language) -> &'static Self {
        static READY: [OnceLock<Grammar>; Language::COUNT] = [const { OnceLock::new() }; Language::COUNT];
        static FALLBACK: OnceLock<Grammar> = OnceLock::new();
        READY.get(language as usize).unwrap_or(&FALLBACK).get_or_init(|| Self::new(language))
    }

    fn new(language: Language) -> Self {
        let dialect = language.dialect();
        let parser = (dialect.grammar)();
        let mut classes = vec![0; parser.node_kind_count()];
        // Several ids may share a name; the walk sees any of them.
        for (id, class) in (0_u16..).zip(&mut classes) {
            let Some(name) = parser.node_kind_for_id(id) else { continue };
            *class = if parser.node_kind_is_named(id) { dialect.class(name) } else { join(name) };
        }
        Self { dialect, parser, areas: Areas::read(dialect.areas), classes }
    }

    /// What a node means.
    pub fn class(&self, node: &Node<'_>) -> Class {
        self.classes.get(usize::from(node.kind_id())).copied().unwrap_or(0)
    }
}

fn join(name: &str) -> Class {
    if JOINS.contains(&name) { JOIN } else { 0 }
}

impl Dialect {
    fn class(&self, name: &str) -> Class {
        let sets = [
            (COMMENT, self.comments),
            (NOTE, self.notes),
            (BRANCH, self.branches),
            (CONDITION, self.conditions),
            (DECLARATION, self.declarations),
            (CALL, self.calls),
            (IMPORT, self.imports),
            (MARK, self.marks),
        ];
        let reference = if name.ends_with("identifier") || matches!(name, "constant" | "name") { REFERENCE } else { 0 };
        sets.iter().filter(|(_, names)| names.contains(&name)).fold(reference, |class, (bit, _)| class | bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_of_the_grammar() {
        for language in Language::ALL {
            let grammar = Grammar::of(language);
            let dialect = grammar.dialect;
            let names = [
                dialect.comments,
                dialect.notes,
                dialect.branches,
                dialect.conditions,
                dialect.declarations,
                dialect.calls,
                dialect.imports,
                dialect.marks,
            ];
            for name in names.iter().flat_map(|names| names.iter()) {
                assert_ne!(grammar.parser.id_for_node_kind(name, true), 0, "{language:?} has no `{name}`");
            }
        }
    }
}
