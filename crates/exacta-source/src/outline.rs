//! One version of a file: what it declares, its functions, and the sensitive calls in its changed lines. One parse, one walk.

use crate::grammar::{BRANCH, CALL, COMMENT, CONDITION, Class, DECLARATION, Grammar, IMPORT, JOIN, MARK, NOTE};
use crate::language::{Declared, Reach, Scope, Shape, Site, Visibility, children};
use crate::limit;
use crate::signature::Signature;
use exacta_kernel::facts::source::AreaUse;
use std::collections::BTreeSet;
use tree_sitter::{Node, Parser};

/// More of a file than this part that cannot be parsed makes the rest doubtful.
const UNREADABLE: usize = 8;

/// What one version of a file holds.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// What other code may use, in order; until it is [settled](Outline::settled), also what it perhaps may.
    pub public: Vec<Item>,
    /// Every function with a name, in order.
    pub functions: Vec<Function>,
    /// Sensitive calls and imports in changed lines.
    pub areas: Vec<AreaUse>,
    /// Names that the file exports apart from their declaration.
    pub exports: BTreeSet<String>,
    /// Types that the file keeps to itself.
    pub hidden: BTreeSet<String>,
    /// Whether all of it could be parsed.
    pub flawless: bool,
    /// Whether most of it could be.
    readable: bool,
}

/// Something that other code may use.
#[derive(Debug)]
pub(crate) struct Item {
    /// Such as `fn`.
    pub word: &'static str,
    /// With what it is in.
    pub name: String,
    pub signature: Signature,
    pub line: u64,
    /// Whether one of its lines changes.
    pub touched: bool,
    reach: Reach,
    /// The type whose `impl` it is in.
    pub owner: Option<String>,
}

/// A function with a name.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: String,
    pub line: u64,
    /// Whether one of its lines changes.
    pub touched: bool,
    pub complexity: u32,
    /// Of its tokens and how they nest; comments and white space do not count.
    pub fingerprint: u64,
    depth: usize,
    pub test: bool,
}

impl Outline {
    /// Reads a file; none if that takes too long. No file is an empty one.
    pub fn read(
        parser: &mut Parser,
        grammar: &Grammar,
        file: &str,
        source: &[u8],
        changed: BTreeSet<u64>,
    ) -> Option<Self> {
        if source.is_empty() {
            return Some(Self { flawless: true, readable: true, ..Self::default() });
        }
        let tree = limit::parse(parser, source)?;
        let mut walk = Walk {
            grammar,
            file,
            source,
            changed,
            frames: Vec::new(),
            notes: Vec::new(),
            declared: Vec::new(),
            unreadable: (0, 0),
            outline: Self::default(),
        };
        walk.all(tree.root_node());
        let (flawless, readable) = (!tree.root_node().has_error(), walk.unreadable.1 * UNREADABLE <= source.len());
        Some(Self { flawless, readable, ..walk.outline })
    }

    /// The same with what others may really use: only now is it known what the file exports and what it keeps to itself. None
    /// if the file is largely not in its language.
    pub fn settled(mut self) -> Option<Self> {
        let (exports, hidden) = (&self.exports, &self.hidden);
        self.public.retain(|item| {
            let exported = match &item.reach {
                Reach::Public => true,
                Reach::Private => false,
                Reach::IfExported(name) => exports.contains(name.as_str()),
            };
            exported && item.owner.as_ref().is_none_or(|owner| !hidden.contains(owner))
        });
        self.readable.then_some(self)
    }
}

/// The walk through one tree.
struct Walk<'a, 't> {
    grammar: &'a Grammar,
    file: &'a str,
    source: &'t [u8],
    changed: BTreeSet<u64>,
    /// The declarations that the walk is in.
    frames: Vec<Frame>,
    /// Annotations that wait for what they annotate, each with its depth.
    notes: Vec<(usize, Node<'t>)>,
    declared: Vec<Declared<'t>>,
    /// How far the last unreadable stretch reaches, and how long all are.
    unreadable: (usize, usize),
    outline: Outline,
}

/// A declaration that the walk is in.
struct Frame {
    depth: usize,
    scope: Scope,
    /// Its place in the outline, if it is a function.
    function: Option<usize>,
}

impl<'t> Walk<'_, 't> {
    fn all(&mut self, root: Node<'t>) {
        let mut cursor = root.walk();
        let mut above: Vec<Node<'t>> = Vec::new();
        loop {
            let node = cursor.node();
            let leaf = !cursor.goto_first_child();
            self.enter(node, &above, leaf);
            if !leaf {
                above.push(node);
                continue;
            }
            loop {
                self.leave(above.len());
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

    fn enter(&mut self, node: Node<'t>, above: &[Node<'t>], leaf: bool) {
        let class = self.grammar.class(&node);
        let depth = above.len();
        if node.is_error() && node.end_byte() > self.unreadable.0 {
            let start = node.start_byte().max(self.unreadable.0);
            self.unreadable = (node.end_byte(), self.unreadable.1 + node.end_byte() - start);
        }
        if class & (DECLARATION | MARK) != 0 {
            self.declare(node, class, above);
        }
        if class & NOTE != 0 {
            self.notes.push((depth, node));
        } else if class & COMMENT == 0 {
            while self.notes.last().is_some_and(|(note, _)| *note >= depth) {
                self.notes.pop();
            }
        }
        if class & (CALL | IMPORT) != 0 {
            self.sensitive(node, class);
        }
        self.count(node, class, above, leaf);
    }

    /// Adds a node to the function it is in.
    fn count(&mut self, node: Node<'t>, class: Class, above: &[Node<'t>], leaf: bool) {
        let Some(function) = self.frames.iter().rev().find_map(|frame| frame.function) else { return };
        let Some(function) = self.outline.functions.get_mut(function) else { return };
        // A comma more or less, at the end of a list, says nothing.
        if class & COMMENT != 0 || node.kind() == "," {
            return;
        }
        let joins = class & JOIN != 0 && above.last().is_some_and(|it| self.grammar.class(it) & CONDITION != 0);
        function.complexity += u32::from(class & BRANCH != 0 || joins);
        function.mix((above.len().wrapping_sub(function.depth) as u64) << 16 | u64::from(node.kind_id()));
        if leaf {
            function.mix_bytes(self.source.get(node.byte_range()).unwrap_or_default());
        }
    }

    fn declare(&mut self, node: Node<'t>, class: Class, above: &[Node<'t>]) {
        let depth = above.len();
        let notes = self.notes.iter().rposition(|(note, _)| *note != depth).map_or(0, |at| at + 1);
        let scope = self.frames.last().map(|frame| &frame.scope);
        let notes = self.notes.get(notes..).unwrap_or_default();
        let site = Site { node, source: self.source, scope, file: self.file, above, notes };
        if class & MARK != 0 {
            let open = (self.grammar.dialect.marked)(&site);
            if let (Some(open), Some(frame)) = (open, self.frames.last_mut()) {
                frame.scope.open = open;
            }
            return;
        }
        let mut declared = std::mem::take(&mut self.declared);
        (self.grammar.dialect.declared)(&site, &mut declared);
        let mut inside = None;
        for declared in declared.drain(..).filter(|it| !it.name.is_empty()) {
            inside = inside.or(self.add(node, depth, &declared));
        }
        self.declared = declared;
        self.frames.extend(inside);
    }

    /// Adds a declaration, and says what the walk is in from here on.
    fn add(&mut self, node: Node<'t>, depth: usize, declared: &Declared<'t>) -> Option<Frame> {
        if declared.shape == Shape::Export {
            self.outline.exports.insert(declared.name.to_owned());
            return None;
        }
        let scope = self.frames.last().map(|frame| &frame.scope);
        let name = match scope {
            Some(scope) if !scope.name.is_empty() => {
                format!("{}{}{}", scope.name, self.grammar.dialect.joint, declared.name)
            }
            _ => declared.name.to_owned(),
        };
        let name = match declared.owner {
            Some(owner) => format!("{owner}{}{name}", self.grammar.dialect.joint),
            None => name,
        };
        let test = declared.test || scope.is_some_and(|scope| scope.test);
        let reach = if test { Reach::Private } else { reach(scope, declared) };
        let owner = scope.and_then(|scope| scope.owner.clone());
        let line = node.start_position().row as u64 + 1;
        let last = node.end_position().row as u64 + 1;
        let touched = self.changed.range(line..=last).next().is_some();
        let is_scope = matches!(declared.shape, Shape::Scope { .. });
        if is_scope && declared.visibility == Visibility::Private {
            self.outline.hidden.insert(name.clone());
        }
        if reach != Reach::Private && !matches!(declared.shape, Shape::Group { .. }) {
            let signature = Signature::read(self.grammar, self.source, node, declared);
            let (word, name) = (declared.word, name.clone());
            self.outline.public.push(Item { word, name, signature, line, touched, reach: reach.clone(), owner });
        }
        let frame = |scope, function| Some(Frame { depth, scope, function });
        match declared.shape {
            Shape::Function => {
                let place = self.outline.functions.len();
                let (complexity, fingerprint) = (1, 0);
                let function = Function { name: name.clone(), line, touched, complexity, fingerprint, depth, test };
                self.outline.functions.push(function);
                frame(Scope { name, reach: Reach::Private, open: false, test, owner: None }, Some(place))
            }
            Shape::Scope { open } => frame(Scope { name, reach, open, test, owner: None }, None),
            Shape::Group { open } => frame(Scope { owner: Some(name.clone()), name, reach, open, test }, None),
            Shape::Item | Shape::Alias | Shape::Export => None,
        }
    }

    fn leave(&mut self, depth: usize) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.depth >= depth) {
            let inner = frame.function.and_then(|function| self.outline.functions.get(function));
            let Some(fingerprint) = inner.map(|inner| inner.fingerprint) else { continue };
            let outer = self.frames.iter().rev().find_map(|frame| frame.function);
            if let Some(outer) = outer.and_then(|outer| self.outline.functions.get_mut(outer)) {
                outer.mix(fingerprint);
            }
        }
    }

    fn sensitive(&mut self, node: Node<'t>, class: Class) {
        let line = node.start_position().row as u64 + 1;
        let last = node.end_position().row as u64 + 1;
        if self.changed.range(line..=last).next().is_none() {
            return;
        }
        let areas = &self.grammar.areas;
        let found = if class & IMPORT != 0 {
            areas.of_import(crate::language::text(self.source, node))
        } else {
            let fields = ["arguments", "block"].iter().filter_map(|field| node.child_by_field_name(field));
            let rest = fields.chain(children(node).filter(|child| child.kind() == "arguments"));
            let end = rest.map(|rest| rest.start_byte()).min().unwrap_or(node.end_byte());
            areas.of_call(self.source.get(node.start_byte()..end).unwrap_or_default())
        };
        self.outline.areas.extend(found.map(|(area, what)| AreaUse { area, what, line: Some(line) }));
    }
}

/// Who can get at a declaration in this scope.
fn reach(scope: Option<&Scope>, declared: &Declared<'_>) -> Reach {
    match (scope.map(|scope| &scope.reach), declared.visibility) {
        (Some(Reach::Private), _) | (_, Visibility::Private) => Reach::Private,
        (Some(reach @ Reach::IfExported(_)), _) => reach.clone(),
        (_, Visibility::Public) => Reach::Public,
        (_, Visibility::IfExported) => Reach::IfExported(declared.name.to_owned()),
    }
}

impl Function {
    fn mix(&mut self, value: u64) {
        self.fingerprint = (self.fingerprint.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn mix_bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.mix(u64::from_le_bytes(word));
        }
    }
}
