//! A declaration without its body, in a form that can be compared.

use crate::grammar::{COMMENT, Grammar, NOTE};
use crate::language::{Declared, Parameters, Shape, children};
use tree_sitter::Node;

/// What those who use a declaration rely on.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Signature {
    /// Everything but the parameters.
    head: String,
    parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Parameter {
    text: String,
    /// Callers may leave it out.
    optional: bool,
}

impl Signature {
    pub fn read(grammar: &Grammar, source: &[u8], node: Node<'_>, declared: &Declared<'_>) -> Self {
        if declared.shape == Shape::Alias {
            return Self::default();
        }
        let mut tokens = Tokens { grammar, source, text: String::new(), bare: false };
        let parameters = declared.parameters;
        let (first, second) = parameters.map_or((declared.end, declared.end), |it| (it.start_byte(), it.end_byte()));
        tokens.add(node, declared.start, first);
        if second < declared.end {
            tokens.text.push('…');
            tokens.add(node, second, declared.end);
        }
        let parameters = parameters.map_or_else(Vec::new, |node| parameters_of(grammar, source, node));
        Self { head: tokens.text, parameters }
    }

    /// Whether whoever uses the one can use the other: the same, or with more parameters that may be left out.
    pub fn serves(&self, old: &Self) -> bool {
        let kept = self.parameters.iter().zip(&old.parameters);
        let more = self.parameters.get(old.parameters.len()..);
        self.head == old.head
            && more.is_some_and(|more| more.iter().all(|it| it.optional))
            && kept.into_iter().all(|(new, old)| new.text == old.text && (new.optional || !old.optional))
    }
}

fn parameters_of(grammar: &Grammar, source: &[u8], node: Node<'_>) -> Vec<Parameter> {
    // A single parameter may stand without brackets.
    let inner: Vec<Node<'_>> = children(node).filter(|child| child.is_named()).collect();
    let list = if node.child_count() == 0 { vec![node] } else { inner };
    let list = list.into_iter().filter(|it| grammar.class(it) & (COMMENT | NOTE) == 0);
    list.flat_map(|it| parameter(grammar, source, it)).collect()
}

/// One parameter; several where names share a type.
fn parameter(grammar: &Grammar, source: &[u8], node: Node<'_>) -> Vec<Parameter> {
    let default = children(node).find(|child| child.kind() == "=").or_else(|| node.child_by_field_name("value"));
    let optional = default.is_some() || OPTIONAL.contains(&node.kind());
    let kind = node.child_by_field_name("type");
    let typed = grammar.dialect.parameters == Parameters::Typed;
    let shown = kind.filter(|_| typed).unwrap_or(node);
    let bare = grammar.dialect.parameters == Parameters::Bare;
    let mut tokens = Tokens { grammar, source, text: String::new(), bare };
    tokens.add(shown, 0, default.map_or(node.end_byte(), |it| it.start_byte()));
    if typed && kind.is_none() && is_name(&tokens.text) && node.kind() != "keyword_parameter" {
        "_".clone_into(&mut tokens.text);
    }
    let names = if kind.is_some() && typed { names(node) } else { 1 };
    vec![Parameter { text: tokens.text, optional }; names.max(1)]
}

/// Parameters that callers may leave out, whatever their value.
const OPTIONAL: &[&str] = &[
    "optional_parameter",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "keyword_separator",
    "positional_separator",
    "rest_pattern",
    "variadic_parameter",
    "splat_parameter",
    "hash_splat_parameter",
    "block_parameter",
];

fn names(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    node.children_by_field_name("name", &mut cursor).count()
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// The tokens of a stretch of code as one text: one space where two words meet, no comments, no annotations.
struct Tokens<'a> {
    grammar: &'a Grammar,
    source: &'a [u8],
    text: String,
    /// Without names.
    bare: bool,
}

impl Tokens<'_> {
    /// Adds the tokens of a node that lie in these bytes.
    fn add(&mut self, node: Node<'_>, from: usize, to: usize) {
        let mut cursor = node.walk();
        loop {
            let node = cursor.node();
            let outside = node.end_byte() <= from || node.start_byte() >= to;
            let skipped = outside || self.grammar.class(&node) & (COMMENT | NOTE) != 0;
            if !skipped {
                if cursor.goto_first_child() {
                    continue;
                }
                if !(self.bare && node.kind() == "identifier") {
                    self.token(crate::language::text(self.source, node));
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn token(&mut self, token: &str) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if token.starts_with(is_word) && self.text.ends_with(is_word) {
            self.text.push(' ');
        }
        // A trailing comma says nothing.
        if token.starts_with([')', ']', '}', '>']) && self.text.ends_with(',') {
            self.text.pop();
        }
        self.text.push_str(token);
    }
}
