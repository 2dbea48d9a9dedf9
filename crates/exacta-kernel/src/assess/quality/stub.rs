//! Functions whose body does nothing yet: `pass`, `...`, `todo!()`, `throw new NotImplementedException()`, or nothing at all.
//!
//! What does nothing on purpose is left alone: abstract methods, protocols, overloads, interface files, hooks of base classes, and
//! whatever says so in a docstring or comment.

use super::words::every;
use crate::facts::FileContent;
use crate::prelude::*;
use crate::scan::change::FileChange;
use crate::scan::source::Role;

/// Comments that say that a value only stands in for the real one.
const STANDS_IN: &[&str] = &["placeholder", "stub", "todo", "implement", "for now", "dummy", "fixme"];
/// Statements that say that a body is not written, lower case.
const NOT_WRITTEN: &[&str] = &[
    "todo!(",
    "unimplemented!(",
    "panic!(\"not implemented",
    "panic!(\"not yet",
    "panic(\"not implemented",
    "panic(\"todo",
    "throw new notimplementedexception",
    "throw new notimplementederror",
    "throw new unsupportedoperationexception(\"not implemented",
    "throw new unsupportedoperationexception(\"not yet",
    "throw new unsupportedoperationexception(\"todo",
    "throw new error(\"not implemented",
    "throw new error('not implemented",
    "throw new error(\"todo",
    "throw new error('todo",
    "throw new exception(\"not implemented",
    "throw error(\"not implemented",
    "fatalerror(\"not implemented",
    "todo(\"",
];
/// What a class is called, or derives from, whose methods may do nothing.
const OPEN_CLASSES: &[&str] = &[
    "abstract",
    "abc",
    "abcmeta",
    "base",
    "protocol",
    "interface",
    "mixin",
    "null",
    "dummy",
    "fake",
    "mock",
    "stub",
    "hooks",
    "visitor",
    "listener",
    "plugin",
];
/// What a function is called, or decorated with, that may do nothing.
const OPEN_FUNCTIONS: &[&str] =
    &["noop", "no_op", "nothing", "ignore", "abstract", "overload", "group", "fixture", "hook", "virtual"];
/// Words of a comment that say that a body is empty on purpose.
const ON_PURPOSE: &[&str] =
    &["nothing", "noop", "purpose", "intentionally", "deliberately", "empty", "needed", "unused", "ignored", "ignore"];
/// How many lines a signature may have.
const LONGEST: usize = 24;

/// The line of the first added function without a real body.
pub(super) fn stub(change: &FileChange<'_>) -> Option<u64> {
    let name = change.path.name();
    if change.role != Role::Source || name.ends_with(".pyi") || name.ends_with(".d.ts") {
        return None;
    }
    let python = name.ends_with(".py");
    let braces = || {
        ["rs", "js", "mjs", "ts", "tsx", "jsx", "java", "cs", "go", "kt", "swift", "php", "scala", "cpp", "cc"]
            .contains(&name.rsplit('.').next().unwrap_or_default())
    };
    if !python && !braces() {
        return None;
    }
    let candidate = |line: &[u8]| {
        if python { python_statement(line).is_some() } else { is_unwritten(line) || is_empty(line, name) }
    };
    let mut candidates = change.added_lines().filter(|line| candidate(line.bytes));
    // A body that was as empty before is not added by whoever changes its signature.
    if candidates.clone().count() <= change.removed_lines().filter(|line| candidate(line.bytes)).count() {
        return None;
    }
    let text = Text::new(change.after?, name);
    let found = candidates.find(|line| {
        let at = usize::try_from(line.line).unwrap_or_default().saturating_sub(1);
        if python { text.is_python_stub(at) } else { text.is_braced_stub(at) }
    });
    found.map(|line| line.line)
}

/// What a Python statement leaves open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// `pass` and `...`: with a docstring, they do nothing on purpose.
    Nothing,
    /// It says itself that it is not written.
    Unwritten,
}

/// The statement of a line that could be a whole body; of `def f(): pass` what follows the colon.
fn python_statement(line: &[u8]) -> Option<Statement> {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let text = text.trim();
    let text = if is_def(text) { text.rsplit_once(':')?.1.trim() } else { text };
    let (code, comment) = text.split_once('#').map_or((text, ""), |(code, comment)| (code.trim_end(), comment));
    let stands_in = STANDS_IN.iter().any(|word| comment.contains(word));
    match code {
        "pass" | "..." if comment.trim().is_empty() || stands_in => Some(Statement::Nothing),
        _ if code.starts_with("raise notimplementederror") => Some(Statement::Unwritten),
        _ if code.starts_with("return") && stands_in => Some(Statement::Unwritten),
        _ => None,
    }
}

/// A statement of a language with braces that says that its body is not written, alone or in `{ … }`.
fn is_unwritten(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let text = text.trim();
    let stands_in = text.starts_with("return")
        && text.split_once("//").is_some_and(|(_, comment)| STANDS_IN.iter().any(|word| comment.contains(word)));
    let inner = text.rsplit_once(['{', '>']).map_or("", |(_, inner)| inner.trim());
    stands_in || NOT_WRITTEN.iter().any(|phrase| text.starts_with(phrase) || inner.starts_with(phrase))
}

/// The header of a named function with nothing between its braces.
fn is_empty(line: &[u8], file: &str) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    (text.ends_with(") {}") || text.ends_with(") { }")) && is_function(text) || is_script(file) && is_method(text)
}

/// Whether a header declares a function by a word that does only that.
fn is_function(header: &str) -> bool {
    let mut words = header.split_whitespace().take_while(|word| !word.contains('('));
    let known = words.any(|word| matches!(word, "fn" | "func" | "function" | "fun" | "void"));
    let lower = header.to_lowercase();
    // Go has no word for what a method implements, and Rust checks bounds by functions that nobody fills.
    let proves = header.starts_with("func (") || header.contains(">() {");
    known && !proves && !OPEN_FUNCTIONS.iter().any(|word| lower.contains(word)) && !lower.contains("override")
}

fn is_script(file: &str) -> bool {
    ["js", "mjs", "jsx", "ts", "tsx"].contains(&file.rsplit('.').next().unwrap_or_default())
}

/// A method of a class in JavaScript or TypeScript with nothing between its braces; constructors and `onClose` may have nothing.
fn is_method(text: &str) -> bool {
    let Some(header) = text.strip_suffix("{}").or_else(|| text.strip_suffix("{ }")) else { return false };
    let Some((before, after)) = header.split_once('(') else { return false };
    let name = before.split_whitespace().next_back().unwrap_or_default();
    let word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'));
    let reacts = name.strip_prefix("on").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let lower = before.to_lowercase();
    !name.is_empty()
        && before.split_whitespace().all(word)
        && after.contains(')')
        && !after.contains("=>")
        && !reacts
        && !matches!(name, "constructor" | "function")
        && !is_branch(text)
        && !OPEN_FUNCTIONS.iter().any(|word| lower.contains(word))
        && !lower.contains("override")
}

fn is_def(text: &str) -> bool {
    text.starts_with("def ") || text.starts_with("async def ")
}

/// The lines of a file.
struct Text<'a> {
    lines: Vec<&'a [u8]>,
    name: &'a str,
}

impl<'a> Text<'a> {
    fn new(content: &'a FileContent, name: &'a str) -> Self {
        Self { lines: content.bytes().split(|byte| *byte == b'\n').collect(), name }
    }

    fn line(&self, at: usize) -> String {
        self.lines.get(at).map(|line| String::from_utf8_lossy(line).into_owned()).unwrap_or_default()
    }

    /// The nearest line before, or after, that is neither blank nor a comment.
    fn code_before(&self, at: usize) -> Option<usize> {
        (0..at).rev().take(LONGEST).find(|at| is_code(&self.line(*at)))
    }

    fn code_after(&self, at: usize) -> Option<usize> {
        (at + 1..self.lines.len()).find(|at| is_code(&self.line(*at)))
    }

    fn is_python_stub(&self, at: usize) -> bool {
        let line = self.line(at);
        let Some(statement) = python_statement(line.as_bytes()) else { return false };
        let header = if is_def(line.trim()) { Some(at) } else { self.python_header(at, statement) };
        let Some(header) = header else { return false };
        let inside = indent(&line);
        let above = at.checked_sub(1).map(|at| self.line(at)).unwrap_or_default();
        let explained = above.trim().strip_prefix('#').map(str::to_lowercase);
        if explained.is_some_and(|comment| !STANDS_IN.iter().any(|word| comment.contains(word))) {
            return false;
        }
        let whole = header == at || self.code_after(at).is_none_or(|next| indent(&self.line(next)) < inside);
        whole && !self.may_do_nothing(header, statement)
    }

    /// The `def` whose body begins with the statement; one that says itself that it is not written may follow a docstring.
    fn python_header(&self, at: usize, statement: Statement) -> Option<usize> {
        let mut before = self.code_before(at)?;
        let quoted = |line: &str| line.trim_end().ends_with("\"\"\"") || line.trim_end().ends_with("'''");
        if statement == Statement::Unwritten && quoted(&self.line(before)) {
            let starts = |line: &str| {
                let line = line.trim_start().trim_start_matches(['r', 'R']);
                line.starts_with("\"\"\"") || line.starts_with("'''")
            };
            let alone = |line: &str| line.trim().len() > 3;
            let end = before;
            let opening = |at: &usize| starts(&self.line(*at)) && (*at < end || alone(&self.line(*at)));
            before = self.code_before((0..=end).rev().take(LONGEST * 4).find(opening)?)?;
        }
        if !self.line(before).trim_end().ends_with(':') {
            return None;
        }
        let last = self.line(before);
        if is_def(last.trim()) {
            return Some(before);
        }
        // The end of a signature of several lines closes what it did not open.
        let closes = last.matches(')').count() > last.matches('(').count();
        (0..before).rev().take(LONGEST).find(|at| closes && is_def(self.line(*at).trim()))
    }

    /// Whether a function is one that others write, or that does nothing by its nature.
    fn may_do_nothing(&self, header: usize, statement: Statement) -> bool {
        let line = self.line(header);
        let name = line.trim().trim_start_matches("async ").trim_start_matches("def ");
        let name = name.split('(').next().unwrap_or_default().trim().to_lowercase();
        let special = name.starts_with("__") && name.ends_with("__") && statement == Statement::Nothing;
        let decorated = (0..header).rev().take_while(|at| self.line(*at).trim_start().starts_with('@'));
        let open = |text: &str| OPEN_FUNCTIONS.iter().any(|word| text.to_lowercase().contains(word));
        special || open(&name) || decorated.into_iter().any(|at| open(&self.line(at))) || self.is_in_open_class(header)
    }

    /// Whether the class around a method is made to be derived from: by its name, or because the file derives from it.
    fn is_in_open_class(&self, header: usize) -> bool {
        let depth = indent(&self.line(header));
        let outer = (0..header).rev().find(|at| {
            let line = self.line(*at);
            is_code(&line) && indent(&line) < depth
        });
        let Some(class) = outer.map(|at| self.line(at)).filter(|line| line.trim().starts_with("class ")) else {
            return false;
        };
        let name =
            class.trim().trim_start_matches("class ").split(['(', ':']).next().unwrap_or_default().trim().to_owned();
        let derives = |line: &&[u8]| {
            let line = String::from_utf8_lossy(line);
            let bases = line
                .trim()
                .strip_prefix("class ")
                .and_then(|rest| rest.split_once('('))
                .map(|(_, bases)| bases.to_owned());
            bases.is_some_and(|bases| bases.split([',', ')', '.']).any(|base| base.trim() == name))
        };
        is_open(&class) || self.lines.iter().any(derives)
    }

    fn is_braced_stub(&self, at: usize) -> bool {
        let line = self.line(at);
        let text = line.trim();
        if is_empty(line.as_bytes(), self.name) {
            return !text.contains("main(") && !self.may_be_empty(at);
        }
        let header = if text.contains(['{', '>'])
            && !text.starts_with("throw")
            && text.contains('(')
            && !text.starts_with("todo")
        {
            Some(text.to_owned()).filter(|text| text.contains(") ") && !is_branch(text))
        } else {
            let before = self.code_before(at).map(|at| self.line(at)).filter(|line| {
                let line = line.trim();
                line.ends_with('{') && line.contains(')') && !is_branch(line) || line == "{"
            });
            let closes = self.code_after(at).is_some_and(|next| self.line(next).trim_start().starts_with('}'));
            before.filter(|_| closes)
        };
        header.is_some_and(|header| {
            let lower = header.to_lowercase();
            !OPEN_FUNCTIONS.iter().any(|word| lower.contains(word))
        }) && !self.may_be_unwritten(at)
    }

    /// Whether nothing can be the right answer: because a trait, an interface or a base class asks for the function, or because
    /// a comment says so.
    fn may_be_empty(&self, at: usize) -> bool {
        let mut above = (0..at).rev().map(|at| self.line(at));
        let noted = above.find(|line| !line.trim_start().starts_with('@')).unwrap_or_default().to_lowercase();
        let noted = is_comment(&noted) && every(&noted).any(|word| ON_PURPOSE.contains(&word.as_str()));
        let annotated = (0..at).rev().map(|at| self.line(at)).take_while(|line| line.trim_start().starts_with('@'));
        let headers = self.headers(at);
        // What looks like a method of a script is one only in a class.
        let loose = !is_function(self.line(at).trim()) && !headers.first().is_some_and(|line| is_class(line));
        noted
            || loose
            || annotated.into_iter().any(|line| line.contains("Override"))
            || headers.iter().any(|line| is_contract(line) || implements(line) || (is_class(line) && derives(line)))
    }

    /// Whether code that says it is not written may stand: in what others implement, or for what a trait asks and this cannot do.
    fn may_be_unwritten(&self, at: usize) -> bool {
        let later = self.line(at).to_lowercase().contains("todo");
        self.headers(at).iter().any(|line| is_contract(line) || (implements(line) && !later))
    }

    /// The lines that open the blocks around a line, the nearest first.
    fn headers(&self, at: usize) -> Vec<String> {
        let mut inner = indent(&self.line(at));
        let mut found = Vec::new();
        for line in (0..at).rev().map(|at| self.line(at)).filter(|line| is_code(line)) {
            let (here, text) = (indent(&line), line.trim());
            if here < inner && (text == "{" || text.starts_with("where")) {
                // It belongs to the line above it.
                inner = here + 1;
            } else if here < inner {
                inner = here;
                found.push(text.to_owned());
            }
            if inner == 0 {
                break;
            }
        }
        found
    }
}

/// What others implement, or derive from.
fn is_contract(header: &str) -> bool {
    ["trait ", "interface ", "abstract ", "protocol "].iter().any(|word| header.contains(word))
        || (is_class(header) && is_open(header))
}

fn implements(header: &str) -> bool {
    header.contains("impl") && header.contains(" for ")
}

fn is_class(header: &str) -> bool {
    header
        .split_whitespace()
        .any(|word| matches!(word, "class" | "struct" | "object" | "extension" | "actor" | "record"))
}

fn derives(class: &str) -> bool {
    [" extends ", " implements ", ": ", " :"].iter().any(|word| class.contains(word))
}

/// Whether a class says by a word of its name or of what it derives from that its methods may do nothing.
fn is_open(class: &str) -> bool {
    let lower = class.to_lowercase();
    every(class).any(|word| OPEN_CLASSES.contains(&word.as_str())) || lower.contains("noop") || lower.contains("no_op")
}

fn is_comment(line: &str) -> bool {
    ["//", "*", "/*"].iter().any(|start| line.trim_start().starts_with(start))
}

fn is_branch(line: &str) -> bool {
    let line = line.trim_start_matches(['}', ' ']);
    ["if", "else", "for", "while", "match", "switch", "catch", "loop", "when", "case", "default", "do", "try"]
        .iter()
        .any(|word| {
            line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !(line.is_empty() || line.starts_with('#') && !line.starts_with("#[") || line.starts_with("//"))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
