//! What would repair text that is not JSON, from what the reader stumbled over.

/// What to change at a place of the text; the reader's own words say what it expected there.
pub(super) fn hint(message: &str, text: &str, line: usize, column: usize) -> &'static str {
    let at = offset(text, line, column);
    let rest = |from: usize| text.get(from..).unwrap_or_default().trim_start();
    match message {
        _ if message.starts_with("EOF") => "the text ends too early: send the whole object, with every bracket closed",
        _ if message.starts_with("trailing characters") => after_the_end(text, at),
        _ if message.starts_with("trailing comma") => "take out the comma before this place",
        _ if message.starts_with("control character") => "inside a string write a line break as \\n and a tab as \\t",
        _ if message.contains("escape") => "inside a string write a backslash as \\\\",
        _ if is_comment(rest(at)) || is_comment(rest(at.saturating_sub(1))) => "take the comment out: JSON has none",
        _ if message.starts_with("key must be a string") => "write every name in double quotes",
        _ if message.starts_with("expected `,`") => {
            "put a comma between the two, or write a double quote inside a string as \\\""
        }
        _ if message.starts_with("expected `:`") => "put a colon between the name and its value",
        _ if message.starts_with("expected ident") || message.starts_with("expected value") => {
            "write strings in double quotes, and `true`, `false` and `null` in lower case"
        }
        _ => "send one complete JSON object and nothing after it",
    }
}

fn after_the_end(text: &str, at: usize) -> &'static str {
    // The place is the first character after the object, or the one behind it.
    let start = text.get(..at).unwrap_or_default().rfind('}').map_or(at, |end| end + 1);
    let rest = text.get(start..).unwrap_or_default().trim_start_matches([',', ' ', '\t', '\r', '\n']);
    if rest.starts_with('{') {
        "there is more than one object: send one, with the steps of all of them in its `steps`"
    } else if rest.starts_with(['}', ']']) {
        "take out the bracket that closes nothing"
    } else {
        "send nothing after the object"
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*") || text.starts_with('#')
}

/// The byte that a line and a column, both from 1, name.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = lines + column.saturating_sub(1);
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
