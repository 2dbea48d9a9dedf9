//! The review page in a browser, as people use it: `tools/browser/suite.mjs` does it, with this program.

use crate::world::EXACTA;
use exacta_testkit::{needs, output, program};
use std::path::Path;
use std::process::Command;

#[test]
fn what_people_do_on_the_review_page() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/browser");
    let installed = suite.join("node_modules/playwright-core").is_dir();
    if !program("chromium") || !program("node") || !needs(installed, "`npm ci` in tools/browser") {
        return;
    }
    let mut command = Command::new("node");
    command.arg(suite.join("suite.mjs")).arg(EXACTA);
    let done = output(&mut command);
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    assert!(told.lines().filter(|line| line.starts_with("ok ")).count() >= 8, "{told}");
}
