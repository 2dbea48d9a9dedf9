//! The languages that are parsed: for each, the names of its grammar's nodes by what they mean, and what a declaration declares.

mod c;
mod csharp;
mod go;
mod java;
mod php;
mod python;
mod ruby;
mod rust;
mod script;

use tree_sitter::Node;

/// A language that is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Php,
    Ruby,
}

impl Language {
    pub const ALL: [Self; 12] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Php,
        Self::Ruby,
    ];
    pub const COUNT: usize = Self::ALL.len();

    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Rust => &rust::RUST,
            Self::Python => &python::PYTHON,
            Self::JavaScript => &script::JAVASCRIPT,
            Self::TypeScript => &script::TYPESCRIPT,
            Self::Tsx => &script::TSX,
            Self::Go => &go::GO,
            Self::Java => &java::JAVA,
            Self::C => &c::C,
            Self::Cpp => &c::CPP,
            Self::CSharp => &csharp::CSHARP,
            Self::Php => &php::PHP,
            Self::Ruby => &ruby::RUBY,
        }
    }
}

/// The language of a file, by its name; for names that two languages share, by its content.
pub(crate) fn of(name: &str, before: &[u8], after: &[u8]) -> Option<Language> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    Some(match extension.to_ascii_lowercase().as_str() {
        "rs" => Language::Rust,
        "py" | "pyi" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "go" => Language::Go,
        "java" => Language::Java,
        "c" => Language::C,
        "h" if is_cpp(before) || is_cpp(after) => Language::Cpp,
        "h" => Language::C,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "inl" | "ipp" | "tpp" => Language::Cpp,
        "cs" => Language::CSharp,
        "php" => Language::Php,
        "rb" | "rake" | "gemspec" => Language::Ruby,
        _ => return None,
    })
}

/// Whether a header is one of C++.
fn is_cpp(text: &[u8]) -> bool {
    let signs = [&b"::"[..], b"\nclass ", b"\nnamespace ", b"\ntemplate", b"public:", b"private:"];
    signs.iter().any(|sign| memchr::memmem::find(text, sign).is_some())
}

/// What of a parameter callers rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameters {
    /// All of it: callers may name it.
    Named,
    /// Its type.
    Typed,
    /// All but its name.
    Bare,
}

/// How a language is read. All lists are names of its grammar's nodes.
#[derive(Debug)]
pub(crate) struct Dialect {
    pub grammar: fn() -> tree_sitter::Language,
    pub comments: &'static [&'static str],
    /// Annotations, attributes, decorators: not part of a signature.
    pub notes: &'static [&'static str],
    /// One more way through a function.
    pub branches: &'static [&'static str],
    /// Expressions that may join conditions.
    pub conditions: &'static [&'static str],
    /// Nodes that [`Dialect::declared`] is asked about.
    pub declarations: &'static [&'static str],
    pub calls: &'static [&'static str],
    pub imports: &'static [&'static str],
    /// What of a parameter callers rely on.
    pub parameters: Parameters,
    /// Between a name and that of what it is in.
    pub joint: &'static str,
    /// Nodes that may say who may use what follows them.
    pub marks: &'static [&'static str],
    /// Whether what follows such a node is public, if it says so.
    pub marked: fn(&Site<'_, '_>) -> Option<bool>,
    /// What a node declares.
    pub declared: for<'t> fn(&Site<'_, 't>, &mut Vec<Declared<'t>>),
    /// Sensitive calls and imports: see [`crate::area`].
    pub areas: &'static str,
}

/// A node where something may be declared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a, 't> {
    pub node: Node<'t>,
    pub source: &'t [u8],
    /// What it is in; none at the top.
    pub scope: Option<&'a Scope>,
    /// The file's name.
    pub file: &'a str,
    /// The nodes around it, from the root down.
    pub above: &'a [Node<'t>],
    /// The annotations right before it.
    pub notes: &'a [(usize, Node<'t>)],
}

/// What declarations are in.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Its name with that of its own scope.
    pub name: String,
    pub reach: Reach,
    /// Whether a member that says nothing is public.
    pub open: bool,
    /// Whether it only checks other code.
    pub test: bool,
    /// The type that it adds to, if it is no declaration itself.
    pub owner: Option<String>,
}

/// Who can get at what a scope holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    Public,
    Private,
    /// Everyone, if the file exports this name further down.
    IfExported(String),
}

/// What a node declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared<'t> {
    /// Such as `fn`.
    pub word: &'static str,
    pub name: &'t str,
    /// The type that it belongs to, where that stands elsewhere.
    pub owner: Option<&'t str>,
    pub shape: Shape,
    pub visibility: Visibility,
    /// The node that holds its parameters.
    pub parameters: Option<Node<'t>>,
    /// Where its signature begins and ends.
    pub start: usize,
    pub end: usize,
    /// Whether it only checks other code.
    pub test: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Code with a complexity.
    Function,
    /// Holds declarations; if `open`, they are public unless they say otherwise.
    Scope { open: bool },
    /// Holds declarations but is none itself, such as an `impl`.
    Group { open: bool },
    /// Anything else with a name.
    Item,
    /// Only a name: where it comes from does not matter.
    Alias,
    /// Says that the file exports what it declares under this name.
    Export,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    Public,
    Private,
    /// Public if the file exports it by name.
    IfExported,
}

impl Visibility {
    pub const fn when(public: bool) -> Self {
        if public { Self::Public } else { Self::Private }
    }
}

impl<'t> Site<'_, 't> {
    /// The text of a node; empty if it is not UTF-8.
    pub fn text(&self, node: Node<'_>) -> &'t str {
        text(self.source, node)
    }

    /// The text of a field; empty if there is none.
    pub fn field(&self, name: &str) -> &'t str {
        self.node.child_by_field_name(name).map_or("", |node| self.text(node))
    }

    /// The first child of this kind.
    pub fn child(&self, kind: &str) -> Option<Node<'t>> {
        children(self.node).find(|child| child.kind() == kind)
    }

    /// Whether a member that says nothing is public here.
    pub fn open(&self) -> bool {
        self.scope.is_some_and(|scope| scope.open)
    }

    /// A declaration by the usual fields: `name`, `parameters`, `body`.
    pub fn declared(&self, word: &'static str, shape: Shape, visibility: Visibility) -> Declared<'t> {
        let body = self.node.child_by_field_name("body");
        Declared {
            word,
            name: self.field("name"),
            owner: None,
            shape,
            visibility,
            parameters: self.node.child_by_field_name("parameters"),
            start: self.node.start_byte(),
            end: body.map_or(self.node.end_byte(), |body| body.start_byte()),
            test: false,
        }
    }
}

impl<'t> Declared<'t> {
    /// The same under another name.
    pub const fn named(self, name: &'t str) -> Self {
        Self { name, ..self }
    }

    /// The same with its signature beginning where this field does.
    pub fn starting_at(self, node: Node<'t>, field: &str) -> Self {
        Self { start: node.child_by_field_name(field).map_or(self.start, |node| node.start_byte()), ..self }
    }

    /// The same with its signature ending where this field begins.
    pub fn up_to(self, node: Node<'t>, field: &str) -> Self {
        let end = node.child_by_field_name(field).map_or(self.end, |node| node.start_byte());
        Self { end: end.min(self.end), ..self }
    }
}

/// All children of a node.
pub(crate) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.child_count()).filter_map(move |index| node.child(index))
}

/// The text of a node; empty if it is not UTF-8.
pub(crate) fn text<'t>(source: &'t [u8], node: Node<'_>) -> &'t str {
    source.get(node.byte_range()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// The part of a type's text that names it: without generics, pointers and spaces.
pub(crate) fn plain_type(text: &str) -> &str {
    let text = text.trim_start_matches(['&', '*', ' ', '(']);
    text.split(['<', ' ', '[', '(', ')']).next().unwrap_or(text)
}
