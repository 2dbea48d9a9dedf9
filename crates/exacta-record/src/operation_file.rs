//! The file that is written for people and tools about an operation: its entries. The log is what counts; nothing is ever read back from it.

use crate::row::IndexedLine;

/// The content of an operation's file: its entries, a line each, exactly as they are in the log.
pub fn entries_text(correlation_id: &str, lines: &[IndexedLine]) -> Vec<u8> {
    let mut text = entries_head(correlation_id);
    text.reserve(lines.iter().map(|line| line.bytes.len() + 2).sum::<usize>() + 5);
    for (index, line) in lines.iter().enumerate() {
        text.extend(if index == 0 { &b"\n"[..] } else { b",\n" });
        text.extend(&line.bytes);
    }
    text.extend(b"\n]}\n");
    text
}

/// How an operation's file begins.
pub fn entries_head(correlation_id: &str) -> Vec<u8> {
    format!("{{\"schema\":\"exacta.audit-log/1\",\"correlation_id\":\"{correlation_id}\",\"entries\":[").into_bytes()
}
