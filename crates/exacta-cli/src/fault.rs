//! No panic reaches a user: one line, and the exit code of a system fault.

use std::io::Write as _;
use std::panic::PanicHookInfo;

/// The exit code of a system fault.
pub const EXIT: u8 = 60;

/// Says what happened in one line instead of a stack trace.
pub fn install() {
    std::panic::set_hook(Box::new(report));
}

fn report(info: &PanicHookInfo<'_>) {
    crate::review::terminal::leave();
    let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
    let what = info.payload_as_str().unwrap_or("unknown cause");
    let line = exacta_kernel::text::visible_line(what).into_owned();
    // Nothing is left to be done if even this cannot be written.
    drop(writeln!(
        std::io::stderr(),
        "error: internal fault{place}: {line}\nhint: run `exacta doctor`, and report this"
    ));
}
