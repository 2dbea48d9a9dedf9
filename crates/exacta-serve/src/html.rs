//! HTML, written so that whatever is given as text can only be text.
//!
//! Tags and the names of attributes are written in this crate's source; everything else is escaped, and hidden characters in it are shown. There is
//! no way to write markup that came from outside.

use exacta_kernel::text::visible;

/// Attributes: a name of ours, and a value from anywhere.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A piece of a page.
#[derive(Debug, Default)]
pub struct Html {
    out: String,
}

impl Html {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { out: String::new() }
    }

    /// Text, and nothing but text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        escape(&visible(text), &mut self.out);
        self
    }

    /// An element and what is in it.
    pub fn tag(&mut self, name: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Self)) -> &mut Self {
        self.begin(name, attributes);
        inside(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        self
    }

    /// An element with only text in it.
    pub fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) -> &mut Self {
        self.tag(name, attributes, |html| {
            html.text(text);
        })
    }

    /// An element that has no inside, such as `input`.
    pub fn void(&mut self, name: &'static str, attributes: Attributes<'_>) -> &mut Self {
        self.begin(name, attributes);
        self
    }

    /// A piece that was written before.
    pub fn add(&mut self, piece: &Self) -> &mut Self {
        self.out.push_str(&piece.out);
        self
    }

    /// A whole document.
    #[must_use]
    pub fn into_document(self) -> String {
        format!("<!doctype html>\n{}\n", self.out)
    }

    fn begin(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.out.push('<');
        self.out.push_str(name);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(&visible(value), &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
    }
}

fn escape(text: &str, out: &mut String) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let name = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        out.push_str(name);
        plain = at + 1;
    }
    out.push_str(text.get(plain..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_from_outside_is_only_text() {
        let mut html = Html::new();
        html.tag("p", &[("title", "\" onclick=\"x('&')")], |html| {
            html.text("<script>alert(1)</script>\u{202e}\u{1b}[31m").void("br", &[]);
        });
        assert_eq!(
            html.out,
            "<p title=\"&quot; onclick=&quot;x(&#39;&amp;&#39;)\">&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}\\u{1b}[31m<br></p>"
        );
    }
}
