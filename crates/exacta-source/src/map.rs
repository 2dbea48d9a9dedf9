//! What a file defines, uses and imports: for finding one's way through a project, not for judging a change.
//!
//! One parse and one walk. What is declared inside a function is nobody else's business and is left out, and so are fields and
//! variants: they belong to their type.

use crate::grammar::{CALL, DECLARATION, Grammar, IMPORT, REFERENCE};
use crate::language::{Declared, Shape, Site, text};
use crate::{language, limit};
use tree_sitter::{Node, Parser};

/// What a file of code defines, uses and imports.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Map<'s> {
    /// What it defines, in order.
    pub definitions: Vec<Definition<'s>>,
    /// Every name that its code uses, in order, with repetitions.
    pub references: Vec<&'s str>,
    /// What it imports, each as it is written.
    pub imports: Vec<&'s str>,
}

/// Something with a name that code elsewhere may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition<'s> {
    /// The name alone.
    pub name: &'s str,
    /// How it is declared, up to its body.
    pub signature: &'s str,
    /// How many definitions it is in.
    pub depth: usize,
    /// Its first line, from 1.
    pub line: usize,
}

/// Reads many files, one after the other.
#[derive(Default)]
pub struct Mapper {
    parser: Parser,
}

impl std::fmt::Debug for Mapper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mapper")
    }
}

impl Mapper {
    /// What a file with this name tells; none where it is not in a language that is parsed, or not one that people wrote.
    pub fn map<'s>(&mut self, name: &str, source: &'s [u8]) -> Option<Map<'s>> {
        let language = language::of(name, &[], source)?;
        if !limit::allows(source) {
            return None;
        }
        let grammar = Grammar::of(language);
        self.parser.set_language(&grammar.parser).ok()?;
        let tree = limit::parse(&mut self.parser, source)?;
        let mut walk = Walk { grammar, file: name, source, within: Vec::new(), map: Map::default() };
        walk.all(tree.root_node());
        Some(walk.map)
    }
}

struct Walk<'a, 's> {
    grammar: &'a Grammar,
    file: &'a str,
    source: &'s [u8],
    /// The definitions that the walk is in: how deep in the tree, and whether it is a function.
    within: Vec<(usize, bool)>,
    map: Map<'s>,
}

impl<'s> Walk<'_, 's> {
    fn all(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        let mut above = Vec::new();
        loop {
            let node = cursor.node();
            self.enter(node, &above);
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            loop {
                while self.within.last().is_some_and(|(depth, _)| *depth >= above.len()) {
                    self.within.pop();
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                above.pop();
            }
        }
    }

    fn enter(&mut self, node: Node<'_>, above: &[Node<'_>]) {
        let class = self.grammar.class(&node);
        if class & REFERENCE != 0 {
            let name = text(self.source, node);
            if !name.is_empty() && node.child_count() == 0 {
                self.map.references.push(name);
            }
        }
        if class & IMPORT != 0 {
            self.map.imports.push(text(self.source, node));
        } else if class & CALL != 0 {
            self.required(node);
        }
        if class & DECLARATION != 0 {
            self.declare(node, above);
        }
    }

    /// `require("x")`, which imports as well.
    fn required(&mut self, node: Node<'_>) {
        let called = node.child_by_field_name("function").map(|function| text(self.source, function));
        if matches!(called, Some("require" | "import" | "require_relative")) {
            self.map.imports.push(text(self.source, node));
        }
    }

    fn declare(&mut self, node: Node<'_>, above: &[Node<'_>]) {
        if self.within.iter().any(|(_, function)| *function) {
            return;
        }
        let mut declared: Vec<Declared<'_>> = Vec::new();
        let site = Site { node, source: self.source, scope: None, file: self.file, above, notes: &[] };
        (self.grammar.dialect.declared)(&site, &mut declared);
        let mut inside = None;
        for declared in declared.iter().filter(|it| !it.name.is_empty()) {
            inside = inside.or(match declared.shape {
                Shape::Function => Some(true),
                Shape::Scope { .. } | Shape::Group { .. } => Some(false),
                Shape::Item | Shape::Alias | Shape::Export => None,
            });
            self.add(node, declared);
        }
        self.within.extend(inside.map(|function| (above.len(), function)));
    }

    fn add(&mut self, node: Node<'_>, declared: &Declared<'_>) {
        let own_body = node.child_by_field_name("body").is_some();
        if declared.word == "mod" && !own_body {
            self.map.imports.push(text(self.source, node));
        }
        let minor = matches!(declared.word, "field" | "property" | "value" | "variant");
        if minor || matches!(declared.shape, Shape::Alias | Shape::Export) {
            return;
        }
        let Some(name) = self.within_source(declared.name) else { return };
        let end = if declared.end > node.start_byte() { declared.end } else { node.end_byte() };
        let signature = self.source.get(node.start_byte()..end).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let signature = signature.unwrap_or(name).trim_end();
        let line = node.start_position().row + 1;
        self.map.definitions.push(Definition { name, signature, depth: self.within.len(), line });
    }

    /// The same text, borrowed from the source and not from the tree.
    fn within_source(&self, part: &str) -> Option<&'s str> {
        let start = (part.as_ptr() as usize).checked_sub(self.source.as_ptr() as usize)?;
        std::str::from_utf8(self.source.get(start..start.checked_add(part.len())?)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Per language: a file, what it defines, what it imports.
    const CASES: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "a.rs",
            "mod deep;\nuse crate::b::C;\npub struct S { x: u8 }\nimpl S {\n    fn m(&self) { fn inner() {} }\n}\n",
            &["deep", "S", "S", "m"],
            &["mod deep;", "use crate::b::C;"],
        ),
        (
            "a.py",
            "from .b import c\nclass D:\n    def e(self):\n        def f(): pass\ndef g(): pass\n",
            &["D", "e", "g"],
            &["from .b import c"],
        ),
        (
            "a.ts",
            "import { b } from './b';\nconst c = require('./c');\nexport class D { e() { const f = 1; } }\n",
            &["c", "D", "e"],
            &["import { b } from './b';", "require('./c')"],
        ),
        (
            "a.go",
            "package a\nimport \"x/y\"\ntype T struct { f int }\nfunc (t T) M() {}\nfunc F() {}\n",
            &["T", "M", "F"],
            &["\"x/y\""],
        ),
        ("A.java", "import x.Y;\nclass A { int f; void m() {} }\n", &["A", "m"], &["import x.Y;"]),
        ("a.c", "#include \"b.h\"\nint f(void) { return 0; }\n", &["f"], &["#include \"b.h\"\n"]),
    ];

    #[test]
    fn definitions_and_imports_are_read() {
        for (file, source, definitions, imports) in CASES {
            let map = Mapper::default().map(file, source.as_bytes()).unwrap();
            let names: Vec<&str> = map.definitions.iter().map(|it| it.name).collect();
            assert_eq!((names.as_slice(), map.imports.as_slice()), (*definitions, *imports), "{file}");
        }
    }

    #[test]
    fn references_are_names_in_code_alone() {
        let source = "// comment\nfn f() { g(\"text\", h.i); }\n";
        let map = Mapper::default().map("a.rs", source.as_bytes()).unwrap();
        assert_eq!(map.references, ["f", "g", "h", "i"]);
        assert_eq!(map.definitions.first().map(|it| (it.signature, it.depth, it.line)), Some(("fn f()", 0, 2)));
    }

    #[test]
    fn what_people_did_not_write_is_left_alone() {
        let minified = "a(".repeat(100_000);
        for (file, source) in [("a.txt", "x"), ("a.js", minified.as_str()), ("a.rs", "a\0")] {
            assert_eq!(Mapper::default().map(file, source.as_bytes()), None, "{file}");
        }
    }
}
