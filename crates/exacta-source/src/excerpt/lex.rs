//! Lines with what brackets, strings and comments around them tell.

/// What of a language's tokens matters here.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(super) struct Syntax {
    /// `//` and `/* */`.
    pub slashes: bool,
    /// `/* /* */ */`.
    pub nested: bool,
    /// `#` begins a comment.
    pub hash: bool,
    /// `'a` without a closing quote.
    pub lifetimes: bool,
    /// A string in double quotes may go over several lines.
    pub multiline: bool,
    /// `r#"…"#`.
    pub raw: bool,
    /// `"""…"""` and `'''…'''`.
    pub triple: bool,
    /// `"""…"""`.
    pub triple_double: bool,
    /// `` `…` ``.
    pub backtick: bool,
    /// `${…}` in it.
    pub template: bool,
    /// `/…/`.
    pub regex: bool,
    /// `#if` and `#endif`, `#define` with any brackets.
    pub directives: bool,
}

impl Syntax {
    pub const BRACES: Self = Self {
        slashes: true,
        nested: false,
        hash: false,
        lifetimes: false,
        multiline: false,
        raw: false,
        triple: false,
        triple_double: false,
        backtick: false,
        template: false,
        regex: false,
        directives: false,
    };
}

/// A line, as it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub start: usize,
    /// How many brackets are open.
    pub depth: u32,
    /// Not in a string or comment.
    pub clean: bool,
    /// The white space before its first byte; a tab is one.
    pub indent: u32,
    /// Its first byte; zero if it is blank.
    pub first: u8,
    /// Whether that begins a comment.
    pub is_comment: bool,
    /// The last byte of code before it; zero if there is none.
    pub prev: u8,
}

/// The lines of a text; none if brackets or strings do not fit.
pub(super) fn lines(syntax: &'static Syntax, text: &[u8]) -> Option<Vec<Line>> {
    let mut lexer =
        Lexer { syntax, text, at: 0, prev: 0, open: Vec::new(), lines: Vec::with_capacity(text.len() / 24) };
    lexer.line(true);
    while lexer.at < text.len() {
        lexer.step()?;
    }
    // What follows the last line feed is no line.
    if text.ends_with(b"\n") {
        lexer.lines.pop();
    }
    lexer.open.is_empty().then_some(lexer.lines)
}

struct Lexer<'a> {
    syntax: &'static Syntax,
    text: &'a [u8],
    at: usize,
    prev: u8,
    /// What closes the open brackets.
    open: Vec<u8>,
    lines: Vec<Line>,
}

/// Closes `#if`, which no bracket does.
const DIRECTIVE: u8 = b'#';
/// Closes `${` in a template.
const TEMPLATE: u8 = b'$';

impl Lexer<'_> {
    /// Begins a line here.
    fn line(&mut self, clean: bool) {
        let rest = self.rest();
        let indent = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let body = rest.get(indent..).unwrap_or_default();
        let first = body.first().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).unwrap_or(0);
        let is_comment = self.syntax.slashes && (body.starts_with(b"//") || body.starts_with(b"/*"))
            || self.syntax.hash && first == b'#';
        let depth = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        let indent = u32::try_from(indent).unwrap_or(u32::MAX);
        self.lines.push(Line { start: self.at, depth, clean, indent, first, is_comment, prev: self.prev });
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) -> Option<()> {
        let byte = *self.text.get(self.at)?;
        let next = self.text.get(self.at + 1).copied().unwrap_or(0);
        let syntax = self.syntax;
        match byte {
            b'\n' => {
                self.at += 1;
                self.line(true);
                return Some(());
            }
            b' ' | b'\t' | b'\r' => {
                self.at += 1;
                return Some(());
            }
            b'#' if syntax.directives && self.begins_line() => return self.directive(),
            b'#' if syntax.hash => return self.skip_line(),
            b'/' if syntax.slashes && next == b'/' => return self.skip_line(),
            b'/' if syntax.slashes && next == b'*' => return self.comment(),
            b'/' if syntax.regex && self.may_be_regex() => self.regex()?,
            b'"' | b'\'' if syntax.triple && self.rest().starts_with(&[byte; 3]) => self.until(&[byte; 3], true)?,
            b'"' if syntax.triple_double && self.rest().starts_with(b"\"\"\"") => self.until(b"\"\"\"", true)?,
            b'"' if syntax.raw && self.is_raw() => self.raw()?,
            b'"' => self.string(b'"', syntax.multiline)?,
            b'\'' if syntax.lifetimes => self.character()?,
            b'\'' => self.string(b'\'', false)?,
            b'`' if syntax.template => self.template()?,
            b'`' if syntax.backtick => self.until(b"`", false)?,
            b'(' => self.push(b')'),
            b'[' => self.push(b']'),
            b'{' => self.push(b'}'),
            b'}' if self.open.last() == Some(&TEMPLATE) => {
                self.open.pop();
                self.at += 1;
                self.template_rest()?;
            }
            b')' | b']' | b'}' => {
                if self.open.pop() != Some(byte) {
                    return None;
                }
                self.at += 1;
            }
            _ => self.at += 1,
        }
        self.prev = byte;
        Some(())
    }

    fn push(&mut self, close: u8) {
        self.open.push(close);
        self.at += 1;
    }

    fn begins_line(&self) -> bool {
        let start = self.lines.last().map_or(0, |line| line.start);
        self.text.get(start..self.at).is_some_and(|before| before.trim_ascii().is_empty())
    }

    /// To the line feed, which is left.
    fn skip_line(&mut self) -> Option<()> {
        self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
        Some(())
    }

    /// Goes over some bytes that are no code, and begins the lines among them.
    fn pass(&mut self, length: usize) {
        let end = self.at + length;
        while let Some(line) = self.text.get(self.at..end).and_then(|rest| memchr::memchr(b'\n', rest)) {
            self.at += line + 1;
            self.line(false);
        }
        self.at = end;
    }

    fn comment(&mut self) -> Option<()> {
        let (mut depth, mut length) = (0_usize, 0);
        loop {
            let rest = self.rest().get(length..)?;
            let found = memchr::memchr2(b'*', b'/', rest)?;
            let pair = rest.get(found..found + 2)?;
            length += found + 2;
            match pair {
                b"/*" if depth == 0 || self.syntax.nested => depth += 1,
                b"*/" if depth <= 1 => break,
                b"*/" => depth -= 1,
                _ => length -= 1,
            }
        }
        self.pass(length);
        Some(())
    }

    /// `#if`, `#endif`, and whatever else goes to the end of its line.
    fn directive(&mut self) -> Option<()> {
        let word = self.rest().get(1..)?.trim_ascii_start();
        if word.starts_with(b"if") {
            self.open.push(DIRECTIVE);
        } else if word.starts_with(b"endif") && self.open.pop() != Some(DIRECTIVE) {
            return None;
        }
        loop {
            let length = memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
            let line = self.rest().get(..length)?;
            let goes_on = line.trim_ascii_end().ends_with(b"\\") && length < self.rest().len();
            if memchr::memmem::find(line, b"/*").is_some() {
                return None;
            }
            self.at += length;
            if !goes_on {
                return Some(());
            }
            self.at += 1;
            self.line(false);
        }
    }

    /// A string that backslashes escape in.
    fn string(&mut self, quote: u8, multiline: bool) -> Option<()> {
        let mut length = 1;
        loop {
            match *self.rest().get(length)? {
                b'\\' => length += 2,
                b'\n' if !multiline => return None,
                byte if byte == quote => break,
                _ => length += 1,
            }
        }
        self.pass(length + 1);
        Some(())
    }

    /// To what closes it.
    fn until(&mut self, close: &[u8], escapes: bool) -> Option<()> {
        let mut length = close.len();
        loop {
            let rest = self.rest().get(length..)?;
            if rest.starts_with(close) {
                break;
            }
            length += if escapes && rest.first()? == &b'\\' { 2 } else { 1 };
        }
        self.pass(length + close.len());
        Some(())
    }

    /// Whether the quote here is after `r`, `r#`, `br##` and their like.
    fn is_raw(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        let hashes = before.iter().rev().take_while(|byte| **byte == b'#').count();
        let rest = before.get(..before.len() - hashes).unwrap_or_default();
        let Some(rest) = rest.strip_suffix(b"r") else { return false };
        let rest = rest.strip_suffix(b"b").or_else(|| rest.strip_suffix(b"c")).unwrap_or(rest);
        !rest.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    }

    fn raw(&mut self) -> Option<()> {
        let before = self.text.get(..self.at).unwrap_or_default();
        let hashes = before.iter().rev().take_while(|byte| **byte == b'#').count();
        let close = [&b"\""[..], &vec![b'#'; hashes]].concat();
        let length = memchr::memmem::find(self.rest().get(1..)?, &close)?;
        self.pass(length + 1 + close.len());
        Some(())
    }

    /// A character, or a lifetime.
    fn character(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.get(1) == Some(&b'\\') {
            return self.string(b'\'', false);
        }
        // A character may be of several bytes.
        let wide = rest.iter().skip(2).take_while(|byte| (0x80..0xC0).contains(*byte)).count();
        self.at += if rest.get(2 + wide) == Some(&b'\'') { 3 + wide } else { 1 };
        Some(())
    }

    fn template(&mut self) -> Option<()> {
        self.at += 1;
        self.template_rest()
    }

    /// To the end of a template, or into code in it.
    fn template_rest(&mut self) -> Option<()> {
        let mut length = 0;
        loop {
            match *self.rest().get(length)? {
                b'\\' => length += 2,
                b'`' => {
                    self.pass(length + 1);
                    return Some(());
                }
                b'$' if self.rest().get(length + 1) == Some(&b'{') => {
                    self.pass(length + 2);
                    self.open.push(TEMPLATE);
                    return Some(());
                }
                _ => length += 1,
            }
        }
    }

    /// Whether a slash begins a regular expression: after what a value cannot follow.
    fn may_be_regex(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_ascii_end();
        let after_word = [&b"return"[..], b"typeof", b"case", b"of", b"in"].iter().any(|word| before.ends_with(word));
        after_word || self.prev == 0 || b"(,=:[!&|?{};+-*%<>~^".contains(&self.prev)
    }

    fn regex(&mut self) -> Option<()> {
        let (mut length, mut class) = (1, false);
        loop {
            match *self.rest().get(length)? {
                b'\\' => length += 2,
                b'\n' => return None,
                b'/' if !class => break,
                byte => {
                    class = byte == b'[' || class && byte != b']';
                    length += 1;
                }
            }
        }
        self.at += length + 1;
        Some(())
    }
}
