//! A patch of another tool: never a panic, and what comes out is a proposal.
//!
//! The input is a byte that chooses the form, the content that every file is said to have up to a byte 0xFF, and the patch.
#![no_main]

use exacta_kernel::facts::FileContent;
use exacta_kernel::import::{Request, codex, git};
use exacta_kernel::parse::parse;
use exacta_kernel::path::RelPath;
use exacta_kernel::proposal::IntentKind;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|byte| *byte == 0xff).unwrap_or(rest.len());
    let (content, patch) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    let content = Arc::new(FileContent::new(content.to_vec(), 0o644));
    let request = Request { intent: IntentKind::FixBug, text: Some("mend it") };
    let mut lookup = |_: &RelPath| Some(content.clone());
    let text = if choice % 2 == 0 { git(patch, &request, &mut lookup) } else { codex(patch, &request, &mut lookup) };
    if let Ok(text) = text
        && let Err(refusal) = parse(text.as_bytes())
    {
        panic!("{:?}\n{text}", refusal.findings);
    }
});
